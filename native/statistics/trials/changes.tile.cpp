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
  const double c = t.coefficient, q = t.q;
  const double one = t.one_missing, known = c * raised<power>(one), missing = c * raised<power>(t.both_missing);
  const auto add_each = [=, x = t.x](const auto& term) {
    for (Count i = 0; i < n; ++i) to[i] = from[i] + term(x[i]);
  };
  if (c == 0.0) add_each([](double) { return 0.0; });  // out of the sum, however large its differences
  else if (t.kind == Term::block) add_each([=](double x) { return c * x; });
  else if (q != q) add_each([=](double x) { return x != x ? missing : known; });
  else if (t.kind == Term::symbol) add_each([=](double x) { return x != x ? known : x != q ? c : 0.0; });
  else if (!t.has_holes) add_each([=](double x) { return c * raised<power>(power == 2 ? q - x : fabs(q - x)); });
  else add_each([=](double x) { return c * raised<power>(x != x ? one : fabs(q - x)); });
}

}  // namespace

void add_term(const Term& term, const double* from, Count n, double* to) {
  if (term.power == 2) add<2>(term, from, n, to);
  else add<1>(term, from, n, to);
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
