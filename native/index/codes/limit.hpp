// How far a query still has to look: the largest sum that can belong to its answer, given what was found so far.
#pragma once

#include <algorithm>
#include <vector>

#include "index/codes/codes.hpp"
#include "machine/numbers.hpp"

namespace nearwise::coded {

// The k smallest sums found so far. What is found is a part of what there is, and more cases never move the k-th case
// nor the k-th level away: for levels, if the i-th starts no later with more cases, then so does the next, which is
// the first sum beyond its end. So the limit only falls, and a case beyond it is out for good.
class Limit {
 public:
  void start(Count k, double tie, bool distinct, double at_most) {
    k_ = k, tie_ = tie, distinct_ = distinct, total_ = 0, limit_ = at_most;
    sums_.clear(), counts_.clear();
  }
  double value() const { return limit_; }

  // `count` cases at a sum that is not beyond the limit
  void add(double sum, Count count) {
    const auto at = std::lower_bound(sums_.begin(), sums_.end(), sum);
    const auto place = at - sums_.begin();
    total_ += count;
    if (at != sums_.end() && *at == sum) {
      counts_[place] += count;
      if (distinct_ || total_ < k_) return;
    } else {
      sums_.insert(at, sum);
      counts_.insert(counts_.begin() + place, count);
    }
    distinct_ ? lower_to_level() : lower_to_case();
  }

 private:
  void lower_to_case() {
    if (total_ < k_) return;
    for (; total_ - counts_.back() >= k_; sums_.pop_back(), counts_.pop_back()) total_ -= counts_.back();
    limit_ = std::min(limit_, Tie(sums_.back(), tie_).high);
  }
  void lower_to_level() {
    std::size_t at = 0;
    for (Count level = 1; at < sums_.size(); ++level) {
      const double end = Tie(sums_[at], tie_).high;
      while (at < sums_.size() && sums_[at] <= end) ++at;
      if (level < k_) continue;
      limit_ = std::min(limit_, end);
      sums_.resize(at), counts_.resize(at);
      return;
    }
  }

  Count k_ = 1, total_ = 0;
  double tie_ = 0, limit_ = infinity;
  bool distinct_ = false;
  std::vector<double> sums_;   // ascending, each once
  std::vector<Count> counts_;
};

}  // namespace nearwise::coded
