// out[i, c] = sum over j, from the first to the last, of a[i, j] * b[j, c], or of (a[i, j] - b[j, c])^2, compiled once per
// instruction set.
//
// Four rows by eight columns stay in registers while a run of j goes by, so that every number that is read serves many
// sums; the sums themselves are added up one term after the other, as the plain loop would.
#include "arithmetic/product.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

constexpr Count height = 4, width = 8;
constexpr Count run_length = 256;  // of j: what a strip reads of b is in cache for the next strip

struct Times {
  double operator()(double a, double b) const { return a * b; }
};

struct SquaredGap {
  double operator()(double a, double b) const { return (a - b) * (a - b); }
};

// A whole tile; `out` begins with what was added up before.
template <class Term>
void add_tile(const Factors& f, Count i, Count c, Count begin, Count end, double* out) {
  double sums[height][width];
  for (Count r = 0; r < height; ++r)
    for (Count s = 0; s < width; ++s) sums[r][s] = out[(i + r) * f.k + c + s];
  for (Count j = begin; j < end; ++j) {
    const double* b = f.b + j * f.k + c;
    const double* a = f.a + i * f.row + j * f.column;
#pragma GCC unroll 4
    for (Count r = 0; r < height; ++r) {
      const double own = a[r * f.row];
#pragma GCC unroll 8
      for (Count s = 0; s < width; ++s) sums[r][s] += Term()(own, b[s]);
    }
  }
  for (Count r = 0; r < height; ++r)
    for (Count s = 0; s < width; ++s) out[(i + r) * f.k + c + s] = sums[r][s];
}

// What is left at the borders: fewer rows or fewer columns.
template <class Term>
void add_rest(const Factors& f, Count i, Count rows, Count c, Count columns, Count begin, Count end, double* out) {
  for (Count r = i; r < i + rows; ++r)
    for (Count j = begin; j < end; ++j) {
      const double own = f.a[r * f.row + j * f.column];
      for (Count s = c; s < c + columns; ++s) out[r * f.k + s] += Term()(own, f.b[j * f.k + s]);
    }
}

template <class Term>
void add_up(const Factors& f, double* out) {
  for (Count at = 0; at < f.m * f.k; ++at) out[at] = 0.0;
  for (Count begin = 0; begin < f.n; begin += run_length) {
    const Count end = begin + run_length < f.n ? begin + run_length : f.n;
    for (Count i = 0; i < f.m; i += height) {
      const Count rows = i + height < f.m ? height : f.m - i;
      Count c = 0;
      for (; rows == height && c + width <= f.k; c += width) add_tile<Term>(f, i, c, begin, end, out);
      if (c < f.k) add_rest<Term>(f, i, rows, c, f.k - c, begin, end, out);
    }
  }
}

}  // namespace

void product(const Factors& f, double* out) { add_up<Times>(f, out); }

void squared_gaps(const Factors& f, double* out) { add_up<SquaredGap>(f, out); }

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
