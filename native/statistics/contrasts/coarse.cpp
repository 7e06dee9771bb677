// Packing numbers into sixteen bits, where that tells near cases apart well enough.
//
// A value is stored as the nearest whole number of (x - low) * scale * gain, with a gain for which no sum over features
// exceeds 65535. Both values of a difference are off by at most 1/2, so a sum of p of them is off by at most p.
#include <algorithm>
#include <cmath>

#include "statistics/contrasts/contrast.hpp"

namespace nearwise {

// Decides on the gain. The error must be little beside the mean distance, taken from a sample of pairs: an outlier that
// stretches the range leaves too few steps for the others.
bool Contrast::is_coarse_enough(const std::vector<double>& low, const std::vector<double>& high) {
  const Count p = space_.p;
  if (space_.power != 1 || space_.clean[number] != p || p > 2048) return false;
  double total = 0.0, mean = 0.0;
  for (Count f = 0; f < p; ++f) total += (high[f] - low[f]) * scales_[f];
  const double gain = (65535.0 - static_cast<double>(p)) / total;
  if (!std::isfinite(total) || !std::isfinite(gain) || !(total > 0)) return false;
  const Count step = std::max<Count>(1, n_ / 1024);
  Count pairs = 0;
  for (Count i = 0; i < n_; i += step, ++pairs)
    for (Count f = 0; f < p; ++f)
      mean += std::abs(rows_[i * p + f] - rows_[(i + step) % n_ * p + f]) * scales_[f] * gain;
  if (static_cast<double>(p) > 0.02 * mean / static_cast<double>(pairs)) return false;
  coarse_gain_ = gain;
  low_ = low;
  slack_ = static_cast<double>(p) + 1.0;
  return true;
}

std::uint16_t Contrast::coarse(const double* row, Count f) const {
  return static_cast<std::uint16_t>(std::floor((row[f] - low_[f]) * scales_[f] * coarse_gain_ + 0.5));
}

void Contrast::pack_coarse() {
  const Count p = space_.p;
  coarse_.assign(static_cast<std::size_t>(panels_of_ * p * panel_width), 0);
  halves_.assign(static_cast<std::size_t>(panels_of_ * panel_width), 0);
  totals_.assign(static_cast<std::size_t>(panels_of_ * panel_width), 0);
  for (const Segment& segment : segments_)
    for (Count at = 0; at < segment.cases; ++at) {
      const double* row = rows_.data() + order_[segment.first_case + at] * p;
      std::uint16_t* to = coarse_.data() + (segment.first_panel + at / panel_width) * p * panel_width + at % panel_width;
      std::uint32_t total = 0;
      for (Count f = 0; f < p; ++f) total += to[f * panel_width] = coarse(row, f);
      totals_[segment.first_panel * panel_width + at] = total;
      halves_[segment.first_panel * panel_width + at] = static_cast<std::uint16_t>((total + 1) / 2);
    }
}

}  // namespace nearwise
