// What a scan reads and what it writes. Shapes: n cases, m queries, p features, g segments.
#pragma once

#include "machine/instructions.hpp"
#include "selection/nearest.hpp"

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
  Count n, p, g;
  double power;                      // at least 1
};

struct Queries : Wanted {
  const double* values;              // [m, stride] of which a tile reads what it knows to be there
  Count stride;
};

// Writes into sums[begin .. end) the sums of one query over these cases; one implementation per instruction set.
using Tile = void (*)(const Cases& cases, const double* query, Count begin, Count end, double* sums);

NEARWISE_EACH_INSTRUCTION_SET(
void tile(const Cases& cases, const double* query, Count begin, Count end, double* sums);
)

// Cases that are left out, and payloads, go by the packed case.
void scan(const Cases& cases, const Queries& queries, Tile tile, const Nearest& nearest);

}  // namespace nearwise
