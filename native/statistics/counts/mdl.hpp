// Fayyad & Irani's cuts of one feature.
#pragma once

#include <vector>

#include "machine/numbers.hpp"

namespace nearwise {

struct Ordered {
  const double* values;          // [n] ascending
  const std::int32_t* classes;   // [n] in 0 .. c - 1
  const Count* cases;     // [n] positive, less than 2^31 in all; null for one each
  Count n;
  std::int32_t c;
};

struct Units {
  const Count* table;  // [size] k log2 k in whole units of 1 / scale
  Count size;
  double scale;
  const double* alphabet;     // [c + 1] log2(3^k - 2) for k classes
};

// The entries before which to cut, ascending.
std::vector<Count> mdl_cuts(const Ordered& entries, const Units& units);

}  // namespace nearwise
