// The matrix product, and squared gaps of vectors, in one order: the processor changes nothing.
#pragma once

#include "machine/instructions.hpp"
#include "machine/numbers.hpp"

namespace nearwise {

// a (m, n) with the entry (i, j) at a[i * row + j * column], b (n, k) in C order, out (m, k) in C order.
struct Factors {
  const double* a;
  const double* b;
  Count m, n, k, row, column;
};

// Writes sums over j of a[i, j] * b[j, c], or of (a[i, j] - b[j, c])^2; one implementation per instruction set.
NEARWISE_UP_TO_AVX2(
void product(const Factors& factors, double* out);
void squared_gaps(const Factors& factors, double* out);
)

}  // namespace nearwise
