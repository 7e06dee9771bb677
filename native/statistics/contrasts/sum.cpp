// Sums over pairs in double precision, in an order that does not depend on the number of threads.
#include <algorithm>

#include "machine/instructions.hpp"
#include "machine/parallel.hpp"
#include "statistics/contrasts/contrast.hpp"

namespace nearwise {
namespace {

constexpr Count piece = 32;  // queries that are added up on their own
constexpr Count tile = 64;   // cases that stay in cache while the queries of a piece pass

}  // namespace

// Adds up pieces of the queries, each into totals of its own, and those in order; `work(first, last, totals)`.
template <class Work>
std::vector<double> Contrast::summed(const PairQueries& queries, const Work& work) const {
  const Count p = space_.p, pieces = (queries.m + piece - 1) / piece;
  std::vector<double> parts(static_cast<std::size_t>(pieces * p), 0.0), totals(static_cast<std::size_t>(p), 0.0);
  blocks_in_parallel(queries.m, piece, queries.threads, [&] {
    return [&](Count first, Count last) { work(first, last, parts.data() + first / piece * p); };
  });
  for (Count at = 0; at < pieces; ++at)
    for (Count f = 0; f < p; ++f) totals[feature_[f]] += parts[at * p + f];
  return totals;
}

std::vector<double> Contrast::listed(const PairQueries& queries, const PairLists& lists) const {
  const auto add = NEARWISE_CHOSEN(add_pair);
  return summed(queries, [&](Count first, Count last, double* part) {
    for (Count j = first; j < last; ++j) {
      const PairCase q = at(queries.cases[j]);
      for (Count entry = lists.ends[j]; entry < lists.ends[j + 1]; ++entry)
        if (lists.coefficients[entry] != 0.0) add(space_, q, at(lists.cases[entry]), lists.coefficients[entry], part);
    }
  });
}

// Some queries with all cases, a tile of these after the other; `take(j * n + i, q, i)`.
template <class Take>
void Contrast::each_pair(const Count* queries, Count first, Count last, const Take& take) const {
  for (Count from = 0; from < n_; from += tile)
    for (Count j = first; j < last; ++j) {
      const PairCase q = at(queries[j]);
      for (Count i = from; i < std::min(n_, from + tile); ++i) take(j * n_ + i, q, i);
    }
}

std::vector<double> Contrast::sums(const PairQueries& queries) const {
  const auto sum = NEARWISE_CHOSEN(pair_sum);
  std::vector<double> out(static_cast<std::size_t>(queries.m * n_));
  const auto take = [&](Count pair, const PairCase& q, Count i) { out[pair] = sum(space_, q, at(i)); };
  blocks_in_parallel(queries.m, piece, queries.threads, [&] {
    return [&](Count first, Count last) { each_pair(queries.cases, first, last, take); };
  });
  return out;
}

std::vector<double> Contrast::blocked(const PairQueries& queries, const double* coefficients) const {
  const auto add = NEARWISE_CHOSEN(add_pair);
  return summed(queries, [&](Count first, Count last, double* part) {
    each_pair(queries.cases, first, last, [&](Count pair, const PairCase& q, Count i) {
      if (coefficients[pair] != 0.0) add(space_, q, at(i), coefficients[pair], part);
    });
  });
}

}  // namespace nearwise
