// Relief-like weights are contrasts: w_f = sum over pairs of C[i, j] * delta_f(i, j). This is the part that costs: the
// near cases from which C is made, and the sums over pairs once it is.
//
// Shapes: n cases, p features, h of them with missing values, g groups (classes), m queries, which are cases too.
// Features are kept by kind: numbers, symbols, circles, both on a ramp, then those with missing values in the same order.
#pragma once

#include <vector>

#include "machine/instructions.hpp"
#include "machine/listener.hpp"
#include "machine/numbers.hpp"

namespace nearwise {

enum Kind : std::uint8_t { number = 0, symbol = 1, circle = 2, ramp_number = 3, ramp_circle = 4 };
constexpr int kinds = 5;
constexpr bool on_circle(int kind) { return kind == circle || kind == ramp_circle; }
constexpr bool on_ramp(int kind) { return kind >= ramp_number; }

// A difference d on a ramp counts as (d - equal) * slope, at least 0 and at most 1.
struct Ramp {
  double equal, slope;
  double of(double d) const {
    const double height = (d - equal) * slope;
    return height < 0.0 ? 0.0 : height > 1.0 ? 1.0 : height;
  }
};

// delta of two known values is scale * raw with raw = |x - q|, [x != q] or, for x and q in 0 .. period, min(|x - q|,
// period - |x - q|), and then on the ramp if the feature is on one. A missing value of a case of group a differs from a
// known one in cell v by table[a, v], and from a missing one of group b by both[a, b].
struct PairSpace {
  Count p, h, g;
  Count clean[kinds], holed[kinds];      // features by kind, without and with missing values
  const double* scales;                  // [p]
  const double* periods;                 // [p]
  const double* const* tables;           // [h] of [g, cells]
  const Count* cells_of;                 // [h] cells
  const double* both;                    // [h, g, g]
  int power;                             // sums are of delta^power
  Ramp ramp;
};

// One case in double precision.
struct PairCase {
  const double* values;                  // [p] NaN where missing
  const std::int32_t* cells;             // [h]
  Count group;
};

// A run of panels of one group of cases against six queries of one group of cases, in single precision.
struct NearBlock {
  const float* values;                   // [panels, p, 16]
  const float* start;                    // [panels, 16] and
  const float* query_start;              // [6] what the sums start from, if by_largest
  const float* unknown;                  // [panels, h, 16] what the case differs by where the query's value is missing
  Count panels, p, h;
  Count clean[kinds], holed[kinds];
  const float* queries;                  // [p, 6]
  const float* unknown_case;             // [h, 6] what the query differs by where the case's value is missing; 0 if its own is
  const std::uint32_t* is_unknown;       // [h, 6] all ones where the query's value is missing
  const std::uint8_t* any_unknown;       // [h] whether it is in one of the six
  const float* weights;                  // [p] of symbols: what two of them differ by; of circles: the period
  int power;
  float ramp_start, ramp_slope, ramp_end;  // in the packed unit: where a ramp starts, how it climbs, how high it ends
  bool by_largest;                       // clean numbers are added up as max(x, q), see statistics/contrasts/near.cpp
};

// The same in numbers of sixteen bits, for tables of numbers without missing values.
struct ShortBlock {
  const std::uint16_t* values;           // [panels, p, 16]
  const std::uint16_t* halves;           // [panels, 16] half the total of a case, rounded up
  const std::uint32_t* totals;           // [panels, 16] the sum of the values of a case
  const std::uint32_t* queries;          // [p, 6] a value and the same value 16 bits higher
  const std::uint32_t* query_totals;     // [6]
  Count panels, p;
};

NEARWISE_EACH_INSTRUCTION_SET(
void propose_near(const NearBlock& block, FloatListener& listener);
void propose_short(const ShortBlock& block, FloatListener& listener);
double pair_sum(const PairSpace& space, const PairCase& q, const PairCase& x);
void add_pair(const PairSpace& space, const PairCase& q, const PairCase& x, double coefficient, double* totals);
)

// The cases as they come; sizes are checked at the border.
struct ContrastInput {
  const double* columns;                 // [p, n] NaN where missing; symbols are codes, circles lie in 0 .. period
  const std::uint8_t* kind;              // [p]
  const double* scales;                  // [p]
  const double* periods;                 // [p]
  const std::int32_t* groups;            // [n]
  const Count* holed;                    // [h] features with missing values, ascending
  const std::int32_t* cells;             // [h, n] -1 where missing
  std::vector<const double*> tables;     // [h]
  std::vector<Count> cells_of;           // [h]
  const double* both;                    // [h, g, g]
  Count n, p, h, g;
  int power;
  Ramp ramp;
};

// The near cases of m queries, group by group: entries ends[j * g + a] .. ends[j * g + a + 1] are those of query j in
// group a, by (sum, index) if sums are asked for; the first `inside` of them count whole, the others, which tie for what
// is left, `share` each.
struct NearLists {
  std::vector<Count> ends;               // [m * g + 1]
  std::vector<Count> inside;             // [m * g]
  std::vector<double> share;             // [m * g]
  std::vector<std::int32_t> cases;
  std::vector<double> sums;              // of the entries; empty unless asked for
};

// The cases that are asked about.
struct PairQueries {
  const Count* cases;                    // [m]
  Count m, threads;
};

// Pairs of cases: query j has the entries ends[j] .. ends[j + 1].
struct PairLists {
  const Count* ends;                     // [m + 1]
  const std::int32_t* cases;
  const double* coefficients;
};

class Contrast {
 public:
  explicit Contrast(const ContrastInput& input);
  // The k nearest of every group, without the query itself. All queries must be of one group if there are missing values.
  NearLists near(const PairQueries& queries, Count k, double tolerance, bool with_sums);
  // [p] the sum of coefficient * delta over listed pairs.
  std::vector<double> listed(const PairQueries& queries, const PairLists& lists) const;
  // [m, n] sums of all cases, and [p] the contrast of a full block of coefficients [m, n].
  std::vector<double> sums(const PairQueries& queries) const;
  std::vector<double> blocked(const PairQueries& queries, const double* coefficients) const;

  Count n() const { return n_; }
  Count p() const { return space_.p; }
  Count h() const { return space_.h; }
  bool is_usable() const { return is_usable_; }  // whether single precision can hold the cases
  Count group(Count i) const { return groups_[i]; }

 private:
  friend class NearSearch;
  struct Segment {
    Count first_panel, first_case, cases;
  };
  PairCase at(Count i) const { return {rows_.data() + i * space_.p, cells_.data() + i * space_.h, groups_[i]}; }
  double difference(Count hole, Count group, Count i) const;
  double packed(const double* row, Count f) const { return (row[f] - centre_[f]) * scales_[f] * gain_; }
  float start(const double* row) const;
  void choose_form(double size);
  bool is_coarse_enough(const std::vector<double>& low, const std::vector<double>& high);
  std::uint16_t coarse(const double* row, Count f) const;
  std::vector<Kind> kind_of() const;
  void pack();
  void choose_unit(const std::vector<double>& low, const std::vector<double>& high);
  void sort();
  void pack_coarse();
  void pack_panels();
  void pack_unknown(Count group);
  template <class Work>
  std::vector<double> summed(const PairQueries& queries, const Work& work) const;
  template <class Take>
  void each_pair(const Count* queries, Count first, Count last, const Take& take) const;

  Count n_;
  PairSpace space_{};
  std::vector<Count> feature_;           // kept feature -> feature
  std::vector<double> scales_, periods_, both_;
  std::vector<std::vector<double>> tables_;
  std::vector<const double*> table_pointers_;
  std::vector<Count> cells_of_;
  std::vector<double> rows_;             // [n, p]
  std::vector<std::int32_t> cells_;      // [n, h]
  std::vector<std::int32_t> groups_;

  double gain_ = 1.0;                    // a power of two that keeps single precision far from overflow
  double slack_ = 0.0;                   // see statistics/contrasts/near.cpp
  bool by_largest_ = false;
  double coarse_gain_ = 0.0;             // what a difference is multiplied by in sixteen bits; 0: they are not used
  std::vector<double> low_;              // [p] the smallest values, where they are used
  bool is_usable_ = true;
  std::vector<double> centre_;           // [p]
  std::vector<float> weights_;           // [p]
  std::vector<Segment> segments_;        // [g]
  Count panels_of_ = 0;                  // panels of all groups
  std::vector<Count> order_;             // packed case -> case
  std::vector<float> panels_, start_, unknown_;
  std::vector<std::uint16_t> coarse_, halves_;
  std::vector<std::uint32_t> totals_;
  std::vector<Count> place_;             // case -> packed case
  Count unknown_group_ = -1;             // the group of queries that unknown_ is packed for
};

}  // namespace nearwise
