// The single precision tile: six queries against sixteen cases at a time, compared with the limits at once.
//
// Nothing here may be inline outside the anonymous namespace (see scan.tile.cpp). FMA is asked for by intrinsics: the
// sums here only propose, and their error bound holds with and without it.
#include "dense.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

typedef float Floats __attribute__((vector_size(32)));
typedef std::int32_t Ints __attribute__((vector_size(32)));

Floats load(const float* from) {
  Floats out;
  __builtin_memcpy(&out, from, sizeof out);
  return out;
}

Ints load(const std::int32_t* from) {
  Ints out;
  __builtin_memcpy(&out, from, sizeof out);
  return out;
}

Floats all(float x) { return Floats{x, x, x, x, x, x, x, x}; }
Ints all(std::int32_t x) { return Ints{x, x, x, x, x, x, x, x}; }

Floats multiply_add(Floats a, Floats b, Floats c) {
#ifdef __FMA__
  return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
  return a * b + c;
#endif
}

Floats magnitude(Floats x) { return (Floats)((Ints)x & all(0x7fffffff)); }

Floats where(Ints mask, Floats yes, Floats no) { return (Floats)((mask & (Ints)yes) | (~mask & (Ints)no)); }

unsigned signs(Ints mask) {
#ifdef __AVX2__
  return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask));
#else
  unsigned out = 0;
  for (int i = 0; i < 8; ++i) out |= static_cast<unsigned>(mask[i] & 1) << i;
  return out;
#endif
}

template <Form form, bool holes>
void add_number(Floats& sum, Floats x, Floats q, Floats missing) {
  if constexpr (form == Form::product) {
    sum = multiply_add(q, x, sum);
  } else {
    Floats gap = q - x;
    if constexpr (form == Form::squares) {
      Floats term = gap * gap;
      if constexpr (holes) sum = sum + where(gap == gap, term, missing);
      else sum = multiply_add(gap, gap, sum);
    } else {
      Floats term = magnitude(gap);
      if constexpr (holes) term = where(gap == gap, term, missing);
      sum = sum + term;
    }
  }
}

template <Form form, bool holes>
void run(const Block& b, Listener& listener) {
  for (Count panel = 0; panel < b.panels; ++panel) {
    const float* x = b.numbers + panel * b.d * panel_width;
    const std::int32_t* codes = b.symbols + panel * b.s * panel_width;
    Floats sums[group_height][2];
    if constexpr (form == Form::product) {
      const Floats low = load(b.start + panel * panel_width), high = load(b.start + panel * panel_width + 8);
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) sums[r][0] = low, sums[r][1] = high;
    } else {
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) sums[r][0] = sums[r][1] = all(0.0f);
    }
    for (Count f = 0; f < b.d; ++f) {
      const Floats low = load(x + f * panel_width), high = load(x + f * panel_width + 8);
      const Floats missing = all(holes ? b.holes[f] : 0.0f);
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) {
        const Floats q = all(b.query_numbers[f * group_height + r]);
        add_number<form, holes>(sums[r][0], low, q, missing);
        add_number<form, holes>(sums[r][1], high, q, missing);
      }
    }
    for (Count f = 0; f < b.s; ++f) {
      const Ints low = load(codes + f * panel_width), high = load(codes + f * panel_width + 8);
      const Ints weight = (Ints)all(b.symbol_weights[f]);
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) {
        const Ints q = all(b.query_symbols[f * group_height + r]);
        sums[r][0] = sums[r][0] + (Floats)(weight & ~(low == q));
        sums[r][1] = sums[r][1] + (Floats)(weight & ~(high == q));
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < group_height; ++r) {
      const Floats limit = all(listener.limits[r]);
      const unsigned mask = signs(sums[r][0] <= limit) | (signs(sums[r][1] <= limit) << 8);
      if (__builtin_expect(mask != 0, 0)) {
        float values[panel_width];
        __builtin_memcpy(values, &sums[r][0], sizeof sums[r]);
        listener.found(r, panel, mask, values);
      }
    }
  }
}

}  // namespace

void propose(const Block& b, Listener& listener) {
  if (b.form == Form::product) run<Form::product, false>(b, listener);
  else if (b.form == Form::squares && b.has_holes) run<Form::squares, true>(b, listener);
  else if (b.form == Form::squares) run<Form::squares, false>(b, listener);
  else if (b.has_holes) run<Form::moduli, true>(b, listener);
  else run<Form::moduli, false>(b, listener);
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
