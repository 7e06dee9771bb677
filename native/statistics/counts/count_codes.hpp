// Counting how often two codes occur together.
#pragma once

#include "machine/numbers.hpp"

namespace nearwise {

struct CodePairs {
  const std::int32_t *rows, *columns;  // [n]
  const double* weights;               // [n], or null
  Count n;
};

// cases [v, c], and sums [v, c] of weights where there are any. A case with a negative
// code is left out. False, and nothing counted, where a code is not below v or c.
bool count_codes(const CodePairs& pairs, std::int32_t v, std::int32_t c, Count* cases, double* sums);

}  // namespace nearwise
