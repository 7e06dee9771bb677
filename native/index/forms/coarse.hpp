// A proposal in single precision for the search under quadratic forms: which cases may be near enough to be looked at.
//
// With u' and a' for u and a in single precision, every row has |a'u' - au| <= c * sum over f of |a_f| U_f, where U_f is the
// largest |u_f| there can be and c = (p + 10) * 2^-24. So the root of the sum is off by at most E, c times the length of the
// vector of these bounds, and a case is left out only where the root of its sum exceeds that of the limit by more than E.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/instructions.hpp"
#include "machine/listener.hpp"

namespace nearwise {

struct FormCases;

// The cases in units, numbers about the middle of their range, in panels of 16 cases.
struct CoarseCases {
  explicit CoarseCases(const FormCases& cases);

  std::vector<float> panels;         // [count, p, panel_width]; NaN is a missing value, a symbol is its code
  std::vector<double> middles;       // [p]
  std::vector<double> reach;         // [p] the largest difference from the middle, in units
  std::vector<std::uint8_t> has_missing;  // [p]
  Count count;                       // of panels; the last may have cases too many
};

// One query and its form, as the tile takes it. Features are in the order in which the rows of the form first ask for them.
struct CoarseForm {
  struct Feature {
    const float* column;             // in the first panel
    float value, one, both, unit;    // of the query; what missing values differ by; what different symbols differ by
    enum { number, symbol, unknown } kind;
    bool has_missing;
  };
  struct Term {
    float factor;
    int feature;
  };
  struct Row {
    int features, terms;             // how many are needed up to this row
  };
  const Feature* features;
  const Term* terms;
  const Row* rows;
  Count n_rows, stride;              // rows of the form; floats of a panel
  float* differences;                // scratch: [features, coarse_cases]
};

constexpr int coarse_cases = 64;     // at most so many are worked out together

class CoarseQuery {
 public:
  // False where single precision does not serve.
  bool prepare(const FormCases& cases, const double* query, const double* form, const Count* taken);

  // The largest sum in single precision that a case within this limit can have.
  float limit(double sum) const;

  const CoarseForm& form() const { return form_; }

 private:
  CoarseForm::Feature feature_of(const FormCases& cases, Count f, const double* query, double* largest) const;

  CoarseForm form_{};
  std::vector<CoarseForm::Feature> features_;
  std::vector<CoarseForm::Term> terms_;
  std::vector<CoarseForm::Row> rows_;
  std::vector<float> differences_;
  std::vector<int> place_;
  std::vector<double> largest_;
  double error_ = 0.0;
};

// Writes into masks[0 .. last - first) a bit for each case of panels first .. last - 1 whose sum does not exceed the limit.
NEARWISE_EACH_INSTRUCTION_SET(
void propose_by_form(const CoarseForm& form, Count first, Count last, float limit, std::uint32_t* masks);
)

}  // namespace nearwise
