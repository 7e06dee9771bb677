// A bucketed kd-tree per segment of cases, built once and then only read. Shapes: n cases, m queries, p features,
// g segments, d features of a segment whose coefficient is not 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "index/tree/loops.hpp"
#include "selection/nearest.hpp"

namespace nearwise {

// Puts a vector on cache lines, so that a row of a tile or of a box is not read from two.
template <class T>
struct OnCacheLines {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  OnCacheLines() = default;
  template <class U>
  OnCacheLines(const OnCacheLines<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* data, std::size_t) noexcept { ::operator delete(data, line); }
  bool operator==(const OnCacheLines&) const = default;
};
template <class T>
using Lines = std::vector<T, OnCacheLines<T>>;

struct KdTree {
  static constexpr std::int32_t none = INT32_MIN;
  std::vector<Count> features;         // [d] in schema order
  std::vector<double> coefficients;    // [d]
  Lines<double> tiles;                 // [leaves, d, leaf_length]; the places after the last case hold 0
  Lines<std::uint8_t> bytes;           // or the same as bytes, see byte_bounds
  std::vector<std::int32_t> index;     // [cases of the segment] by leaf; the original index, which breaks equal sums
  Lines<double> boxes;                 // [nodes, d, 2, fan_out] the ends of the tight boxes of the children
  std::vector<std::int32_t> children;  // [nodes, fan_out]; node >= 0, ~leaf < 0, or none. The root is node 0
  Count n, leaves, height;
  bool has_bytes;
};

struct KdCases {
  std::vector<const double*> columns;  // [p] of [n] by the original index, finite; they must outlive the forest
  const Count* segments;       // [g + 1] packed cases segments[a] .. segments[a + 1] weigh by row a of coefficients
  const double* coefficients;  // [g, p] not negative
  const Count* index;          // [n] the original index of a packed case, 0 .. n - 1; null: they are as they were
  Count n, p, g;
  int power;
  Count original(Count packed) const { return index ? index[packed] : packed; }
  Count most_whole;            // numbers that leaves may hold; of more they have bytes
  const std::int32_t* order = nullptr;  // [n] the original index at each place, tree after tree; null: it is found
};

struct KdForest {
  std::vector<const double*> columns;  // [p] of [n] by the original index
  std::vector<KdTree> trees;  // of the segments that have cases
  Count n, p;
  int power;
};

// Cases that are left out, and payloads, go by the original index.
struct KdQueries : Wanted {
  const double* values;  // [m, p] finite
};

using RankedCases = std::vector<Ranked<Count>>;  // by original index

KdForest kd_build(const KdCases& cases, Count threads);

// [m] where in the largest tree a query falls: queries in this order find the leaves they read in the cache.
std::vector<Count> kd_places(const KdForest& forest, const KdQueries& queries);

// As scan; visited [m] counts the cases whose sums were worked out.
void kd_nearest(const KdForest& forest, const KdQueries& queries, const Nearest& nearest, Count* visited);

// All cases with a sum of at most limits[m], in order.
std::vector<RankedCases> kd_within(const KdForest& forest, const KdQueries& queries, const double* limits);

}  // namespace nearwise
