// The k nearest cases of every query and the group that ties with the k-th.
//
// A tie group is known only when the k-th sum is, and it can be all n cases, so each query keeps its row of n sums and
// reads it twice: once for the k smallest, once for the ties. A few queries share each tile of cases while it is in
// cache. Every query is worked out by one thread in one order, so results do not depend on the number of threads.
#include "index/scan/scan.hpp"
#include "machine/numbers.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace nearwise {
namespace {

constexpr Count block_length = 4;    // queries that share a tile

struct Neighbour {
  double sum;
  Count index;
  bool operator<(const Neighbour& other) const {
    return sum < other.sum || (sum == other.sum && index < other.index);
  }
};

// Made before the threads start, so that no thread can run out of memory.
struct Workspace {
  Workspace(Count n, Count k) : rows(static_cast<std::size_t>(block_length * n)) {
    heap.reserve(static_cast<std::size_t>(std::min(n, k)));
  }
  std::vector<double> rows;     // [block_length, n]
  std::vector<Neighbour> heap;  // the k nearest so far, the farthest of them on top
};

void nearest_of_row(const Cases& c, const double* row, Count excluded, Count k, std::vector<Neighbour>& heap) {
  heap.clear();
  double farthest = infinity;  // of the heap once it is full: most cases are beyond it and cost one comparison
  for (Count i = 0; i < c.n; ++i) {
    if (row[i] > farthest || i == excluded) continue;
    const Neighbour candidate{row[i], c.index[i]};
    if (static_cast<Count>(heap.size()) < k) {
      heap.push_back(candidate);
    } else if (candidate < heap.front()) {
      std::pop_heap(heap.begin(), heap.end());
      heap.back() = candidate;
    } else {
      continue;
    }
    std::push_heap(heap.begin(), heap.end());
    if (static_cast<Count>(heap.size()) == k) farthest = heap.front().sum;
  }
  std::sort_heap(heap.begin(), heap.end());
}

void ties_of_row(const Cases& c, const double* row, Count excluded, double kth, double tolerance, Count& inside,
                 Count& tied, double* tie_sums) {
  // infinity - infinity is not a number; all infinite sums are equal, so they tie
  const double margin = kth == infinity ? 0.0 : tolerance * kth;
  const double lower = kth - margin, upper = kth + margin;
  for (Count i = 0; i < c.n; ++i) {
    if (row[i] > upper || i == excluded) continue;
    if (row[i] < lower) {
      ++inside;
      continue;
    }
    ++tied;
    for (Count j = 0; j < c.v; ++j) tie_sums[c.group_codes[i] * c.v + j] += c.group_values[i * c.v + j];
  }
}

void scan_query(const Cases& c, const Queries& queries, Count query, double* row, std::vector<Neighbour>& heap,
                const Nearest& nearest) {
  // what is not a number has no place in an order: it ranks with infinity
  for (Count i = 0; i < c.n; ++i) row[i] = row[i] != row[i] ? infinity : row[i];
  const Count excluded = queries.exclude[query], k = queries.k;
  nearest_of_row(c, row, excluded, k, heap);
  for (Count j = 0; j < k; ++j) {
    const bool exists = j < static_cast<Count>(heap.size());
    nearest.sums[query * k + j] = exists ? heap[j].sum : infinity;
    nearest.indices[query * k + j] = exists ? heap[j].index : -1;
  }
  if (!heap.empty())
    ties_of_row(c, row, excluded, heap.back().sum, queries.tolerance, nearest.inside[query], nearest.tied[query],
                nearest.tie_sums + query * c.n_groups * c.v);
}

void scan_block(const Cases& c, const Queries& queries, Count first, Tile tile, Workspace& space, const Nearest& nearest) {
  const Count last = std::min(first + block_length, queries.m);
  for (Count begin = 0; begin < c.n; begin += tile_length)
    for (Count query = first; query < last; ++query)
      tile(c, queries.values + query * queries.stride, begin, std::min(begin + tile_length, c.n),
           space.rows.data() + (query - first) * c.n);
  for (Count query = first; query < last; ++query)
    scan_query(c, queries, query, space.rows.data() + (query - first) * c.n, space.heap, nearest);
}

}  // namespace

void scan(const Cases& cases, const Queries& queries, Count threads, Tile tile, const Nearest& nearest) {
  const Count blocks = (queries.m + block_length - 1) / block_length;
  const Count workers = std::max<Count>(1, std::min(threads, blocks));
  std::vector<Workspace> spaces;
  spaces.reserve(static_cast<std::size_t>(workers));
  for (Count worker = 0; worker < workers; ++worker) spaces.emplace_back(cases.n, queries.k);

  std::atomic<Count> next{0};
  auto work = [&](Workspace& space) {
    for (Count block = next++; block < blocks; block = next++)
      scan_block(cases, queries, block * block_length, tile, space, nearest);
  };
  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<std::size_t>(workers));
  try {
    for (Count worker = 1; worker < workers; ++worker) helpers.emplace_back(work, std::ref(spaces[worker]));
  } catch (const std::system_error&) {
    // the system gives no more threads: those that started and this one do all blocks
  }
  work(spaces[0]);
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace nearwise
