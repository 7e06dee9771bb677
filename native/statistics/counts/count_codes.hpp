// Counting how often two codes occur together.
#pragma once

#include "machine/numbers.hpp"

namespace nearwise {

// rows [n], columns [n] -> cases [v, c], and sums [v, c] of weights [n] where there are weights. A case with a negative
// code is left out. False, and nothing counted, where a code is not below v or c.
bool count_codes(const std::int32_t* rows, const std::int32_t* columns, const double* weights, Count n,
                 std::int32_t v, std::int32_t c, Count* cases, double* sums);

}  // namespace nearwise
