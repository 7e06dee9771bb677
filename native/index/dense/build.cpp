// Packing the cases for the single precision tile.
#include "index/dense/dense.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "layout/order.hpp"

namespace nearwise {

Dense::Dense(Columns columns, bool by_query, const std::int32_t* order) : columns_(std::move(columns)) {
  weighed_ = columns_.by_case        ? Weighed::by_case
             : columns_.case_factors ? Weighed::by_factor
             : by_query              ? Weighed::by_query
                                     : Weighed::packed;
  for (Count f = 0; f < columns_.p; ++f)
    if (columns_.is_for(f, proposes) && columns_.has_weight(f)) (columns_.is_symbol[f] ? symbols_ : numbers_).push_back(f);
  for (Count f : numbers_) centre_.push_back(middle_of(columns_, f));
  std::vector<double> norm(static_cast<std::size_t>(columns_.n), 0.0);
  measure(norm);
  if (!is_usable_) return;
  sort(norm, order);
  pack(norm);
}

double Dense::root(double term) const {
  return columns_.power == 2 ? std::sqrt(term) : columns_.power == 1 ? term : std::pow(term, 1 / columns_.power);
}

// The length of every case from the centre, and the unit that makes the longest one about 1. A number is packed as
// root of its coefficient * (x - centre).
void Dense::measure(std::vector<double>& norm) {
  const Columns& c = columns_;
  const Count d = static_cast<Count>(numbers_.size());
  factors_.resize(static_cast<std::size_t>(c.g * d));
  for (Count a = 0; a < c.g; ++a)
    for (Count j = 0; j < d; ++j) factors_[a * d + j] = root(c.coefficients[a * c.p + numbers_[j]]);
  for (Count j = 0; j < d; ++j) {
    const Count f = numbers_[j];
    const double* x = c.values[f];
    for (Count i = 0; i < c.n; ++i) {
      if (x[i] != x[i]) {
        has_holes_ = true;
        continue;
      }
      double part = std::abs(from(x[i], centre_[j], factors_[c.segment_of(i) * d + j]));
      if (c.weighs_cases()) part = c.of_case(i, f) == 0.0 ? 0.0 : part * root(c.of_case(i, f));
      norm[i] += c.power == 2 ? part * part : c.power == 1 ? part : std::pow(part, c.power);
    }
  }
  double largest = 0.0;
  for (double& each : norm) {
    each = root(each);
    is_usable_ = is_usable_ && std::isfinite(each);
    largest = std::max(largest, each);
  }
  if (is_usable_ && largest > 0) gain_ = std::ldexp(1.0, -std::ilogb(largest));
}

// Cases by segment and, within it, by distance from the centre, so that the panels of outliers, whose bounds are loose,
// are few.
void Dense::sort(const std::vector<double>& norm, const std::int32_t* order) {
  const Columns& c = columns_;
  const auto before = [&](Count i, Count j) {
    if (c.segment_of(i) != c.segment_of(j)) return c.segment_of(i) < c.segment_of(j);
    return norm[i] != norm[j] ? norm[i] < norm[j] : i < j;
  };
  if (order) {
    take_order(order, c.n, order_, before);
  } else {
    order_.resize(static_cast<std::size_t>(c.n));
    std::iota(order_.begin(), order_.end(), Count{0});
    std::sort(order_.begin(), order_.end(), before);
  }
  Count panels = 0, position = 0;
  for (Count a = 0; a < c.g; ++a) {
    const Count first = position;
    while (position < c.n && c.segment_of(order_[position]) == a) ++position;
    const Count needed = (position - first + panel_width - 1) / panel_width;
    segments_.push_back({panels, needed, first, position - first});
    panels += needed;
  }
}

void Dense::pack(const std::vector<double>& norm) {
  const Columns& c = columns_;
  const Count d = static_cast<Count>(numbers_.size()), s = static_cast<Count>(symbols_.size());
  const Count panels = segments_.empty() ? 0 : segments_.back().first_panel + segments_.back().panels;
  const bool apart = weighed_ != Weighed::packed, by_case = weighed_ == Weighed::by_case, of_cases = c.weighs_cases();
  const Count roots = own_lanes(weighed_, d), weights = own_lanes(weighed_, s);
  const Count wide_lanes = weighed_ == Weighed::by_factor ? roots : d;
  const double unit = std::pow(gain_, c.power);
  const auto lanes = [&](Count width) { return static_cast<std::size_t>(panels * width * panel_width); };
  panels_.assign(lanes(d), 0.0f);
  codes_.assign(lanes(s), -3);  // -3: no case, and no query has this code
  start_.assign(lanes(1), std::numeric_limits<float>::infinity());
  norms_.assign(static_cast<std::size_t>(panels), 0.0f);
  case_roots_.assign(lanes(roots), 0.0f);
  case_weights_.assign(lanes(weights), 0.0f);
  widest_.assign(apart ? static_cast<std::size_t>(panels * wide_lanes) : 0, 0.0f);
  widest_of_all_.assign(static_cast<std::size_t>(d), 0.0);
  const auto up = [](double x) { return std::nextafter(static_cast<float>(x * (1 + 1e-6)), INFINITY); };
  for (Count a = 0; a < c.g; ++a) {
    const Segment& segment = segments_[a];
    for (Count at = 0; at < segment.cases; ++at) {
      const Count i = order_[segment.first_case + at];
      const Count panel = segment.first_panel + at / panel_width, lane = at % panel_width;
      double square = 0.0;
      for (Count j = 0; j < d; ++j) {
        const Count f = numbers_[j], to = (panel * d + j) * panel_width + lane;
        const double r = of_cases ? root(c.of_case(i, f)) : 1.0;
        const double x = r == 0.0 ? 0.0 : from(c.values[f][i], centre_[j], factors_[a * d + j]) * gain_;
        panels_[to] = static_cast<float>(r * x);
        square += x * x;
        if (!apart) continue;
        if (of_cases) case_roots_[by_case ? to : panel * panel_width + lane] = static_cast<float>(r);
        const double own = of_cases ? r : x == x ? std::abs(x) : 0.0;
        float& wide = widest_[panel * wide_lanes + std::min(j, wide_lanes - 1)];
        if (own > 0) wide = std::max(wide, up(own));
        widest_of_all_[j] = std::max(widest_of_all_[j], static_cast<double>(wide));
      }
      for (Count j = 0; j < s; ++j) {
        const Count f = symbols_[j], to = (panel * s + j) * panel_width + lane;
        codes_[to] = std::max(-1, c.codes[f][i]);
        if (!of_cases) continue;
        const double own = c.of_case(i, f), shared = c.coefficients[a * c.p + f] * unit;
        case_weights_[by_case ? to : panel * panel_width + lane] = static_cast<float>(by_case ? own * shared : own);
        is_usable_ = is_usable_ && own * shared < 1e30 && (by_case || (own < 1e30 && shared < 1e30));
      }
      start_[panel * panel_width + lane] = static_cast<float>(square);
      norms_[panel] = std::max(norms_[panel], up(norm[i] * gain_));  // rounded up, so that the bound holds
    }
  }
  for (double each : widest_of_all_) is_usable_ = is_usable_ && each < 1e15;
}

}  // namespace nearwise
