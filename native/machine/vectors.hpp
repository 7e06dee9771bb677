// Vectors of the compiler, for the hot loops. In an anonymous namespace on purpose, see machine/instructions.hpp.
#pragma once

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace nearwise {
namespace {

template <class Vector, class Scalar>
Vector load(const Scalar* from) {
  Vector out;
  __builtin_memcpy(&out, from, sizeof out);
  return out;
}

template <class Vector, class Scalar>
void store(Scalar* to, Vector x) {
  __builtin_memcpy(to, &x, sizeof x);
}

// The same number everywhere; exact for every x, -0 too.
template <class Vector, class Scalar>
Vector all(Scalar x) {
  return x - Vector{};
}

}  // namespace
}  // namespace nearwise
