// The hot loops: six queries against sixteen cases in single precision, and one pair of cases in double precision.
//
// What single precision adds up only proposes; pairs are added up without contraction, so both instruction sets give the
// same bits.
#include <math.h>

#include "machine/floats.hpp"
#include "statistics/contrasts/contrast.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

typedef double Doubles __attribute__((vector_size(32)));
typedef std::int64_t Signs __attribute__((vector_size(32)));

Floats where(Ints mask, Floats yes, Floats no) { return mask ? yes : no; }

Floats larger(Floats x, Floats y) {
#ifdef __AVX512F__
  return (Floats)_mm512_max_ps((__m512)x, (__m512)y);
#elif defined(__AVX2__)
  return (Floats)_mm256_max_ps((__m256)x, (__m256)y);
#else
  return where(x > y, x, y);
#endif
}

// The sums so far. Loops over features work on a copy of their own, which stays in registers.
struct Sums {
  Floats at[group_height][parts];
};

Floats smaller(Floats x, Floats y) {
#ifdef __AVX512F__
  return (Floats)_mm512_min_ps((__m512)x, (__m512)y);
#elif defined(__AVX2__)
  return (Floats)_mm256_min_ps((__m256)x, (__m256)y);
#else
  return where(x < y, x, y);
#endif
}

// What the differences of one feature go by; see NearBlock.
struct Feature {
  Floats weight, ramp_start, ramp_slope, ramp_end;
};

template <Kind kind>
Feature feature(const NearBlock& b, float weight) {
  Feature out{};
  if constexpr (kind != number && kind != ramp_number) out.weight = all(weight);
  if constexpr (on_ramp(kind)) {
    out.ramp_start = all(b.ramp_start);
    out.ramp_slope = all(b.ramp_slope);
    out.ramp_end = all(b.ramp_end);
  }
  return out;
}

// delta^power of two known values, from their gap x - q.
template <Kind kind, int power>
Floats term(Floats gap, const Feature& by) {
  if constexpr (kind == symbol) return (Floats)((Ints)by.weight & ~(gap == all(0.0f)));
  Floats out = magnitude(gap);
  if constexpr (on_circle(kind)) out = smaller(out, by.weight - out);
  if constexpr (on_ramp(kind)) out = smaller(larger((out - by.ramp_start) * by.ramp_slope, all(0.0f)), by.ramp_end);
  return power == 2 ? out * out : out;
}

// Adds term(x, q, feature) for every clean feature of a kind, the first of which is `first`, and every query.
template <Kind kind, class Term>
void add_each(Sums& sums, const NearBlock& b, const float* x, Count first, const Term& term) {
  Sums own = sums;
  for (Count f = first; f < first + b.clean[kind]; ++f) {
    const Panel panel = panel_at(x + f * panel_width);
    const Feature by = feature<kind>(b, b.weights[f]);
#pragma GCC unroll 6
    for (int r = 0; r < group_height; ++r) {
      const Floats asked = all(b.queries[f * group_height + r]);
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) own.at[r][part] = own.at[r][part] + term(panel.at[part], asked, by);
    }
  }
  sums = own;
}

template <Kind kind, int power>
void add_clean(Sums& sums, const NearBlock& b, const float* x, Count first) {
  add_each<kind>(sums, b, x, first, [](Floats x, Floats q, const Feature& by) { return term<kind, power>(x - q, by); });
}

void add_largest(Sums& sums, const NearBlock& b, const float* x) {
  add_each<number>(sums, b, x, 0, [](Floats x, Floats q, const Feature&) { return larger(x, q); });
}

// Three of the six queries at a time: their sums and what a hole needs fill the registers. `hole` is the first hole of
// the kind, `unknown` what the panel's cases differ by.
template <Kind kind, int power>
void add_holed(Sums& sums, const NearBlock& b, const float* x, const float* unknown, Count hole) {
  constexpr int half = group_height / 2;
  const Count before = b.p - b.h + hole;
  const float *q = b.queries + before * group_height, *unknown_case = b.unknown_case + hole * group_height;
  const std::uint32_t* is_unknown = b.is_unknown + hole * group_height;
  x += before * panel_width;
  unknown += hole * panel_width;
  for (int from = 0; from < group_height; from += half) {
    Floats own[half][parts];
#pragma GCC unroll 3
    for (int r = 0; r < half; ++r)
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) own[r][part] = sums.at[from + r][part];
    for (Count f = 0; f < b.holed[kind]; ++f) {
      const Panel panel = panel_at(x + f * panel_width);
      const Feature by = feature<kind>(b, b.weights[before + f]);
      Ints is_known[parts];
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) is_known[part] = panel.at[part] == panel.at[part];
      const Count first = f * group_height + from;
      if (__builtin_expect(b.any_unknown[hole + f], 0)) {
        const Panel other = panel_at(unknown + f * panel_width);
#pragma GCC unroll 3
        for (int r = 0; r < half; ++r) {
          const Floats asked = all(q[first + r]);
          const Ints mask = all(static_cast<std::int32_t>(is_unknown[first + r]));
          const Ints others = (Ints)all(unknown_case[first + r]);  // 0 where the query's value is missing
#pragma GCC unroll 4
          for (int part = 0; part < parts; ++part) {
            const Floats instead = (Floats)((mask & (Ints)other.at[part]) | others);
            const Floats known = term<kind, power>(panel.at[part] - asked, by);
            own[r][part] = own[r][part] + where(is_known[part] & ~mask, known, instead);
          }
        }
        continue;
      }
#pragma GCC unroll 3
      for (int r = 0; r < half; ++r) {
        const Floats asked = all(q[first + r]), others = all(unknown_case[first + r]);
#pragma GCC unroll 4
        for (int part = 0; part < parts; ++part)
          own[r][part] += where(is_known[part], term<kind, power>(panel.at[part] - asked, by), others);
      }
    }
#pragma GCC unroll 3
    for (int r = 0; r < half; ++r)
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) sums.at[from + r][part] = own[r][part];
  }
}

template <int power>
constexpr void (*clean_adders[kinds])(Sums&, const NearBlock&, const float*, Count) = {
    add_clean<number, power>, add_clean<symbol, power>, add_clean<circle, power>, add_clean<ramp_number, power>,
    add_clean<ramp_circle, power>};

template <int power>
constexpr void (*holed_adders[kinds])(Sums&, const NearBlock&, const float*, const float*, Count) = {
    add_holed<number, power>, add_holed<symbol, power>, add_holed<circle, power>, add_holed<ramp_number, power>,
    add_holed<ramp_circle, power>};

template <int power, bool by_largest>
void run(const NearBlock& b, FloatListener& listener) {
  for (Count panel = 0; panel < b.panels; ++panel) {
    const float* x = b.values + panel * b.p * panel_width;
    const float* unknown = b.unknown + panel * b.h * panel_width;
    Sums sums;
    if constexpr (by_largest) {
      const Panel start = panel_at(b.start + panel * panel_width);
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r)
#pragma GCC unroll 4
        for (int part = 0; part < parts; ++part) sums.at[r][part] = start.at[part] + all(b.query_start[r]);
      add_largest(sums, b, x);
    } else {
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r)
#pragma GCC unroll 4
        for (int part = 0; part < parts; ++part) sums.at[r][part] = all(0.0f);
      add_clean<number, power>(sums, b, x, 0);
    }
    for (Count f = b.clean[number], kind = symbol; kind < kinds; f += b.clean[kind++])
      if (b.clean[kind] > 0) clean_adders<power>[kind](sums, b, x, f);
    for (Count hole = 0, kind = 0; kind < kinds; hole += b.holed[kind++])
      if (b.holed[kind] > 0) holed_adders<power>[kind](sums, b, x, unknown, hole);
#pragma GCC unroll 6
    for (int r = 0; r < group_height; ++r) tell(sums.at[r], r, panel, listener);
  }
}

double raised(double delta, int power) { return power == 2 ? delta * delta : delta; }

double known(const PairSpace& s, Kind kind, Count f, double gap) {
  if (kind == symbol) return gap != 0.0 ? s.scales[f] : 0.0;
  if (on_circle(kind) && s.periods[f] - gap < gap) gap = s.periods[f] - gap;
  const double delta = s.scales[f] * gap;
  return on_ramp(kind) ? s.ramp.of(delta) : delta;
}

// What a feature with missing values differs by.
double holed(const PairSpace& s, const PairCase& q, const PairCase& x, Kind kind, Count f, Count hole) {
  const double gap = fabs(x.values[f] - q.values[f]);
  if (gap == gap) return known(s, kind, f, gap);
  const std::int32_t of_q = q.cells[hole], of_x = x.cells[hole];
  if (of_q < 0 && of_x < 0) return s.both[(hole * s.g + q.group) * s.g + x.group];
  const Count group = of_q < 0 ? q.group : x.group, cell = of_q < 0 ? of_x : of_q;
  return s.tables[hole][group * s.cells_of[hole] + cell];
}

// Calls take(f, delta) for the clean features of a kind, from f on, which it leaves at the next kind.
template <Kind kind, class Take>
void clean_ones(const PairSpace& s, const PairCase& q, const PairCase& x, Count& f, const Take& take) {
  for (const Count end = f + s.clean[kind]; f < end; ++f)
    take(f, known(s, kind, f, fabs(x.values[f] - q.values[f])));
}

// The same for every feature but the clean numbers and symbols, which have vector loops of their own.
template <class Take>
void others(const PairSpace& s, const PairCase& q, const PairCase& x, const Take& take) {
  Count f = s.clean[number] + s.clean[symbol];
  clean_ones<circle>(s, q, x, f, take);
  clean_ones<ramp_number>(s, q, x, f, take);
  clean_ones<ramp_circle>(s, q, x, f, take);
  for (Count hole = 0, kind = 0; kind < kinds; ++kind)
    for (const Count end = hole + s.holed[kind]; hole < end; ++hole, ++f)
      take(f, holed(s, q, x, static_cast<Kind>(kind), f, hole));
}

}  // namespace

void propose_near(const NearBlock& b, FloatListener& listener) {
  if (b.power == 2) run<2, false>(b, listener);
  else if (b.by_largest) run<1, true>(b, listener);
  else run<1, false>(b, listener);
}

double pair_sum(const PairSpace& s, const PairCase& q, const PairCase& x) {
  const Signs sign{INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  Doubles lanes{0.0, 0.0, 0.0, 0.0};
  Count f = 0;
  for (const Count end = s.clean[number] & ~Count{3}; f < end; f += 4) {
    const Doubles gap = load<Doubles>(x.values + f) - load<Doubles>(q.values + f);
    const Doubles delta = load<Doubles>(s.scales + f) * (Doubles)((Signs)gap & sign);
    lanes = lanes + (s.power == 2 ? delta * delta : delta);
  }
  double total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  for (; f < s.clean[number]; ++f) total += raised(s.scales[f] * fabs(x.values[f] - q.values[f]), s.power);
  for (const Count end = f + s.clean[symbol]; f < end; ++f)
    total += raised(x.values[f] != q.values[f] ? s.scales[f] : 0.0, s.power);
  others(s, q, x, [&](Count, double delta) { total += raised(delta, s.power); });
  return total;
}

void add_pair(const PairSpace& s, const PairCase& q, const PairCase& x, double coefficient, double* totals) {
  Count f = 0;
  for (; f < s.clean[number]; ++f) totals[f] += coefficient * (s.scales[f] * fabs(x.values[f] - q.values[f]));
  for (const Count end = f + s.clean[symbol]; f < end; ++f)
    totals[f] += x.values[f] != q.values[f] ? coefficient * s.scales[f] : 0.0;
  others(s, q, x, [&](Count at, double delta) { totals[at] += coefficient * delta; });
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
