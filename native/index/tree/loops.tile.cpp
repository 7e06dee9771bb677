// Bounds of boxes and sums of leaves that hold numbers, compiled once per instruction set.
//
//   sum(q, x)   = sum over f, in order, of  c_f * t(|q_f - x_f|)                         t(r) = r or r^2
//   bound(q, B) = sum over f, in order, of  c_f * t(max(low_f - q_f, q_f - high_f, 0))
//
// The bound of a box is safe without any margin. Rounding is monotone: where x lies in B, |q_f - x_f| is at least the gap
// to B in every feature, so the rounded difference is, and so are the rounded power, product and sum, because both
// expressions do the same operations in the same order. For the same reason a partial sum never exceeds the whole one.
#include "index/tree/loops.hpp"
#include "machine/vectors.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

#ifdef __AVX2__
typedef double Four __attribute__((vector_size(32)));
Four load(const double* x) { return _mm256_loadu_pd(x); }
Four all(double x) { return _mm256_set1_pd(x); }
void store(double* x, Four a) { _mm256_storeu_pd(x, a); }
Four larger(Four a, Four b) { return _mm256_max_pd(a, b); }
Four smaller(Four a, Four b) { return _mm256_min_pd(a, b); }
std::uint32_t at_most(Four a, Four b) { return static_cast<std::uint32_t>(_mm256_movemask_pd((__m256d)(a <= b))); }
#else
typedef double Two __attribute__((vector_size(16)));  // what SSE2 and NEON hold; wider ones end up in memory
typedef std::int64_t TwoMasks __attribute__((vector_size(16)));
struct Four {
  Two low, high;
};
Four load(const double* x) { return nearwise::load<Four>(x); }
Four all(double x) { return {Two{x, x}, Two{x, x}}; }
Four operator+(Four a, Four b) { return {a.low + b.low, a.high + b.high}; }
Four operator-(Four a, Four b) { return {a.low - b.low, a.high - b.high}; }
Four operator*(Four a, Four b) { return {a.low * b.low, a.high * b.high}; }
Four smaller(Four a, Four b) { return {a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high}; }
Four larger(Four a, Four b) { return {a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high}; }
std::uint32_t at_most(Four a, Four b) {
  const TwoMasks bits = ((a.low <= b.low) & TwoMasks{1, 2}) | ((a.high <= b.high) & TwoMasks{4, 8});
  return static_cast<std::uint32_t>(bits[0] | bits[1]);
}
#endif

template <int power>
Four term(Four gap, Four coefficient) {
  return coefficient * (power == 2 ? gap * gap : gap);
}

template <int power>
void bounds_of(const double* boxes, const Asked& asked, double limit, double* bounds) {
  const Four zero = all(0.0), most = all(limit);
  Four total = zero;
  for (Count f = 0; f < asked.d; ++f, boxes += 2 * fan_out) {
    const Four q = all(asked.values[f]);
    const Four gap = larger(larger(load(boxes) - q, q - load(boxes + fan_out)), zero);
    total = total + term<power>(gap, all(asked.coefficients[f]));
    if (f % 4 == 3 && f + 1 < asked.d && at_most(total, most) == 0) break;
  }
  store(bounds, total);
}

template <int power>
Four sum_with(Four total, const double* x, Four q, Four coefficient) {
  const Four gap = q - load(x);
  return total + term<power>(power == 2 ? gap : larger(gap, all(0.0) - gap), coefficient);
}

template <int power>
std::uint32_t leaf_of(const double* tile, const Asked& asked, double limit, double* sums) {
  constexpr Count strip = 16;  // four vectors, whose totals stay in registers
  static_assert(leaf_length % strip == 0 && leaf_length <= 32 && fan_out == 4);
  const Four most = all(limit);
  std::uint32_t mask = 0;
  for (Count start = 0; start < leaf_length; start += strip) {
    Four a = all(0.0), b = a, c = a, d = a;
    const double* x = tile + start;
    for (Count f = 0; f < asked.d; ++f, x += leaf_length) {
      const Four q = all(asked.values[f]), coefficient = all(asked.coefficients[f]);
      a = sum_with<power>(a, x, q, coefficient);
      b = sum_with<power>(b, x + 4, q, coefficient);
      c = sum_with<power>(c, x + 8, q, coefficient);
      d = sum_with<power>(d, x + 12, q, coefficient);
      if (f % 4 == 3 && f + 1 < asked.d && at_most(smaller(smaller(a, b), smaller(c, d)), most) == 0) break;
    }
    const std::uint32_t near = at_most(a, most) | at_most(b, most) << 4 | at_most(c, most) << 8 | at_most(d, most) << 12;
    if (near == 0) continue;
    mask |= near << start;
    store(sums + start, a);
    store(sums + start + 4, b);
    store(sums + start + 8, c);
    store(sums + start + 12, d);
  }
  return mask;
}

}  // namespace

void box_bounds(const double* boxes, const Asked& asked, double limit, double* bounds) {
  asked.power == 2 ? bounds_of<2>(boxes, asked, limit, bounds) : bounds_of<1>(boxes, asked, limit, bounds);
}

std::uint32_t leaf_sums(const double* tile, const Asked& asked, double limit, double* sums) {
  return asked.power == 2 ? leaf_of<2>(tile, asked, limit, sums) : leaf_of<1>(tile, asked, limit, sums);
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
