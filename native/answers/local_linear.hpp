// A weighted ridge regression on the nearest cases of each query, read at the query.
//
// With w_i = max(0, 1 - d_i / h) times the weight of case i, made to add up to 1, h the distance of the case after the
// k-th, z-bar and y-bar the weighted means, and A = sum of w_i (z_i - z-bar)(z_i - z-bar)' + (ridge / k) I:
//   answer = y-bar + (z_q - z-bar)' A^-1 sum of w_i (z_i - z-bar) y_i = sum of l_i y_i,
//   l_i = w_i (1 + (z_i - z-bar)' v),  A v = z_q - z-bar.
// One right-hand side serves every class. Where features outnumber neighbours the same l_i come from a system of
// neighbours (the dual): with D the rows sqrt(w_i)(z_i - z-bar), (D D' + (ridge / k) I) a = D (z_q - z-bar), l_i = w_i + sqrt(w_i) a_i.
#pragma once

#include "machine/instructions.hpp"
#include "machine/numbers.hpp"

namespace nearwise {

NEARWISE_UP_TO_AVX2(
void add_products(const double* rows, Count count, Count width, double* gram, Count stride);
void take_rows(double* a, Count t, Count count, Count from, Count width, Count stride);
void add_scaled(double* out, const double* row, Count stride, double by);
)

// Shapes: n cases, m queries, d columns of the design, K listed neighbours, s sizes k, r ridges, g groups.
struct Neighbourhoods {
  const double* design;          // [n, d]
  const std::uint8_t* is_flag;   // [d] whether a column holds nothing but 0 and 1, as the values of symbols do
  const double* asked;           // [m, d]
  const double* distances;       // [m, K] ascending
  const Count* indices;          // [m, K]
  const double* case_weights;    // [n]
  const std::int32_t* codes;     // [n] the group that a case answers into
  const double* amounts;         // [n] what it answers
  const Count* sizes;            // [s] each below K
  const double* ridges;          // [r]
  Count n, m, d, listed, n_sizes, n_ridges, n_groups;
};

// Fills answers [m, s, r, g].
//
// Most columns of a table with symbols are flags, and in each row few are set. So the products of flags are added up case
// by case over those that are set, without centring: sum of w (z - z-bar) u needs no centred u, and of two flags it is
// sum of w u u' - u-bar u-bar'.
void local_linear(const Neighbourhoods& all, double* answers, Count threads);

}  // namespace nearwise
