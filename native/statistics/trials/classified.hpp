// Cases that classify each other, as all trials see them.
#pragma once

#include "selection/every_k.hpp"

namespace nearwise {

struct Classified {
  const std::int32_t* folds;     // [n] a case is classified by the cases of other folds
  const std::int32_t* codes;     // [n] classes
  const double* weights;         // [n] what a vote counts
  const double* priors;          // [classes]
  Count n, n_folds, classes;
  double power;                  // of the metric
  bool leave_one_out;            // each case is its own fold: folds are 0 throughout
  bool by_distance;              // votes count 1/d times as much

  Voters voters() const { return {codes, weights, priors, n, classes}; }

  // Makes the sums [n] infinite for the cases that do not classify case i.
  void leave_out(Count i, double* sums) const {
    sums[i] = infinity;
    if (leave_one_out) return;
    const std::int32_t* all = folds;
    const std::int32_t fold = all[i];
    for (Count j = 0, end = n; j < end; ++j)
      if (all[j] == fold) sums[j] = infinity;
  }
};

}  // namespace nearwise
