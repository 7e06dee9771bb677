// One query on its way through the parts.
#pragma once

#include <vector>

#include "coded.hpp"
#include "coded.limit.hpp"

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

// The sum that decides: in double precision, feature by feature in schema order.
inline double exact_sum(const Part& part, Count row, const Lane& lane) {
  const std::int32_t* codes = part.codes.data() + row * part.width;
  double sum = 0.0;
  for (const Step& step : part.steps) {
    const std::int32_t code = codes[step.position];
    if (step.is_table)
      sum += step.coefficient * lane.rows[step.feature][code];
    else
      sum += code != lane.codes[step.feature] ? step.coefficient : 0.0;
  }
  return sum;
}

inline Count cases_of(const Index& index, Count pattern, const Lane& lane) {
  return index.offsets[pattern + 1] - index.offsets[pattern] - (pattern == lane.left_pattern ? 1 : 0);
}

const Part& part_of(const Index& index, Count pattern);

// Scratch memory of a thread for writing results.
struct Ranked {
  double sum;
  std::int32_t pattern;
};
struct Sheet {
  std::vector<Ranked> ranked;
  std::vector<std::int32_t> cases;
};

// Writes the answer of a query from its candidates (coded.gather.cpp).
void write_nearest(const Index& index, const Queries& queries, const Tally& tally, const Lane& lane, Sheet& sheet,
                   const Found& found);
void write_levels(const Index& index, const Queries& queries, const Tally& tally, const Lane& lane, Sheet& sheet,
                  const Found& found);

}  // namespace nearwise::coded
