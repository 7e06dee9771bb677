// The hot loops of the kd-tree; one implementation per instruction set.
#pragma once

#include "machine/instructions.hpp"
#include "machine/numbers.hpp"

namespace nearwise {

constexpr Count leaf_length = 32;  // cases of a leaf: a bit each in a mask
constexpr Count steps = 256;       // parts of a side of a leaf's box: a byte tells in which of them a value is
constexpr double least_step = 1e-140;  // shorter ones are not told apart: their squares may vanish
constexpr Count fan_out = 4;       // children of a node: their boxes are compared side by side in one vector

// What a query is compared under: its values and the coefficients of the features that count, in schema order.
struct Asked {
  const double* values;        // [d]
  const double* coefficients;  // [d]
  Count d;
  int power;                   // 1 or 2
  const double* lengths;       // [d] what makes a gap a length in the unit in which leaves are looked at
  double unit;                 // the sum that is 1 there
};

NEARWISE_UP_TO_AVX2(
// bounds[j] <= the sum of every case in box j; boxes [d, 2, fan_out] hold low and high ends. Where the bounds of all
// boxes pass `limit` they need not be finished.
void box_bounds(const double* boxes, const Asked& asked, double limit, double* bounds);
// Sums over a tile [d, leaf_length]; returns the mask of those that are at most `limit`, the others need not be finished.
std::uint32_t leaf_sums(const double* tile, const Asked& asked, double limit, double* sums);
// shares[j] <= the sum of case j of a leaf by its bytes [d, leaf_length], in asked.unit, but for what rounding moves. Returns
// the mask of those that are not beyond `most`. `box` is that of the leaf among those of its node, as above.
std::uint32_t byte_bounds(const std::uint8_t* tile, const double* box, const Asked& asked, float most, float* shares);
)

}  // namespace nearwise
