// The votes of one feature for one query: what the nearer cases say, and what those say that tie at the last place.
#pragma once

#include <algorithm>
#include <vector>

#include "statistics/projections/projections.hpp"

namespace nearwise {

// The stored case that a query must skip, if any.
struct Own {
  Count run = -1;
  std::int32_t code = -1;
  const double* amounts = nullptr;
};

class Tally {
 public:
  Tally(Count groups, Count v)
      : v_(v), inside_(groups * v), tied_(groups * v), near_(groups, infinity), seen_(groups) {
    if (groups <= few_groups)
      for (Count code = 0; code < groups; ++code) row(static_cast<std::int32_t>(code), true);
    all_ = !touched_.empty();
  }

  // The cases of a run at this difference.
  void add(const Axis& axis, Count run, double away, bool inside, const Own& own) {
    for (Count e = axis.first_entry(run); e < axis.first_entry(run + 1); ++e) {
      const std::int32_t code = axis.codes[e];
      const bool less = run == own.run && code == own.code;
      if (less && axis.cases_of(e) == 1) continue;
      double* to = row(code, inside);
      for (Count j = 0; j < v_; ++j) to[j] += amount(axis, e, j) - (less ? own.amounts[j] : 0.0);
      if (amount(axis, e, 0) - (less ? own.amounts[0] : 0.0) > 0) near_[code] = std::min(near_[code], away);
    }
  }

  // One case that weighs 1.
  void add_one(std::int32_t code, double away) {
    *row(code, true) += 1.0;
    near_[code] = std::min(near_[code], away);
  }

  // All cases but those of one run (-1: of none), which tie.
  void add_others(const Axis& axis, Count run, double away, const Own& own, double tolerance) {
    rest_.assign(axis.totals.begin(), axis.totals.end());
    if (run >= 0)
      for (Count e = axis.first_entry(run); e < axis.first_entry(run + 1); ++e)
        for (Count j = 0; j < v_; ++j) rest_[axis.codes[e] * v_ + j] -= amount(axis, e, j);
    if (own.run >= 0 && own.run != run)
      for (Count j = 0; j < v_; ++j) rest_[own.code * v_ + j] -= own.amounts[j];
    for (std::size_t code = 0; code < near_.size(); ++code) {
      if (!(rest_[code * v_] > tolerance * axis.totals[code * v_])) continue;  // only rounding is left
      double* to = row(static_cast<std::int32_t>(code), false);
      for (Count j = 0; j < v_; ++j) to[j] += rest_[code * v_ + j];
      near_[code] = std::min(near_[code], away);
    }
  }

  // Adds the votes to those of the other features, and forgets them.
  void close(double share, double weight, double* total, double* near, double* alone) {
    for (const std::int32_t code : touched_) {
      for (Count at = code * v_; at < (code + 1) * v_; ++at) {
        const double votes = inside_[at] + share * tied_[at];
        total[at] += weight * votes;
        if (alone) alone[at] = votes;
        inside_[at] = tied_[at] = 0.0;
      }
      if (weight > 0) near[code] = std::min(near[code], near_[code]);
      near_[code] = infinity;
      seen_[code] = all_;
    }
    if (!all_) touched_.clear();
  }

 private:
  static constexpr Count few_groups = 16;  // so many are all looked at, which costs less than to note which have votes

  double* row(std::int32_t code, bool inside) {
    if (!seen_[code]) {
      seen_[code] = true;
      touched_.push_back(code);
    }
    return (inside ? inside_ : tied_).data() + code * v_;
  }

  double amount(const Axis& axis, Count e, Count j) const {
    return axis.amounts ? axis.amounts[e * v_ + j] : static_cast<double>(axis.cases_of(e));
  }

  const Count v_;
  std::vector<double> inside_, tied_, near_, rest_;
  std::vector<char> seen_;
  std::vector<std::int32_t> touched_;
  bool all_;
};

}  // namespace nearwise
