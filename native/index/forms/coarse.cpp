#include "index/forms/coarse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "index/forms/forms.hpp"

namespace nearwise {
namespace {

constexpr double least_sum = 1e-25;     // below it single precision loses more than its rounding
constexpr double most_sum = 1e30;       // beyond it sums overflow
constexpr double rounding = 1.2 / (1 << 24);
constexpr double most_symbols = 1 << 24;

}  // namespace

CoarseCases::CoarseCases(const FormCases& c)
    : middles(c.p), reach(c.p), has_missing(c.p), count((c.n + panel_width - 1) / panel_width) {
  panels.assign(static_cast<std::size_t>(count * c.p * panel_width), 0.0f);
  for (Count f = 0; f < c.p; ++f) {
    const double* x = c.columns + f * c.n;
    double low = infinity, high = -infinity;
    for (Count i = 0; i < c.n; ++i) {
      has_missing[f] |= x[i] != x[i];
      low = x[i] < low ? x[i] : low;
      high = x[i] > high ? x[i] : high;
    }
    const bool known = low <= high;
    middles[f] = c.is_symbol[f] || !known ? 0.0 : low / 2 + high / 2;
    const double scale = c.is_symbol[f] ? 1.0 : c.scales[f];
    if (known) reach[f] = std::max(std::fabs((low - middles[f]) * scale), std::fabs((high - middles[f]) * scale));
    for (Count i = 0; i < c.n; ++i)
      panels[(i / panel_width * c.p + f) * panel_width + i % panel_width] =
          static_cast<float>((x[i] - middles[f]) * scale);
  }
}

CoarseForm::Feature CoarseQuery::feature_of(const FormCases& c, Count f, const double* query, double* largest) const {
  const CoarseCases& coarse = *c.coarse;
  const double q = query[f], scale = c.scales[f], one = c.one_missing[f] * scale, both = c.both_missing[f] * scale;
  CoarseForm::Feature out{};
  out.column = coarse.panels.data() + f * panel_width;
  out.has_missing = coarse.has_missing[f];
  out.one = static_cast<float>(one);
  out.both = static_cast<float>(both);
  out.unit = static_cast<float>(scale);
  *largest = out.has_missing || q != q ? std::max(std::fabs(one), std::fabs(both)) : 0.0;
  if (q != q) {
    out.kind = CoarseForm::Feature::unknown;
  } else if (c.is_symbol[f]) {
    out.kind = CoarseForm::Feature::symbol;
    out.value = static_cast<float>(q);
    *largest = std::max(*largest, scale);
    if (!(std::max(std::fabs(q), coarse.reach[f]) < most_symbols)) *largest = infinity;
  } else {
    const double own = (q - coarse.middles[f]) * scale;
    out.kind = CoarseForm::Feature::number;
    out.value = static_cast<float>(own);
    *largest = std::max(*largest, coarse.reach[f] + std::fabs(own));
  }
  return out;
}

bool CoarseQuery::prepare(const FormCases& c, const double* query, const double* form, const Count* taken) {
  features_.clear();
  terms_.clear();
  rows_.clear();
  place_.assign(static_cast<std::size_t>(c.p), -1);
  largest_.clear();
  double squares = 0.0;
  for (Count row = 0; row < c.r; ++row) {
    const Count *own = taken + row * (c.p + 1), count = own[c.p];
    double bound = 0.0;
    for (Count at = 0; at < count; ++at) {
      const Count f = own[at];
      if (place_[f] < 0) {
        place_[f] = static_cast<int>(features_.size());
        largest_.push_back(0.0);
        features_.push_back(feature_of(c, f, query, &largest_.back()));
      }
      terms_.push_back({static_cast<float>(form[row * c.p + f]), place_[f]});
      bound += std::fabs(form[row * c.p + f]) * largest_[place_[f]];
    }
    squares += bound * bound;
    rows_.push_back({static_cast<int>(features_.size()), static_cast<int>(terms_.size())});
  }
  error_ = static_cast<double>(c.p + 10) * rounding * std::sqrt(squares);
  differences_.resize(features_.size() * coarse_cases);
  form_ = {features_.data(), terms_.data(), rows_.data(), c.r, c.p * panel_width, differences_.data()};
  return !rows_.empty() && squares > least_sum && squares < most_sum;
}

float CoarseQuery::limit(double sum) const {
  if (!(sum < most_sum)) return std::numeric_limits<float>::infinity();
  const double root = std::sqrt(sum) + error_;
  const double most = root * root * (1.0 + static_cast<double>(rows_.size() + 8) * rounding);
  return std::nextafter(static_cast<float>(std::max(most, least_sum)), std::numeric_limits<float>::infinity());
}

}  // namespace nearwise
