// How many cases are classified right under many weight vectors, each case by the cases of other folds (or by all others).
#pragma once

#include "index/dense/dense.hpp"
#include "statistics/trials/classified.hpp"

namespace nearwise {

struct Trial : Classified {
  Columns columns;                     // coefficients are filled in per weight vector
  std::vector<double> scales;          // [p] a weight becomes a coefficient by this factor
  std::vector<double> queries;         // [n, p] the cases themselves, row by row
  bool is_plain = true;                // numbers only, and all of them known
};

struct TrialAsk {
  const double* weights;               // [w, p]
  Count w, first, last, k, threads;    // about cases first .. last - 1
  double tolerance;
};

// right [w, folds, K]: the weight of the cases that k = 1 .. K neighbours classify right, by fold. Weight vectors that single
// precision cannot serve are marked in unserved [w].
void evaluate(const Trial& trial, const TrialAsk& ask, double* right, std::uint8_t* unserved);

}  // namespace nearwise
