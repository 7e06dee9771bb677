// The hot loops of the kd-tree; one implementation per instruction set.
#pragma once

#include "machine/instructions.hpp"
#include "machine/numbers.hpp"

namespace nearwise {

constexpr Count leaf_length = 32;  // cases of a leaf: a bit each in a mask, and its tile of 16 features fits 4 KiB
constexpr Count fan_out = 4;       // children of a node: their boxes are compared side by side in one vector

// What a query is compared under: its values and the coefficients of the features that count, in schema order.
struct Asked {
  const double* values;        // [d]
  const double* coefficients;  // [d]
  Count d;
  int power;                   // 1 or 2
};

NEARWISE_UP_TO_AVX2(
// bounds[j] <= the sum of every case in box j; boxes [d, 2, fan_out] hold low and high ends. Where the bounds of all
// boxes pass `limit` they need not be finished.
void box_bounds(const double* boxes, const Asked& asked, double limit, double* bounds);
// Sums over a tile [d, leaf_length]; returns the mask of those that are at most `limit`, the others need not be finished.
std::uint32_t leaf_sums(const double* tile, const Asked& asked, double limit, double* sums);
)

}  // namespace nearwise
