// Nearest cases by whole numbers: every number becomes one byte, sums of products are exact in 16 bits, and only the
// rounding to bytes, known for every case and query, separates them from the true sums. What the bytes cannot rule out
// is measured again by numbers of 16 bits, then in double precision.
//
// Shapes: n cases, m queries, d numbers in groups of t, s symbols, 32 cases a panel, 6 queries a group.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/instructions.hpp"
#include "machine/listener.hpp"
#include "machine/scratch.hpp"
#include "selection/ranking.hpp"

namespace nearwise {

constexpr int coarse_width = 32;
constexpr int coarse_height = 6;
constexpr int finest = 32767;          // 16 bits hold -32767 .. 32767
constexpr int offset_moduli = 127;   // bytes hold -127 .. 127 plus this
constexpr double farther = 1.15;     // queries this many times farther from the centre than any case still have bytes

// How a copy of the tile wants the bytes.
struct CoarseForm {
  Count together;      // t: so many neighbouring bytes of a case make a group, whose products are added at once
  int offset_squares;  // bytes hold -offset .. offset plus this where products are added
};

// A run of panels against one group of queries. The value of a case is half its squared distance, or its distance, of
// whole numbers: constant + start + sum over groups, less 2^15, modulo 2^16. So a case far away may look near, but none
// that is near looks far.
struct CoarseBlock {
  const std::uint8_t* bytes;           // [panels, groups, 32, t]
  const std::int16_t* codes;           // [panels, s, 32]
  const std::uint16_t* start;          // [panels, 32] half of |x|^2, or less the sum of x
  Count panels, groups, s;
  const std::uint32_t* query_bytes;    // [groups, 6] a group of bytes, twice where t is 2
  const std::int16_t* query_codes;     // [s, 6]
  const std::uint16_t* weights;        // [s] what a mismatch adds
  const std::uint16_t* constants;      // [6]
  bool moduli;
};

using CoarseListener = Listener<std::int16_t, coarse_height>;

NEARWISE_EACH_INSTRUCTION_SET(
extern const CoarseForm coarse_form;
void propose_coarse(const CoarseBlock& block, CoarseListener& listener);
)

class Coarse {
 public:
  // `order` [n]: the packed cases, where they are known; null: they are sorted
  explicit Coarse(Columns columns, const std::int32_t* order = nullptr);
  void nearest(const Ask& ask, const Answer& answer) const;
  bool is_usable() const { return is_usable_; }  // no missing number, no code beyond 16 bits, nothing infinite
  const Columns& columns() const { return columns_; }
  const std::vector<std::int32_t>& order() const { return order_; }

 private:
  friend class CoarseSearch;
  // Cases of one segment and of similar length (distance from the centre), with a gain of their own.
  struct Band {
    Count segment, first_panel, panels, first_case, cases;
    double gain;    // whole numbers a unit
    double reach;   // the largest length, in units
    double error;   // the largest distance between a case and its bytes, in whole numbers
    double fine;    // whole numbers of 16 bits a unit
    double fine_error;  // the largest distance between a case and its 16 bits, in these whole numbers
  };
  Scratch<double> measure();
  void split(const Scratch<double>& lengths, const std::int32_t* order);
  void pack(Band& band);
  double widest(const Band& band) const;
  template <bool squares>
  void pack_numbers(Band& band, Count from, Count count);
  void pack_symbols(const Band& band);
  Count groups() const { return (static_cast<Count>(numbers_.size()) + form_.together - 1) / form_.together; }

  Columns columns_;
  const CoarseForm form_;
  const int offset_;                      // what makes bytes of whole numbers
  std::vector<Count> numbers_, symbols_;  // features with any weight, by kind
  std::vector<double> centre_;            // [d]
  std::vector<double> factors_;           // [g, d] what a number is multiplied by
  std::vector<Band> bands_;
  std::vector<std::int32_t> order_;       // packed case -> case
  std::vector<std::uint8_t> bytes_;
  std::vector<std::int16_t> codes_;
  std::vector<std::uint16_t> start_;
  Count stride_ = 0;                      // d rounded up to whole vectors of four
  std::vector<std::int16_t> rows_;        // [n, stride] packed cases row by row, in the whole numbers of their band
  bool is_usable_ = true;
};

}  // namespace nearwise
