// Ranking in double precision: what the metric says of the cases that a cheaper scan could not rule out.
#pragma once

#include <vector>

#include "layout/columns.hpp"
#include "selection/nearest.hpp"

namespace nearwise {

struct Ask : Wanted {
  const double* queries;                 // [m, p]; NaN is missing, for symbols too
  const std::int32_t* case_folds;        // [n] and
  const std::int32_t* query_folds;       // [m] cases of a query's own fold are left out; null: none is
  const double* slack;                   // [m]; null: 0
  const double* by_query;                // [m, p] weights of every query, times the coefficients; null: there are none
  const std::int32_t* levels;            // [m, p] a number does not differ from cases of this level; null: there are none
  const double* blur;                    // [m] by how much the lengths of proposal and decision may differ; null: 0

  bool leaves_out(Count i, Count query) const {
    return i == exclude[query] || (case_folds && case_folds[i] == query_folds[query]);
  }
};

struct Answer : Nearest {
  Count* proposed;                       // [m] cases that were not ruled out; -1: this query was not served
};

// Ranks candidates of one query and fills its part of the answer; keeps its working space between calls.
class Ranking {
 public:
  Ranking(const Columns& columns, const Ask& ask, const Answer& answer) : c_(columns), ask_(ask), answer_(answer) {}

  void clear() { cases_.clear(); }
  void add(Count i) { cases_.push_back(i); }
  void rank(Count query);

 private:
  void measure(Count query);
  void measure_mapped(const double* q);
  template <class Raised>
  void add_feature(Count f, double q, const Raised& raised);
  template <class Take>
  void with_raw(Count f, double q, const Take& take) const;
  Count add_joined(Count f, const double* q);
  template <class Add>
  void with_coefficients(Count f, const Add& add);

  const Columns& c_;
  const Ask& ask_;
  const Answer& answer_;
  std::vector<Count> cases_, tied_;
  std::vector<double> sums_, parts_;
  std::vector<Ranked<Count>> ranked_;
  Count query_ = 0;
};

// What the columns that propose may lack of the sum of a case and a query, with room for rounding.
double left_out(const Columns& columns, const Ask& ask, Count i, Count query);

}  // namespace nearwise
