// The k nearest cases of one query so far, and what ties with the k-th of them.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "selection/nearest.hpp"

namespace nearwise {

// Memory of one thread, used again for every query.
class Best {
 public:
  Best(const Wanted& wanted, Count n) : wanted_(wanted), n_(n) {}

  double limit = infinity;  // the largest sum that still matters: that which ties with the k-th so far

  // No sum beyond `reach` is offered.
  void clear(double reach = infinity) {
    heap_.clear();
    ties_.clear();
    limit = reach;
    crowded_ = 256;
  }

  void offer(double sum, Count index) {
    Ranked<Count> left{sum, index};
    if (static_cast<Count>(heap_.size()) < wanted_.k) {
      heap_.push_back(left);
      if (static_cast<Count>(heap_.size()) < wanted_.k) return;
      std::make_heap(heap_.begin(), heap_.end());
      lower_limit();
      return;
    }
    if (left < heap_.front()) {
      const Ranked<Count> nearer = std::exchange(left, heap_.front());
      replace_largest(heap_, nearer);
      lower_limit();
    }
    if (left.sum <= limit) keep_tie(left);
  }

  // The answer of a query.
  void write(Count query, const Nearest& out) {
    std::sort(heap_.begin(), heap_.end());
    out.list(query, wanted_.k, heap_);
    if (heap_.empty()) return;
    const Tie tie(heap_.back().sum, wanted_.tolerance);
    limit = tie.high;
    drop_ties();
    tied_.clear();
    for (const auto& [sum, index] : heap_)
      if (sum >= tie.low) tied_.push_back(index);
    for (const auto& [sum, index] : ties_) tied_.push_back(index);
    put_in_order();
    out.tied[query] = static_cast<Count>(tied_.size());
    out.inside[query] = static_cast<Count>(heap_.size() + ties_.size() - tied_.size());
    for (const Count i : tied_) wanted_.payload.add(i, out.tie_sums + query * wanted_.payload.size());
  }

 private:
  void lower_limit() { limit = std::min(limit, Tie(heap_.front().sum, wanted_.tolerance).high); }

  void keep_tie(const Ranked<Count>& tie) {
    if (ties_.size() >= crowded_) {
      drop_ties();
      crowded_ = 2 * ties_.size() + 256;
    }
    ties_.push_back(tie);
  }

  void drop_ties() {
    std::erase_if(ties_, [this](const Ranked<Count>& tie) { return tie.sum > limit; });
  }

  // By index, so that the payload is added up as every engine does. A few are sorted; many are marked, because a tie group
  // can be all cases.
  void put_in_order() {
    if (static_cast<Count>(tied_.size()) * 64 < n_ || tied_.size() < 64) {
      std::sort(tied_.begin(), tied_.end());
      return;
    }
    marks_.assign(static_cast<std::size_t>(n_ / 64 + 1), 0);
    for (const Count i : tied_) marks_[i / 64] |= std::uint64_t{1} << (i % 64);
    tied_.clear();
    for (std::size_t word = 0; word < marks_.size(); ++word)
      for (std::uint64_t mask = marks_[word]; mask != 0; mask &= mask - 1)
        tied_.push_back(static_cast<Count>(word) * 64 + std::countr_zero(mask));
  }

  const Wanted& wanted_;
  const Count n_;
  std::vector<Ranked<Count>> heap_, ties_;  // the k nearest, the farthest on top; what ties beyond them
  std::size_t crowded_ = 256;
  std::vector<Count> tied_;
  std::vector<std::uint64_t> marks_;
};

}  // namespace nearwise
