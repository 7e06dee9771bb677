// What the borders of all trials check.
#pragma once

#include "binding/arrays.hpp"

namespace nearwise {

inline void require_trial(Count k, double tolerance, Count threads) {
  require(k >= 1 && k <= 1 << 20, "k must be in 1 .. 2**20.");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  require(threads >= 1, "threads must be at least 1.");
}

// codes [n] of classes, of which the priors say how many there are
inline void require_classes(const std::int32_t* codes, Count n, Count classes) {
  require(classes >= 1, "priors must hold at least one class.");
  require_between(codes, n, 0, classes, "codes must be in 0 .. classes - 1");
}

inline void require_folds(const std::int32_t* folds, Count n, Count n_folds) {
  require(n_folds >= 1 && n_folds <= 1 << 20, "n_folds must be in 1 .. 2**20.");
  require_between(folds, n, 0, n_folds, "folds must be in 0 .. n_folds - 1");
}

}  // namespace nearwise
