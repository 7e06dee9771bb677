// Packing a band of cases: feature by feature over some hundred cases at a time, so that what is read of a column stays near
// and what is done to it is done to several numbers at once.
#include <algorithm>
#include <cmath>

#include "index/bytes/bytes.hpp"

namespace nearwise {
namespace {

constexpr Count together_packed = 16 * coarse_width;

// The nearest whole number, of two the even one, as nearbyint gives it for what is smaller than 2^51.
double whole_of(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

double held_to(double x, double most) { return std::min(std::max(x, -most), most); }

template <bool squares>
double off_by(double exact, double rounded) {
  return squares ? (exact - rounded) * (exact - rounded) : std::abs(exact - rounded);
}

// A gain with which the values of most pairs fit 16 bits: those of cases and queries in opposite corners may not.
double room(double power, double d, double s, double reach, double symbols) {
  const double both = 1.6 * reach;
  if (power == 1) return both + symbols > 0 ? (65535 - d - s) / (both + symbols) : 1.0;
  const double longest = std::sqrt(both * both + symbols);
  return longest > 0 ? (std::sqrt(2 * 65535 - 2 - 2 * s) - std::sqrt(d)) / longest : 1.0;
}

}  // namespace

void Coarse::pack(Band& band) {
  const Columns& c = columns_;
  const double most = widest(band);
  double symbols = 0.0;
  for (Count f : symbols_) symbols += c.coefficients[band.segment * c.p + f];
  band.gain = room(c.power, static_cast<double>(numbers_.size()), static_cast<double>(symbols_.size()), band.reach, symbols);
  if (most > 0) band.gain = std::min(band.gain, offset_ / most);
  if (most > 0) band.fine = std::min(finest / most, 1e150);
  for (Count from = 0; from < band.cases; from += together_packed) {
    const Count count = std::min(together_packed, band.cases - from);
    c.power == 2 ? pack_numbers<true>(band, from, count) : pack_numbers<false>(band, from, count);
  }
  pack_symbols(band);
}

// The largest number of a band.
double Coarse::widest(const Band& band) const {
  const std::int32_t* own = band.cases == columns_.n ? nullptr : order_.data() + band.first_case;  // all: in any order
  const double* factors = factors_.data() + band.segment * static_cast<Count>(numbers_.size());
  double most = 0.0;
  for (std::size_t j = 0; j < numbers_.size(); ++j) {
    const double* x = columns_.values[numbers_[j]];
    for (Count at = 0; at < band.cases; ++at)
      most = std::max(most, std::abs((x[own ? own[at] : at] - centre_[j]) * factors[j]));
  }
  return most;
}

// The bytes, the numbers of 16 bits and what both are off by, of the cases from .. from + count of a band.
template <bool squares>
void Coarse::pack_numbers(Band& band, Count from, Count count) {
  const Count d = static_cast<Count>(numbers_.size()), together = form_.together, padded = groups() * together;
  const Count first = band.first_case + from;
  const double *factors = factors_.data() + band.segment * d, most = offset_;
  double numbers[together_packed], errors[together_packed] = {}, fine_errors[together_packed] = {};
  std::int16_t fine[together_packed];
  std::int32_t whole[together_packed], square[together_packed] = {}, total[together_packed] = {};
  for (Count j = 0; j < padded; ++j) {
    if (j < d) {
      const double *x = columns_.values[numbers_[j]], centre = centre_[j], factor = factors[j];
      for (Count at = 0; at < count; ++at) numbers[at] = (x[order_[first + at]] - centre) * factor;
      for (Count at = 0; at < count; ++at) {
        const double exact = numbers[at] * band.fine, rounded = held_to(whole_of(exact), finest);
        fine[at] = static_cast<std::int16_t>(rounded);
        fine_errors[at] += off_by<squares>(exact, rounded);
      }
      for (Count at = 0; at < count; ++at) {
        const double wanted = numbers[at] * band.gain, rounded = held_to(whole_of(wanted), most);
        whole[at] = static_cast<std::int32_t>(rounded);
        errors[at] += off_by<squares>(wanted, rounded);
      }
      for (Count at = 0; at < count; ++at) square[at] += whole[at] * whole[at];
      for (Count at = 0; at < count; ++at) rows_[(first + at) * stride_ + j] = fine[at];
    } else {
      std::fill_n(whole, count, 0);
    }
    for (Count at = 0; at < count; ++at) whole[at] += offset_;
    for (Count at = 0; at < count; ++at) total[at] += whole[at];
    const Count group = j / together * coarse_width, byte = j % together;
    for (Count at = 0; at < count; ++at) {
      const Count panel = band.first_panel + (from + at) / coarse_width, lane = at % coarse_width;
      bytes_[panel * padded * coarse_width + (group + lane) * together + byte] = static_cast<std::uint8_t>(whole[at]);
    }
  }
  const Count start = band.first_panel * coarse_width + from;
  for (Count at = 0; at < count; ++at) {
    start_[start + at] = static_cast<std::uint16_t>(squares ? square[at] / 2 : -total[at]);
    band.error = std::max(band.error, squares ? std::sqrt(errors[at]) : errors[at]);
    band.fine_error = std::max(band.fine_error, squares ? std::sqrt(fine_errors[at]) : fine_errors[at]);
  }
}

void Coarse::pack_symbols(const Band& band) {
  const Count s = static_cast<Count>(symbols_.size());
  for (Count j = 0; j < s; ++j)
    for (Count at = 0; at < band.cases; ++at) {
      const std::int32_t code = columns_.codes[symbols_[j]][order_[band.first_case + at]];
      const Count panel = band.first_panel + at / coarse_width;
      codes_[(panel * s + j) * coarse_width + at % coarse_width] = code < 0 ? -1 : static_cast<std::int16_t>(code);
    }
}

}  // namespace nearwise
