// The single precision tile: six queries against sixteen cases at a time, compared with the limits at once.
//
// Gaps are taken with the signs that cost least: the queries, or their roots, come with a minus where that saves one.
// FMA is asked for by intrinsics: the sums here only propose, and their error bound holds with and without it.
#include "index/dense/dense.hpp"
#include "machine/vectors.hpp"

#ifdef __ARM_NEON
#include <arm_neon.h>
#endif

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

#ifdef __AVX2__
constexpr int lanes = 8;
#else
constexpr int lanes = 4;  // what SSE2 and NEON hold: wider vectors would live in memory
#endif
constexpr int parts = panel_width / lanes;  // vectors of a panel

typedef float Floats __attribute__((vector_size(4 * lanes)));
typedef std::int32_t Ints __attribute__((vector_size(4 * lanes)));
typedef std::int64_t Longs __attribute__((vector_size(4 * lanes)));

Floats load(const float* from) { return nearwise::load<Floats>(from); }
Ints load(const std::int32_t* from) { return nearwise::load<Ints>(from); }
Floats all(float x) { return nearwise::all<Floats>(x); }
Ints all(std::int32_t x) { return nearwise::all<Ints>(x); }

Floats multiply_add(Floats a, Floats b, Floats c) {
#ifdef __FMA__
  return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON)
  return (Floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  return a * b + c;
#endif
}

Floats magnitude(Floats x) { return (Floats)((Ints)x & all(0x7fffffff)); }

Floats where(Ints mask, Floats yes, Floats no) { return (Floats)((mask & (Ints)yes) | (~mask & (Ints)no)); }

// A bit for every number that is not over the limit.
unsigned within(const Floats* sums, Floats limit) {
  unsigned out = 0;
#ifdef __AVX2__
  for (int part = 0; part < parts; ++part)
    out |= static_cast<unsigned>(_mm256_movemask_ps((__m256)(sums[part] <= limit))) << (part * lanes);
#else
  Ints near[parts], any{};
  for (int part = 0; part < parts; ++part) any |= near[part] = sums[part] <= limit;
  if (((Longs)any)[0] == 0 && ((Longs)any)[1] == 0) return 0;
  for (int i = 0; i < panel_width; ++i) out |= static_cast<unsigned>(near[i / lanes][i % lanes] & 1) << i;
#endif
  return out;
}

// log2 of a positive number, to about 2e-7: m - 1 = r within a third, and a polynomial of r.
Floats logarithm(Floats x) {
  const Ints bits = (Ints)x, exponent = (bits - all(0x3f2aaaab)) >> 23;  // 2/3 <= m < 4/3
  const Floats r = (Floats)(bits - (exponent << 23)) - all(1.0f);
  Floats sum = multiply_add(all(-0.22222055f), r, all(0.24686283f));
  sum = multiply_add(sum, r, all(-0.23678663f));
  sum = multiply_add(sum, r, all(0.28558192f));
  sum = multiply_add(sum, r, all(-0.36078957f));
  sum = multiply_add(sum, r, all(0.48096552f));
  sum = multiply_add(sum, r, all(-0.72134656f));
  sum = multiply_add(sum, r, all(1.4426948f));
  return multiply_add(sum, r, __builtin_convertvector(exponent, Floats));
}

// x^power for x >= 0: 0 below 2^-126, and not beyond 2^127.
Floats by_logarithm(Floats x, float power) {
  Floats z = logarithm(x) * all(power);
  const Ints nothing = z < all(-126.0f);
  z = where(nothing, all(0.0f), where(z < all(127.0f), z, all(127.0f)));
  const Floats half = (Floats)(((Ints)z & all(std::int32_t{-0x7fffffff - 1})) | (Ints)all(0.5f));
  const Ints whole = __builtin_convertvector(z + half, Ints);
  const Floats rest = z - __builtin_convertvector(whole, Floats);
  Floats sum = multiply_add(all(0.0013400433f), rest, all(0.0096760374f));
  sum = multiply_add(sum, rest, all(0.055503272f));
  sum = multiply_add(sum, rest, all(0.24022107f));
  sum = multiply_add(sum, rest, all(0.69314718f));
  sum = multiply_add(sum, rest, all(1.0000001f));
  return (Floats)(((Ints)sum + (whole << 23)) & ~nothing);
}

Floats by_product(Floats x, int power) {
  Floats out = x;
  for (int i = 1; i < power; ++i) out = out * x;
  return out;
}

enum class Raise { square, modulus, product, logarithm };

template <Raise raise>
void add_gap(Floats& sum, Floats gap, float power) {
  if constexpr (raise == Raise::square) sum = multiply_add(gap, gap, sum);
  else if constexpr (raise == Raise::modulus) sum = sum + magnitude(gap);
  else if constexpr (raise == Raise::product) sum = sum + by_product(magnitude(gap), static_cast<int>(power));
  else sum = sum + by_logarithm(magnitude(gap), power);
}

void tell(const Floats* sums, int row, Count panel, DenseListener& listener) {
  const unsigned mask = within(sums, all(listener.limits[row]));
  if (__builtin_expect(mask != 0, 0)) {
    float values[panel_width];
    __builtin_memcpy(values, sums, sizeof values);
    listener.found(row, panel, mask, values);
  }
}

template <Weighed weighed>
__attribute__((always_inline)) inline void add_symbols(const Block& b, Count panel, Floats (*sums)[parts]) {
  const std::int32_t* codes = b.symbols + panel * b.s * panel_width;
  const float* weights = weighed == Weighed::by_case ? b.case_weights + panel * b.s * panel_width : nullptr;
  for (Count f = 0; f < b.s; ++f)
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part) {
      const Count at = f * panel_width + part * lanes;
      const Ints own = load(codes + at);
      Ints weight{};
      if constexpr (weighed == Weighed::by_case) weight = (Ints)load(weights + at);
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) {
        if constexpr (weighed != Weighed::by_case) weight = (Ints)all(b.query_weights[f * group_height + r]);
        sums[r][part] = sums[r][part] + (Floats)(weight & ~(own == all(b.query_symbols[f * group_height + r])));
      }
    }
}

void run_product(const Block& b, DenseListener& listener) {
  for (Count panel = 0; panel < b.panels; ++panel) {
    const float* x = b.numbers + panel * b.d * panel_width;
    Floats sums[group_height][parts];
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part) {
      const Floats start = load(b.start + panel * panel_width + part * lanes);
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) sums[r][part] = start;
    }
    for (Count f = 0; f < b.d; ++f) {
      Floats numbers[parts];
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) numbers[part] = load(x + f * panel_width + part * lanes);
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) {
        const Floats q = all(b.query_numbers[f * group_height + r]);
#pragma GCC unroll 4
        for (int part = 0; part < parts; ++part) sums[r][part] = multiply_add(q, numbers[part], sums[r][part]);
      }
    }
    add_symbols<Weighed::packed>(b, panel, sums);
#pragma GCC unroll 6
    for (int r = 0; r < group_height; ++r) tell(sums[r], r, panel, listener);
  }
}

template <Raise raise, Weighed weighed, bool holes>
void run(const Block& b, DenseListener& listener) {
  for (Count panel = 0; panel < b.panels; ++panel) {
    const float* x = b.numbers + panel * b.d * panel_width;
    const float* roots = weighed == Weighed::by_case ? b.case_roots + panel * b.d * panel_width : x;
    Floats sums[group_height][parts];
#pragma GCC unroll 6
    for (int r = 0; r < group_height; ++r)
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) sums[r][part] = Floats{};
    for (Count f = 0; f < b.d; ++f) {
      Floats numbers[parts], own[parts];
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) {
        numbers[part] = load(x + f * panel_width + part * lanes);
        own[part] = load(roots + f * panel_width + part * lanes);
      }
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) {
        const Floats q = all(b.query_numbers[f * group_height + r]);
        const Floats missing = all(holes ? b.holes[f * group_height + r] : 0.0f);
        const Floats root = all(weighed == Weighed::by_query ? b.query_roots[f * group_height + r] : 0.0f);
#pragma GCC unroll 4
        for (int part = 0; part < parts; ++part) {
          Floats gap = weighed == Weighed::packed     ? q - numbers[part]
                       : weighed == Weighed::by_query ? multiply_add(root, numbers[part], q)
                                                      : multiply_add(own[part], q, numbers[part]);
          if constexpr (holes) gap = where(gap == gap, gap, weighed == Weighed::by_case ? own[part] * missing : missing);
          add_gap<raise>(sums[r][part], gap, b.power);
        }
      }
    }
    add_symbols<weighed>(b, panel, sums);
#pragma GCC unroll 6
    for (int r = 0; r < group_height; ++r) tell(sums[r], r, panel, listener);
  }
}

template <Raise raise, Weighed weighed>
void run_holes(const Block& b, DenseListener& listener) {
  if (b.has_holes) run<raise, weighed, true>(b, listener);
  else run<raise, weighed, false>(b, listener);
}

template <Raise raise>
void run_weighed(const Block& b, DenseListener& listener) {
  if (b.weighed == Weighed::packed) run_holes<raise, Weighed::packed>(b, listener);
  else if (b.weighed == Weighed::by_query) run_holes<raise, Weighed::by_query>(b, listener);
  else run_holes<raise, Weighed::by_case>(b, listener);
}

}  // namespace

void propose(const Block& b, DenseListener& listener) {
  if (b.form == Form::product) run_product(b, listener);
  else if (b.form == Form::squares) run_weighed<Raise::square>(b, listener);
  else if (b.form == Form::moduli) run_weighed<Raise::modulus>(b, listener);
  else if (b.power <= longest_product && b.power == static_cast<float>(static_cast<int>(b.power)))
    run_weighed<Raise::product>(b, listener);
  else run_weighed<Raise::logarithm>(b, listener);
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
