// One query on its way through the trees: depth first, the nearest child first, a box skipped once its bound passes the
// limit. Bounds never exceed the sums they bound, see index/tree/loops.tile.cpp, so what is skipped is beyond the limit.
#pragma once

#include <algorithm>
#include <bit>

#include "index/tree/kd.hpp"
#include "machine/numbers.hpp"

namespace nearwise {

class Visit {
 public:
  explicit Visit(const KdForest& forest) : forest_(forest), values_(forest.p) {
    order_.resize(forest.trees.size());
    Count height = 0;
    for (const KdTree& tree : forest.trees) height = std::max(height, tree.height);
    stack_.resize(static_cast<std::size_t>(height * (fan_out - 1) + 1));
  }
  Count visited = 0;

  // Calls found(sum, index) for the cases that may have a sum of at most `limit`, which found() may lower.
  template <class Found>
  void all(const double* query, const double& limit, Found found) {
    visited = 0;
    if (forest_.trees.size() == 1) {
      one(forest_.trees[0], query, limit, found);
      return;
    }
    for (std::size_t t = 0; t < order_.size(); ++t) {
      double bounds[fan_out];
      const KdTree& tree = forest_.trees[t];
      const Asked asked = gathered(tree, query);
      bounds_(tree.boxes.data(), asked, infinity, bounds);
      double nearest = infinity;
      for (Count lane = 0; lane < fan_out; ++lane)
        if (tree.children[lane] != KdTree::none) nearest = std::min(nearest, bounds[lane]);
      order_[t] = {nearest, static_cast<std::int32_t>(t)};
    }
    std::stable_sort(order_.begin(), order_.end(), [](const Place& a, const Place& b) { return a.bound < b.bound; });
    for (const Place& place : order_)
      if (place.bound <= limit) one(forest_.trees[place.child], query, limit, found);
  }

  // The node above a few leaves at the end of the way down that turns to the nearest child. Nodes are numbered depth
  // first, so near numbers are near places.
  Count place_of(const KdTree& tree, const double* query) {
    const Asked asked = gathered(tree, query);
    std::int32_t node = 0;
    for (Count level = 2; level < tree.height; ++level) {  // the nodes above the last two levels stay in the cache
      const Count count = near_children(tree, node, asked, infinity);
      if (near_[count - 1].child < 0) break;
      node = near_[count - 1].child;
    }
    return node;
  }

 private:
  struct Place {
    double bound;
    std::int32_t child;
  };

  Asked gathered(const KdTree& tree, const double* query) {
    const Count d = static_cast<Count>(tree.features.size());
    for (Count f = 0; f < d; ++f) values_[f] = query[tree.features[f]];
    return {values_.data(), tree.coefficients.data(), d, forest_.power};
  }

  // Into near_: the children of a node within the limit, the nearest last.
  Count near_children(const KdTree& tree, std::int32_t node, const Asked& asked, double limit) {
    double bounds[fan_out];
    bounds_(tree.boxes.data() + node * asked.d * 2 * fan_out, asked, limit, bounds);
    Count count = 0;
    for (Count lane = 0; lane < fan_out; ++lane) {
      const std::int32_t child = tree.children[node * fan_out + lane];
      if (child == KdTree::none || !(bounds[lane] <= limit)) continue;
      Count at = count++;
      for (; at > 0 && near_[at - 1].bound <= bounds[lane]; --at) near_[at] = near_[at - 1];
      near_[at] = {bounds[lane], child};
    }
    return count;
  }

  template <class Found>
  void one(const KdTree& tree, const double* query, const double& limit, Found& found) {
    const Asked asked = gathered(tree, query);
    stack_[0] = {0.0, 0};
    for (Count waiting = 1; waiting > 0;) {
      const Place place = stack_[--waiting];
      if (place.bound > limit) continue;
      std::int32_t node = place.child;
      while (node >= 0) {
        const Count count = near_children(tree, node, asked, limit);
        if (count == 0) break;
        for (Count i = 0; i + 1 < count; ++i) stack_[waiting++] = near_[i];
        node = near_[count - 1].child;
      }
      if (node < 0) leaf(tree, ~node, asked, limit, found);
    }
  }

  template <class Found>
  void leaf(const KdTree& tree, Count leaf, const Asked& asked, const double& limit, Found& found) {
    double sums[leaf_length];
    const Count first = leaf * leaf_length, count = std::min(leaf_length, tree.n - first);
    std::uint32_t mask = leaf_(tree.tiles.data() + first * asked.d, asked, limit, sums);
    if (count < leaf_length) mask &= (std::uint32_t{1} << count) - 1;
    visited += count;
    for (; mask != 0; mask &= mask - 1) {
      const int i = std::countr_zero(mask);
      if (sums[i] <= limit) found(sums[i], static_cast<Count>(tree.index[first + i]));
    }
  }

  const KdForest& forest_;
  decltype(&baseline::box_bounds) bounds_ = NEARWISE_CHOSEN(box_bounds);
  decltype(&baseline::leaf_sums) leaf_ = NEARWISE_CHOSEN(leaf_sums);
  std::vector<double> values_;
  std::vector<Place> order_, stack_;  // the trees, the nearest first; the children that wait, the nearest last
  Place near_[fan_out];
};

}  // namespace nearwise
