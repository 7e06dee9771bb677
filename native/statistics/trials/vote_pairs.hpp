// Right answers under many weight vectors, from differences of pairs that are already known.
#pragma once

#include <vector>

#include "statistics/trials/classified.hpp"

namespace nearwise {

struct Pairs : Classified {
  std::vector<const double*> terms;  // p times [m, n] differences of queries and cases, raised to the power
  const double* coefficients;        // [w, p]
  Count m, first, w, k;              // query j is case first + j; about 1 .. k neighbours
  double tolerance;
};

// right [w, n_folds, K]: the weight of the queries that k = 1 .. K neighbours classify right, by fold.
void vote_pairs(const Pairs& pairs, Count threads, double* right);

}  // namespace nearwise
