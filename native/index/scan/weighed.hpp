// A scan whose weights come with the case or with the query, and in which a missing value may stand for the mean
// difference or be left out. Shapes as in index/scan/scan.hpp.
#pragma once

#include "index/scan/scan.hpp"
#include "machine/instructions.hpp"

namespace nearwise {

enum class Policy : std::uint8_t { fixed, mean, ignore };

// A query is a row of 2p values, or (2 + g) p where weights come with the query: the values, what is expected where the
// case has none, the coefficients by segment.
struct WeighedCases : Cases {
  const std::uint8_t* policies;      // [p]
  const double* expected;            // [p, n] what is expected of a case where the query has no value, under "mean"
  const double* by_case;             // [p, n] coefficients, or null
  const double* scales;              // [p], or null: what the weights of case and query are added up and multiplied by
  bool by_query;                     // whether coefficients (weights, where they are scaled) come with the query
  const double* weights;             // [g, p] for "ignore": coefficients before they were scaled
  const double* worst;               // [g] for "ignore": the sum where nothing is known
  bool ignores;                      // whether any feature has this policy
};

NEARWISE_EACH_INSTRUCTION_SET(
void weighed_tile(const Cases& cases, const double* query, Count begin, Count end, double* sums);
)

}  // namespace nearwise
