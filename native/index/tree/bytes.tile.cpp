// Bounds of the cases of a leaf that has a byte for each number, compiled once per instruction set.
//
// A leaf tells in which of 256 equal parts of its box a value lies, the b-th, so the gap is at least
// |q - low - (b + 1/2) step| - step / 2. This is worked out in single precision, in a unit in which the limit is not far
// from 1. Rounding moves a place by 1/2048 of a step up to 8,192 steps away, for which a half is taken as 0.501, and by a
// share of 2^-24 beyond; with squares and sums a share of (d + 10) 2^-24 at the most, for which the limit has room. A
// query farther than 4,096 sides is compared with the box, and differences so small that the square of one might vanish
// add nothing. What is not a number excludes nobody.
#include <algorithm>
#include <cmath>

#include "index/tree/loops.hpp"
#include "machine/floats.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

constexpr int lanes = lanes_of_floats;
constexpr Count vectors = leaf_length / lanes;
typedef std::uint8_t Bytes __attribute__((vector_size(lanes)));

template <int power>
std::uint32_t bounds_of(const std::uint8_t* tile, const double* box, const Asked& asked, float most, float* shares) {
  Floats sums[vectors] = {};
  double alike = 0.0;  // what all cases of the leaf add
  for (Count f = 0; f < asked.d; ++f, box += 2 * fan_out, tile += leaf_length) {
    const double low = box[0], high = box[fan_out], q = asked.values[f], length = asked.lengths[f];
    const double gap = q - low, side = high - low, step = side / steps;
    if (std::abs(gap) > 4096 * side) {
      const double edge = std::max(low - q, q - high);
      if (edge >= least_step) alike += power == 2 ? edge * length * (edge * length) : edge * length;
    } else if (step >= least_step) {
      const Floats place = all(static_cast<float>((gap - 0.5 * step) * length));
      const Floats part = all(static_cast<float>(-step * length)), slack = all(static_cast<float>(-0.501 * step * length));
#pragma GCC unroll 8
      for (Count at = 0; at < vectors; ++at) {
        const Floats own = __builtin_convertvector(nearwise::load<Bytes>(tile + at * lanes), Floats);
        const Floats away = magnitude(multiply_add(own, part, place)) + slack;
        const Floats least = away > Floats{} ? away : Floats{};
        sums[at] = power == 2 ? multiply_add(least, least, sums[at]) : sums[at] + least;
      }
    }
  }
  std::uint32_t mask = 0;
  for (Count at = 0; at < vectors; ++at) {
    sums[at] = sums[at] + all(static_cast<float>(alike));
    store(shares + at * lanes, sums[at]);
    const Ints beyond = sums[at] > all(most);
#ifdef __AVX2__
    mask |= static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)beyond)) << (at * lanes);
#else
    for (int i = 0; i < lanes; ++i) mask |= static_cast<std::uint32_t>(beyond[i] & 1) << (at * lanes + i);
#endif
  }
  return ~mask;
}

}  // namespace

std::uint32_t byte_bounds(const std::uint8_t* tile, const double* box, const Asked& asked, float most, float* shares) {
  return asked.power == 2 ? bounds_of<2>(tile, box, asked, most, shares) : bounds_of<1>(tile, box, asked, most, shares);
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
