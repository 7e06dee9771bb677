// The class that wins a vote.
#pragma once

#include <algorithm>
#include <vector>

#include "selection/nearest.hpp"

namespace nearwise {

// Most votes [classes], then the class of the nearest case (near: its sum), then the larger prior, then the order of classes.
inline std::int32_t winner(const std::vector<double>& votes, const std::vector<double>& near, const double* priors,
                           double tolerance) {
  const double most = *std::max_element(votes.begin(), votes.end()) * (1 - tolerance);
  double nearest = infinity;
  for (std::size_t c = 0; c < votes.size(); ++c)
    if (votes[c] >= most) nearest = std::min(nearest, near[c]);
  const double limit = Tie(nearest, tolerance).high;
  std::int32_t best = -1;
  for (std::size_t c = 0; c < votes.size(); ++c)
    if (votes[c] >= most && near[c] <= limit && (best < 0 || priors[c] > priors[best])) best = static_cast<std::int32_t>(c);
  return best;
}

}  // namespace nearwise
