// Nearest cases by proposal and decision: single precision scans all cases and keeps every one that may be among the
// nearest, by a proven bound; double precision ranks those that were kept.
//
// Shapes: n cases, m queries, p features of which d are numbers and s symbols, g segments (classes), 16 cases a panel,
// 6 queries a group.
#pragma once

#include <vector>

#include "machine/instructions.hpp"
#include "machine/listener.hpp"
#include "selection/ranking.hpp"

namespace nearwise {

constexpr int longest_product = 8;  // whole powers up to this are multiplied out, all others go through logarithms

// How single precision adds up numbers: |x|^2 - 2xq (fastest, loses digits far from the centre), (x - q)^2, |x - q| or
// |x - q|^power.
enum class Form { product, squares, moduli, powers };

// Where the weights are: multiplied into the packed cases and queries, or kept apart by query or by case. A gap is then
// rq - r x or rx - r q, with r the root of the weight. Where cases have one factor for all their weights, these are packed
// and r is the root of the factor.
enum class Weighed { packed, by_query, by_case, by_factor };

// Lanes of weights that a panel has for so many features.
constexpr Count own_lanes(Weighed weighed, Count features) {
  return weighed == Weighed::by_case ? features : weighed == Weighed::by_factor && features > 0 ? 1 : 0;
}

// A run of panels against one group of queries.
struct Block {
  const float* numbers;             // [panels, d, 16]
  const float* case_roots;          // [panels, d, 16] r for Weighed::by_case, [panels, 16] for Weighed::by_factor
  const std::int32_t* symbols;      // [panels, s, 16]
  const float* case_weights;        // [panels, s, 16] of symbols for Weighed::by_case, [panels, 16] for Weighed::by_factor
  const float* start;               // [panels, 16] |x|^2 for Form::product
  Count panels, d, s;
  const float* query_numbers;       // [d, 6]
  const float* query_roots;         // [d, 6] r for Weighed::by_query
  const std::int32_t* query_symbols;// [s, 6]
  const float* query_weights;       // [s, 6] of symbols, unless Weighed::by_case
  const float* holes;               // [d, 6] the gap where a number is missing; of r = 1 where cases have weights
  bool has_holes;
  Form form;
  Weighed weighed;
  float power;                      // for Form::powers
};

NEARWISE_EACH_INSTRUCTION_SET(
void propose(const Block& block, FloatListener& listener);
)

class Dense {
 public:
  // `by_query`: the queries will bring weights. `order` [n]: the packed cases, where they are known; null: they are sorted.
  explicit Dense(Columns columns, bool by_query = false, const std::int32_t* order = nullptr);
  void nearest(const Ask& ask, Form form, const Answer& answer) const;
  bool has_holes() const { return has_holes_; }
  bool is_usable() const { return is_usable_; }  // whether single precision can hold the cases
  Weighed weighed() const { return weighed_; }
  const Columns& columns() const { return columns_; }
  const std::vector<Count>& order() const { return order_; }

 private:
  friend class Search;
  struct Segment {
    Count first_panel, panels, first_case, cases;
  };
  void measure(std::vector<double>& norm);
  void sort(const std::vector<double>& norm, const std::int32_t* order);
  void pack(const std::vector<double>& norm);
  // A number from the centre in the packed unit; nothing is left of it where the feature is out of the sum.
  static double from(double x, double centre, double factor) { return factor == 0.0 ? 0.0 : (x - centre) * factor; }
  double root(double term) const;  // the length whose power is this

  Columns columns_;
  Weighed weighed_;
  std::vector<Count> numbers_, symbols_; // features with any weight, by kind
  std::vector<double> centre_;           // [d]
  std::vector<double> factors_;          // [g, d] what a number is multiplied by
  double gain_ = 1.0;                    // a power of two that keeps single precision far from overflow
  std::vector<Segment> segments_;
  std::vector<Count> order_;             // packed case -> case
  std::vector<float> panels_, start_, norms_;   // norms_: [panels] the largest |x| of a panel
  std::vector<float> case_roots_, case_weights_;
  std::vector<float> widest_;            // [panels, d] the largest |x| by query, the largest r by case; [panels, 1] by factor
  std::vector<double> widest_of_all_;    // [d]
  std::vector<std::int32_t> codes_;
  bool has_holes_ = false, is_usable_ = true;
};

}  // namespace nearwise
