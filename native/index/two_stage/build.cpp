// Packs the cases of a two-stage search.
//
// A number is kept as x' = fl32(s * (x - centre)), with s the coefficient (power 1) or its root (power 2), so that the
// bound of a term is |q' - x'| or its square. Both numbers are off by 2^-24 of their size and so is the difference of
// them, which cannot be larger than their sizes together: |q' - x'| - 2^-22 (|q'| + max |x'|) is at most s |q - x|. What
// follows only multiplies and adds numbers that are not negative, so the rest of the error is relative; see `widened`.
#include <math.h>

#include <algorithm>
#include <limits>

#include "index/two_stage/two_stage.hpp"

namespace nearwise {
namespace {

constexpr Count stretch_length = 1024;
constexpr double too_large = 1e15;  // squares of such numbers, added up, are far from the end of single precision
constexpr double too_small = 1e-30;

// A term that does not fit in single precision is cut, or left out, which keeps a lower bound.
float cut(double term) { return term > too_small ? static_cast<float>(std::min(term, too_large)) : 0.0f; }

}  // namespace

Staged::Staged(const StagedCases& c)
    : n_(c.n), p_(c.p), t_(c.t), g_(c.g), d_(c.d), width_(c.width), power_(c.power), repeats_(c.d < c.n * c.t),
      is_symbol_(c.is_symbol, c.is_symbol + c.p), coefficients_(c.coefficients, c.coefficients + c.g * c.p),
      one_(c.one_missing, c.one_missing + c.p), both_(c.both_missing, c.both_missing + c.p),
      terms_(c.text_terms, c.text_terms + 4 * c.t),
      text_coefficients_(c.text_coefficients, c.text_coefficients + c.g * c.t),
      letters_(c.letters, c.letters + c.d * c.width), counts_(c.counts, c.counts + c.d * letter_counts) {
  for (const double weight : text_coefficients_) {
    text_floats_.push_back(cut(weight));
    text_inverses_.push_back(1.0f / text_floats_.back());
  }
  pack(c);
  pack_numbers(c);
}

void Staged::pack(const StagedCases& c) {
  std::vector<Count> next(static_cast<std::size_t>(g_) + 1);
  for (Count i = 0; i < n_; ++i) ++next[static_cast<std::size_t>(c.segment[i]) + 1];
  for (Count a = 0; a < g_; ++a) {
    const Count begin = next[a], end = begin + (next[a + 1] + chunk - 1) / chunk * chunk;
    for (Count at = begin; at < end; at += stretch_length)
      stretches_.push_back({at, std::min(end, at + stretch_length), a});
    next[a + 1] = end;
  }
  packed_ = next[g_];
  case_of_.assign(static_cast<std::size_t>(packed_), -1);
  place_of_.resize(static_cast<std::size_t>(n_));
  for (Count i = 0; i < n_; ++i) {
    const Count at = next[c.segment[i]]++;
    place_of_[i] = static_cast<std::int32_t>(at);
    case_of_[at] = static_cast<std::int32_t>(i);
  }
  held_.resize(static_cast<std::size_t>(t_ * packed_));
  for (Count t = 0; t < t_; ++t)
    for (Count i = 0; i < n_; ++i) {
      const std::int32_t text = c.text_of[t * n_ + i];
      held_[t * packed_ + place_of_[i]] = {text, c.segment[i], c.lengths[text]};
    }
  rows_.resize(static_cast<std::size_t>(p_ * packed_));
  for (Count f = 0; f < p_; ++f)
    for (Count i = 0; i < n_; ++i) rows_[place_of_[i] * p_ + f] = c.columns[f * n_ + i];
}

void Staged::pack_numbers(const StagedCases& c) {
  floats_.resize(static_cast<std::size_t>(p_ * packed_));
  centre_.assign(static_cast<std::size_t>(p_), 0.0);
  factor_.assign(static_cast<std::size_t>(g_ * p_), 0.0);
  largest_.assign(static_cast<std::size_t>(g_ * p_), 0.0);
  has_holes_.assign(static_cast<std::size_t>(p_), 0);
  for (Count f = 0; f < p_; ++f) {
    const double* x = c.columns + f * n_;
    double low = infinity, high = -infinity;
    for (Count i = 0; i < n_; ++i) {
      if (x[i] != x[i]) has_holes_[f] = 1;
      low = std::min(low, x[i] == x[i] ? x[i] : low);
      high = std::max(high, x[i] == x[i] ? x[i] : high);
    }
    if (!is_symbol_[f]) centre_[f] = low / 2 + high / 2;
    for (Count a = 0; a < g_; ++a) {
      const double weight = coefficients_[a * p_ + f];
      factor_[a * p_ + f] = is_symbol_[f] ? 1.0 : power_ == 2 ? sqrt(weight) : weight;
    }
    float* to = floats_.data() + f * packed_;
    for (Count i = 0; i < n_; ++i) {
      const Count at = c.segment[i] * p_ + f;
      const double scaled = factor_[at] * (x[i] - centre_[f]);
      to[place_of_[i]] = static_cast<float>(scaled);
      if (x[i] == x[i]) largest_[at] = scaled == scaled ? std::max(largest_[at], fabs(scaled)) : infinity;
    }
    if (is_symbol_[f]) continue;
    for (Count i = 0; i < n_; ++i)  // no bound: 0 - infinity is below every difference
      if (x[i] == x[i] && !(largest_[c.segment[i] * p_ + f] < too_large)) to[place_of_[i]] = 0.0f;
  }
}

void Staged::lines(const double* query, std::vector<Line>& lines) const {
  constexpr double rounding = 1.0 / (1 << 22);
  for (Count a = 0; a < g_; ++a)
    for (Count f = 0; f < p_; ++f) {
      const Count at = a * p_ + f;
      const double q = query[f], weight = coefficients_[at];
      const double one = weight == 0.0 ? 0.0 : weight * (power_ == 2 ? one_[f] * one_[f] : one_[f]);
      const double both = weight == 0.0 ? 0.0 : weight * (power_ == 2 ? both_[f] * both_[f] : both_[f]);
      Line& line = lines[static_cast<std::size_t>(at)];
      line = {Line::number, floats_.data() + f * packed_, 0.0f, 0.0f, 0.0f, cut(one)};
      if (q != q) {
        line.kind = Line::no_query;
        line.known = cut(one);
        line.hole = cut(both);
      } else if (is_symbol_[f]) {
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
