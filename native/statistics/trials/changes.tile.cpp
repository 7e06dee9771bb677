// The sums of one query after one more feature, compiled once per instruction set.
//
//   to[i] = from[i] + coefficient * t      t = raw or raw^2
//   raw   = |q - x_i| for numbers, [q != x_i] for symbols; one_missing or both_missing where values are missing
#include <math.h>

#include "statistics/trials/changes.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

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

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
