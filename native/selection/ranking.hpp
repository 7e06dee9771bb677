// The decision in double precision: what the metric says of the cases that a cheaper scan could not rule out.
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
  std::vector<double> one_missing;       // [p]
  std::vector<double> both_missing;      // [p]
  std::vector<std::int32_t> segment;     // [n]
  std::vector<double> centre;            // [p] the middle of every number, or empty: it is looked for
  Count n = 0, p = 0, g = 0;
  double power = 2;                      // at least 1
  Mapping mapping;

  bool is_for(Count f, Role one) const { return role.empty() || role[f] == proposes_and_decides || role[f] == one; }
  bool has_levels(Count f) const { return !levels.empty() && levels[f]; }
  bool joins_next(Count f) const { return !joined.empty() && f + 1 < p && joined[f + 1]; }
};

struct Ask {
  const double* queries;                 // [m, p]; NaN is missing, for symbols too
  const Count* exclude;                  // [m] the case to leave out, or -1
  const std::int32_t* case_folds;        // [n] and
  const std::int32_t* query_folds;       // [m] cases of a query's own fold are left out; null: none is
  const std::int32_t* group_codes;       // [n]
  const double* group_values;            // [n, v]
  const double* slack;                   // [m]; null: 0
  const double* by_query;                // [m, p] weights of every query, times the coefficients; null: there are none
  const std::int32_t* levels;            // [m, p] a number does not differ from cases of this level; null: there are none
  const double* blur;                    // [m] by how much the lengths of proposal and decision may differ; null: 0
  const double* reach;                   // [m] a sum that at least k cases do not exceed, or infinity; null: unknown
  Count m, k, v, n_groups, threads;
  double tolerance;

  double known_reach(Count query) const {
    return reach ? reach[query] * (1 + 4 * tolerance) : infinity;
  }
  bool leaves_out(Count i, Count query) const {
    return i == exclude[query] || (case_folds && case_folds[i] == query_folds[query]);
  }
};

struct Answer {
  double* sums;                          // [m, k]
  Count* indices;                        // [m, k]
  Count* inside;                         // [m]
  Count* tied;                           // [m]
  double* tie_sums;                      // [m, n_groups, v]
  Count* proposed;                       // [m] cases that were not ruled out; -1: this query was not served
};

// Ranks candidates of one query and fills its part of the answer; keeps its working space between calls.
class Decision {
 public:
  Decision(const Columns& columns, const Ask& ask, const Answer& answer) : c_(columns), ask_(ask), answer_(answer) {}

  void clear() { cases_.clear(); }
  void add(Count i) { cases_.push_back(i); }
  void finish(Count query);

 private:
  struct Ranked {
    double sum;
    Count index;
    bool operator<(const Ranked& other) const { return sum < other.sum || (sum == other.sum && index < other.index); }
  };
  void measure(Count query);
  void measure_mapped(const double* q);
  template <class Raised>
  void add_feature(Count f, double q, const Raised& raised);
  template <class Raised>
  void add_number(Count f, double q, const Raised& raised);
  template <class Raised>
  void add_symbol(Count f, double q, const Raised& raised);
  Count add_joined(Count f, const double* q);
  template <class Add>
  void with_coefficients(Count f, const Add& add);

  const Columns& c_;
  const Ask& ask_;
  const Answer& answer_;
  std::vector<Count> cases_;
  std::vector<double> sums_, parts_;
  std::vector<Ranked> ranked_;
  Count query_ = 0;
};

// What the columns that propose may lack of the sum of a case and a query, with room for rounding.
double left_out(const Columns& columns, const Ask& ask, Count i, Count query);

// The median of a sample of the known values: an outlier must not move the centre away from the cases.
double known_middle(const double* values, Count n);
double middle_of(const Columns& columns, Count f);  // the one that is given, or found

}  // namespace nearwise
