// What a two-stage search keeps while it runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "staged.hpp"

namespace nearwise::stages {  // other kernels have a Neighbour and a Workspace of their own

constexpr Count block_length = 4;    // queries that share a tile
constexpr Count first_batch = 4;     // cases compared in full at first, for each neighbour asked for

// raised[longer][edits]: the powers of raw differences, which saves a division for every pair
struct Powers {
  Powers(int power, bool share) {
    for (int longer = 0; longer <= text_letters; ++longer)
      for (int edits = 0; edits <= text_letters; ++edits) {
        const double raw = !share ? edits : longer == 0 ? 0.0 : static_cast<double>(edits) / longer;
        raised[longer][edits] = power == 2 ? raw * raw : raw;
      }
  }
  double raised[text_letters + 1][text_letters + 1];
};

struct Neighbour {
  double sum;
  Count index, packed;
  bool operator<(const Neighbour& other) const { return sum < other.sum || (sum == other.sum && index < other.index); }
};

// Made before the threads start, so that no thread can run out of memory.
struct Workspace {
  Workspace(Count n, Count k, Count t)
      : rows(static_cast<std::size_t>(block_length * n)),
        patterns(static_cast<std::size_t>(256 * t)),
        edits(static_cast<std::size_t>(t)) {
    found.reserve(static_cast<std::size_t>(n));
    heap.reserve(static_cast<std::size_t>(std::min(n, k)) + 1);
    first.reserve(static_cast<std::size_t>(std::min(n, first_batch * std::min(n, k))) + 1);
  }
  std::vector<double> rows;                    // [block_length, n]
  std::vector<std::uint64_t> patterns;         // [t, 256] where each letter stands in the query text
  std::vector<std::array<int, lanes>> edits;   // [t] of the cases that are being compared
  std::vector<Neighbour> found;                // cases compared in full that were within reach
  std::vector<Neighbour> heap;                 // the k nearest of them, the farthest on top
  std::vector<Neighbour> first;                // the cases with the smallest rows
};

inline void keep_smallest(std::vector<Neighbour>& heap, const Neighbour& candidate, Count k) {
  if (static_cast<Count>(heap.size()) == k) {
    if (!(candidate < heap.front())) return;
    std::pop_heap(heap.begin(), heap.end());
    heap.back() = candidate;
  } else {
    heap.push_back(candidate);
  }
  std::push_heap(heap.begin(), heap.end());
}

}  // namespace nearwise::stages
