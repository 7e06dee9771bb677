// Weight vectors that differ from a base in one feature each: what one step of a stepwise search asks about.
//
// Shapes: n cases, p features, b bases, c changes, r rows asked about, K neighbours.
#pragma once

#include <vector>

#include "machine/instructions.hpp"
#include "statistics/trials/classified.hpp"

namespace nearwise {

// What one feature adds to the sums of one query: coefficient * t, t = raw or raw^2 (or given as it is in a block).
struct Term {
  enum Kind { number, symbol, block } kind;
  const double* x;      // [n] values, NaN is missing; or t itself
  double q;             // the value of the query, NaN is missing
  double coefficient, one_missing, both_missing;
  int power;
  bool has_holes;       // whether any x is missing
};

NEARWISE_UP_TO_AVX2(
void add_term(const Term& term, const double* from, Count n, double* to);
)

struct ChangeCases : Classified {
  const double* columns;                 // [p, n] numbers and symbol codes alike, NaN is missing
  const std::uint8_t* is_symbol;         // [p]
  const double *one_missing, *both_missing, *scales;  // [p]
  Count p;
  std::vector<std::uint8_t> has_holes;   // [p]
};

struct ChangeAsk {
  const double* bases;                   // [b, p] weights
  const std::int32_t* base_of;           // [c]
  const std::int32_t* features;          // [c]
  const double* values;                  // [c] the new weight of the feature
  const std::int32_t* block_of;          // [c] a block to use instead of the feature's own terms, or -1
  const std::int32_t* own_block;         // [p] the block that holds a feature's terms, or -1
  std::vector<const double*> blocks;     // of [r, n]
  const Count* rows;                     // [r]
  Count b, c, r, k, threads;
  double tolerance;
};

// right [c, r, K]: whether k = 1 .. K neighbours classify the case right.
void classify_changes(const ChangeCases& cases, const ChangeAsk& ask, std::uint8_t* right);

}  // namespace nearwise
