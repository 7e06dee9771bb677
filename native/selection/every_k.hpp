// What the vote for every k reads. Shapes: m lists of K neighbours, g classes, n cases.
#pragma once

#include "machine/numbers.hpp"

namespace nearwise {

struct Lists {
  const double* sums;       // [m, K] ascending; infinity where there is no case
  const Count* indices;     // [m, K]
  const double* kernel;     // [m, K] how much a vote from each place counts
  const Count* tied;        // [m] cases that tie with the last place
  const double* tie_sums;   // [m, g] their weights by class
  Count m, k;
  double tolerance;
  bool fair;
  bool ask_next = false;    // a tied vote looks at the vote of one neighbour more; for K itself there is none
};

struct Voters {
  const std::int32_t* codes;  // [n]
  const double* weights;      // [n]
  const double* priors;       // [g]
  Count n, n_groups;
};

// winners [m, K]: the class that wins for k = 1 .. K
void every_k(const Lists& lists, const Voters& voters, std::int32_t* winners, Count threads);

// kernel [m, K]: what a vote from each place counts: 1, or 1/d, where cases at distance 0 alone vote.
void weigh(const double* sums, Count m, Count k, double power, bool by_distance, double* kernel);

}  // namespace nearwise
