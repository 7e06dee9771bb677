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
void Contrast::summed(Count m, Count threads, double* totals, const Work& work) const {
  const Count p = space_.p, pieces = (m + piece - 1) / piece;
  std::vector<double> parts(static_cast<std::size_t>(pieces * p), 0.0);
  in_parallel(pieces, threads, [&] {
    return [&](Count at) { work(at * piece, std::min(m, (at + 1) * piece), parts.data() + at * p); };
  });
  for (Count f = 0; f < p; ++f) totals[f] = 0.0;
  for (Count at = 0; at < pieces; ++at)
    for (Count f = 0; f < p; ++f) totals[feature_[f]] += parts[at * p + f];
}

void Contrast::listed(const Count* queries, Count m, const Count* ends, const std::int32_t* cases,
                      const double* coefficients, Count threads, double* totals) const {
  const auto add = NEARWISE_CHOSEN(add_pair);
  summed(m, threads, totals, [&](Count first, Count last, double* part) {
    for (Count j = first; j < last; ++j) {
      const PairCase q = at(queries[j]);
      for (Count entry = ends[j]; entry < ends[j + 1]; ++entry)
        if (coefficients[entry] != 0.0) add(space_, q, at(cases[entry]), coefficients[entry], part);
    }
  });
}

void Contrast::sums(const Count* queries, Count m, Count threads, double* out) const {
  const auto sum = NEARWISE_CHOSEN(pair_sum);
  in_parallel((m + piece - 1) / piece, threads, [&] {
    return [&](Count chunk) {
      const Count last = std::min(m, (chunk + 1) * piece);
      for (Count from = 0; from < n_; from += tile)
        for (Count j = chunk * piece; j < last; ++j) {
          const PairCase q = at(queries[j]);
          for (Count i = from; i < std::min(n_, from + tile); ++i) out[j * n_ + i] = sum(space_, q, at(i));
        }
    };
  });
}

void Contrast::blocked(const Count* queries, Count m, const double* coefficients, Count threads, double* totals) const {
  const auto add = NEARWISE_CHOSEN(add_pair);
  summed(m, threads, totals, [&](Count first, Count last, double* part) {
    for (Count from = 0; from < n_; from += tile)
      for (Count j = first; j < last; ++j) {
        const PairCase q = at(queries[j]);
        for (Count i = from; i < std::min(n_, from + tile); ++i)
          if (coefficients[j * n_ + i] != 0.0) add(space_, q, at(i), coefficients[j * n_ + i], part);
      }
  });
}

}  // namespace nearwise
