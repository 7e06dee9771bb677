// The sums of one query after one more feature, and the nearest cases under them, compiled once per instruction set.
//
//   to[i] = from[i] + coefficient * t      t = raw or raw^2
//   raw   = |q - x_i| for numbers, [q != x_i] for symbols; one_missing or both_missing where values are missing
#include <math.h>

#include "statistics/trials/changes.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

typedef double Doubles __attribute__((vector_size(32)));
typedef std::int64_t Longs __attribute__((vector_size(32)));

Doubles load(const double* from) {
  Doubles out;
  __builtin_memcpy(&out, from, sizeof out);
  return out;
}

bool any(Longs mask) {
#ifdef __AVX2__
  return _mm256_movemask_pd((__m256d)mask) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

template <int power>
double raised(double raw) {
  return power == 2 ? raw * raw : raw;
}

template <int power>
void add(const Term& t, const double* from, Count n, double* to) {
  const double* x = t.x;
  const double c = t.coefficient, q = t.q;
  if (c == 0.0) {  // out of the sum, however large its differences
    for (Count i = 0; i < n; ++i) to[i] = from[i];
  } else if (t.kind == Term::block) {
    for (Count i = 0; i < n; ++i) to[i] = from[i] + c * x[i];
  } else if (q != q) {
    const double known = c * raised<power>(t.one_missing), missing = c * raised<power>(t.both_missing);
    for (Count i = 0; i < n; ++i) to[i] = from[i] + (x[i] != x[i] ? missing : known);
  } else if (t.kind == Term::symbol) {
    const double unknown = c * raised<power>(t.one_missing);
    for (Count i = 0; i < n; ++i) {
      const double known = x[i] != q ? c : 0.0;
      to[i] = from[i] + (x[i] != x[i] ? unknown : known);
    }
  } else if (!t.has_holes) {
    for (Count i = 0; i < n; ++i) {
      const double gap = q - x[i];
      to[i] = from[i] + c * raised<power>(power == 2 ? gap : fabs(gap));
    }
  } else {
    const double hole = t.one_missing;
    for (Count i = 0; i < n; ++i) {
      const double raw = fabs(q - x[i]);
      to[i] = from[i] + c * raised<power>(x[i] != x[i] ? hole : raw);
    }
  }
}

}  // namespace

void add_term(const Term& term, const double* from, Count n, double* to) {
  if (term.power == 2) add<2>(term, from, n, to);
  else add<1>(term, from, n, to);
}

// The k smallest finite sums by (sum, index); returns how many there are.
Count nearest(const double* sums, Count n, Count k, double* best, Count* index) {
  Count filled = 0;
  double worst = HUGE_VAL;
  auto consider = [&](Count i) {
    const double s = sums[i];
    if (!(s < worst)) return;
    Count at = filled < k ? filled++ : k - 1;
    for (; at > 0 && best[at - 1] > s; --at) best[at] = best[at - 1], index[at] = index[at - 1];
    best[at] = s;
    index[at] = i;
    if (filled == k) worst = best[k - 1];
  };
  Count i = 0;
  for (; i + 4 <= n; i += 4)
    if (any(load(sums + i) < Doubles{worst, worst, worst, worst}))
      for (Count j = i; j < i + 4; ++j) consider(j);
  for (; i < n; ++i) consider(i);
  return filled;
}

// The cases whose sum is in [low, high], in order; returns how many.
Count between(const double* sums, Count n, double low, double high, Count* found) {
  Count count = 0, i = 0;
  const Doubles highs{high, high, high, high};
  for (; i + 4 <= n; i += 4)
    if (any(load(sums + i) <= highs))
      for (Count j = i; j < i + 4; ++j)
        if (sums[j] >= low && sums[j] <= high) found[count++] = j;
  for (; i < n; ++i)
    if (sums[i] >= low && sums[i] <= high) found[count++] = i;
  return count;
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
