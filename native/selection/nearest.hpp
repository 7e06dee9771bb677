// What every search is asked and what it answers: the k nearest cases of each query, and the group that ties with the k-th.
//
// Shapes: n cases, m queries, k neighbours, v values per case.
#pragma once

#include <algorithm>
#include <vector>

#include "machine/numbers.hpp"

namespace nearwise {

// A case and its sum. Equal sums go by index, so the order does not depend on how cases were found.
template <class Index>
struct Ranked {
  double sum;
  Index index;
  bool operator<(const Ranked& other) const { return sum < other.sum || (sum == other.sum && index < other.index); }
};

// The sums that tie with one of them, low .. high: the tolerance is anchored there and never chained.
struct Tie {
  Tie(double sum, double tolerance) {
    // infinity - infinity is not a number; all infinite sums are equal, so they tie
    const double margin = sum == infinity ? 0.0 : tolerance * sum;
    low = sum - margin;
    high = sum + margin;
  }
  double low, high;
};

// Numbers to add up over the cases that tie.
struct Payload {
  const std::int32_t* codes;         // [n] the row that a case is added to
  const double* values;              // [n, v]
  Count n_groups, v;

  Count size() const { return n_groups * v; }
  void add(Count i, double* rows, double sign = 1.0) const {
    for (Count j = 0; j < v; ++j) rows[codes[i] * v + j] += sign * values[i * v + j];
  }
};

struct Wanted {
  const Count* exclude;              // [m] the case that this query must skip, or -1
  Payload payload;
  Count m, k, threads;
  double tolerance;
  const double* reach = nullptr;     // [m] a sum beyond which no case is wanted, or infinity; null: unknown

  // The same with room for what ties with it, and for what a bound rounds.
  double known_reach(Count query) const { return reach ? reach[query] * (1 + 4 * tolerance) : infinity; }
};

struct Nearest {
  double* sums;                      // [m, k] ascending by (sum, index); infinity where there are fewer than k cases
  Count* indices;                    // [m, k] original indices; -1 where there are fewer than k cases
  Count* inside;                     // [m] cases clearly nearer than the k-th
  Count* tied;                       // [m] cases whose sum equals the k-th up to the tolerance
  double* tie_sums;                  // [m, n_groups, v]

  // Writes the first k of these, which are in order.
  template <class Index>
  void list(Count query, Count k, const std::vector<Ranked<Index>>& ranked) const {
    for (Count j = 0; j < k; ++j) {
      const bool exists = j < static_cast<Count>(ranked.size());
      sums[query * k + j] = exists ? ranked[static_cast<std::size_t>(j)].sum : infinity;
      indices[query * k + j] = exists ? ranked[static_cast<std::size_t>(j)].index : -1;
    }
  }

  // Counts a case that comes before the tie with the k-th, or belongs to it.
  void count(Count query, const Tie& tie, double sum, const Payload& payload, Count i) const {
    if (sum < tie.low) {
      ++inside[query];
    } else if (sum <= tie.high) {
      ++tied[query];
      payload.add(i, tie_sums + query * payload.size());
    }
  }
};

// Puts a smaller one in the place of the largest, which is on top of the heap.
template <class Each>
void replace_largest(std::vector<Each>& heap, const Each& smaller) {
  const std::size_t size = heap.size();
  std::size_t hole = 0;
  for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
    if (child + 1 < size && heap[child] < heap[child + 1]) ++child;
    if (!(smaller < heap[child])) break;
    heap[hole] = heap[child];
    hole = child;
  }
  heap[hole] = smaller;
}

// Keeps the k smallest of those that are offered, the largest on top.
template <class Each>
void keep_smallest(std::vector<Each>& heap, const Each& candidate, Count k) {
  if (static_cast<Count>(heap.size()) < k) {
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end());
  } else if (candidate < heap.front()) {
    replace_largest(heap, candidate);
  }
}

}  // namespace nearwise
