// A hash table with open addresses that doubles when it is half full. It holds codes; the bytes stay where they are.
#include "statistics/counts/distinct.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

namespace nearwise {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  return std::rotl((hash ^ word) * 0x9E3779B97F4A7C15u, 29);
}

std::uint64_t hash_of(const std::uint8_t* row, std::size_t width) {
  std::uint64_t hash = 0;
  for (; width >= 8; row += 8, width -= 8) {
    std::uint64_t word;
    std::memcpy(&word, row, 8);
    hash = mixed(hash, word);
  }
  if (width > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, row, width);
    hash = mixed(hash, word);
  }
  return mixed(hash, 0);
}

class Table {
 public:
  Table(const std::uint8_t* rows, std::size_t width) : rows_(rows), width_(width), slots_(64, -1) {}

  std::int32_t code_of(Count row) {
    const std::uint8_t* asked = at(row);
    std::int32_t& slot = slot_of(asked);
    if (slot >= 0) return slot;
    const auto code = static_cast<std::int32_t>(first_.size());
    slot = code;
    first_.push_back(row);
    if (2 * first_.size() > slots_.size()) grow();
    return code;
  }

  std::vector<Count> first() && { return std::move(first_); }

 private:
  const std::uint8_t* at(Count row) const { return rows_ + static_cast<std::size_t>(row) * width_; }

  // Where these bytes are, or the empty slot where they belong.
  std::int32_t& slot_of(const std::uint8_t* asked) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash_of(asked, width_) & mask;; i = (i + 1) & mask) {
      std::int32_t& slot = slots_[i];
      if (slot < 0 || std::memcmp(at(first_[static_cast<std::size_t>(slot)]), asked, width_) == 0) return slot;
    }
  }

  void grow() {
    slots_.assign(2 * slots_.size(), -1);
    for (std::size_t code = 0; code < first_.size(); ++code) slot_of(at(first_[code])) = static_cast<std::int32_t>(code);
  }

  const std::uint8_t* rows_;
  std::size_t width_;
  std::vector<std::int32_t> slots_;
  std::vector<Count> first_;
};

}  // namespace

std::vector<Count> distinct(const std::uint8_t* rows, Count n, Count width, std::int32_t* codes) {
  Table table(rows, static_cast<std::size_t>(width));
  for (Count i = 0; i < n; ++i) codes[i] = table.code_of(i);
  return std::move(table).first();
}

}  // namespace nearwise
