// Packing the cases for the single precision tile.
#include "dense.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nearwise {

Dense::Dense(Columns columns) : columns_(std::move(columns)) {
  for (Count f = 0; f < columns_.p; ++f)
    if (columns_.is_for(f, proposes)) (columns_.is_symbol[f] ? symbols_ : numbers_).push_back(f);
  for (Count f : numbers_) centre_.push_back(middle_of(columns_, f));
  pack();
}

// Cases by segment and, within it, by distance from the centre, so that the panels of outliers, whose bounds are loose,
// are few. A number is stored as sqrt(coefficient) * (x - centre) for squares, coefficient * (x - centre) for moduli.
void Dense::pack() {
  const Columns& c = columns_;
  const Count d = static_cast<Count>(numbers_.size()), s = static_cast<Count>(symbols_.size());
  factors_.resize(static_cast<std::size_t>(c.g * d));
  for (Count a = 0; a < c.g; ++a)
    for (Count j = 0; j < d; ++j) {
      const double coefficient = c.coefficients[a * c.p + numbers_[j]];
      factors_[a * d + j] = c.power == 2 ? std::sqrt(coefficient) : coefficient;
    }
  std::vector<double> norm(static_cast<std::size_t>(c.n), 0.0);
  for (Count j = 0; j < d; ++j) {
    const double* x = c.values[numbers_[j]];
    for (Count i = 0; i < c.n; ++i) {
      if (x[i] != x[i]) {
        has_holes_ = true;
        continue;
      }
      const double part = std::abs((x[i] - centre_[j]) * factors_[c.segment[i] * d + j]);
      norm[i] += c.power == 2 ? part * part : part;
    }
  }
  double largest = 0.0;
  for (double& each : norm) {
    if (c.power == 2) each = std::sqrt(each);
    is_usable_ = is_usable_ && std::isfinite(each);
    largest = std::max(largest, each);
  }
  if (!is_usable_) return;
  if (largest > 0) gain_ = std::ldexp(1.0, -std::ilogb(largest));

  order_.resize(static_cast<std::size_t>(c.n));
  std::iota(order_.begin(), order_.end(), Count{0});
  std::sort(order_.begin(), order_.end(), [&](Count i, Count j) {
    if (c.segment[i] != c.segment[j]) return c.segment[i] < c.segment[j];
    return norm[i] != norm[j] ? norm[i] < norm[j] : i < j;
  });

  Count panels = 0, position = 0;
  for (Count a = 0; a < c.g; ++a) {
    const Count first = position;
    while (position < c.n && c.segment[order_[position]] == a) ++position;
    const Count needed = (position - first + panel_width - 1) / panel_width;
    segments_.push_back({panels, needed, first, position - first});
    panels += needed;
  }
  panels_.assign(static_cast<std::size_t>(panels * d * panel_width), 0.0f);
  codes_.assign(static_cast<std::size_t>(panels * s * panel_width), -3);  // -3: no case, and no query has this code
  start_.assign(static_cast<std::size_t>(panels * panel_width), std::numeric_limits<float>::infinity());
  norms_.assign(static_cast<std::size_t>(panels), 0.0f);
  for (Count a = 0; a < c.g; ++a) {
    const Segment& segment = segments_[a];
    for (Count at = 0; at < segment.cases; ++at) {
      const Count i = order_[segment.first_case + at];
      const Count panel = segment.first_panel + at / panel_width, lane = at % panel_width;
      double square = 0.0;
      for (Count j = 0; j < d; ++j) {
        const double x = (c.values[numbers_[j]][i] - centre_[j]) * factors_[a * d + j] * gain_;
        panels_[(panel * d + j) * panel_width + lane] = static_cast<float>(x);
        square += x * x;
      }
      for (Count j = 0; j < s; ++j) {
        codes_[(panel * s + j) * panel_width + lane] = std::max(-1, c.codes[symbols_[j]][i]);
      }
      start_[panel * panel_width + lane] = static_cast<float>(square);
      // rounded up, so that the bound holds
      norms_[panel] = std::max(norms_[panel], std::nextafter(static_cast<float>(norm[i] * gain_ * (1 + 1e-6)), INFINITY));
    }
  }
}

}  // namespace nearwise
