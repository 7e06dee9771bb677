// The cases as columns, and what each column is for.
#pragma once

#include <vector>

#include "machine/numbers.hpp"

namespace nearwise {

// What a column is for. Columns that only decide may be stood in for by fewer ones that only propose. With l the slack
// of a case and m that of a query, the sum of these is at most that of those, and at least that less (l + m)^2.
enum Role : std::uint8_t { proposes_and_decides, decides, proposes };

// New features, each a sum over the columns that decide of table[new][0] * unit * (x - q) for a number and of
// table[new][x] - table[new][q] for a symbol. Where there are any, the sum of their squares decides.
struct Mapping {
  std::vector<const double*> tables;     // [p] of [count, widths[f]], null for columns that only propose
  std::vector<Count> widths;             // [p]
  std::vector<double> units;             // [p]
  Count count = 0;
};

// The cases as double precision sees them; the arrays belong to the caller and must outlive the index.
// Shapes: n cases, p features, g segments (classes), m queries, k neighbours, v payload values.
struct Columns {
  std::vector<const double*> values;     // [p] of [n], null for symbols; NaN is a missing number
  std::vector<const std::int32_t*> codes;  // [p] of [n], null for numbers; a missing symbol is negative
  std::vector<std::uint8_t> is_symbol;   // [p]
  std::vector<std::uint8_t> joined;      // [p] 1: a number that is one feature together with the column before; or empty
  std::vector<std::uint8_t> role;        // [p] a Role, or empty: every column proposes and decides
  std::vector<const std::int32_t*> levels;  // [p] of [n], null: the column has none; or empty: no column has
  std::vector<double> slack;             // [n], or empty: nothing is left out
  std::vector<double> coefficients;      // [g, p]
  const double* by_case = nullptr;       // [n, p] weights of every case, times the coefficients; null: there are none
  const double* case_factors = nullptr;  // [n] or what all weights of a case are multiplied by; null: there are none
  std::vector<double> shared, scales;    // [g, p], [p] then the coefficients are shared * scales, and that of a case is
                                         // (factor * shared) * scale, in this order
  std::vector<double> one_missing;       // [p]
  std::vector<double> both_missing;      // [p]
  const std::int32_t* segment = nullptr; // [n]; null where there is one segment only
  std::vector<double> centre;            // [p] the middle of every number, or empty: it is looked for
  Count n = 0, p = 0, g = 0;
  double power = 2;                      // at least 1
  Mapping mapping;

  bool is_for(Count f, Role one) const { return role.empty() || role[f] == proposes_and_decides || role[f] == one; }
  Count segment_of(Count i) const { return segment ? segment[i] : 0; }
  bool has_weight(Count f) const {       // in any segment
    for (Count a = 0; a < g; ++a)
      if (coefficients[a * p + f] != 0.0) return true;
    return false;
  }
  bool weighs_cases() const { return by_case || case_factors; }
  double of_case(Count i, Count f) const { return by_case ? by_case[i * p + f] : case_factors[i]; }
  bool has_levels(Count f) const { return !levels.empty() && levels[f]; }
  bool joins_next(Count f) const { return !joined.empty() && f + 1 < p && joined[f + 1]; }
};

// The median of a sample of the known values: an outlier must not move the centre away from the cases.
double known_middle(const double* values, Count n);
double middle_of(const Columns& columns, Count f);  // the one that is given, or found

}  // namespace nearwise
