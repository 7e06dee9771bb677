// The loops of the local regression, over numbers that lie side by side. Every number is added up in the same order with
// any instruction set.
//
// Rows are padded to a multiple of four numbers, and so is their count, with zeros. What is written below the diagonal of
// a matrix means nothing and is never read.
//
// Nothing here may be inline outside the anonymous namespace (see scan.tile.cpp).
#include "local_linear.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

typedef double Four __attribute__((vector_size(32)));

Four load(const double* from) {
  Four out;
  __builtin_memcpy(&out, from, sizeof out);
  return out;
}

void store(double* to, Four x) { __builtin_memcpy(to, &x, sizeof x); }

Four all(double x) { return x - Four{}; }

}  // namespace

// gram[f][h] += sum over rows of row[f] * row[h], for h >= f.
void add_products(const double* rows, Count count, Count stride, double* gram) {
  for (Count at = 0; at < count; at += 4) {
    const double *a = rows + at * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    for (Count f = 0; f < stride; f += 4)
      for (Count h = f; h < stride; h += 4) {
        const Four ah = load(a + h), bh = load(b + h), ch = load(c + h), dh = load(d + h);
#pragma GCC unroll 4
        for (Count i = 0; i < 4; ++i) {
          double* to = gram + (f + i) * stride + h;
          Four sum = load(to) + all(a[f + i]) * ah;
          sum = sum + all(b[f + i]) * bh;
          sum = sum + all(c[f + i]) * ch;
          store(to, sum + all(d[f + i]) * dh);
        }
      }
  }
}

// Of every row below row t of A, what row t of U takes away.
void take_row(double* a, Count t, Count width, Count stride) {
  const double* row = a + t * stride;
  for (Count i = t + 1; i < width; ++i) {
    const Four factor = all(row[i]);
    double* out = a + i * stride;
    for (Count j = i / 4 * 4; j < stride; j += 4) store(out + j, load(out + j) - factor * load(row + j));
  }
}

void add_scaled(double* out, const double* row, Count stride, double by) {
  const Four factor = all(by);
  for (Count i = 0; i < stride; i += 4) store(out + i, load(out + i) + factor * load(row + i));
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
