// What is asked of the kd-tree: the k nearest with their ties, and all within a limit. The limit of a search for the
// nearest is the largest sum that ties with the k-th so far.
//
// Every query is worked out by one thread in one order, so results do not depend on the number of threads.
#include "index/tree/kd.hpp"

#include <algorithm>

#include "index/tree/visit.hpp"
#include "machine/parallel.hpp"
#include "selection/best.hpp"

namespace nearwise {
namespace {

constexpr Count block_length = 32;  // queries that a thread takes at a time

}  // namespace

std::vector<Count> kd_places(const KdForest& forest, const KdQueries& queries) {
  std::vector<Count> places(static_cast<std::size_t>(queries.m));
  if (forest.trees.empty()) return places;
  const auto smaller = [](const KdTree& a, const KdTree& b) { return a.n < b.n; };
  const KdTree& largest = *std::max_element(forest.trees.begin(), forest.trees.end(), smaller);
  rows_in_parallel(queries.m, block_length, queries.threads, [&] {
    return [&, visit = Visit(forest)](Count j) mutable {
      places[j] = visit.place_of(largest, queries.values + j * forest.p);
    };
  });
  return places;
}

void kd_nearest(const KdForest& forest, const KdQueries& queries, const Nearest& nearest, Count* visited) {
  rows_in_parallel(queries.m, block_length, queries.threads, [&] {
    return [&, visit = Visit(forest), best = Best(queries, forest.n)](Count j) mutable {
      best.clear(queries.known_reach(j));
      visit.all(queries.values + j * forest.p, best.limit, [&](double sum, Count index) {
        if (index != queries.exclude[j]) best.offer(sum, index);
      });
      visited[j] = visit.visited;
      best.write(j, nearest);
    };
  });
}

std::vector<RankedCases> kd_within(const KdForest& forest, const KdQueries& queries, const double* limits) {
  std::vector<RankedCases> out(static_cast<std::size_t>(queries.m));
  rows_in_parallel(queries.m, block_length, queries.threads, [&] {
    return [&, visit = Visit(forest)](Count j) mutable {
      RankedCases& near = out[j];
      visit.all(queries.values + j * forest.p, limits[j], [&](double sum, Count index) {
        if (index != queries.exclude[j]) near.push_back({sum, index});
      });
      std::sort(near.begin(), near.end());
    };
  });
  return out;
}

}  // namespace nearwise
