// One query on its way through the parts.
#pragma once

#include <vector>

#include "index/codes/codes.hpp"
#include "index/codes/limit.hpp"

namespace nearwise::coded {

struct Lane {
  Count query = -1;
  Count left_out = -1, left_pattern = -1;
  const std::int32_t* codes = nullptr;   // [p]
  std::vector<const double*> rows;       // [p] its row of each table
  Limit limit;
  double scale = 0;                      // units of the bound per unit of the sum, in the part at hand
  double excess = 0;                     // units by which the bound may exceed the sum, from rounding
  std::vector<std::int32_t> candidates;  // patterns that were within the limit when they were found
  std::size_t full = 0;                  // how many candidates to wait for before those beyond the limit are dropped
};

// The sums that decide: in double precision, feature by feature in schema order. Each sum waits for its own last
// addition, so four pairs of a row and a query are added side by side.
struct Pair {
  Count row;
  const Lane* lane;
};

template <int size>
inline void add_exactly(const Part& part, const Pair* pairs, double* sums) {
  const std::int32_t *stored[size], *asked[size];
  double totals[size];
  for (int j = 0; j < size; ++j) {
    stored[j] = part.codes.data() + pairs[j].row * part.width;
    asked[j] = pairs[j].lane->codes;
    totals[j] = 0.0;
  }
  for (const Step& step : part.steps) {
    const double coefficient = step.coefficient;
    const Count position = step.position, feature = step.feature;
    if (step.is_table) {
      for (int j = 0; j < size; ++j)
        totals[j] += coefficient * pairs[j].lane->rows[feature][stored[j][position]];
    } else {
      for (int j = 0; j < size; ++j) totals[j] += step.costs[stored[j][position] != asked[j][feature]];
    }
  }
  for (int j = 0; j < size; ++j) sums[j] = totals[j];
}

inline void exact_sums(const Part& part, const Pair* pairs, Count count, double* sums) {
  Count at = 0;
  for (; at + 4 <= count; at += 4) add_exactly<4>(part, pairs + at, sums + at);
  for (; at < count; ++at) add_exactly<1>(part, pairs + at, sums + at);
}

inline Count cases_of(const Index& index, Count pattern, const Lane& lane) {
  return index.offsets[pattern + 1] - index.offsets[pattern] - (pattern == lane.left_pattern ? 1 : 0);
}

// The candidates of a query that are within its limit, unsorted (index/codes/gather.cpp).
using RankedPattern = Ranked<std::int32_t>;
void rank_candidates(const Index& index, const Lane& lane, std::vector<RankedPattern>& ranked);

// Scratch memory of a thread for writing results.
struct Sheet {
  std::vector<RankedPattern> ranked;
  std::vector<std::int32_t> cases;
};

// Writes the answer of a query from its candidates (index/codes/gather.cpp).
void write_nearest(const Index& index, const Queries& queries, const Tally& tally, const Lane& lane, Sheet& sheet,
                   const Nearest& found);
void write_levels(const Index& index, const Queries& queries, const Tally& tally, const Lane& lane, Sheet& sheet,
                  const Nearest& found);

}  // namespace nearwise::coded
