// The search under quadratic forms, one for each query. Shapes: n cases, m queries, p features, r rows of a form.
#pragma once

#include "index/forms/coarse.hpp"
#include "machine/instructions.hpp"
#include "selection/nearest.hpp"

namespace nearwise {

constexpr Count form_lanes = 16;     // cases whose sums are kept in registers
constexpr Count form_tile = 128;     // cases that are mapped together; a whole number of lanes

struct FormCases {
  const double* columns;             // [p, n] feature-major; NaN is a missing value, a symbol is its code
  const std::uint8_t* is_symbol;     // [p]
  const double* scales;              // [p] 1 / unit
  const double* one_missing;         // [p] the difference when exactly one of the two values is missing
  const double* both_missing;        // [p] the difference when both are
  Count n, p, r;
  const CoarseCases* coarse;         // the same in single precision
};

struct FormQueries : Wanted {
  const double* values;              // [m, p]
  const double* forms;               // [m, r, p]
};

// Writes into sums[0 .. end - begin) the sums of one query over these cases, at most form_tile of them. A sum that is found
// to exceed `limit` may be left at what shows that. `taken` is [r, p + 1]: the features that are not 0 in each row, and in
// the last place their number. Scratch: `gaps` [p, form_tile], `there` [p].
NEARWISE_EACH_INSTRUCTION_SET(
void form_sums(const FormCases& cases, const double* query, const double* form, Count begin, Count end, double limit,
               const Count* taken, double* gaps, std::uint8_t* there, double* sums);
)

void search_forms(const FormCases& cases, const FormQueries& queries, const Nearest& nearest);

}  // namespace nearwise
