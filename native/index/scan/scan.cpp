// The k nearest cases of every query and the group that ties with the k-th.
//
// A tie group is known only when the k-th sum is, and it can be all n cases, so each query keeps its row of n sums and
// reads it twice: once for the k smallest, once for the ties. A few queries share each tile of cases while it is in
// cache. Every query is worked out by one thread in one order, so results do not depend on the number of threads.
#include "index/scan/scan.hpp"

#include <algorithm>
#include <memory>

#include "machine/parallel.hpp"

namespace nearwise {
namespace {

constexpr Count block_length = 4;  // queries that share a tile

// The search of one thread.
class Scan {
 public:
  Scan(const Cases& cases, const Queries& queries, const Nearest& nearest)
      : c_(cases), q_(queries), nearest_(nearest), rows_(static_cast<std::size_t>(block_length * cases.n)) {
    heap_.reserve(static_cast<std::size_t>(std::min(cases.n, queries.k)));
  }

  void run(Count first) {
    const Count last = std::min(first + block_length, q_.m);
    for (Count begin = 0; begin < c_.n; begin += tile_length)
      for (Count query = first; query < last; ++query)
        tile_(c_, q_.values + query * length_, begin, std::min(begin + tile_length, c_.n),
              rows_.data() + (query - first) * c_.n);
    for (Count query = first; query < last; ++query) select(query, rows_.data() + (query - first) * c_.n);
  }

 private:
  void select(Count query, double* row) {
    const Count n = c_.n, k = q_.k, excluded = q_.exclude[query];
    // what is not a number has no place in an order: it ranks with infinity
    for (Count i = 0; i < n; ++i) row[i] = row[i] != row[i] ? infinity : row[i];
    heap_.clear();
    double farthest = infinity;  // of the heap once it is full: most cases are beyond it and cost one comparison
    for (Count i = 0; i < n; ++i) {
      if (row[i] > farthest || i == excluded) continue;
      keep_smallest(heap_, {row[i], c_.index[i]}, k);
      if (static_cast<Count>(heap_.size()) == k) farthest = heap_.front().sum;
    }
    std::sort_heap(heap_.begin(), heap_.end());
    nearest_.list(query, k, heap_);
    if (heap_.empty()) return;
    const Tie tie(heap_.back().sum, q_.tolerance);
    for (Count i = 0; i < n; ++i)
      if (!(row[i] > tie.high || i == excluded)) nearest_.count(query, tie, row[i], q_.payload, i);
  }

  const Cases& c_;
  const Queries& q_;
  const Count length_ = query_length(c_);
  decltype(&NEARWISE_CHOSEN(tile)) tile_ = NEARWISE_CHOSEN(tile);
  const Nearest& nearest_;
  std::vector<double> rows_;         // [block_length, n]
  std::vector<Ranked<Count>> heap_;  // the k nearest so far, the farthest of them on top
};

}  // namespace

Count query_length(const Cases& cases) {
  return cases.p * (1 + (cases.expected != nullptr) + (cases.by_query ? cases.g : 0));
}

void scan(const Cases& cases, const Queries& queries, const Nearest& nearest) {
  in_parallel((queries.m + block_length - 1) / block_length, queries.threads, [&] {
    return [search = std::make_unique<Scan>(cases, queries, nearest)](Count block) {
      search->run(block * block_length);
    };
  });
}

}  // namespace nearwise
