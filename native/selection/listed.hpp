// The nearest cases of some rows, and the vote over them for every k: working space that is used again.
#pragma once

#include <vector>

#include "machine/instructions.hpp"
#include "selection/every_k.hpp"
#include "selection/nearest.hpp"

namespace nearwise {

NEARWISE_UP_TO_AVX2(
// The k smallest finite sums by (sum, index); returns how many there are.
Count smallest(const double* sums, Count n, Count k, double* best, Count* index);
// The cases whose sum is in [low, high], in order; returns how many.
Count between(const double* sums, Count n, double low, double high, Count* found);
)

struct Listed {
  Listed(Count rows, Count neighbours, const Voters& voters, double tie);

  Nearest nearest() { return {sums.data(), indices.data(), inside.data(), tied.data(), tie_sums.data()}; }

  // The nearest cases under these sums [n], infinite where a case is left out, and those that tie with the last of them.
  void list(Count row, const double* all);

  // winners [rows, K], cases that tie for the last place share it.
  void vote(Count rows, double power, bool by_distance);

  Count k;
  Voters voters;
  double tolerance;
  std::vector<double> sums, kernel, tie_sums;   // [rows, K], [rows, K], [rows, classes]
  std::vector<Count> indices, inside, tied;     // [rows, K], [rows], [rows]
  std::vector<std::int32_t> winners;            // [rows, K]
  std::vector<Count> found;
};

}  // namespace nearwise
