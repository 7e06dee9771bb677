#include "decide.hpp"

#include <algorithm>
#include <cmath>

namespace nearwise {

// s(q, x) as the metric defines it: feature by feature, in order, in double precision. All cases go through a feature
// together, so that waiting for the memory of one overlaps with that of the others.
void Decision::measure(const double* q) {
  sums_.assign(cases_.size(), 0.0);
  for (Count f = 0; f < c_.p; ++f) {
    if (!c_.is_for(f, decides)) continue;
    if (c_.joins_next(f)) f = add_joined(f, q);
    else add_feature(f, q[f]);
  }
  ranked_.clear();
  for (std::size_t at = 0; at < cases_.size(); ++at) ranked_.push_back({sums_[at], cases_[at]});
}

void Decision::add_feature(Count f, double q) {
  if (c_.is_symbol[f]) return add_symbol(f, q);
  const double* values = c_.values[f];
  const double missing = c_.one_missing[f];
  const bool squares = c_.power == 2, same = c_.g == 1;
  const Count* cases = cases_.data();
  double* sums = sums_.data();
  const auto r = static_cast<Count>(cases_.size());
  const auto coefficient = [&](Count i) { return c_.coefficients[same ? f : c_.segment[i] * c_.p + f]; };
  if (q != q) {
    const double both = c_.both_missing[f];
    for (Count at = 0; at < r; ++at) {
      const double x = values[cases[at]], raw = x != x ? both : missing;
      sums[at] += coefficient(cases[at]) * (squares ? raw * raw : raw);
    }
  } else {
    for (Count at = 0; at < r; ++at) {
      const double x = values[cases[at]], gap = std::abs(q - x), raw = x != x ? missing : gap;
      sums[at] += coefficient(cases[at]) * (squares ? raw * raw : raw);
    }
  }
}

void Decision::add_symbol(Count f, double q) {
  const std::int32_t* codes = c_.codes[f];
  const std::int32_t asked = q != q ? -1 : static_cast<std::int32_t>(q);
  const double one = c_.one_missing[f], both = c_.both_missing[f];
  for (std::size_t at = 0; at < cases_.size(); ++at) {
    const Count i = cases_[at];
    const bool x_missing = codes[i] < 0, q_missing = asked < 0;
    const double raw = x_missing && q_missing ? both : x_missing || q_missing ? one : codes[i] != asked ? 1.0 : 0.0;
    sums_[at] += c_.coefficients[(c_.g == 1 ? 0 : c_.segment[i] * c_.p) + f] * (c_.power == 2 ? raw * raw : raw);
  }
}

// Columns that are one feature: their squares, or moduli, are added up before they meet the coefficient. Gives the last.
Count Decision::add_joined(Count f, const double* q) {
  const auto r = static_cast<Count>(cases_.size());
  parts_.assign(cases_.size(), 0.0);
  for (bool more = true; more; ++f) {
    const double* values = c_.values[f];
    const bool absent = q[f] != q[f];
    for (Count at = 0; at < r; ++at) {
      const double x = values[cases_[at]], gap = std::abs(q[f] - x);
      const double raw = x != x ? (absent ? c_.both_missing[f] : c_.one_missing[f]) : absent ? c_.one_missing[f] : gap;
      parts_[at] += c_.power == 2 ? raw * raw : raw;
    }
    more = c_.joins_next(f);
  }
  --f;
  for (Count at = 0; at < r; ++at)
    sums_[at] += c_.coefficients[(c_.g == 1 ? 0 : c_.segment[cases_[at]] * c_.p) + f] * parts_[at];
  return f;
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

double left_out(const Columns& columns, const Ask& ask, Count i, Count query) {
  const double most = (columns.slack.empty() ? 0.0 : columns.slack[i]) + (ask.slack ? ask.slack[query] : 0.0);
  return most * most * (1 + 1e-9);
}

double middle_of(const Columns& columns, Count f) {
  return columns.centre.empty() ? known_middle(columns.values[f], columns.n) : columns.centre[f];
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
