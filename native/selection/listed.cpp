#include "selection/listed.hpp"

#include <algorithm>

namespace nearwise {

Listed::Listed(Count rows, Count neighbours, const Voters& by, double tie)
    : k(neighbours), voters(by), tolerance(tie), sums(rows * k), kernel(rows * k), tie_sums(rows * by.n_groups),
      indices(rows * k), inside(rows), tied(rows), winners(rows * k), found(by.n) {}

void Listed::list(Count row, const double* all) {
  double *best = sums.data() + row * k, *of_class = tie_sums.data() + row * voters.n_groups;
  Count* index = indices.data() + row * k;
  const Count filled = NEARWISE_CHOSEN(smallest)(all, voters.n, k, best, index);
  for (Count j = filled; j < k; ++j) best[j] = infinity, index[j] = -1;
  std::fill(of_class, of_class + voters.n_groups, 0.0);
  tied[row] = 0;
  if (filled == 0) return;
  const Tie tie(best[filled - 1], tolerance);
  tied[row] = NEARWISE_CHOSEN(between)(all, voters.n, tie.low, tie.high, found.data());
  for (Count at = 0; at < tied[row]; ++at) of_class[voters.codes[found[at]]] += voters.weights[found[at]];
}

void Listed::vote(Count rows, double power, bool by_distance) {
  weigh(sums.data(), rows, k, power, by_distance, kernel.data());
  every_k({sums.data(), indices.data(), kernel.data(), tied.data(), tie_sums.data(), rows, k, tolerance, true}, voters,
          winners.data(), 1);
}

}  // namespace nearwise
