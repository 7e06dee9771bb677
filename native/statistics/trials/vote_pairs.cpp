// A tile of queries stays in the cache while all weight vectors pass over it. Threads share the tiles; what they find is
// added up afterwards in the order of the cases, so that the number of threads changes nothing.
#include "statistics/trials/vote_pairs.hpp"

#include <algorithm>
#include <memory>

#include "machine/parallel.hpp"
#include "selection/listed.hpp"

namespace nearwise {
namespace {

constexpr Count tile = 16;

class Tile {
 public:
  explicit Tile(const Pairs& pairs) : d_(pairs), row_(pairs.n), listed_(tile, pairs.k, pairs.voters(), pairs.tolerance) {}

  // hits [rows, K]: whether each query of the tile is classified right under one weight vector
  void run(Count start, Count rows, const double* coefficients, std::uint8_t* hits) {
    for (Count j = 0; j < rows; ++j) {
      add_up(start + j, coefficients);
      listed_.list(j, row_.data());
    }
    listed_.vote(rows, d_.power, d_.by_distance);
    for (Count j = 0; j < rows; ++j)
      for (Count i = 0; i < listed_.k; ++i)
        hits[j * listed_.k + i] = listed_.winners[j * listed_.k + i] == d_.codes[d_.first + start + j];
  }

 private:
  // row_ [n]: sum over features of coefficient * term, in the order of the features; infinite where a case is left out.
  void add_up(Count query, const double* coefficients) {
    double* row = row_.data();
    std::fill(row_.begin(), row_.end(), 0.0);
    for (std::size_t f = 0; f < d_.terms.size(); ++f) {
      const double weight = coefficients[f];
      if (weight == 0.0) continue;
      const double* term = d_.terms[f] + query * d_.n;
      for (Count i = 0; i < d_.n; ++i) row[i] += weight * term[i];
    }
    d_.leave_out(d_.first + query, row);
  }

  const Pairs& d_;
  std::vector<double> row_;
  Listed listed_;
};

}  // namespace

void vote_pairs(const Pairs& pairs, Count threads, double* right) {
  const Count m = pairs.m, k = pairs.k, p = static_cast<Count>(pairs.terms.size());
  std::vector<std::uint8_t> hits(static_cast<std::size_t>(pairs.w * m * k));
  blocks_in_parallel(m, tile, threads, [&] {
    return [&, one = std::make_unique<Tile>(pairs)](Count first, Count last) {
      for (Count v = 0; v < pairs.w; ++v)
        one->run(first, last - first, pairs.coefficients + v * p, hits.data() + (v * m + first) * k);
    };
  });
  for (Count v = 0; v < pairs.w; ++v)
    for (Count j = 0; j < m; ++j) {
      const Count own = pairs.first + j, fold = pairs.leave_one_out ? 0 : pairs.folds[own];
      for (Count i = 0; i < k; ++i)
        if (hits[(v * m + j) * k + i]) right[(v * pairs.n_folds + fold) * k + i] += pairs.weights[own];
    }
}

}  // namespace nearwise
