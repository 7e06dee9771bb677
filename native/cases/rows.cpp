#include "cases/rows.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "cases/marks.hpp"
#include "machine/parallel.hpp"

namespace nearwise {
namespace {

constexpr Count piece_letters = Count{1} << 20;

// Bit i says whether an odd number of bits stands up to i.
std::uint64_t odd_so_far(std::uint64_t bits) {
  for (int by = 1; by < 64; by *= 2) bits ^= bits << by;
  return bits;
}

// Counts the rows of whole lines, block by block.
class Lines {
 public:
  Lines(const Text& text, const RowShape& shape, Count first) : text_(text), shape_(shape), first_(first), start_(first) {}

  bool take(const std::uint8_t* block, Count at) {
    const Marks marks = marks_of(block, shape_.separator);
    if (marks.nuls != 0 || (marks.crosses != 0 && has_hexadecimal(marks.crosses, at))) return false;
    const std::uint64_t inside = odd_so_far(marks.quotes) ^ quoted_;
    if (!stand_alone(marks, inside) || (marks.ends & inside) != 0) return false;
    if ((((marks.returns << 1) | return_) & ~marks.ends) != 0) return false;
    return_ = marks.returns >> 63;
    quoted_ = (inside >> 63) != 0 ? ~std::uint64_t{0} : 0;
    return are_full(marks.ends, marks.separators & ~inside, at);
  }

  bool is_done() const { return quoted_ == 0 && return_ == 0; }
  Count rows() const { return rows_; }

 private:
  // Whether each quote that opens is the first letter of a value, and each that closes the last one, or one of two.
  bool stand_alone(const Marks& marks, std::uint64_t inside) {
    const std::uint64_t around = marks.separators | marks.ends | marks.quotes;
    const std::uint64_t opening = marks.quotes & inside, closing = marks.quotes & ~inside;
    const bool stand = (opening & ~((around << 1) | around_)) == 0 &&
                       (((closing << 1) | closing_) & ~(around | marks.returns)) == 0;
    around_ = around >> 63;
    closing_ = closing >> 63;
    return stand;
  }

  bool are_full(std::uint64_t ends, std::uint64_t separators, Count at) {
    for (; ends != 0; ends &= ends - 1) {
      const int place = std::countr_zero(ends);
      const std::uint64_t before = (std::uint64_t{1} << place) - 1;
      const Count length = at + place - start_;
      if (values_ + std::popcount(separators & before) != shape_.width || length > shape_.longest) return false;
      if (shape_.width == 1 && (length == 0 || (length == 1 && text_.letters[start_] == '\r'))) return false;
      separators &= ~before;
      values_ = 1;
      start_ = at + place + 1;
      ++rows_;
    }
    values_ += std::popcount(separators);
    return true;
  }

  // Whether 0x stands there and no letter or digit before it.
  bool has_hexadecimal(std::uint64_t crosses, Count at) const {
    for (; crosses != 0; crosses &= crosses - 1) {
      const Count place = at + std::countr_zero(crosses);
      if (place == first_ || text_.letters[place - 1] != '0') continue;
      if (place - 1 == first_ || !is_of_word(text_.letters[place - 2])) return true;
    }
    return false;
  }

  static bool is_of_word(std::uint8_t letter) {
    const int lower = letter | 0x20;
    return (letter >= '0' && letter <= '9') || (lower >= 'a' && lower <= 'z') || letter >= 0x80;
  }

  const Text& text_;
  const RowShape& shape_;
  Count first_, start_;  // of the piece, of the line
  Count rows_ = 0, values_ = 1;
  std::uint64_t quoted_ = 0, return_ = 0, closing_ = 0, around_ = 1;
};

// The rows of the lines that begin in this piece, -1 where the parsers may not agree.
Count rows_between(const Text& text, const RowShape& shape, Count first, Count last) {
  Lines lines(text, shape, first);
  Count at = first;
  for (; at + block_letters <= last; at += block_letters)
    if (!lines.take(text.letters + at, at)) return -1;
  std::uint8_t rest[block_letters];
  std::memset(rest, ' ', sizeof rest);
  std::copy(text.letters + at, text.letters + last, rest);
  if (text.letters[last - 1] != '\n') rest[last - at] = '\n';
  return lines.take(rest, at) && lines.is_done() ? lines.rows() : -1;
}

// The first line that begins here or later.
Count line_from(const Text& text, Count from) {
  if (from == 0) return 0;
  if (from >= text.n) return text.n;
  const void* end = std::memchr(text.letters + from - 1, '\n', static_cast<std::size_t>(text.n - from + 1));
  return end == nullptr ? text.n : static_cast<const std::uint8_t*>(end) - text.letters + 1;
}

}  // namespace

Count even_rows(const Text& text, const RowShape& shape, Count threads) {
  if (text.n > 0 && text.letters[text.n - 1] == '\r') return -1;
  std::atomic<Count> rows{0};
  std::atomic<bool> agree{true};
  const auto make = [&] {
    return [&](Count piece) {
      const Count first = line_from(text, piece * piece_letters);
      const Count last = line_from(text, std::min(text.n, (piece + 1) * piece_letters));
      if (first >= last) return;
      const Count found = rows_between(text, shape, first, last);
      if (found < 0) agree = false;
      rows += found;
    };
  };
  in_parallel((text.n + piece_letters - 1) / piece_letters, threads, make, [&] { return agree.load(); });
  return agree ? rows.load() : -1;
}

}  // namespace nearwise
