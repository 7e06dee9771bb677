// What a scan reads and what it writes. Shapes: n cases, m queries, p features, g segments, v values per case.
#pragma once

#include "machine/instructions.hpp"
#include "machine/numbers.hpp"

namespace nearwise {

constexpr Count tile_length = 1024;  // 8 KiB of each column and of the sums

struct Cases {
  const double* columns;             // [p, n] feature-major; NaN is a missing value, a symbol is its code
  const std::uint8_t* is_symbol;     // [p]
  const std::uint8_t* joined;        // [p] 1: a number that is one feature together with the column before; null: none is
  const Count* segments;             // [g + 1] packed cases segments[a] .. segments[a + 1] weigh by row a of coefficients
  const double* coefficients;        // [g, p]
  const double* one_missing;         // [p] the difference when exactly one of the two values is missing
  const double* both_missing;        // [p] the difference when both are
  const Count* index;                // [n] the original index of a packed case, which breaks equal sums
  const std::int32_t* group_codes;   // [n] the row of tie_sums that a tied case is added to
  const double* group_values;        // [n, v]
  Count n, p, g, v, n_groups;
  double power;                      // at least 1
};

struct Queries {
  const double* values;              // [m, stride] of which a tile reads what it knows to be there
  Count stride;
  const Count* exclude;              // [m] the packed case that this query must skip, or -1
  Count m, k;
  double tolerance;
};

struct Nearest {
  double* sums;                      // [m, k] ascending by (sum, index); infinity where there are fewer than k cases
  Count* indices;                    // [m, k] original indices; -1 where there are fewer than k cases
  Count* inside;                     // [m] cases clearly nearer than the k-th
  Count* tied;                       // [m] cases whose sum equals the k-th up to the tolerance
  double* tie_sums;                  // [m, n_groups, v]
};

// Writes into sums[begin .. end) the sums of one query over these cases; one implementation per instruction set.
using Tile = void (*)(const Cases& cases, const double* query, Count begin, Count end, double* sums);

NEARWISE_EACH_INSTRUCTION_SET(
void tile(const Cases& cases, const double* query, Count begin, Count end, double* sums);
)

void scan(const Cases& cases, const Queries& queries, Count threads, Tile tile, const Nearest& nearest);

}  // namespace nearwise
