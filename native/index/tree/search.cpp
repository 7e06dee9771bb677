// What is asked of the kd-tree: the k nearest with their ties, and all within a limit. The limit of a search for the
// nearest is the largest sum that ties with the k-th so far.
//
// Every query is worked out by one thread in one order, so results do not depend on the number of threads.
#include "index/tree/kd.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "index/tree/visit.hpp"
#include "machine/parallel.hpp"

namespace nearwise {
namespace {

constexpr Count block_length = 32;  // queries that a thread takes at a time

// The k nearest so far and what ties with the k-th of them.
class Best {
 public:
  Best(Count k, double tolerance) : k_(k), tolerance_(tolerance) {}

  double limit = infinity;  // the largest sum that still matters

  void clear() {
    heap_.clear();
    ties_.clear();
    limit = infinity;
    crowded_ = 256;
  }

  void offer(double sum, Count index) {
    Ranked<Count> left{sum, index};
    if (static_cast<Count>(heap_.size()) < k_) {
      heap_.push_back(left);
      if (static_cast<Count>(heap_.size()) < k_) return;
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

  // Sorts the neighbours and drops what no longer ties.
  void finish() {
    if (static_cast<Count>(heap_.size()) < k_) std::make_heap(heap_.begin(), heap_.end());
    std::sort_heap(heap_.begin(), heap_.end());
    if (!heap_.empty()) limit = tie().high;
    drop_ties();
  }

  const RankedCases& nearest() const { return heap_; }
  const RankedCases& ties() const { return ties_; }  // beyond the k nearest
  Tie tie() const { return {heap_.back().sum, tolerance_}; }

 private:
  void lower_limit() { limit = Tie(heap_.front().sum, tolerance_).high; }

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

  Count k_;
  double tolerance_;
  RankedCases heap_, ties_;
  std::size_t crowded_ = 256;
};

// Cases in the order of their index, so that the payload is added up as every engine does. A few are sorted; many
// are marked, because a tie group can be all cases.
class InOrder {
 public:
  explicit InOrder(Count n) : n_(n) {}
  std::vector<Count> cases;

  void sort() {
    if (static_cast<Count>(cases.size()) * 64 < n_ || cases.size() < 64) {
      std::sort(cases.begin(), cases.end());
      return;
    }
    marks_.assign(static_cast<std::size_t>(n_ / 64 + 1), 0);
    for (const Count i : cases) marks_[i / 64] |= std::uint64_t{1} << (i % 64);
    cases.clear();
    for (std::size_t word = 0; word < marks_.size(); ++word)
      for (std::uint64_t mask = marks_[word]; mask != 0; mask &= mask - 1)
        cases.push_back(static_cast<Count>(word) * 64 + std::countr_zero(mask));
  }

 private:
  Count n_;
  std::vector<std::uint64_t> marks_;
};

// The search of one thread.
struct Space {
  Visit visit;
  Best best;
  InOrder tied;

  void run(const KdQueries& queries, Count j, const double* query, const Nearest& out, Count& visited) {
    const Count excluded = queries.exclude[j];
    best.clear();
    visit.all(query, best.limit, [&](double sum, Count index) {
      if (index != excluded) best.offer(sum, index);
    });
    visited = visit.visited;
    best.finish();
    out.list(j, queries.k, best.nearest());
    if (best.nearest().empty()) return;
    tied.cases.clear();
    const double lowest = best.tie().low;
    for (const auto& [sum, index] : best.nearest())
      if (sum >= lowest) tied.cases.push_back(index);
    for (const auto& [sum, index] : best.ties()) tied.cases.push_back(index);
    tied.sort();
    out.tied[j] = static_cast<Count>(tied.cases.size());
    out.inside[j] = static_cast<Count>(best.nearest().size() + best.ties().size()) - out.tied[j];
    for (const Count i : tied.cases) queries.payload.add(i, out.tie_sums + j * queries.payload.size());
  }
};

}  // namespace

std::vector<Count> kd_places(const KdForest& forest, const KdQueries& queries, const KdLoops& loops) {
  std::vector<Count> places(static_cast<std::size_t>(queries.m));
  if (forest.trees.empty()) return places;
  const auto smaller = [](const KdTree& a, const KdTree& b) { return a.n < b.n; };
  const KdTree& largest = *std::max_element(forest.trees.begin(), forest.trees.end(), smaller);
  rows_in_parallel(queries.m, block_length, queries.threads, [&] {
    return [&, visit = Visit(forest, loops)](Count j) mutable {
      places[j] = visit.place_of(largest, queries.values + j * forest.p);
    };
  });
  return places;
}

void kd_nearest(const KdForest& forest, const KdQueries& queries, const KdLoops& loops, const Nearest& nearest,
                Count* visited) {
  rows_in_parallel(queries.m, block_length, queries.threads, [&] {
    Space space{Visit(forest, loops), Best(queries.k, queries.tolerance), InOrder(forest.n)};
    return [&, space = std::move(space)](Count j) mutable {
      space.run(queries, j, queries.values + j * forest.p, nearest, visited[j]);
    };
  });
}

std::vector<RankedCases> kd_within(const KdForest& forest, const KdQueries& queries, const double* limits,
                                   const KdLoops& loops) {
  std::vector<RankedCases> out(static_cast<std::size_t>(queries.m));
  rows_in_parallel(queries.m, block_length, queries.threads, [&] {
    return [&, visit = Visit(forest, loops)](Count j) mutable {
      RankedCases& near = out[j];
      const Count excluded = queries.exclude[j];
      visit.all(queries.values + j * forest.p, limits[j], [&](double sum, Count index) {
        if (index != excluded) near.push_back({sum, index});
      });
      std::sort(near.begin(), near.end());
    };
  });
  return out;
}

}  // namespace nearwise
