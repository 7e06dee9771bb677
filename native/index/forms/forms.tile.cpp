// The sums of one query over a tile of cases under its quadratic form, compiled once per instruction set.
//
//   s(q, i) = sum over rows, in order, of  (sum over f, in order, of  form[row, f] * u_f)^2
//   u_f     = (x_f - q_f) / unit for numbers, [x_f != q_f] / unit for symbols; one_missing[f] / unit or both_missing[f] /
//             unit where values are missing
//
// No term is negative, so a sum only grows from row to row: cases beyond the limit are dropped, and the others move
// together; differences are taken where a row first asks for them. Every sum is added up in one order whatever moves, so it has the rounding of the plain NumPy expression.
#include "arithmetic/raised.hpp"
#include "index/forms/forms.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

// The differences of one feature, of cases begin + place[i]; those are begin + i where all are in place.
void fill_gaps(const FormCases& c, Count f, const double* query, Count begin, Count length, const Count* place,
               bool in_place, double* u) {
  const double q = query[f], scale = c.scales[f], *column = c.columns + f * c.n + begin;
  const double one = c.one_missing[f] * scale, both = c.both_missing[f] * scale;
  double moved[form_tile];
  if (!in_place)
    for (Count i = 0; i < length; ++i) moved[i] = column[place[i]];
  const double* x = in_place ? column : moved;
  if (q != q) {
    for (Count i = 0; i < length; ++i) u[i] = x[i] != x[i] ? both : one;
  } else if (c.is_symbol[f]) {
    for (Count i = 0; i < length; ++i) {
      const double known = x[i] != q ? scale : 0.0;
      u[i] = x[i] != x[i] ? one : known;
    }
  } else {
    for (Count i = 0; i < length; ++i) {
      const double known = (x[i] - q) * scale;
      u[i] = x[i] != x[i] ? one : known;
    }
  }
  for (Count i = length; i % form_lanes; ++i) u[i] = 0.0;
}

// Adds one row of the form, which takes from `count` features, to the sums of the first `length` cases.
void add_row(const double* row, const Count* taken, Count count, Count length, const double* gaps, double* sums) {
  for (Count start = 0; start < length; start += form_lanes) {
    double mapped[form_lanes];
    for (Count i = 0; i < form_lanes; ++i) mapped[i] = 0.0;
    for (Count at = 0; at < count; ++at) {
      const double entry = row[taken[at]], *u = gaps + taken[at] * form_tile + start;
      for (Count i = 0; i < form_lanes; ++i) mapped[i] += entry * u[i];
    }
    for (Count i = 0; i < form_lanes; ++i) sums[start + i] += mapped[i] * mapped[i];
  }
}

}  // namespace

void form_sums(const FormCases& c, const double* query, const double* form, Count begin, Count end, double limit,
               const Count* taken, double* gaps, std::uint8_t* there, double* sums) {
  Count length = end - begin, place[form_tile];
  double own[form_tile];
  bool in_place = true;
  for (Count i = 0; i < form_tile; ++i) own[i] = 0.0, place[i] = i;
  for (Count f = 0; f < c.p; ++f) there[f] = 0;
  for (Count row = 0; row < c.r; ++row) {
    const Count *own_taken = taken + row * (c.p + 1), count = own_taken[c.p];
    for (Count at = 0; at < count; ++at) {
      const Count f = own_taken[at];
      if (!there[f]) fill_gaps(c, f, query, begin, length, place, in_place, gaps + f * form_tile), there[f] = 1;
    }
    add_row(form + row * c.p, own_taken, count, length, gaps, own);
    if (row + 1 == c.r) break;
    Count from[form_tile], near = 0, kept = 0;
    for (Count i = 0; i < length; ++i) near += own[i] <= limit;
    if (2 * near > length) continue;  // moving them would cost more than it saves
    for (Count i = 0; i < length; ++i) {
      sums[place[i]] = own[i];
      from[kept] = i;
      kept += own[i] <= limit;
    }
    for (Count i = 0; i < kept; ++i) own[i] = own[from[i]], place[i] = place[from[i]];
    for (Count f = 0; f < c.p; ++f) {
      if (!there[f]) continue;
      double* u = gaps + f * form_tile;
      for (Count i = 0; i < kept; ++i) u[i] = u[from[i]];
      for (Count i = kept; i % form_lanes; ++i) u[i] = 0.0;
    }
    length = kept, in_place = false;
    if (length == 0) return;
  }
  for (Count i = 0; i < length; ++i) sums[place[i]] = own[i];
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
