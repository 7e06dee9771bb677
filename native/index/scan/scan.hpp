// What a scan reads and what it writes. Shapes: n cases, m queries, p features, g segments.
#pragma once

#include "machine/instructions.hpp"
#include "selection/nearest.hpp"

namespace nearwise {

constexpr Count tile_length = 1024;  // 8 KiB of each column and of the sums

// What is null does not apply: no joined columns, no mean differences, no weights by case, no rescaling.
struct Cases {
  const double* columns;             // [p, n] feature-major; NaN is a missing value, a symbol is its code
  const std::uint8_t* is_symbol;     // [p]
  const std::uint8_t* joined;        // [p] 1: a number that is one feature together with the column before
  const Count* segments;             // [g + 1] packed cases segments[a] .. segments[a + 1] weigh by row a of coefficients
  const double* coefficients;        // [g, p]
  const double* one_missing;         // [p] the difference when exactly one of the two values is missing
  const double* both_missing;        // [p] the difference when both are
  const Count* index;                // [n] the original index of a packed case, which breaks equal sums
  const std::uint8_t* is_mean;       // [p] 1: where one value is missing, the other's mean difference counts
  const double* expected;            // [p, n] that mean difference of every case
  const double* by_case;             // [p, n] coefficients, in the place of those by segment
  const double* scales;              // [p] what the sum of the weights of case and query is multiplied by
  const std::uint8_t* is_ignored;    // [p] 1: left out where a value is missing, and the sum rescaled
  const double* weights;             // [g, p] coefficients before they were scaled
  const double* worst;               // [g] the sum where nothing is known
  bool by_query;                     // whether coefficients (weights, where they are scaled) come with the query
  Count n, p, g;
  double power;                      // at least 1
};

// A query is a row of p values, p mean differences where there are any, and g rows of p coefficients if by_query.
Count query_length(const Cases& cases);

struct Queries : Wanted {
  const double* values;              // [m, query_length]
};

// Writes into sums[begin .. end) the sums of one query over these cases; one implementation per instruction set.
NEARWISE_EACH_INSTRUCTION_SET(
void tile(const Cases& cases, const double* query, Count begin, Count end, double* sums);
)

// Cases that are left out, and payloads, go by the packed case.
void scan(const Cases& cases, const Queries& queries, const Nearest& nearest);

}  // namespace nearwise
