// The loops of the local regression, over numbers that lie side by side. Every number is added up in the same order with
// any instruction set.
//
// Rows are padded to a multiple of four numbers, and so is their count, with zeros. What is written below the diagonal of
// a matrix means nothing and is never read.
#include "answers/local_linear.hpp"
#include "machine/vectors.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

typedef double Four __attribute__((vector_size(32)));

}  // namespace

// gram[f][h] += sum over rows of row[f] * row[h], for h >= f; rows are [count, width], the gram's rows stride apart.
void add_products(const double* rows, Count count, Count width, double* gram, Count stride) {
  for (Count f = 0; f < width; f += 4)
    for (Count h = f; h < width; h += 8) {
      const Count second = h + 4 < width ? 4 : 0;  // the last tile is narrow: its second half is the first once more
      Four low[4], high[4];
#pragma GCC unroll 4
      for (Count i = 0; i < 4; ++i) {
        low[i] = load<Four>(gram + (f + i) * stride + h);
        high[i] = load<Four>(gram + (f + i) * stride + h + second);
      }
      for (Count at = 0; at < count; ++at) {
        const double* row = rows + at * width;
        const Four left = load<Four>(row + h), right = load<Four>(row + h + second);
#pragma GCC unroll 4
        for (Count i = 0; i < 4; ++i) {
          const Four factor = all<Four>(row[f + i]);
          low[i] = low[i] + factor * left;
          high[i] = high[i] + factor * right;
        }
      }
#pragma GCC unroll 4
      for (Count i = 0; i < 4; ++i) {
        store(gram + (f + i) * stride + h, low[i]);
        store(gram + (f + i) * stride + h + second, high[i]);
      }
    }
}

// Of the rows from .. width - 1 of A, what rows t .. t + count - 1 of U take away, one after the other.
void take_rows(double* a, Count t, Count count, Count from, Count width, Count stride) {
  const double* row = a + t * stride;
  for (Count i = from; i < width; ++i) {
    double* out = a + i * stride;
    if (count == 4) {
      const Four p = all<Four>(row[i]), q = all<Four>(row[stride + i]);
      const Four r = all<Four>(row[2 * stride + i]), s = all<Four>(row[3 * stride + i]);
      for (Count j = i / 4 * 4; j < stride; j += 4) {
        Four left = load<Four>(out + j) - p * load<Four>(row + j);
        left = left - q * load<Four>(row + stride + j);
        left = left - r * load<Four>(row + 2 * stride + j);
        store(out + j, left - s * load<Four>(row + 3 * stride + j));
      }
      continue;
    }
    for (Count u = 0; u < count; ++u) {
      const Four factor = all<Four>(row[u * stride + i]);
      for (Count j = i / 4 * 4; j < stride; j += 4)
        store(out + j, load<Four>(out + j) - factor * load<Four>(row + u * stride + j));
    }
  }
}

void add_scaled(double* out, const double* row, Count stride, double by) {
  const Four factor = all<Four>(by);
  for (Count i = 0; i < stride; i += 4) store(out + i, load<Four>(out + i) + factor * load<Four>(row + i));
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
