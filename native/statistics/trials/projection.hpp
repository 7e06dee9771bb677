// k nearest neighbours on one feature: cases sorted by value, each classified by the cases of the other folds.
#pragma once

#include "machine/numbers.hpp"

namespace nearwise {

struct Projection {
  const double* values;          // [n] ascending, none missing
  const std::int32_t* places;    // [n] fold * classes + class
  const double* weights;         // [n] what a vote counts; null where all count 1
  const double* priors;          // [classes]
  Count n, n_folds, classes;
  double coefficient;            // a gap g makes the sum coefficient * g^power
  double power;
  double period;                 // of values on a circle; 0 on a line
};

// right [n_folds, K]: the weight of the cases that k = 1 .. K neighbours classify right, by fold. Ties share places.
void project(const Projection& cases, Count k, double tolerance, double* right);

}  // namespace nearwise
