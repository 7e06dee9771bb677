// The single precision tile: six queries against sixteen cases at a time, compared with the limits at once.
//
// Gaps are taken with the signs that cost least: the queries, or their roots, come with a minus where that saves one.
// FMA is asked for by intrinsics: the sums here only propose, and their error bound holds with and without it.
#include "index/dense/dense.hpp"
#include "machine/floats.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

Floats where(Ints mask, Floats yes, Floats no) { return (Floats)((mask & (Ints)yes) | (~mask & (Ints)no)); }

// The gap, or what stands for it where a number is missing.
Floats known(Floats gap, Floats missing) {
#ifdef __AVX512F__
  const __m512i kept = _mm512_set1_epi32(0x11111100);  // of eight kinds of number, all but the two that are none
  return (Floats)_mm512_fixupimm_ps((__m512)missing, (__m512)gap, kept, 0);
#else
  return where(gap == gap, gap, missing);
#endif
}

// Adds a weight where symbols differ.
Floats add_unequal(Floats sum, Ints x, Ints q, Floats weight) {
#ifdef __AVX512F__
  return (Floats)_mm512_mask_add_ps((__m512)sum, _mm512_cmpneq_epi32_mask((__m512i)x, (__m512i)q), (__m512)sum, (__m512)weight);
#else
  return sum + (Floats)((Ints)weight & ~(x == q));
#endif
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

// What is added up: |x|^2 - 2xq, as the terms come, or the gap raised to the power.
enum class Raise { dot, square, modulus, product, logarithm };

template <Raise raise>
void add_gap(Floats& sum, Floats gap, float power) {
  if constexpr (raise == Raise::square) sum = multiply_add(gap, gap, sum);
  else if constexpr (raise == Raise::modulus) sum = sum + magnitude(gap);
  else if constexpr (raise == Raise::product) sum = sum + by_product(magnitude(gap), static_cast<int>(power));
  else sum = sum + by_logarithm(magnitude(gap), power);
}

template <Weighed weighed>
constexpr bool of_cases = weighed == Weighed::by_case || weighed == Weighed::by_factor;

template <Weighed weighed>
__attribute__((always_inline)) inline void add_symbols(const Block& b, Count panel, Floats (*sums)[parts]) {
  const std::int32_t* codes = b.symbols + panel * b.s * panel_width;
  const float* weights = of_cases<weighed> ? b.case_weights + panel * own_lanes(weighed, b.s) * panel_width : nullptr;
  for (Count f = 0; f < b.s; ++f)
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part) {
      const Count at = f * panel_width + part * lanes_of_floats;
      const Ints own = load<Ints>(codes + at);
      Floats weight{}, factor{};
      if constexpr (weighed == Weighed::by_case) weight = load<Floats>(weights + at);
      if constexpr (weighed == Weighed::by_factor) factor = load<Floats>(weights + part * lanes_of_floats);
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) {
        if constexpr (weighed != Weighed::by_case) weight = all(b.query_weights[f * group_height + r]);
        if constexpr (weighed == Weighed::by_factor) weight = weight * factor;
        sums[r][part] = add_unequal(sums[r][part], own, all(b.query_symbols[f * group_height + r]), weight);
      }
    }
}

template <Raise raise, Weighed weighed, bool holes>
void run(const Block& b, FloatListener& listener) {
  for (Count panel = 0; panel < b.panels; ++panel) {
    const float* x = b.numbers + panel * b.d * panel_width;
    const Count step = weighed == Weighed::by_factor ? 0 : panel_width;  // from the roots of a feature to those of the next
    const float* roots = of_cases<weighed> ? b.case_roots + panel * own_lanes(weighed, b.d) * panel_width : x;
    const Panel start = raise == Raise::dot ? panel_at(b.start + panel * panel_width) : Panel{};
    Floats sums[group_height][parts];
#pragma GCC unroll 6
    for (int r = 0; r < group_height; ++r)
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) sums[r][part] = start.at[part];
    for (Count f = 0; f < b.d; ++f) {
      const Panel numbers = panel_at(x + f * panel_width), own = panel_at(roots + f * step);
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) {
        const Floats q = all(b.query_numbers[f * group_height + r]);
        const Floats missing = all(holes ? b.holes[f * group_height + r] : 0.0f);
        const Floats root = all(weighed == Weighed::by_query ? b.query_roots[f * group_height + r] : 0.0f);
#pragma GCC unroll 4
        for (int part = 0; part < parts; ++part) {
          if constexpr (raise == Raise::dot) {
            sums[r][part] = multiply_add(q, numbers.at[part], sums[r][part]);
            continue;
          }
          Floats gap = weighed == Weighed::packed     ? q - numbers.at[part]
                       : weighed == Weighed::by_query ? multiply_add(root, numbers.at[part], q)
                                                      : multiply_add(own.at[part], q, numbers.at[part]);
          if constexpr (holes) gap = known(gap, of_cases<weighed> ? own.at[part] * missing : missing);
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
void run_holes(const Block& b, FloatListener& listener) {
  if (b.has_holes) run<raise, weighed, true>(b, listener);
  else run<raise, weighed, false>(b, listener);
}

template <Raise raise>
void run_weighed(const Block& b, FloatListener& listener) {
  if (b.weighed == Weighed::packed) run_holes<raise, Weighed::packed>(b, listener);
  else if (b.weighed == Weighed::by_query) run_holes<raise, Weighed::by_query>(b, listener);
  else if (b.weighed == Weighed::by_case) run_holes<raise, Weighed::by_case>(b, listener);
  else run_holes<raise, Weighed::by_factor>(b, listener);
}

}  // namespace

void propose(const Block& b, FloatListener& listener) {
  if (b.form == Form::product) run<Raise::dot, Weighed::packed, false>(b, listener);
  else if (b.form == Form::squares) run_weighed<Raise::square>(b, listener);
  else if (b.form == Form::moduli) run_weighed<Raise::modulus>(b, listener);
  else if (b.power <= longest_product && b.power == static_cast<float>(static_cast<int>(b.power)))
    run_weighed<Raise::product>(b, listener);
  else run_weighed<Raise::logarithm>(b, listener);
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
