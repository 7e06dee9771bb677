// Packing the cases into bytes.
#include "index/bytes/bytes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nearwise {
Coarse::Coarse(Columns columns)
    : columns_(std::move(columns)), form_(NEARWISE_CHOSEN(coarse_form)),
      offset_(columns_.power == 2 ? form_.offset_squares : offset_moduli) {
  for (Count f = 0; f < columns_.p; ++f)
    if (columns_.is_for(f, proposes) && columns_.has_weight(f)) (columns_.is_symbol[f] ? symbols_ : numbers_).push_back(f);
  for (Count f : numbers_) centre_.push_back(middle_of(columns_, f));
  // with more features rounding alone would fill 16 bits
  is_usable_ = columns_.p < 10000 && columns_.n < (Count{1} << 31);
  for (Count f : symbols_)
    for (Count i = 0; i < columns_.n; ++i) is_usable_ = is_usable_ && columns_.codes[f][i] < 32000;
  if (!is_usable_) return;
  split(measure());  // the lengths are gone before the copies are made
  if (!is_usable_) return;
  const auto n = static_cast<std::size_t>(columns_.n), d = numbers_.size();
  const std::size_t panels = bands_.empty() ? 0 : static_cast<std::size_t>(bands_.back().first_panel + bands_.back().panels);
  stride_ = static_cast<Count>((d + 3) / 4 * 4);
  rows_.assign(n * static_cast<std::size_t>(stride_), 0);
  bytes_.resize(panels * static_cast<std::size_t>(groups() * form_.together) * coarse_width);
  codes_.assign(panels * symbols_.size() * coarse_width, -3);  // -3: no case, and no query has this code
  start_.resize(panels * coarse_width);
  for (Band& band : bands_) pack(band);
}

// The length of every case: its distance from the centre by its numbers.
Scratch<double> Coarse::measure() {
  const Columns& c = columns_;
  const Count d = static_cast<Count>(numbers_.size());
  factors_.resize(static_cast<std::size_t>(c.g * d));
  for (Count a = 0; a < c.g; ++a)
    for (Count j = 0; j < d; ++j) {
      const double coefficient = c.coefficients[a * c.p + numbers_[j]];
      factors_[a * d + j] = c.power == 2 ? std::sqrt(coefficient) : coefficient;
    }
  Scratch<double> lengths(static_cast<std::size_t>(c.n));
  std::fill_n(lengths.data(), c.n, 0.0);
  for (Count j = 0; j < d; ++j) {
    const double* x = c.values[numbers_[j]];
    for (Count i = 0; i < c.n; ++i) {
      const double part = std::abs((x[i] - centre_[j]) * factors_[c.segment_of(i) * d + j]);
      lengths[i] += c.power == 2 ? part * part : part;
    }
  }
  double largest = 0.0;
  for (Count i = 0; i < c.n; ++i) {
    if (c.power == 2) lengths[i] = std::sqrt(lengths[i]);
    is_usable_ = is_usable_ && lengths[i] < 1e150;  // not where a number is missing
    largest = std::max(largest, lengths[i]);
  }
  is_usable_ = is_usable_ && (largest == 0 || largest > 1e-150);
  return lengths;
}

// Cases by segment and length, cut into bands: four times the median length of what is left ends a band, so a few
// outliers do not coarsen the rest.
void Coarse::split(const Scratch<double>& lengths) {
  const Columns& c = columns_;
  if (!is_usable_) return;
  order_.resize(static_cast<std::size_t>(c.n));
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](Count i, Count j) {
    if (c.segment_of(i) != c.segment_of(j)) return c.segment_of(i) < c.segment_of(j);
    return lengths[i] != lengths[j] ? lengths[i] < lengths[j] : i < j;
  });
  Count panel = 0;
  for (Count from = 0; from < c.n;) {
    const Count segment = c.segment_of(order_[from]);
    const auto end = std::partition_point(order_.begin() + from, order_.end(), [&](Count i) { return c.segment_of(i) == segment; });
    const Count middle = from + (end - order_.begin() - from) / 2;
    const double longest = 4 * lengths[order_[middle]];
    const auto last = std::partition_point(order_.begin() + middle + 1, end, [&](Count i) { return lengths[i] <= longest; });
    const Count cases = last - order_.begin() - from, panels = (cases + coarse_width - 1) / coarse_width;
    bands_.push_back({segment, panel, panels, from, cases, 1.0, lengths[*(last - 1)], 0.0, 1.0, 0.0});
    panel += panels;
    from += cases;
  }
}

// A gain with which the values of most pairs fit 16 bits: those of cases and queries in opposite corners may not.
double Coarse::room(double reach, double symbols) const {
  const double both = 1.6 * reach, d = static_cast<double>(numbers_.size()), s = static_cast<double>(symbols_.size());
  if (columns_.power == 1) return both + symbols > 0 ? (65535 - d - s) / (both + symbols) : 1.0;
  const double longest = std::sqrt(both * both + symbols);
  return longest > 0 ? (std::sqrt(2 * 65535 - 2 - 2 * s) - std::sqrt(d)) / longest : 1.0;
}

void Coarse::pack(Band& band) {
  const Columns& c = columns_;
  const Count d = static_cast<Count>(numbers_.size()), s = static_cast<Count>(symbols_.size());
  const Count together = form_.together, padded = groups() * together;
  const double* factors = factors_.data() + band.segment * d;
  double widest = 0.0, symbols = 0.0;
  for (Count f : symbols_) symbols += c.coefficients[band.segment * c.p + f];
  for (Count j = 0; j < d; ++j) {
    const double* x = c.values[numbers_[j]];
    for (Count at = 0; at < band.cases; ++at)
      widest = std::max(widest, std::abs((x[order_[band.first_case + at]] - centre_[j]) * factors[j]));
  }
  band.gain = room(band.reach, symbols);
  if (widest > 0) band.gain = std::min(band.gain, offset_ / widest);
  if (widest > 0) band.fine = std::min(finest / widest, 1e150);
  std::vector<int> whole(static_cast<std::size_t>(padded));
  for (Count at = 0; at < band.cases; ++at) {
    const Count packed = band.first_case + at, i = order_[packed];
    const Count panel = band.first_panel + at / coarse_width, lane = at % coarse_width;
    double error = 0.0, fine_error = 0.0;
    Count square = 0, total = 0;
    for (Count j = 0; j < d; ++j) {
      const double y = (c.values[numbers_[j]][i] - centre_[j]) * factors[j];
      const double exact = y * band.fine, fine = std::clamp<double>(std::nearbyint(exact), -finest, finest);
      rows_[packed * stride_ + j] = static_cast<std::int16_t>(fine);
      fine_error += c.power == 2 ? (exact - fine) * (exact - fine) : std::abs(exact - fine);
      const double wanted = y * band.gain, rounded = std::clamp<double>(std::nearbyint(wanted), -offset_, offset_);
      whole[j] = static_cast<int>(rounded);
      square += whole[j] * whole[j];
      error += c.power == 2 ? (wanted - rounded) * (wanted - rounded) : std::abs(wanted - rounded);
    }
    band.error = std::max(band.error, c.power == 2 ? std::sqrt(error) : error);
    band.fine_error = std::max(band.fine_error, c.power == 2 ? std::sqrt(fine_error) : fine_error);
    std::uint8_t* bytes = bytes_.data() + panel * padded * coarse_width;
    for (Count j = 0; j < padded; ++j) {
      const int byte = whole[j] + offset_;
      bytes[((j / together) * coarse_width + lane) * together + j % together] = static_cast<std::uint8_t>(byte);
      total += byte;
    }
    start_[panel * coarse_width + lane] = static_cast<std::uint16_t>(c.power == 2 ? square / 2 : -total);
    for (Count j = 0; j < s; ++j) {
      const std::int32_t code = c.codes[symbols_[j]][i];
      codes_[(panel * s + j) * coarse_width + lane] = code < 0 ? -1 : static_cast<std::int16_t>(code);
    }
  }
}

}  // namespace nearwise
