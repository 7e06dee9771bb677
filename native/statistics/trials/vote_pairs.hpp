// Right answers under many weight vectors, from differences of pairs that are already known.
#pragma once

#include <cstdint>
#include <vector>

#include "selection/every_k.hpp"

namespace nearwise {

struct Pairs {
  std::vector<const double*> terms;  // p times [m, n] differences of queries and cases, raised to the power
  const std::int32_t* folds;         // [n]
  const std::int32_t* codes;         // [n]
  const double* weights;             // [n]
  const double* priors;              // [classes]
  Count m, n, first;                 // query j is case first + j
  Count n_folds, classes;
  double power;
  bool leave_one_out, by_distance;
};

// right [w, n_folds, K]: the weight of the queries that k = 1 .. K neighbours classify right, by fold.
void vote_pairs(const Pairs& pairs, const double* coefficients, Count w, Count k, double tolerance, Count threads,
                double* right);

}  // namespace nearwise
