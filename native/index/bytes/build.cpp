// Packing the cases into bytes.
#include "index/bytes/bytes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "layout/order.hpp"

namespace nearwise {
Coarse::Coarse(Columns columns, const std::int32_t* order)
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
  split(measure(), order);  // the lengths are gone before the copies are made
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
void Coarse::split(const Scratch<double>& lengths, const std::int32_t* order) {
  const Columns& c = columns_;
  if (!is_usable_) return;
  const auto before = [&](Count i, Count j) {
    if (c.segment_of(i) != c.segment_of(j)) return c.segment_of(i) < c.segment_of(j);
    return lengths[i] != lengths[j] ? lengths[i] < lengths[j] : i < j;
  };
  if (order) {
    take_order(order, c.n, order_, before);
  } else {
    order_.resize(static_cast<std::size_t>(c.n));
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), before);
  }
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

}  // namespace nearwise
