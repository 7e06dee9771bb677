// The sums of one query over a tile of cases, compiled once per instruction set.
//
//   s(q, i) = sum over f, in order, of  coefficients[a, f] * t      t = raw^power
//   raw     = |q_f - x_f| for numbers, [q_f != x_f] for symbols; one_missing[f], both_missing[f] where values are missing
//
// Columns that are joined are one feature: their t are added up first, then multiplied by the coefficient.
//
// The loop over features is outside and starts from 0.0, so every sum has the rounding of the plain NumPy expression;
// the loop over cases is inside and has no branches, so it becomes vector instructions.
#include <math.h>

#include "arithmetic/raised.hpp"
#include "index/scan/scan.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

template <class Raised>
void add_number(const double* x, Count n, double q, double coefficient, double missing, double* sums, Raised raised) {
  for (Count i = 0; i < n; ++i) {
    const double raw = fabs(q - x[i]);
    sums[i] += coefficient * raised(x[i] != x[i] ? missing : raw);
  }
}

template <class Raised>
void add_symbol(const double* x, Count n, double q, double coefficient, double missing, double* sums, Raised raised) {
  const double same = coefficient * 0.0, other = coefficient * 1.0, unknown = coefficient * raised(missing);
  for (Count i = 0; i < n; ++i) {
    const double known = x[i] != q ? other : same;
    sums[i] += x[i] != x[i] ? unknown : known;
  }
}

template <class Raised>
void add_missing_query(const double* x, Count n, double coefficient, double one, double both, double* sums, Raised raised) {
  const double if_known = coefficient * raised(one), if_missing = coefficient * raised(both);
  for (Count i = 0; i < n; ++i) sums[i] += x[i] != x[i] ? if_missing : if_known;
}

// What one of several joined columns adds to their common t.
template <class Raised>
void add_part(const double* x, Count n, double q, double one, double both, double* parts, Raised raised) {
  if (q != q) {
    const double if_known = raised(one), if_missing = raised(both);
    for (Count i = 0; i < n; ++i) parts[i] += x[i] != x[i] ? if_missing : if_known;
    return;
  }
  for (Count i = 0; i < n; ++i) parts[i] += raised(x[i] != x[i] ? one : fabs(q - x[i]));
}

// Columns first .. last - 1, which are one feature.
struct Joined {
  Count first, last;
  double coefficient;
};

template <class Raised>
void add_joined(const Cases& c, Joined joined, const double* query, Count begin, Count length, double* sums, Raised raised) {
  double parts[tile_length];
  for (Count i = 0; i < length; ++i) parts[i] = 0.0;
  for (Count f = joined.first; f < joined.last; ++f)
    add_part(c.columns + f * c.n + begin, length, query[f], c.one_missing[f], c.both_missing[f], parts, raised);
  for (Count i = 0; i < length; ++i) sums[i] += joined.coefficient * parts[i];
}

template <class Raised>
void add_features(const Cases& c, const double* coefficients, const double* query, Count begin, Count end, double* sums,
                  Raised raised) {
  const Count length = end - begin;
  for (Count i = 0; i < length; ++i) sums[i] = 0.0;
  for (Count f = 0; f < c.p; ++f) {
    const double* x = c.columns + f * c.n + begin;
    const double q = query[f];
    Count last = f + 1;
    while (c.joined && last < c.p && c.joined[last]) ++last;
    if (coefficients[f] == 0.0) {  // out of the sum, however large its differences
      f = last - 1;
    } else if (last > f + 1) {
      add_joined(c, {f, last, coefficients[f]}, query, begin, length, sums, raised);
      f = last - 1;
    } else if (q != q)
      add_missing_query(x, length, coefficients[f], c.one_missing[f], c.both_missing[f], sums, raised);
    else if (c.is_symbol[f])
      add_symbol(x, length, q, coefficients[f], c.one_missing[f], sums, raised);
    else
      add_number(x, length, q, coefficients[f], c.one_missing[f], sums, raised);
  }
}

// The first segment that ends after `begin`; segments may be empty.
Count segment_of(const Cases& c, Count begin) {
  Count low = 0, high = c.g;
  while (low < high) {
    const Count middle = low + (high - low) / 2;
    if (c.segments[middle + 1] <= begin) low = middle + 1;
    else high = middle;
  }
  return low;
}

}  // namespace

void tile(const Cases& c, const double* query, Count begin, Count end, double* sums) {
  for (Count a = segment_of(c, begin); begin < end; ++a) {
    const Count stop = c.segments[a + 1] < end ? c.segments[a + 1] : end;
    if (stop <= begin) continue;
    const double* coefficients = c.coefficients + a * c.p;
    with_power(c.power, [&](auto raised) { add_features(c, coefficients, query, begin, stop, sums + begin, raised); });
    begin = stop;
  }
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
