// Fayyad & Irani's cuts of one feature.
#pragma once

#include <cstdint>
#include <vector>

namespace nearwise {

struct Ordered {
  const double* values;          // [n] ascending
  const std::int32_t* classes;   // [n] in 0 .. c - 1
  const std::int64_t* cases;     // [n] positive, less than 2^31 in all; null for one each
  std::int64_t n;
  std::int32_t c;
};

struct Units {
  const std::int64_t* table;  // [size] k log2 k in whole units of 1 / scale
  std::int64_t size;
  double scale;
  const double* alphabet;     // [c + 1] log2(3^k - 2) for k classes
};

// The entries before which to cut, ascending.
std::vector<std::int64_t> mdl_cuts(const Ordered& entries, const Units& units);

}  // namespace nearwise
