// A radix sort. A double becomes a whole number of the same order: a positive one has its sign bit set, a negative one all
// bits turned. Three digits of 11 bits, from the lowest up, order the pairs by the highest 33 bits that differ at all;
// what is equal in those is short as a rule and is put in order by comparing.
#include "statistics/counts/sort_pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "machine/scratch.hpp"

namespace nearwise {
namespace {

using Key = std::uint64_t;

constexpr int bits = 11, digits = 3, buckets = 1 << bits;
constexpr Key sign = Key{1} << 63;
constexpr std::ptrdiff_t few = 16;  // so many are inserted one by one

struct Pair {
  Key key;
  std::int32_t code;
};

Key key_of(double x) {
  const Key raw = std::bit_cast<Key>(x + 0.0);
  return raw & sign ? ~raw : raw | sign;
}

double number_of(Key key) { return std::bit_cast<double>(key & sign ? key ^ sign : ~key); }

int digit(Key key, int d) { return static_cast<int>(key >> (d * bits)) & (buckets - 1); }

void order(Pair* first, Pair* last) {
  if (last - first > few) {
    std::stable_sort(first, last, [](const Pair& a, const Pair& b) { return a.key < b.key; });
    return;
  }
  for (Pair* each = first + 1; each < last; ++each) {
    const Pair held = *each;
    Pair* at = each;
    for (; at > first && at[-1].key > held.key; --at) *at = at[-1];
    *at = held;
  }
}

// What a thread sorts in is kept until the thread ends: a fit sorts column after column, and new memory costs as much as
// a pass over it.
class Kept {
 public:
  Pair* of(Count size) {
    if (size > size_) {
      held_.reset();  // before there is more
      held_ = std::make_unique<Scratch<Pair>>(static_cast<std::size_t>(size));
      size_ = size;
    }
    return held_ ? held_->data() : nullptr;
  }

 private:
  std::unique_ptr<Scratch<Pair>> held_;
  Count size_ = 0;
};

thread_local Kept one_half, other_half;

}  // namespace

Count sort_pairs(const double* values, const std::int32_t* codes, Count n, double* sorted,
                        std::int32_t* carried) {
  Pair* const pairs = one_half.of(n);
  Count known = 0;
  Key least = ~Key{0}, most = 0;
  for (Count i = 0; i < n; ++i) {
    const Key key = key_of(values[i]);
    pairs[known] = {key, codes[i]};
    if (std::isnan(values[i])) continue;
    least = std::min(least, key);
    most = std::max(most, key);
    ++known;
  }
  if (known == 0) return 0;
  const int width = std::bit_width(most - least), shift = std::max(0, width - digits * bits);
  std::vector<std::array<std::uint32_t, buckets>> count(digits);  // zeros
  for (Count i = 0; i < known; ++i) {
    pairs[i].key -= least;
    for (int d = 0; d < digits; ++d) ++count[d][digit(pairs[i].key >> shift, d)];
  }
  Pair *from = pairs, *to = other_half.of(known);
  for (int d = 0; d < digits; ++d) {
    auto& at = count[d];
    if (at[digit(from[0].key >> shift, d)] == known) continue;
    std::uint32_t before = 0;
    for (auto& each : at) before += std::exchange(each, before);
    for (Count i = 0; i < known; ++i) to[at[digit(from[i].key >> shift, d)]++] = from[i];
    std::swap(from, to);
  }
  for (Count i = 0; shift > 0 && i < known;) {
    Count end = i + 1;
    while (end < known && from[end].key >> shift == from[i].key >> shift) ++end;
    if (end - i > 1) order(from + i, from + end);
    i = end;
  }
  for (Count i = 0; i < known; ++i) {
    sorted[i] = number_of(from[i].key + least);
    carried[i] = from[i].code;
  }
  return known;
}

}  // namespace nearwise
