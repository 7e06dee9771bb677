// What a value in single precision says about the true sum.
//
// With u = 2^-24, D = u (|q| + R) for cases no longer than R, and t the value that single precision gives for the true
// sum s (all in the packed unit, |.| the norm of the metric's power):
//   squares, powers   the roots of t and s differ by at most D, but for a relative g = (p + 8) u in the sum
//   moduli            t and s differ by at most D, but for g s
//   product           t + |q|^2 and s differ by at most E = 1.1 u (p + 8) (R^2 + 2 |q| R), but for g s
// Weights that are kept apart round three times where packed ones round once, so D is three times as much; a power adds
// its own error to g. Where the decision maps the cases itself, its lengths may differ by `blur` more.
#pragma once

#include <algorithm>
#include <cmath>

#include "index/dense/dense.hpp"

namespace nearwise {

// Of one query against some cases.
struct Blur {
  double slack;   // lengths may differ by this
  double square;  // |q|^2
  double error;   // what the product may be off
};

class Bounds {
 public:
  Bounds(Form form, Weighed weighed, double power, Count p)
      : form_(form), power_(power), features_(static_cast<double>(p)), apart_(weighed == Weighed::packed ? 1.0 : 3.0),
        relative_((features_ + 8 + 2 * power) * unit * 1.5) {
    if (form != Form::powers) return;
    // single precision has nothing between 0 and 2^-126
    tiny_ = std::pow(features_ * 4e-38, 1 / power);
    farthest_ = std::pow(1e36 / features_, 1 / power) - 4;
    // by logarithms: power * log2 x, within +-127, is rounded twice (1.6e-5), its polynomials are off by 2e-7 * power
    if (power > longest_product || power != std::floor(power)) relative_ += 4e-5 + 1e-6 * power;
  }

  // Whether lengths up to this one do not overflow.
  bool serves(double length) const { return length < farthest_; }

  Blur blur(double length, double reach, double more) const {
    const double both = length + reach;
    return {apart_ * unit * both + tiny_ + more, length * length,
            1.1 * unit * (features_ + 8) * (reach * reach + 2 * length * reach) + more * (2 * both + more) + tiny_ * tiny_};
  }

  // The least true sum that a value allows.
  double low(double value, const Blur& blur) const {
    if (form_ == Form::product) return (value + blur.square - blur.error) / (1 + relative_);
    return raised(std::max(0.0, root(value / (1 + relative_)) - blur.slack));
  }

  // The largest one.
  double high(double value, const Blur& blur) const {
    if (form_ == Form::product) return (value + blur.square + blur.error) * (1 + relative_);
    return raised(root(value * (1 + relative_)) + blur.slack);
  }

  // The largest value of a case whose true sum is within the bound.
  float limit(double bound, const Blur& blur) const {
    if (bound == infinity) return INFINITY;
    const double value = form_ == Form::product ? bound * (1 + relative_) + blur.error - blur.square
                                                : raised(root(bound) + blur.slack) * (1 + relative_);
    return std::nextafter(static_cast<float>(value), INFINITY);
  }

  double raised(double length) const {
    return form_ == Form::moduli ? length : form_ == Form::powers ? std::pow(length, power_) : length * length;
  }

 private:
  double root(double sum) const {
    return form_ == Form::moduli ? sum : form_ == Form::powers ? std::pow(sum, 1 / power_) : std::sqrt(sum);
  }

  static constexpr double unit = 1.001 / (1 << 24);  // with room for what double precision rounds on the way
  const Form form_;
  const double power_, features_, apart_;
  double relative_;
  double tiny_ = 1e-18;      // what underflow in single precision may take away, as a length
  double farthest_ = 1e15;   // a longer query would overflow single precision; it is not served
};

}  // namespace nearwise
