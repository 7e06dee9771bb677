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

// delta^power of two known values, from their gap x - q.
template <Kind kind, int power>
Floats term(Floats gap, Floats weight) {
  if constexpr (kind == symbol) return (Floats)((Ints)weight & ~(gap == all(0.0f)));
  Floats out = magnitude(gap);
  if constexpr (kind == circle) {
    const Floats round = weight - out;
    out = where(out < round, out, round);
  }
  return power == 2 ? out * out : out;
}

// Adds term(x, q, weight) for every feature and query.
template <class Term>
void add_each(Sums& sums, const float* x, const float* q, const float* weights, Count features, const Term& term) {
  Sums own = sums;
  for (Count f = 0; f < features; ++f) {
    const Panel panel = panel_at(x + f * panel_width);
    const Floats weight = all(weights[f]);
#pragma GCC unroll 6
    for (int r = 0; r < group_height; ++r) {
      const Floats asked = all(q[f * group_height + r]);
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) own.at[r][part] = own.at[r][part] + term(panel.at[part], asked, weight);
    }
  }
  sums = own;
}

template <Kind kind, int power>
void add_clean(Sums& sums, const float* x, const float* q, const float* weights, Count features) {
  add_each(sums, x, q, weights, features, [](Floats x, Floats q, Floats weight) { return term<kind, power>(x - q, weight); });
}

void add_largest(Sums& sums, const float* x, const float* q, const float* weights, Count features) {
  add_each(sums, x, q, weights, features, [](Floats x, Floats q, Floats) { return larger(x, q); });
}

// What is known of missing values, from one feature on; see NearBlock.
struct Holes {
  const float *unknown, *unknown_case;
  const std::uint32_t* is_unknown;
  const std::uint8_t* any_unknown;
};

// Three of the six queries at a time: their sums and what a hole needs fill the registers.
template <Kind kind, int power>
void add_holed(Sums& sums, const float* x, const float* q, const float* weights, const Holes holes, Count features) {
  constexpr int half = group_height / 2;
  for (int from = 0; from < group_height; from += half) {
    Floats own[half][parts];
#pragma GCC unroll 3
    for (int r = 0; r < half; ++r)
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) own[r][part] = sums.at[from + r][part];
    for (Count f = 0; f < features; ++f) {
      const Panel panel = panel_at(x + f * panel_width);
      const Floats weight = all(kind == number ? 0.0f : weights[f]);
      Ints is_known[parts];
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) is_known[part] = panel.at[part] == panel.at[part];
      const Count first = f * group_height + from;
      if (__builtin_expect(holes.any_unknown[f], 0)) {
        const Panel other = panel_at(holes.unknown + f * panel_width);
#pragma GCC unroll 3
        for (int r = 0; r < half; ++r) {
          const Floats asked = all(q[first + r]);
          const Ints mask = all(static_cast<std::int32_t>(holes.is_unknown[first + r]));
          const Ints others = (Ints)all(holes.unknown_case[first + r]);  // 0 where the query's value is missing
#pragma GCC unroll 4
          for (int part = 0; part < parts; ++part) {
            const Floats instead = (Floats)((mask & (Ints)other.at[part]) | others);
            const Floats known = term<kind, power>(panel.at[part] - asked, weight);
            own[r][part] = own[r][part] + where(is_known[part] & ~mask, known, instead);
          }
        }
        continue;
      }
#pragma GCC unroll 3
      for (int r = 0; r < half; ++r) {
        const Floats asked = all(q[first + r]), others = all(holes.unknown_case[first + r]);
#pragma GCC unroll 4
        for (int part = 0; part < parts; ++part)
          own[r][part] += where(is_known[part], term<kind, power>(panel.at[part] - asked, weight), others);
      }
    }
#pragma GCC unroll 3
    for (int r = 0; r < half; ++r)
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) sums.at[from + r][part] = own[r][part];
  }
}

template <int power, bool by_largest>
void run(const NearBlock& b, FloatListener& listener) {
  const Count clean = b.clean[number] + b.clean[symbol] + b.clean[circle];
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
      add_largest(sums, x, b.queries, b.weights, b.clean[number]);
    } else {
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r)
#pragma GCC unroll 4
        for (int part = 0; part < parts; ++part) sums.at[r][part] = all(0.0f);
      add_clean<number, power>(sums, x, b.queries, b.weights, b.clean[number]);
    }
    if (clean > b.clean[number]) {
      Count f = b.clean[number];
      add_clean<symbol, power>(sums, x + f * panel_width, b.queries + f * group_height, b.weights + f, b.clean[symbol]);
      f += b.clean[symbol];
      add_clean<circle, power>(sums, x + f * panel_width, b.queries + f * group_height, b.weights + f, b.clean[circle]);
    }
    for (Count hole = 0, kind = 0; kind < kinds; hole += b.holed[kind++]) {
      if (b.holed[kind] == 0) continue;
      const auto add = kind == number ? add_holed<number, power>
                                      : kind == symbol ? add_holed<symbol, power> : add_holed<circle, power>;
      const Count f = clean + hole;
      add(sums, x + f * panel_width, b.queries + f * group_height, b.weights + f,
          {unknown + hole * panel_width, b.unknown_case + hole * group_height, b.is_unknown + hole * group_height,
           b.any_unknown + hole}, b.holed[kind]);
    }
#pragma GCC unroll 6
    for (int r = 0; r < group_height; ++r) tell(sums.at[r], r, panel, listener);
  }
}

double raised(double delta, int power) { return power == 2 ? delta * delta : delta; }

double known(Kind kind, double scale, double period, double gap) {
  if (kind == symbol) return gap != 0.0 ? scale : 0.0;
  if (kind == circle && period - gap < gap) gap = period - gap;
  return scale * gap;
}

// What a feature with missing values differs by.
double holed(const PairSpace& s, const PairCase& q, const PairCase& x, Kind kind, Count f, Count hole) {
  const double gap = fabs(x.values[f] - q.values[f]);
  if (gap == gap) return known(kind, s.scales[f], s.periods[f], gap);
  const std::int32_t of_q = q.cells[hole], of_x = x.cells[hole];
  if (of_q < 0 && of_x < 0) return s.both[(hole * s.g + q.group) * s.g + x.group];
  const Count group = of_q < 0 ? q.group : x.group, cell = of_q < 0 ? of_x : of_q;
  return s.tables[hole][group * s.cells_of[hole] + cell];
}

// Calls take(f, delta) for every feature but the clean numbers and symbols, which have vector loops of their own.
template <class Take>
void others(const PairSpace& s, const PairCase& q, const PairCase& x, const Take& take) {
  Count f = s.clean[number] + s.clean[symbol];
  for (const Count end = f + s.clean[circle]; f < end; ++f)
    take(f, known(circle, s.scales[f], s.periods[f], fabs(x.values[f] - q.values[f])));
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
