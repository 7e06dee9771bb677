// Panels of numbers in single precision, for the tiles that propose. In an anonymous namespace on purpose, see
// machine/instructions.hpp.
#pragma once

#include "machine/listener.hpp"
#include "machine/vectors.hpp"

#ifdef __ARM_NEON
#include <arm_neon.h>
#endif

namespace nearwise {
namespace {

#ifdef __AVX512F__
constexpr int lanes_of_floats = 16;
#elif defined(__AVX2__)
constexpr int lanes_of_floats = 8;
#else
constexpr int lanes_of_floats = 4;  // what SSE2 and NEON hold: GCC compares wider vectors one by one and keeps them in memory
#endif
constexpr int parts = panel_width / lanes_of_floats;  // vectors of a panel

typedef float Floats __attribute__((vector_size(4 * lanes_of_floats)));
typedef std::int32_t Ints __attribute__((vector_size(4 * lanes_of_floats)));
typedef std::int64_t Longs __attribute__((vector_size(4 * lanes_of_floats)));

Floats all(float x) { return all<Floats>(x); }
Ints all(std::int32_t x) { return all<Ints>(x); }

// a * b + c, rounded once where the processor can: for sums that only propose, whose bounds hold either way.
Floats multiply_add(Floats a, Floats b, Floats c) {
#ifdef __AVX512F__
  return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
  return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON)
  return (Floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  return a * b + c;
#endif
}

Floats magnitude(Floats x) { return (Floats)((Ints)x & all(0x7fffffff)); }

// One feature of the cases of a panel.
struct Panel {
  Floats at[parts];
};

Panel panel_at(const float* x) {
  Panel out;
#pragma GCC unroll 4
  for (int part = 0; part < parts; ++part) out.at[part] = load<Floats>(x + part * lanes_of_floats);
  return out;
}

// A bit for every number that is not over the limit.
unsigned within(const Floats* sums, Floats limit) {
#ifdef __AVX512F__
  static_assert(parts == 1);
  return _mm512_cmp_ps_mask((__m512)sums[0], (__m512)limit, _CMP_LE_OQ);
#else
  unsigned out = 0;
#ifdef __AVX2__
  for (int part = 0; part < parts; ++part)
    out |= static_cast<unsigned>(_mm256_movemask_ps((__m256)(sums[part] <= limit))) << (part * lanes_of_floats);
#else
  Ints near[parts], any{};
  for (int part = 0; part < parts; ++part) any |= near[part] = sums[part] <= limit;
  if (((Longs)any)[0] == 0 && ((Longs)any)[1] == 0) return 0;
  for (int i = 0; i < panel_width; ++i) out |= static_cast<unsigned>(near[i / lanes_of_floats][i % lanes_of_floats] & 1) << i;
#endif
  return out;
#endif
}

void tell(const Floats* sums, int row, Count panel, FloatListener& listener) {
  const unsigned mask = within(sums, all(listener.limits[row]));
  if (__builtin_expect(mask != 0, 0)) {
    float values[panel_width];
    __builtin_memcpy(values, sums, sizeof values);
    listener.found(row, panel, mask, values);
  }
}

}  // namespace
}  // namespace nearwise
