// Keeping the cases: row by row in double precision, in panels by group in single precision.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/contrasts/contrast.hpp"

namespace nearwise {

Contrast::Contrast(const ContrastInput& in) : n_(in.n), groups_(in.groups, in.groups + in.n) {
  std::vector<Count> hole_of(static_cast<std::size_t>(in.p), -1);
  for (Count hole = 0; hole < in.h; ++hole) hole_of[in.holed[hole]] = hole;
  space_.p = in.p;
  space_.h = in.h;
  space_.g = in.g;
  space_.power = in.power;
  space_.ramp = in.ramp;
  std::vector<Count> holes;  // kept hole -> hole
  for (const bool with_holes : {false, true})
    for (int kind = 0; kind < kinds; ++kind)
      for (Count f = 0; f < in.p; ++f) {
        if (in.kind[f] != kind || (hole_of[f] >= 0) != with_holes) continue;
        feature_.push_back(f);
        ++(with_holes ? space_.holed : space_.clean)[kind];
        if (with_holes) holes.push_back(hole_of[f]);
      }
  for (Count f : feature_) {
    scales_.push_back(in.scales[f]);
    periods_.push_back(in.periods[f]);
  }
  for (Count hole : holes) {
    cells_of_.push_back(in.cells_of[hole]);
    tables_.emplace_back(in.tables[hole], in.tables[hole] + in.g * in.cells_of[hole]);
    const double* both = in.both + hole * in.g * in.g;
    both_.insert(both_.end(), both, both + in.g * in.g);
  }
  for (const std::vector<double>& table : tables_) table_pointers_.push_back(table.data());
  space_.scales = scales_.data();
  space_.periods = periods_.data();
  space_.tables = table_pointers_.data();
  space_.cells_of = cells_of_.data();
  space_.both = both_.data();

  rows_.resize(static_cast<std::size_t>(in.n * in.p));
  cells_.resize(static_cast<std::size_t>(in.n * in.h));
  constexpr Count stripe = 64;  // rows whose cache lines stay while one feature after the other is written
  for (Count first = 0; first < in.n; first += stripe) {
    const Count last = std::min(in.n, first + stripe);
    for (Count f = 0; f < in.p; ++f)
      for (Count i = first; i < last; ++i) rows_[i * in.p + f] = in.columns[feature_[f] * in.n + i];
    for (Count hole = 0; hole < in.h; ++hole)
      for (Count i = first; i < last; ++i) cells_[i * in.h + hole] = in.cells[holes[hole] * in.n + i];
  }
  pack();
}

// The difference of case i from a case of a group in which the feature is missing.
double Contrast::difference(Count hole, Count group, Count i) const {
  const std::int32_t cell = cells_[i * space_.h + hole];
  if (cell < 0) return both_[(hole * space_.g + group) * space_.g + groups_[i]];
  return tables_[hole][group * cells_of_[hole] + cell];
}

// The kind of every feature, as they are kept.
std::vector<Kind> Contrast::kind_of() const {
  std::vector<Kind> out;
  for (const Count* counts : {space_.clean, space_.holed})
    for (int kind = 0; kind < kinds; ++kind)
      out.insert(out.end(), static_cast<std::size_t>(counts[kind]), static_cast<Kind>(kind));
  return out;
}

void Contrast::pack() {
  const auto p = static_cast<std::size_t>(space_.p);
  std::vector<double> low(p, infinity), high(p, -infinity);
  for (Count i = 0; i < n_; ++i)
    for (Count f = 0; f < space_.p; ++f) {
      const double x = rows_[i * space_.p + f];
      low[f] = x < low[f] ? x : low[f];
      high[f] = x > high[f] ? x : high[f];
    }
  choose_unit(low, high);
  if (!is_usable_) return;
  sort();
  if (is_coarse_enough(low, high)) pack_coarse();
  else pack_panels();
}

// A number is stored as (x - middle of the range) * scale, so that its rounding is small beside the range. A ramp makes
// what a difference is off by steeper: by its slope, with three more roundings of a difference that it still tells apart.
void Contrast::choose_unit(const std::vector<double>& low, const std::vector<double>& high) {
  const Count p = space_.p, g = space_.g, clean = p - space_.h;
  const std::vector<Kind> kinds_of = kind_of();
  std::vector<double> reach(static_cast<std::size_t>(p), 0.0);  // no stored value of the feature is larger
  centre_.assign(static_cast<std::size_t>(p), 0.0);
  double squares = 0.0, total = 0.0;
  for (Count f = 0; f < p; ++f) {
    const Kind kind = kinds_of[f];
    const bool is_number = kind == number || kind == ramp_number;
    if (is_number && low[f] <= high[f]) centre_[f] = low[f] / 2 + high[f] / 2;
    if (is_number) reach[f] = low[f] <= high[f] ? (high[f] / 2 - low[f] / 2) * scales_[f] : 0.0;
    else if (on_circle(kind)) reach[f] = 2 * periods_[f] * scales_[f];  // the period is rounded as well
    double largest = kind == symbol ? scales_[f] : 2 * reach[f];
    if (f >= clean) {
      for (double each : tables_[f - clean]) largest = std::max(largest, each);
      for (Count at = 0; at < g * g; ++at) largest = std::max(largest, both_[(f - clean) * g * g + at]);
    }
    if (on_ramp(kind)) {
      largest = std::max(largest, 1.0);
      reach[f] = (reach[f] + 1.5 * (space_.ramp.equal + 1.0 / space_.ramp.slope)) * space_.ramp.slope;
    }
    total += largest;
    squares += reach[f] * reach[f];
  }
  is_usable_ = std::isfinite(total) && std::isfinite(squares);
  if (!is_usable_) return;
  if (total > 0) gain_ = std::ldexp(1.0, -std::ilogb(total));
  // both values of a gap are rounded, by at most 2^-24 of their size; numbers too small for that add the second term
  const double size = space_.power == 2 ? std::sqrt(squares) : std::accumulate(reach.begin(), reach.end(), 0.0);
  slack_ = 2.01 / (1 << 24) * size * gain_ + 1e-40 * static_cast<double>(p);
  choose_form(size * gain_);
  weights_.assign(static_cast<std::size_t>(p), 0.0f);
  for (Count f = 0; f < p; ++f) {
    const double weight = (on_circle(kinds_of[f]) ? periods_[f] * scales_[f] : scales_[f]) * gain_;
    weights_[f] = static_cast<float>(kinds_of[f] == symbol && space_.power == 2 ? weight * weight : weight);
  }
}

// Cases by group, each group in whole panels.
void Contrast::sort() {
  order_.resize(static_cast<std::size_t>(n_));
  std::iota(order_.begin(), order_.end(), Count{0});
  std::stable_sort(order_.begin(), order_.end(), [&](Count i, Count j) { return groups_[i] < groups_[j]; });
  Count position = 0;
  for (Count a = 0; a < space_.g; ++a) {
    const Count first = position;
    while (position < n_ && groups_[order_[position]] == a) ++position;
    segments_.push_back({panels_of_, first, position - first});
    panels_of_ += (position - first + panel_width - 1) / panel_width;
  }
  place_.resize(static_cast<std::size_t>(n_));
  for (Count at = 0; at < n_; ++at) place_[order_[at]] = at;
}

void Contrast::pack_panels() {
  const Count p = space_.p;
  const std::vector<Kind> kinds_of = kind_of();
  panels_.assign(static_cast<std::size_t>(panels_of_ * p * panel_width), 0.0f);
  start_.assign(static_cast<std::size_t>(panels_of_ * panel_width), 0.0f);
  for (const Segment& segment : segments_)
    for (Count at = 0; at < segment.cases; ++at) {
      const double* row = rows_.data() + order_[segment.first_case + at] * p;
      float* to = panels_.data() + (segment.first_panel + at / panel_width) * p * panel_width + at % panel_width;
      for (Count f = 0; f < p; ++f) {
        const double twice = by_largest_ && f < space_.clean[number] ? 2.0 : 1.0;
        to[f * panel_width] = static_cast<float>(kinds_of[f] == symbol ? row[f] : twice * packed(row, f));
      }
      start_[segment.first_panel * panel_width + at] = start(row);
    }
  unknown_.assign(static_cast<std::size_t>(panels_of_ * space_.h * panel_width), 0.0f);
}

// Sums of max(x, q) take two operations a number instead of three, but they lose digits where most values are small
// beside the range: they are used where what they may be off by is little beside the mean deviation.
void Contrast::choose_form(double size) {
  const double numbers = static_cast<double>(space_.clean[number]);
  const double off = 4.2 / (1 << 24) * (static_cast<double>(space_.p) + 10) * size;
  double deviation = 0.0;
  const Count step = std::max<Count>(1, n_ / 1024);
  Count seen = 0;
  for (Count i = 0; i < n_; i += step, ++seen)
    for (Count f = 0; f < space_.clean[number]; ++f)
      deviation += std::abs(rows_[i * space_.p + f] - rows_[(i + step) % n_ * space_.p + f]) * scales_[f] * gain_;
  by_largest_ = space_.power == 1 && numbers > 0 && off < 1e-3 * deviation / static_cast<double>(seen);
  if (by_largest_) slack_ += off;
}

// What the sum of a case starts from where max(x, q) is added up.
float Contrast::start(const double* row) const {
  double total = 0.0;
  for (Count f = 0; f < space_.clean[number]; ++f) total -= packed(row, f);
  return by_largest_ ? static_cast<float>(total) : 0.0f;
}

// What every case differs by from a missing value of a query of this group.
void Contrast::pack_unknown(Count group) {
  if (group == unknown_group_ || space_.h == 0) return;
  for (const Segment& segment : segments_)
    for (Count at = 0; at < segment.cases; ++at) {
      const Count i = order_[segment.first_case + at];
      float* to = unknown_.data() + (segment.first_panel + at / panel_width) * space_.h * panel_width + at % panel_width;
      for (Count hole = 0; hole < space_.h; ++hole) {
        const double delta = difference(hole, group, i) * gain_;
        to[hole * panel_width] = static_cast<float>(space_.power == 2 ? delta * delta : delta);
      }
    }
  unknown_group_ = group;
}

}  // namespace nearwise
