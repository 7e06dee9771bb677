// A double is a whole number of 53 bits times a power of two, so a product is one of 106 or 159 bits. It is cut into
// limbs of 32 bits at fixed places, and limbs are added up as 64-bit integers: no bit is lost, and no order is better
// than another.
#include "statistics/exact/exact_sums.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace nearwise {
namespace {

using Word = std::uint64_t;

constexpr Word low32 = 0xffffffff, low53 = (Word{1} << 53) - 1, fraction = (Word{1} << 52) - 1;
constexpr Count lowest_place = 1075;  // a number with exponent field E is a whole number of 2^(max(E, 1) - 1075)

inline Word field(Word bits) { return (bits >> 52) & 2047; }
inline Count exponent(Word bits) { return static_cast<Count>(std::max<Word>(field(bits), 1)); }
inline Word mantissa(Word bits) { return (bits & fraction) | (static_cast<Word>(field(bits) != 0) << 52); }

inline void add(Count* limb, Word value, Count sign) { *limb += (static_cast<Count>(value) ^ sign) - sign; }

// a 2^place
inline void add_number(Word a, Count place, Count sign, Count* sum) {
  Count* limb = sum + place / 32;
  const int s = static_cast<int>(place % 32);
  const Word x0 = (a & low32) << s, x1 = ((a >> 32) << s) + (x0 >> 32);
  add(limb, x0 & low32, sign);
  add(limb + 1, x1 & low32, sign);
  add(limb + 2, x1 >> 32, sign);
}

// A number of 128 bits.
struct Wide {
  Word low, high;
};

inline Wide multiplied(Word a, Word b) {
#ifdef __SIZEOF_INT128__
  __extension__ using Word128 = unsigned __int128;
  const Word128 both = static_cast<Word128>(a) * b;
  return {static_cast<Word>(both), static_cast<Word>(both >> 64)};
#else
  const Word a0 = a & low32, a1 = a >> 32, b0 = b & low32, b1 = b >> 32;
  const Word p0 = a0 * b0, p1 = a0 * b1 + a1 * b0, p2 = a1 * b1;  // of numbers below 2^53: no overflow
  const Word low = p0 + (p1 << 32);
  return {low, p2 + (p1 >> 32) + (low < p0)};
#endif
}

inline void add(Wide& sum, Wide value) {
  sum.low += value.low;
  sum.high += value.high + (sum.low < value.low);
}

inline void add_wide(Wide a, Count place, Count sign, Count* sum) {
  add_number(a.low, place, sign, sum);
  add_number(a.high, place + 64, sign, sum);
}

// The product of the factors of a case: pieces of at most 106 bits, piece q times 2^(place + 53 q); none where the case is
// left out or the product is 0.
template <int k>
struct Product {
  static constexpr int pieces = k == 3 ? 2 : 1;
  Wide piece[pieces];
  Count place;
  Word sign;

  bool of(const Factors& factors, Count i, Count offset) {
    Word bits[k];
    bool counts = true;
    place = offset;
    sign = 0;
    for (int j = 0; j < k; ++j) {
      bits[j] = std::bit_cast<Word>(factors.columns[j][i]);
      counts &= field(bits[j]) != 2047 && (bits[j] << 1) != 0;
      place += exponent(bits[j]);
      sign ^= bits[j] >> 63;
    }
    if constexpr (k == 1) {
      piece[0] = {mantissa(bits[0]), 0};
    } else if constexpr (k == 2) {
      piece[0] = multiplied(mantissa(bits[0]), mantissa(bits[1]));
    } else {
      const Wide both = multiplied(mantissa(bits[0]), mantissa(bits[1]));
      piece[0] = multiplied(both.low & low53, mantissa(bits[2]));
      piece[1] = multiplied((both.low >> 53) | (both.high << 11), mantissa(bits[2]));
    }
    return counts;
  }
};

template <int k>
void by_group(const Factors& factors, Count offset, Count limbs, Count* sums) {
  Product<k> product;
  for (Count i = 0; i < factors.n; ++i) {
    const Count group = factors.groups[i];
    if (group < 0 || !product.of(factors, i, offset)) continue;
    for (int q = 0; q < Product<k>::pieces; ++q)
      add_wide(product.piece[q], product.place + 53 * q, -static_cast<Count>(product.sign), sums + group * limbs);
  }
}

// One sum: numbers of the same place and sign are added up as they are, in 128 bits, which have room for 2^20 of them.
template <int k>
void in_bins(const Factors& factors, Count offset, Count places, Count* sum) {
  constexpr Count room = Count{1} << 20;
  std::vector<Wide> bins(static_cast<std::size_t>(2 * places));
  Product<k> product;
  for (Count start = 0; start < factors.n; start += room) {
    const Count stop = std::min(factors.n, start + room);
    for (Count i = start; i < stop; ++i) {
      if (!product.of(factors, i, offset)) continue;
      for (int q = 0; q < Product<k>::pieces; ++q)
        add(bins[static_cast<std::size_t>(2 * (product.place + 53 * q) + static_cast<Count>(product.sign))],
            product.piece[q]);
    }
    for (Count at = 0; at < 2 * places; ++at) {
      Wide& bin = bins[static_cast<std::size_t>(at)];
      add_wide(bin, at / 2, -(at % 2), sum);
      bin = {0, 0};
    }
  }
}

template <int k>
void add_up(const Factors& factors, Span span, Count* sums) {
  const Count offset = -k * lowest_place - 32 * span.base;
  if (factors.groups != nullptr)
    by_group<k>(factors, offset, span.limbs, sums);
  else
    in_bins<k>(factors, offset, span.places, sums);
}

}  // namespace

Addable span_of(const Factors& factors, Span& span) {
  Count lowest = 0, highest = 0;
  bool is_nothing = false;
  for (int j = 0; j < factors.k; ++j) {
    Count low = 2047, high = 0;
    bool infinite = false;
    for (Count i = 0; i < factors.n; ++i) {
      const Word bits = std::bit_cast<Word>(factors.columns[j][i]);
      const Count here = exponent(bits);
      const bool counts = (bits << 1) != 0 && here != 2047;
      infinite |= here == 2047 && (bits & fraction) == 0;
      low = std::min(low, counts ? here : 2047);
      high = std::max(high, counts ? here : 0);
    }
    if (infinite) return Addable::infinite;
    is_nothing |= high == 0;
    lowest += low - lowest_place;
    highest += high - lowest_place;
  }
  if (factors.groups != nullptr)
    for (Count i = 0; i < factors.n; ++i)
      if (factors.groups[i] >= factors.n_groups) return Addable::outside;
  span.base = lowest >= 0 ? lowest / 32 : -((31 - lowest) / 32);
  span.places = highest - 32 * span.base + (factors.k == 3 ? 53 : 0) + 1;
  span.limbs = is_nothing ? 0 : (span.places - 1) / 32 + 5;
  if (is_nothing) span.base = 0;
  return Addable::yes;
}

void exact_sums(const Factors& factors, Span span, Count* sums) {
  if (span.limbs == 0) return;
  if (factors.k == 1) add_up<1>(factors, span, sums);
  if (factors.k == 2) add_up<2>(factors, span, sums);
  if (factors.k == 3) add_up<3>(factors, span, sums);
}

}  // namespace nearwise
