// Raw differences to the power of the metric, for the loops that decide in double precision.
//
// In an anonymous namespace on purpose: every instruction set must have its own copy (see scan.tile.cpp).
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

struct Power {
  double exponent;
  double operator()(double raw) const { return pow(raw, exponent); }
};

// Calls work with the one that a power asks for.
template <class Work>
void with_power(double power, const Work& work) {
  if (power == 2) work(Square{});
  else if (power == 1) work(Modulus{});
  else work(Power{power});
}

}  // namespace
}  // namespace nearwise
