// Votes of single features: on each, the k stored cases whose value is nearest to the query's.
//
// Cases with equal values are a run, cases of a run and a class an entry. On numbers the runs that vote are neighbours in
// sorted order, so a binary search and a short walk find them; symbols are equal or not, so two groups are all there is.
#pragma once

#include <memory>
#include <vector>

#include "machine/numbers.hpp"

namespace nearwise {

// One feature of the stored cases that have a value there.
struct Axis {
  const double* positions;       // [runs] ascending; null for symbols, whose run is their code
  const std::int32_t* starts;    // [runs + 1] the entries of each run; null where each has one
  const std::int32_t* before;    // [runs + 1] cases in the runs before each; null where each has one
  const std::int32_t* codes;     // [entries] the group (class) of an entry
  const std::int32_t* cases;     // [entries] how many it holds; null where each holds one
  const double* amounts;         // [entries, v] what it adds to its group; null where it is its number of cases
  Count runs, entries, n;        // n counts the cases that are there now
  double inverse;                // 1 / unit of a gap; 0 where the feature is constant and tells nobody's nearness
  double period;                 // of numbers on a circle; 0 on a line
  std::vector<double> totals;    // [g, v] over all entries, for symbols
  std::shared_ptr<const std::vector<std::uint8_t>> short_codes;  // [entries] codes where each run is one case that weighs 1
  std::shared_ptr<const Axis> changes;  // runs where cases came or went: as they are now, maybe empty; null for none

  Count first_entry(Count run) const { return starts ? starts[run] : run; }
  Count cases_before(Count run) const { return before ? before[run] : run; }
  Count cases_of(Count entry) const { return cases ? cases[entry] : 1; }
};

struct Axes {
  std::vector<Axis> axes;        // [p]
  Count groups, v;
};

struct Ballot {
  const double* values;          // [p, m] of the queries; not a number where missing
  const double* weights;         // [p] what a vote of each feature counts
  const std::int32_t* own_runs;  // [p, m] the run of the stored case that a query must skip, or -1; null if none must
  const std::int32_t* own_codes; // [m] its group
  const double* own_amounts;     // [m, v] what it would add
  Count m, k, threads;
  double tolerance;
};

struct Outcome {
  double* total;                 // [m, g, v] votes times weights, added up over the features
  double* near;                  // [m, g] the smallest difference at which a group votes; infinity if it does not
  double* by_feature;            // [m, p, g, v] the votes of each feature; null if nobody asks
};

// What all entries of an axis add up to, by group.
std::vector<double> totals_of(const Axis& axis, Count groups, Count v);

// Codes of one byte each, of which many more are in the cache; null where they do not fit or are not asked for.
std::shared_ptr<const std::vector<std::uint8_t>> short_codes_of(const Axis& axis, Count groups);

void vote_on_axes(const Axes& axes, const Ballot& ballot, const Outcome& out);

}  // namespace nearwise
