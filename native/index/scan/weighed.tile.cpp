// The sums of one query over a tile of cases, in the order of features, as index/scan/scan.tile.cpp has them.
//
//   s(q, i) = sum over f, in order, of  coefficient(q, i, f) * t      t = raw or raw^2
//
// Under "ignore" the sum over known features is rescaled: s * (sum of all weights) / (sum of the weights known).
#include <math.h>

#include "arithmetic/raised.hpp"
#include "index/scan/weighed.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

// Adds one feature; coefficient(i) is that of the i-th case of the tile.
template <class Raised, class Coefficient>
void add_feature(const WeighedCases& c, Count f, const double* query, Count begin, Count length, Coefficient coefficient,
                 double* sums, Raised raised) {
  const double q = query[f], expected = query[c.p + f];
  const double* x = c.columns + f * c.n + begin;
  const double* of_case = c.expected + f * c.n + begin;
  const bool mean = c.policies[f] == static_cast<std::uint8_t>(Policy::mean);
  const double one = mean ? expected : c.one_missing[f], both = c.both_missing[f];
  if (q != q) {
    for (Count i = 0; i < length; ++i) {
      const double known = mean ? of_case[i] : one;
      sums[i] += weighted(coefficient(i), raised(x[i] != x[i] ? both : known));
    }
  } else if (c.is_symbol[f]) {
    for (Count i = 0; i < length; ++i) {
      const double raw = x[i] != q ? 1.0 : 0.0;
      sums[i] += weighted(coefficient(i), raised(x[i] != x[i] ? one : raw));
    }
  } else {
    for (Count i = 0; i < length; ++i) {
      const double raw = fabs(q - x[i]);
      sums[i] += weighted(coefficient(i), raised(x[i] != x[i] ? one : raw));
    }
  }
}

void rescale(const WeighedCases& c, Count a, const double* query, Count begin, Count length, double* sums) {
  double known[tile_length], every = 0.0;
  bool partial[tile_length];
  for (Count i = 0; i < length; ++i) known[i] = 0.0, partial[i] = false;
  for (Count f = 0; f < c.p; ++f) {
    const double weight = c.weights[a * c.p + f];
    const bool ignores = c.policies[f] == static_cast<std::uint8_t>(Policy::ignore);
    const double* x = c.columns + f * c.n + begin;
    every += weight;
    for (Count i = 0; i < length; ++i) {
      const bool out = ignores && (query[f] != query[f] || x[i] != x[i]);
      known[i] += out ? 0.0 : weight;
      partial[i] = partial[i] || out;
    }
  }
  for (Count i = 0; i < length; ++i)
    if (partial[i]) sums[i] = known[i] > 0 ? sums[i] * (every / known[i]) : c.worst[a];
}

template <class Raised>
void run(const WeighedCases& c, const double* query, Count begin, Count end, double* sums, Raised raised) {
  for (Count a = 0; begin < end; ++a) {
    if (c.segments[a + 1] <= begin) continue;
    const Count stop = c.segments[a + 1] < end ? c.segments[a + 1] : end, length = stop - begin;
    const double* coefficients = (c.by_query ? query + 2 * c.p : c.coefficients) + a * c.p;
    double* out = sums + begin;
    for (Count i = 0; i < length; ++i) out[i] = 0.0;
    for (Count f = 0; f < c.p; ++f) {
      const double* of_case = c.by_case ? c.by_case + f * c.n + begin : nullptr;
      const double of_all = coefficients[f], scale = c.scales ? c.scales[f] : 1.0;
      const auto add = [&](auto coefficient) {
        add_feature(c, f, query, begin, length, coefficient, out, raised);
      };
      if (c.scales) add([=](Count i) { return (of_all + of_case[i]) * scale; });
      else if (of_case) add([=](Count i) { return of_case[i]; });
      else if (of_all != 0.0) add([=](Count) { return of_all; });
    }
    if (c.ignores) rescale(c, a, query, begin, length, out);
    begin = stop;
  }
}

}  // namespace

void weighed_tile(const Cases& cases, const double* query, Count begin, Count end, double* sums) {
  const auto& c = static_cast<const WeighedCases&>(cases);
  with_power(c.power, [&](auto raised) { run(c, query, begin, end, sums, raised); });
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
