// Raw differences to the power of the metric, for the loops that decide in double precision.
//
// Whole powers are multiplied out, by squaring, in the order of nearwise.arithmetic.power, so that they are the same
// bits in the core, in NumPy and on every processor. All others go through pow of the C library, here and in Python.
//
// In an anonymous namespace on purpose: every instruction set must have its own copy (see machine/instructions.hpp).
#pragma once

#include <math.h>

namespace nearwise {
namespace {

struct Square {
  double operator()(double raw) const { return raw * raw; }
};

struct Modulus {
  double operator()(double raw) const { return raw; }
};

struct Cube {
  double operator()(double raw) const { return raw * (raw * raw); }
};

struct Whole {
  unsigned exponent;  // at least 1
  double operator()(double raw) const {
    double out = 1.0;
    for (unsigned left = exponent;;) {
      if (left & 1) out *= raw;
      left >>= 1;
      if (left == 0) return out;
      raw *= raw;
    }
  }
};

struct Power {
  double exponent;
  double operator()(double raw) const { return pow(raw, exponent); }
};

// Calls work with the one that a power, above 0 and up to 1e6, asks for.
template <class Work>
void with_power(double power, const Work& work) {
  if (power == 2) work(Square{});
  else if (power == 1) work(Modulus{});
  else if (power == 3) work(Cube{});
  else if (power == floor(power)) work(Whole{static_cast<unsigned>(power)});
  else work(Power{power});
}

// raw^power of one difference.
inline double raised_to(double raw, double power) {
  double out = 0.0;
  with_power(power, [&](auto raised) { out = raised(raw); });
  return out;
}

// coefficient * term; a feature of weight 0 is out of the sum even where its term is infinite.
inline double weighted(double coefficient, double term) { return coefficient == 0.0 ? 0.0 : coefficient * term; }

}  // namespace
}  // namespace nearwise
