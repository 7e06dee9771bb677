#include "selection/ranking.hpp"

#include <algorithm>
#include <cmath>

#include "arithmetic/raised.hpp"

namespace nearwise {

// s(q, x) as the metric defines it: feature by feature, in order, in double precision. All cases go through a feature
// together, so that waiting for the memory of one overlaps with that of the others.
void Ranking::measure(Count query) {
  query_ = query;
  const double* q = ask_.queries + query * c_.p;
  sums_.assign(cases_.size(), 0.0);
  if (c_.mapping.count > 0) measure_mapped(q);
  for (Count f = 0; c_.mapping.count == 0 && f < c_.p; ++f) {
    if (!c_.is_for(f, decides)) continue;
    if (c_.joins_next(f) || (ask_.levels && c_.has_levels(f))) f = add_joined(f, q);
    else with_power(c_.power, [&](auto raised) { add_feature(f, q[f], raised); });
  }
  ranked_.clear();
  for (std::size_t at = 0; at < cases_.size(); ++at)  // infinity - infinity is not a number: it ranks with infinity
    ranked_.push_back({sums_[at] == sums_[at] ? sums_[at] : infinity, cases_[at]});
}

// Adds with the coefficient of a feature: that of the query, of the case, of its segment, or of all.
template <class Add>
void Ranking::with_coefficients(Count f, const Add& add) {
  if (ask_.by_query) {
    add([own = ask_.by_query[query_ * c_.p + f] * c_.coefficients[f]](Count) { return own; });
  } else if (c_.by_case) {
    add([all = c_.by_case + f, p = c_.p, scale = c_.coefficients[f]](Count i) { return all[i * p] * scale; });
  } else if (c_.case_factors) {
    add([this, all = c_.case_factors, shared = c_.shared.data() + f, scale = c_.scales[f]](Count i) {
      return all[i] * shared[c_.segment_of(i) * c_.p] * scale;
    });
  } else if (c_.g == 1) {
    add([own = c_.coefficients[f]](Count) { return own; });
  } else {
    add([this, f](Count i) { return c_.coefficients[c_.segment_of(i) * c_.p + f]; });
  }
}

// Calls take with raw(i), the difference of case i in one feature from a query that has q.
template <class Take>
void Ranking::with_raw(Count f, double q, const Take& take) const {
  const double one = c_.one_missing[f], both = c_.both_missing[f];
  const bool absent = q != q;
  if (c_.is_symbol[f]) {
    take([=, codes = c_.codes[f], asked = absent ? -1 : static_cast<std::int32_t>(q)](Count i) {
      if (codes[i] < 0 || absent) return codes[i] < 0 && absent ? both : one;
      return codes[i] != asked ? 1.0 : 0.0;
    });
  } else if (absent) {
    take([=, x = c_.values[f]](Count i) { return x[i] != x[i] ? both : one; });
  } else {
    take([=, x = c_.values[f]](Count i) { return x[i] != x[i] ? one : std::abs(q - x[i]); });
  }
}

template <class Raised>
void Ranking::add_feature(Count f, double q, const Raised& raised) {
  with_raw(f, q, [&](const auto& raw) {
    with_coefficients(f, [&](const auto& coefficient) {
      const Count* cases = cases_.data();
      double* sums = sums_.data();
      const auto r = static_cast<Count>(cases_.size());
      for (Count at = 0; at < r; ++at) sums[at] += weighted(coefficient(cases[at]), raised(raw(cases[at])));
    });
  });
}

// New feature by new feature: the difference is mapped, not the values, so that what cancels does so exactly.
void Ranking::measure_mapped(const double* q) {
  const Mapping& map = c_.mapping;
  const auto r = static_cast<Count>(cases_.size());
  for (Count added = 0; added < map.count; ++added) {
    parts_.assign(cases_.size(), 0.0);
    for (Count f = 0; f < c_.p; ++f) {
      if (!c_.is_for(f, decides)) continue;
      const double* table = map.tables[f] + added * map.widths[f];
      if (c_.is_symbol[f]) {
        const double asked = table[static_cast<Count>(q[f])];
        for (Count at = 0; at < r; ++at) parts_[at] += table[c_.codes[f][cases_[at]]] - asked;
      } else {
        if (table[0] == 0.0 || map.units[f] == 0.0) continue;  // out of the sum, however large the difference
        for (Count at = 0; at < r; ++at) parts_[at] += table[0] * ((c_.values[f][cases_[at]] - q[f]) * map.units[f]);
      }
    }
    for (Count at = 0; at < r; ++at) sums_[at] += parts_[at] * parts_[at];
  }
}

// Columns that are one feature: their squares, or moduli, are added up before they meet the coefficient, and are nothing
// for cases of the level that the query names. Gives the last.
Count Ranking::add_joined(Count f, const double* q) {
  const auto r = static_cast<Count>(cases_.size());
  const std::int32_t* levels = ask_.levels && c_.has_levels(f) ? c_.levels[f] : nullptr;
  const std::int32_t level = levels ? ask_.levels[query_ * c_.p + f] : -1;
  parts_.assign(cases_.size(), 0.0);
  for (bool more = true; more; ++f) {
    with_raw(f, q[f], [&](const auto& raw) {
      for (Count at = 0; at < r; ++at) parts_[at] += c_.power == 2 ? raw(cases_[at]) * raw(cases_[at]) : raw(cases_[at]);
    });
    more = c_.joins_next(f);
  }
  --f;
  if (level >= 0)
    for (Count at = 0; at < r; ++at)
      if (levels[cases_[at]] == level) parts_[at] = 0.0;
  with_coefficients(f, [&](const auto& coefficient) {
    for (Count at = 0; at < r; ++at) sums_[at] += weighted(coefficient(cases_[at]), parts_[at]);
  });
  return f;
}

// The k nearest by (sum, index), and the group of cases that tie with the k-th.
void Ranking::rank(Count query) {
  measure(query);
  const Count filled = std::min(ask_.k, static_cast<Count>(ranked_.size()));
  std::partial_sort(ranked_.begin(), ranked_.begin() + filled, ranked_.end());
  answer_.list(query, ask_.k, ranked_);
  if (filled == 0) return;
  if (ranked_[filled - 1].sum == infinity) {
    answer_.proposed[query] = -1;  // all infinite sums tie, also those that were not proposed: a scan counts them
    return;
  }
  const Tie tie(ranked_[filled - 1].sum, ask_.tolerance);
  tied_.clear();
  for (const auto& [sum, index] : ranked_) {
    if (sum < tie.low) ++answer_.inside[query];
    else if (sum <= tie.high) tied_.push_back(index);
  }
  std::sort(tied_.begin(), tied_.end());  // by index, so that the payload is added up as every engine does
  answer_.tied[query] += static_cast<Count>(tied_.size());
  for (const Count i : tied_) ask_.payload.add(i, answer_.tie_sums + query * ask_.payload.size());
}

double left_out(const Columns& columns, const Ask& ask, Count i, Count query) {
  const double most = (columns.slack.empty() ? 0.0 : columns.slack[i]) + (ask.slack ? ask.slack[query] : 0.0);
  return most * most * (1 + 1e-9);
}

}  // namespace nearwise
