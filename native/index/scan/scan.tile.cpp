// The sums of one query over a tile of cases, compiled once per instruction set.
//
//   s(q, i) = sum over f, in order, of  coefficient(q, i, f) * t      t = raw^power
//   raw     = |q_f - x_f| for numbers, [q_f != x_f] for symbols; one_missing[f], both_missing[f] where values are missing,
//             or the mean difference of the value that is known
//
// Columns that are joined are one feature: their t are added up first, then multiplied by the coefficient. Where features
// are ignored the sum over the known ones is rescaled: s * (sum of all weights) / (sum of the weights known).
//
// The loop over features is outside and starts from 0.0, so every sum has the rounding of the plain NumPy expression;
// the loop over cases is inside and has no branches, so it becomes vector instructions.
#include <math.h>

#include "arithmetic/raised.hpp"
#include "index/scan/scan.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

// Cases begin .. begin + length - 1, which weigh by row `segment`.
struct Run {
  Count begin, length, segment;
};

// Gives take(i, t) the t of every case of a run at one column.
template <class Raised, class Take>
void each_term(const Cases& c, Count f, const double* query, Run run, Raised raised, Take take) {
  const bool is_mean = c.is_mean && c.is_mean[f];
  const double q = query[f], *x = c.columns + f * c.n + run.begin;
  const double one = raised(is_mean ? query[c.p + f] : c.one_missing[f]), both = raised(c.both_missing[f]);
  if (q != q && is_mean) {
    const double* expected = c.expected + f * c.n + run.begin;
    for (Count i = 0; i < run.length; ++i) take(i, x[i] != x[i] ? both : raised(expected[i]));
  } else if (q != q) {
    for (Count i = 0; i < run.length; ++i) take(i, x[i] != x[i] ? both : one);
  } else if (c.is_symbol[f]) {  // 0 and 1 are their own powers
    for (Count i = 0; i < run.length; ++i) {
      const double known = x[i] != q ? 1.0 : 0.0;
      take(i, x[i] != x[i] ? one : known);
    }
  } else {
    for (Count i = 0; i < run.length; ++i) {
      const double known = raised(fabs(q - x[i]));
      take(i, x[i] != x[i] ? one : known);
    }
  }
}

// Adds columns first .. last - 1, which are one feature; coefficient(i) is that of the i-th case of the run.
template <class Raised, class Coefficient>
void add_feature(const Cases& c, Count first, Count last, const double* query, Run run, Coefficient coefficient,
                 double* sums, Raised raised) {
  if (last == first + 1) {
    each_term(c, first, query, run, raised, [=](Count i, double t) { sums[i] += weighted(coefficient(i), t); });
    return;
  }
  double parts[tile_length];
  for (Count i = 0; i < run.length; ++i) parts[i] = 0.0;
  for (Count f = first; f < last; ++f)
    each_term(c, f, query, run, raised, [&](Count i, double t) { parts[i] += t; });
  for (Count i = 0; i < run.length; ++i) sums[i] += weighted(coefficient(i), parts[i]);
}

void rescale(const Cases& c, const double* query, Run run, double* sums) {
  double known[tile_length], every = 0.0;
  bool partial[tile_length];
  for (Count i = 0; i < run.length; ++i) known[i] = 0.0, partial[i] = false;
  for (Count f = 0; f < c.p; ++f) {
    const double weight = c.weights[run.segment * c.p + f];
    const double* x = c.columns + f * c.n + run.begin;
    every += weight;
    for (Count i = 0; i < run.length; ++i) {
      const bool out = c.is_ignored[f] && (query[f] != query[f] || x[i] != x[i]);
      known[i] += out ? 0.0 : weight;
      partial[i] = partial[i] || out;
    }
  }
  for (Count i = 0; i < run.length; ++i)
    if (partial[i]) sums[i] = known[i] > 0 ? sums[i] * (every / known[i]) : c.worst[run.segment];
}

template <class Raised>
void add_features(const Cases& c, const double* query, Run run, double* sums, Raised raised) {
  const double* own = c.by_query ? query + c.p * (c.expected ? 2 : 1) : c.coefficients;
  for (Count i = 0; i < run.length; ++i) sums[i] = 0.0;
  for (Count f = 0, last = 0; f < c.p; f = last) {
    for (last = f + 1; c.joined && last < c.p && c.joined[last];) ++last;
    const double of_all = own[run.segment * c.p + f], scale = c.scales ? c.scales[f] : 1.0;
    const double* of_case = c.by_case ? c.by_case + f * c.n + run.begin : nullptr;
    const auto add = [&](auto coefficient) { add_feature(c, f, last, query, run, coefficient, sums, raised); };
    if (c.scales) add([=](Count i) { return (of_all + of_case[i]) * scale; });
    else if (of_case) add([=](Count i) { return of_case[i]; });
    else if (of_all != 0.0) add([=](Count) { return of_all; });
  }
  if (c.is_ignored) rescale(c, query, run, sums);
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
    const Run run{begin, stop - begin, a};
    with_power(c.power, [&](auto raised) { add_features(c, query, run, sums + begin, raised); });
    begin = stop;
  }
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
