// Packs the cases of a two-stage search.
//
// A number is kept as x' = fl32(s * (x - centre)), with s the coefficient (power 1) or its root (power 2), so that the
// bound of a term is |q' - x'| or its square. Both numbers are off by 2^-24 of their size and so is the difference of
// them, which cannot be larger than their sizes together: |q' - x'| - 2^-22 (|q'| + max |x'|) is at most s |q - x|. What
// follows only multiplies and adds numbers that are not negative, so the rest of the error is relative; see `widened`.
#include <math.h>

#include <algorithm>
#include <limits>

#include "arithmetic/raised.hpp"
#include "index/two_stage/two_stage.hpp"

namespace nearwise {
namespace {

constexpr Count stretch_length = 1024;
constexpr double too_large = 1e15;  // squares of such numbers, added up, are far from the end of single precision
constexpr double too_small = 1e-30;

// A term that does not fit in single precision is cut, or left out, which keeps a lower bound.
float cut(double term) { return term > too_small ? static_cast<float>(std::min(term, too_large)) : 0.0f; }

}  // namespace

TextStages::TextStages(TextCases cases) : c_(std::move(cases)), repeats_(c_.d < c_.n * c_.t) {
  for (const double weight : c_.text_coefficients) {
    text_floats_.push_back(cut(weight));
    text_inverses_.push_back(1.0f / text_floats_.back());
  }
  pack();
  pack_numbers();
}

void TextStages::pack() {
  std::vector<Count> next(static_cast<std::size_t>(c_.g) + 1);
  for (Count i = 0; i < c_.n; ++i) ++next[static_cast<std::size_t>(c_.segment[i]) + 1];
  for (Count a = 0; a < c_.g; ++a) {
    const Count begin = next[a], end = begin + (next[a + 1] + chunk - 1) / chunk * chunk;
    for (Count at = begin; at < end; at += stretch_length)
      stretches_.push_back({at, std::min(end, at + stretch_length), a});
    next[a + 1] = end;
  }
  packed_ = next[c_.g];
  case_of_.assign(static_cast<std::size_t>(packed_), -1);
  place_of_.resize(static_cast<std::size_t>(c_.n));
  for (Count i = 0; i < c_.n; ++i) {
    const Count at = next[c_.segment[i]]++;
    place_of_[i] = static_cast<std::int32_t>(at);
    case_of_[at] = static_cast<std::int32_t>(i);
  }
  held_.resize(static_cast<std::size_t>(c_.t * packed_));
  for (Count t = 0; t < c_.t; ++t)
    for (Count i = 0; i < c_.n; ++i) {
      const std::int32_t text = c_.text_of[t * c_.n + i];
      held_[t * packed_ + place_of_[i]] = {text, c_.segment[i], c_.lengths[text]};
    }
  rows_.resize(static_cast<std::size_t>(c_.p * packed_));
  for (Count f = 0; f < c_.p; ++f)
    for (Count i = 0; i < c_.n; ++i) rows_[place_of_[i] * c_.p + f] = c_.columns[f * c_.n + i];
}

void TextStages::pack_numbers() {
  floats_.resize(static_cast<std::size_t>(c_.p * packed_));
  centre_.assign(static_cast<std::size_t>(c_.p), 0.0);
  factor_.assign(static_cast<std::size_t>(c_.g * c_.p), 0.0);
  largest_.assign(static_cast<std::size_t>(c_.g * c_.p), 0.0);
  has_holes_.assign(static_cast<std::size_t>(c_.p), 0);
  for (Count f = 0; f < c_.p; ++f) {
    const double* x = c_.columns + f * c_.n;
    double low = infinity, high = -infinity;
    for (Count i = 0; i < c_.n; ++i) {
      if (x[i] != x[i]) has_holes_[f] = 1;
      low = std::min(low, x[i] == x[i] ? x[i] : low);
      high = std::max(high, x[i] == x[i] ? x[i] : high);
    }
    if (!c_.is_symbol[f]) centre_[f] = low / 2 + high / 2;
    for (Count a = 0; a < c_.g; ++a) {
      const double weight = c_.coefficients[a * c_.p + f];
      factor_[a * c_.p + f] = c_.is_symbol[f] ? 1.0 : c_.power == 2 ? sqrt(weight) : weight;
    }
    float* to = floats_.data() + f * packed_;
    for (Count i = 0; i < c_.n; ++i) {
      const Count at = c_.segment[i] * c_.p + f;
      const double scaled = factor_[at] * (x[i] - centre_[f]);
      to[place_of_[i]] = static_cast<float>(scaled);
      if (x[i] == x[i]) largest_[at] = scaled == scaled ? std::max(largest_[at], fabs(scaled)) : infinity;
    }
    if (c_.is_symbol[f]) continue;
    for (Count i = 0; i < c_.n; ++i)  // no bound: 0 - infinity is below every difference
      if (x[i] == x[i] && !(largest_[c_.segment[i] * c_.p + f] < too_large)) to[place_of_[i]] = 0.0f;
  }
}

void TextStages::lines(const double* query, std::vector<Line>& lines) const {
  constexpr double rounding = 1.0 / (1 << 22);
  for (Count a = 0; a < c_.g; ++a)
    for (Count f = 0; f < c_.p; ++f) {
      const Count at = a * c_.p + f;
      const double q = query[f], weight = c_.coefficients[at];
      const double one = weighted(weight, raised_to(c_.one_missing[f], c_.power));
      const double both = weighted(weight, raised_to(c_.both_missing[f], c_.power));
      Line& line = lines[static_cast<std::size_t>(at)];
      line = {Line::number, floats_.data() + f * packed_, 0.0f, 0.0f, 0.0f, cut(one)};
      if (q != q) {
        line.kind = Line::no_query;
        line.known = cut(one);
        line.hole = cut(both);
      } else if (c_.is_symbol[f]) {
        line.kind = Line::symbol;
        line.query = static_cast<float>(q);
        line.known = cut(weight);
      } else {
        line.kind = has_holes_[f] ? Line::number_or_hole : Line::number;
        const double scaled = factor_[at] * (q - centre_[f]);
        const bool bounded = fabs(scaled) < too_large && largest_[at] < too_large;  // false where it is not a number
        line.query = bounded ? static_cast<float>(scaled) : 0.0f;
        line.error = bounded ? static_cast<float>(rounding * (fabs(scaled) + largest_[at]) + 1e-37)
                             : std::numeric_limits<float>::infinity();
      }
    }
}

}  // namespace nearwise
