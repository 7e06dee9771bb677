// A tile of queries stays in the cache while all weight vectors pass over it. Threads share the tiles; what they find is
// added up afterwards in the order of the cases, so that the number of threads changes nothing.
#include "statistics/trials/vote_pairs.hpp"

#include <algorithm>
#include <memory>

#include "machine/numbers.hpp"
#include "machine/parallel.hpp"
#include "statistics/trials/evaluate.hpp"

namespace nearwise {
namespace {

constexpr Count tile = 16;

class Tile {
 public:
  Tile(const Pairs& pairs, Count k, double tolerance)
      : d_(pairs), k_(k), tolerance_(tolerance), row_(pairs.n), sums_(tile * k), kernel_(tile * k),
        tie_sums_(tile * pairs.classes), indices_(tile * k), tied_(tile), winners_(tile * k) {}

  // hits [rows, K]: whether each query of the tile is classified right under one weight vector
  void run(Count start, Count rows, const double* coefficients, std::uint8_t* hits) {
    std::fill(tie_sums_.begin(), tie_sums_.end(), 0.0);
    for (Count j = 0; j < rows; ++j) {
      add_up(start + j, coefficients);
      select(j);
    }
    weigh(sums_.data(), rows, k_, d_.power, d_.by_distance, kernel_.data());
    every_k({sums_.data(), indices_.data(), kernel_.data(), tied_.data(), tie_sums_.data(), rows, k_, tolerance_, true},
            {d_.codes, d_.weights, d_.priors, d_.n, d_.classes}, winners_.data(), 1);
    for (Count j = 0; j < rows; ++j)
      for (Count i = 0; i < k_; ++i)
        hits[j * k_ + i] = winners_[j * k_ + i] == d_.codes[d_.first + start + j];
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
    const Count own = d_.first + query;
    if (d_.leave_one_out) {
      row[own] = infinity;
    } else {
      const std::int32_t fold = d_.folds[own];
      for (Count i = 0; i < d_.n; ++i)
        if (d_.folds[i] == fold) row[i] = infinity;
    }
  }

  // The k smallest of row_ by (sum, index), and what ties with the last of them.
  void select(Count j) {
    double* sums = sums_.data() + j * k_;
    Count* indices = indices_.data() + j * k_;
    std::fill(sums, sums + k_, infinity);
    std::fill(indices, indices + k_, Count(-1));
    Count filled = 0;
    for (Count i = 0; i < d_.n; ++i) {
      const double s = row_[i];
      if (!(s < sums[k_ - 1])) continue;
      Count at = std::min(filled, k_ - 1);
      for (; at > 0 && sums[at - 1] > s; --at) {
        sums[at] = sums[at - 1];
        indices[at] = indices[at - 1];
      }
      sums[at] = s;
      indices[at] = i;
      if (filled < k_) ++filled;
    }
    tied_[j] = 0;
    if (filled == 0) return;
    const double last = sums[filled - 1], lower = last - tolerance_ * last, upper = last + tolerance_ * last;
    for (Count i = 0; i < d_.n; ++i)
      if (row_[i] >= lower && row_[i] <= upper) {
        ++tied_[j];
        tie_sums_[j * d_.classes + d_.codes[i]] += d_.weights[i];
      }
  }

  const Pairs& d_;
  const Count k_;
  const double tolerance_;
  std::vector<double> row_, sums_, kernel_, tie_sums_;
  std::vector<Count> indices_, tied_;
  std::vector<std::int32_t> winners_;
};

}  // namespace

void vote_pairs(const Pairs& pairs, const double* coefficients, Count w, Count k, double tolerance, Count threads,
                double* right) {
  const Count m = pairs.m, p = static_cast<Count>(pairs.terms.size()), tiles = (m + tile - 1) / tile;
  std::vector<std::uint8_t> hits(static_cast<std::size_t>(w * m * k));
  in_parallel(tiles, threads, [&] {
    return [&, one = std::make_unique<Tile>(pairs, k, tolerance)](Count at) {
      const Count start = at * tile, rows = std::min(tile, m - start);
      for (Count v = 0; v < w; ++v) one->run(start, rows, coefficients + v * p, hits.data() + (v * m + start) * k);
    };
  });
  for (Count v = 0; v < w; ++v)
    for (Count j = 0; j < m; ++j) {
      const Count own = pairs.first + j, fold = pairs.leave_one_out ? 0 : pairs.folds[own];
      for (Count i = 0; i < k; ++i)
        if (hits[(v * m + j) * k + i]) right[(v * pairs.n_folds + fold) * k + i] += pairs.weights[own];
    }
}

}  // namespace nearwise
