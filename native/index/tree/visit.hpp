// One query on its way through the trees: depth first, the nearest child first, a box skipped once its bound passes the
// limit. Bounds never exceed the sums they bound, see index/tree/loops.tile.cpp, so what is skipped is beyond the limit.
// Cases whose bytes allow it are added up in double precision from the columns.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "index/tree/kd.hpp"
#include "machine/numbers.hpp"
#include "selection/nearest.hpp"

namespace nearwise {

class Visit {
 public:
  explicit Visit(const KdForest& forest) : forest_(forest), values_(forest.p), lengths_(forest.p) {
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
    std::int32_t box = 0;  // of the child: fan_out times its node, and its lane there
  };

  Asked gathered(const KdTree& tree, const double* query) {
    const Count d = static_cast<Count>(tree.features.size());
    for (Count f = 0; f < d; ++f) values_[f] = query[tree.features[f]];
    return {values_.data(), tree.coefficients.data(), d, forest_.power, lengths_.data(), 0.0};
  }

  // Makes `limit` the unit of leaves where it has become much smaller than the last; whether there can be one.
  bool in_unit(Asked& asked, double limit) {
    if (!(limit >= 1e-280 && limit <= 1e280)) return false;
    if (limit <= asked.unit && limit >= asked.unit * 1e-6) return true;
    asked.unit = limit;
    for (Count f = 0; f < asked.d; ++f) {
      const double share = asked.coefficients[f] / limit;
      lengths_[f] = asked.power == 2 ? std::sqrt(share) : share;
    }
    return true;
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
      near_[at] = {bounds[lane], child, static_cast<std::int32_t>(node * fan_out + lane)};
    }
    return count;
  }

  template <class Found>
  void one(const KdTree& tree, const double* query, const double& limit, Found& found) {
    Asked asked = gathered(tree, query);
    stack_[0] = {0.0, 0};
    for (Count waiting = 1; waiting > 0;) {
      Place place = stack_[--waiting];
      if (place.bound > limit) continue;
      while (place.child >= 0) {
        const Count count = near_children(tree, place.child, asked, limit);
        if (count == 0) break;
        for (Count i = 0; i + 1 < count; ++i) stack_[waiting++] = near_[i];
        place = near_[count - 1];
      }
      if (place.child < 0) leaf(tree, place, asked, limit, found);
    }
  }

  template <class Found>
  void leaf(const KdTree& tree, const Place& place, Asked& asked, const double& limit, Found& found) {
    const Count first = ~place.child * leaf_length, count = std::min(leaf_length, tree.n - first);
    const std::uint32_t there = count < leaf_length ? (std::uint32_t{1} << count) - 1 : ~std::uint32_t{0};
    visited += count;
    if (tree.has_bytes) {
      const double* box = tree.boxes.data() + place.box / fan_out * asked.d * 2 * fan_out + place.box % fan_out;
      by_bytes(tree, first, there, box, asked, limit, found);
      return;
    }
    std::uint32_t mask = leaf_(tree.tiles.data() + first * asked.d, asked, limit, sums_) & there;
    for (; mask != 0; mask &= mask - 1) {
      const int i = std::countr_zero(mask);
      if (sums_[i] <= limit) found(sums_[i], static_cast<Count>(tree.index[first + i]));
    }
  }

  // Bytes rule out what they can, and the rest is added up some at a time, each of which may lower the limit of the others.
  // Where nothing limits the search yet, the nearest go first.
  template <class Found>
  void by_bytes(const KdTree& tree, Count first, std::uint32_t mask, const double* box, Asked& asked, const double& limit,
                Found& found) {
    constexpr Count together = 8;
    const bool unlimited = limit == infinity, told = in_unit(asked, unlimited ? farthest(asked, box) : limit);
    float shares[leaf_length] = {};
    if (told) mask &= bytes_(tree.bytes.data() + first * asked.d, box, asked, most(asked, limit), shares);
    Count kept = 0;
    for (; mask != 0; mask &= mask - 1) {
      const int i = std::countr_zero(mask);
      kept_[kept++] = {shares[i] == shares[i] ? shares[i] : 0.0, tree.index[first + i]};
    }
    if (unlimited) std::sort(kept_, kept_ + kept);
    for (Count at = 0; at < kept;) {
      const double beyond = told ? most(asked, limit) : infinity;
      Count count = 0;
      for (; at < kept && count < together; ++at)
        if (kept_[at].sum <= beyond) cases_[count++] = kept_[at].index;
      add_up(tree, asked, count);
      for (Count i = 0; i < count; ++i)
        if (sums_[i] <= limit) found(sums_[i], static_cast<Count>(cases_[i]));
    }
  }

  // What bounds by bytes are beyond only where the sum is beyond the limit.
  static float most(const Asked& asked, double limit) {
    return static_cast<float>(limit / asked.unit * (1 + static_cast<double>(asked.d + 32) * 0x1p-22));
  }

  // At least the sum of every case of a box.
  static double farthest(const Asked& asked, const double* box) {
    double sum = 0.0;
    for (Count f = 0; f < asked.d; ++f, box += 2 * fan_out) {
      const double gap = std::max(std::abs(asked.values[f] - box[0]), std::abs(asked.values[f] - box[fan_out]));
      sum += asked.coefficients[f] * (asked.power == 2 ? gap * gap : gap);
    }
    return sum;
  }

  // sums_ of the first of cases_. All go through a feature together, so that waiting for one overlaps with the others.
  void add_up(const KdTree& tree, const Asked& asked, Count count) {
    std::fill(sums_, sums_ + count, 0.0);
    for (Count f = 0; f < asked.d; ++f) {
      const double *x = forest_.columns[tree.features[f]], q = asked.values[f], coefficient = asked.coefficients[f];
      for (Count i = 0; i < count; ++i) {
        const double gap = std::abs(q - x[cases_[i]]);
        sums_[i] += coefficient * (asked.power == 2 ? gap * gap : gap);
      }
    }
  }

  const KdForest& forest_;
  decltype(&baseline::box_bounds) bounds_ = NEARWISE_CHOSEN(box_bounds);
  decltype(&baseline::leaf_sums) leaf_ = NEARWISE_CHOSEN(leaf_sums);
  decltype(&baseline::byte_bounds) bytes_ = NEARWISE_CHOSEN(byte_bounds);
  std::vector<double> values_, lengths_;
  std::vector<Place> order_, stack_;  // the trees, the nearest first; the children that wait, the nearest last
  Place near_[fan_out];
  Ranked<std::int32_t> kept_[leaf_length];  // cases of a leaf that may be near, by their bounds
  std::int32_t cases_[leaf_length];         // some of them, whose sums are added up
  double sums_[leaf_length];
};

}  // namespace nearwise
