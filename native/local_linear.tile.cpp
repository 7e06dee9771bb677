// The loops of the local regression, over numbers that lie side by side. Every number is added up in the same order with
// any instruction set.
//
// Nothing here may be inline outside the anonymous namespace (see scan.tile.cpp).
#include "local_linear.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {

// gram[f][h] += sum over rows of row[f] * row[h], for h >= f; four rows at a time.
void add_products(const double* __restrict rows, Count count, Count width, double* __restrict gram) {
  Count at = 0;
  for (; at + 4 <= count; at += 4) {
    const double *a = rows + at * width, *b = a + width, *c = b + width, *d = c + width;
    for (Count f = 0; f < width; ++f) {
      const double af = a[f], bf = b[f], cf = c[f], df = d[f];
      double* __restrict out = gram + f * width;
      for (Count h = f; h < width; ++h) out[h] = (((out[h] + af * a[h]) + bf * b[h]) + cf * c[h]) + df * d[h];
    }
  }
  for (; at < count; ++at) {
    const double* a = rows + at * width;
    for (Count f = 0; f < width; ++f) {
      const double af = a[f];
      double* __restrict out = gram + f * width;
      for (Count h = f; h < width; ++h) out[h] += af * a[h];
    }
  }
}

// The upper half of U with U'U = A, in place of the upper half of A; the roots of the diagonal are taken outside.
void take_row(double* __restrict a, Count t, Count width) {
  const double* __restrict row = a + t * width;
  for (Count i = t + 1; i < width; ++i) {
    const double factor = row[i];
    double* __restrict out = a + i * width;
    for (Count j = i; j < width; ++j) out[j] -= factor * row[j];
  }
}

void scale(double* __restrict row, Count count, double by) {
  for (Count i = 0; i < count; ++i) row[i] *= by;
}

void add_scaled(double* __restrict out, const double* __restrict row, Count count, double by) {
  for (Count i = 0; i < count; ++i) out[i] += by * row[i];
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
