#include "decide.hpp"

#include <algorithm>
#include <cmath>

namespace nearwise {

// s(q, x) as the metric defines it: feature by feature, in order, in double precision. All cases go through a feature
// together, so that waiting for the memory of one overlaps with that of the others.
void Decision::measure(const double* q) {
  for (Count f = 0; f < c_.p; ++f) {
    const double* values = c_.values[f];
    for (Ranked& each : ranked_) {
      const double x = values[each.index], coefficient = c_.coefficients[c_.segment[each.index] * c_.p + f];
      const bool no_q = q[f] != q[f], no_x = x != x;
      double raw;
      if (no_q || no_x) raw = no_q && no_x ? c_.both_missing[f] : c_.one_missing[f];
      else raw = c_.is_symbol[f] ? (q[f] != x ? 1.0 : 0.0) : std::abs(q[f] - x);
      each.sum += coefficient * (c_.power == 2 ? raw * raw : raw);
    }
  }
}

// The k nearest by (sum, index), and the group of cases that tie with the k-th.
void Decision::finish(Count query) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  measure(ask_.queries + query * c_.p);
  const Count filled = std::min(ask_.k, static_cast<Count>(ranked_.size()));
  std::partial_sort(ranked_.begin(), ranked_.begin() + filled, ranked_.end());
  for (Count j = 0; j < ask_.k; ++j) {
    answer_.sums[query * ask_.k + j] = j < filled ? ranked_[j].sum : infinity;
    answer_.indices[query * ask_.k + j] = j < filled ? ranked_[j].index : -1;
  }
  if (filled == 0) return;
  const double last = ranked_[filled - 1].sum, margin = last == infinity ? 0.0 : ask_.tolerance * last;
  double* groups = answer_.tie_sums + query * ask_.n_groups * ask_.v;
  for (const Ranked& each : ranked_) {
    if (each.sum < last - margin) {
      ++answer_.inside[query];
    } else if (each.sum <= last + margin) {
      ++answer_.tied[query];
      for (Count j = 0; j < ask_.v; ++j)
        groups[ask_.group_codes[each.index] * ask_.v + j] += ask_.group_values[each.index * ask_.v + j];
    }
  }
}

double known_middle(const double* values, Count n) {
  std::vector<double> sample;
  const Count step = std::max<Count>(1, n / 4096);
  for (Count i = 0; i < n; i += step)
    if (values[i] == values[i]) sample.push_back(values[i]);
  if (sample.empty()) return 0.0;
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  return *middle;
}

}  // namespace nearwise
