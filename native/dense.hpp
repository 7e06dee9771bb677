// Nearest cases by proposal and decision: single precision scans all cases and keeps every one that may be among the
// nearest, by a proven bound; double precision ranks those that were kept.
//
// Shapes: n cases, m queries, p features of which d are numbers and s symbols, g segments (classes), 16 cases a panel,
// 6 queries a group.
#pragma once

#include <vector>

#include "decide.hpp"

namespace nearwise {

constexpr int panel_width = 16;
constexpr int group_height = 6;

// How single precision adds up numbers: |x|^2 - 2xq (fastest, loses digits far from the centre), (x - q)^2 or |x - q|.
enum class Form { product, squares, moduli };

// A run of panels against one group of queries.
struct Block {
  const float* numbers;             // [panels, d, 16]
  const std::int32_t* symbols;      // [panels, s, 16]
  const float* start;               // [panels, 16] |x|^2 for Form::product
  Count panels, d, s;
  const float* query_numbers;       // [d, 6]
  const std::int32_t* query_symbols;// [s, 6]
  const float* symbol_weights;      // [s]
  const float* holes;               // [d] what a missing number adds
  bool has_holes;
  Form form;
};

// Told of cases whose value does not exceed the limit of a query: a mask of the panel's cases and their values.
struct Listener {
  float limits[group_height];
  virtual void found(int row, Count panel, unsigned mask, const float* values) = 0;

 protected:
  ~Listener() = default;
};

namespace baseline {
void propose(const Block& block, Listener& listener);
}
namespace avx2 {
void propose(const Block& block, Listener& listener);
}

class Dense {
 public:
  explicit Dense(Columns columns);
  void nearest(const Ask& ask, Form form, const Answer& answer) const;
  bool has_holes() const { return has_holes_; }
  bool is_usable() const { return is_usable_; }  // whether single precision can hold the cases
  const Columns& columns() const { return columns_; }

 private:
  friend class Search;
  struct Segment {
    Count first_panel, panels, first_case, cases;
  };
  void pack();

  Columns columns_;
  std::vector<Count> numbers_, symbols_; // features by kind
  std::vector<double> centre_;           // [d]
  std::vector<double> factors_;          // [g, d] what a number is multiplied by
  double gain_ = 1.0;                    // a power of two that keeps single precision far from overflow
  std::vector<Segment> segments_;
  std::vector<Count> order_;             // packed case -> case
  std::vector<float> panels_, start_, norms_;   // norms_: [panels] the largest |x| of a panel
  std::vector<std::int32_t> codes_;
  bool has_holes_ = false, is_usable_ = true;
};

}  // namespace nearwise
