// What is asked of the kd-tree: the k nearest with their ties, and all within a limit. The limit of a search for the
// nearest is the largest sum that ties with the k-th so far.
//
// Every query is worked out by one thread in one order, so results do not depend on the number of threads.
#include "index/tree/kd.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "index/tree/visit.hpp"
#include "machine/numbers.hpp"

namespace nearwise {
namespace {

constexpr Count block_length = 32;  // queries that a thread takes at a time

using Neighbour = Near::value_type;  // compares by (sum, index)

// Calls work(space, j) for every query j, each thread with a space of its own.
template <class Make, class Work>
void share(Count m, Count threads, Make make, Work work) {
  const Count blocks = (m + block_length - 1) / block_length;
  const Count workers = std::max<Count>(1, std::min(threads, blocks));
  std::atomic<Count> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  auto run = [&] {
    try {
      auto space = make();
      for (Count block = next++; block < blocks; block = next++)
        for (Count j = block * block_length; j < std::min(m, (block + 1) * block_length); ++j) work(space, j);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(guard);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<std::size_t>(workers));
  try {
    for (Count worker = 1; worker < workers; ++worker) helpers.emplace_back(run);
  } catch (const std::system_error&) {
    // the system gives no more threads: those that started and this one do all blocks
  }
  run();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

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
    const Neighbour candidate{sum, index};
    if (static_cast<Count>(heap_.size()) < k_) {
      heap_.push_back(candidate);
      if (static_cast<Count>(heap_.size()) < k_) return;
      std::make_heap(heap_.begin(), heap_.end());
      lower_limit();
      return;
    }
    Neighbour left = candidate;
    if (candidate < heap_.front()) {
      left = heap_.front();
      replace_top(candidate);
      lower_limit();
    }
    if (left.first <= limit) keep_tie(left);
  }

  // Sorts the neighbours and drops what no longer ties.
  void finish() {
    if (static_cast<Count>(heap_.size()) < k_) std::make_heap(heap_.begin(), heap_.end());
    std::sort_heap(heap_.begin(), heap_.end());
    if (!heap_.empty()) limit = upper(heap_.back().first);
    drop_ties();
  }

  const Near& nearest() const { return heap_; }
  const Near& ties() const { return ties_; }  // beyond the k nearest
  double lowest_tie() const { return heap_.back().first - margin(heap_.back().first); }

 private:
  // infinity - infinity is not a number; all infinite sums are equal, so they tie
  double margin(double kth) const { return kth == infinity ? 0.0 : tolerance_ * kth; }
  double upper(double kth) const { return kth + margin(kth); }
  void lower_limit() { limit = upper(heap_.front().first); }

  void replace_top(const Neighbour& candidate) {
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && heap_[child] < heap_[child + 1]) ++child;
      if (!(candidate < heap_[child])) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = candidate;
  }

  void keep_tie(const Neighbour& tie) {
    if (ties_.size() >= crowded_) {
      drop_ties();
      crowded_ = 2 * ties_.size() + 256;
    }
    ties_.push_back(tie);
  }

  void drop_ties() {
    std::erase_if(ties_, [this](const Neighbour& tie) { return tie.first > limit; });
  }

  Count k_;
  double tolerance_;
  Near heap_, ties_;
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

struct Space {
  Visit visit;
  Best best;
  InOrder tied;
};

void write(const Space& space, const KdPayload& payload, Count k, Count j, const Nearest& out) {
  const Near& near = space.best.nearest();
  for (Count i = 0; i < k; ++i) {
    const bool exists = i < static_cast<Count>(near.size());
    out.sums[j * k + i] = exists ? near[i].first : infinity;
    out.indices[j * k + i] = exists ? near[i].second : -1;
  }
  out.tied[j] = static_cast<Count>(space.tied.cases.size());
  out.inside[j] = static_cast<Count>(near.size() + space.best.ties().size()) - out.tied[j];
  double* sums = out.tie_sums + j * payload.n_groups * payload.v;
  for (const Count i : space.tied.cases)
    for (Count value = 0; value < payload.v; ++value)
      sums[payload.codes[i] * payload.v + value] += payload.values[i * payload.v + value];
}

}  // namespace

std::vector<Count> kd_places(const KdForest& forest, const double* queries, Count m, Count threads,
                             const KdLoops& loops) {
  std::vector<Count> places(static_cast<std::size_t>(m));
  if (forest.trees.empty()) return places;
  const auto smaller = [](const KdTree& a, const KdTree& b) { return a.n < b.n; };
  const KdTree& largest = *std::max_element(forest.trees.begin(), forest.trees.end(), smaller);
  share(m, threads, [&] { return Visit(forest, loops); },
        [&](Visit& visit, Count j) { places[j] = visit.place_of(largest, queries + j * forest.p); });
  return places;
}

void kd_nearest(const KdForest& forest, const KdQueries& queries, Count k, double tolerance, const KdPayload& payload,
                Count threads, const KdLoops& loops, const Nearest& nearest, Count* visited) {
  const auto make = [&] { return Space{Visit(forest, loops), Best(k, tolerance), InOrder(forest.n)}; };
  share(queries.m, threads, make, [&](Space& space, Count j) {
    Best& best = space.best;
    const Count excluded = queries.exclude[j];
    best.clear();
    space.visit.all(queries.values + j * forest.p, best.limit, [&](double sum, Count index) {
      if (index != excluded) best.offer(sum, index);
    });
    visited[j] = space.visit.visited;
    best.finish();
    space.tied.cases.clear();
    if (!best.nearest().empty()) {
      const double lowest = best.lowest_tie();
      for (const auto& [sum, index] : best.nearest())
        if (sum >= lowest) space.tied.cases.push_back(index);
      for (const auto& [sum, index] : best.ties()) space.tied.cases.push_back(index);
      space.tied.sort();
    }
    write(space, payload, k, j, nearest);
  });
}

std::vector<Near> kd_within(const KdForest& forest, const KdQueries& queries, const double* limits, Count threads,
                            const KdLoops& loops) {
  std::vector<Near> out(static_cast<std::size_t>(queries.m));
  share(queries.m, threads, [&] { return Visit(forest, loops); }, [&](Visit& visit, Count j) {
    Near& near = out[j];
    const Count excluded = queries.exclude[j];
    visit.all(queries.values + j * forest.p, limits[j], [&](double sum, Count index) {
      if (index != excluded) near.emplace_back(sum, index);
    });
    std::sort(near.begin(), near.end());
  });
  return out;
}

}  // namespace nearwise
