// A hash table with open addresses that doubles when it is half full. It holds hashes and codes; the letters stay where
// they are.
#include "cases/coded_texts.hpp"

#include <bit>
#include <cstring>
#include <random>

namespace nearwise {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  const std::uint64_t product = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return std::rotl(product, 29) ^ product;
}

template <class Word>
std::uint64_t word_at(const char* letters) {
  Word word;
  std::memcpy(&word, letters, sizeof word);
  return word;
}

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  const char* letters = text.data();
  std::size_t left = text.size();
  std::uint64_t hash = mixed(seed, left);
  for (; left > 8; letters += 8, left -= 8) hash = mixed(hash, word_at<std::uint64_t>(letters));
  // what is left in at most two words, which may overlap
  if (left == 8) {
    hash = mixed(hash, word_at<std::uint64_t>(letters));
  } else if (left >= 4) {
    hash = mixed(hash, word_at<std::uint32_t>(letters) << 32 | word_at<std::uint32_t>(letters + left - 4));
  } else if (left > 0) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < left; ++i) word = word << 8 | static_cast<std::uint8_t>(letters[i]);
    hash = mixed(hash, word);
  }
  return mixed(hash, 0);
}

class Table {
 public:
  // Nobody can write a file whose texts all meet in one slot, for nobody knows the seed.
  Table() : seed_(std::uint64_t{std::random_device{}()} << 32 | std::random_device{}()), slots_(1024) {}

  std::int32_t code_of(std::string_view text) {
    const std::uint64_t hash = hash_of(text, seed_);
    const auto sign = static_cast<std::uint32_t>(hash >> 32);
    Slot* slot = &slots_[hash & (slots_.size() - 1)];
    while (slot->code >= 0 && !(slot->sign == sign && different_[static_cast<std::size_t>(slot->code)] == text))
      slot = behind(slot);
    if (slot->code >= 0) return slot->code;
    const auto code = static_cast<std::int32_t>(different_.size());
    *slot = {sign, code};
    different_.push_back(text);
    if (2 * different_.size() > slots_.size()) grow();
    return code;
  }

  std::vector<std::string_view> different() && { return std::move(different_); }

 private:
  struct Slot {
    std::uint32_t sign = 0;
    std::int32_t code = -1;
  };

  Slot* behind(Slot* slot) { return slot == &slots_.back() ? slots_.data() : slot + 1; }

  void grow() {
    slots_.assign(4 * slots_.size(), Slot{});
    for (std::size_t code = 0; code < different_.size(); ++code) {
      const std::uint64_t hash = hash_of(different_[code], seed_);
      Slot* slot = &slots_[hash & (slots_.size() - 1)];
      while (slot->code >= 0) slot = behind(slot);
      *slot = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(code)};
    }
  }

  std::uint64_t seed_;
  std::vector<Slot> slots_;
  std::vector<std::string_view> different_;
};

}  // namespace

CodedTexts coded_texts(const ArrowTexts& texts) {
  Table table;
  CodedTexts found;
  found.codes.reserve(static_cast<std::size_t>(texts.size()));
  texts.each(
      [&](std::string_view text) {
        found.codes.push_back(table.code_of(text));
        return true;
      },
      [&] {
        found.codes.push_back(-1);
        return true;
      });
  found.different = std::move(table).different();
  const auto missing = static_cast<std::int32_t>(found.different.size());
  for (std::int32_t& code : found.codes) code = code < 0 ? missing : code;
  return found;
}

}  // namespace nearwise
