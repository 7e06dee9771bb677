// Builds the kd-tree: cases are halved at the median of the widest feature, weighted, until a leaf holds them.
//
// Every split is at a whole number of leaves, so all leaves but the last are full and the shape of the tree follows
// from the number of leaves alone; equal rows split like any others. Two halvings make one node with four children.
// Large ranges take the widest feature from a sample of their cases. They are halved through (value, case) pairs until
// they fit the cache; such a range is copied once and finished there. Boxes are tight: leaves have theirs when they are
// written, nodes at the end.
#include <algorithm>
#include <future>
#include <system_error>

#include "index/tree/kd.hpp"
#include "layout/order.hpp"
#include "machine/parallel.hpp"

namespace nearwise {
namespace {

constexpr Count cached_values = 32768;  // numbers of a range that is finished in a local copy: half a core's cache
constexpr Count sample_length = 256;    // cases that choose the feature of a larger range

// A value and its case: by case among equal values, so that the tree does not depend on how the library selects.
using Keyed = Ranked<std::int32_t>;

Count middle_of(Count first, Count last) { return first + (last - first) / 2; }

class Builder {
 public:
  // `packed` [n]: the packed case of each original index; empty where the order is not known. Cases go by original index.
  Builder(const KdCases& cases, Count segment, const std::vector<std::int32_t>& packed, KdTree& tree)
      : cases_(cases), start_(cases.segments[segment]), tree_(tree) {
    tree.n = cases.segments[segment + 1] - start_;
    tree.leaves = (tree.n + leaf_length - 1) / leaf_length;
    for (Count f = 0; f < cases.p; ++f) {
      const double coefficient = cases.coefficients[segment * cases.p + f];
      if (coefficient == 0) continue;
      tree.features.push_back(f);
      tree.coefficients.push_back(coefficient);
    }
    d_ = static_cast<Count>(tree.features.size());
    tree.has_bytes = cases.n * d_ > cases.most_whole;
    const auto values = static_cast<std::size_t>(tree.leaves * d_ * leaf_length);
    tree.has_bytes ? tree.bytes.assign(values, 0) : tree.tiles.assign(values, 0.0);
    tree.index.resize(static_cast<std::size_t>(tree.n));
    slots_.resize(static_cast<std::size_t>(tree.leaves));
    keyed_.resize(static_cast<std::size_t>(tree.n));
    for (Count i = 0; i < tree.n; ++i) keyed_[i].index = static_cast<std::int32_t>(cases.original(start_ + i));
    if (cases.order) take(packed);
  }

  void build(Count threads) {
    tree_.height = connect(0, tree_.leaves);
    tree_.boxes.resize(tree_.children.size() * static_cast<std::size_t>(d_ * 2));
    cases_.order ? fill(threads) : halve(0, tree_.leaves, threads);
    box_nodes();
  }

 private:
  const double* column(Count f) const { return cases_.columns[tree_.features[f]]; }
  Count position(Count leaf) const { return std::min(leaf * leaf_length, tree_.n); }

  void take(const std::vector<std::int32_t>& packed) {
    for (Count i = 0; i < tree_.n; ++i) {
      const Count at = packed[cases_.order[start_ + i]] - start_;
      require_order(at >= 0 && at < tree_.n, "order must keep the cases of a segment together.");
      keyed_[i].index = cases_.order[start_ + i];
    }
  }

  // The cases are in the order of the leaves: these are written range by range, from copies as in finish().
  void fill(Count threads) {
    const Count step = std::max<Count>(1, cached_values / (std::max<Count>(1, d_) * leaf_length));
    blocks_in_parallel(tree_.leaves, step, threads, [this] {
      return [this](Count first, Count last) {
        const Count begin = position(first), count = position(last) - begin;
        const std::vector<double> columns = copied(begin, count);
        const std::vector<Keyed> order = numbered(count);
        for (Count leaf = first; leaf < last; ++leaf)
          write_leaf(leaf, begin, columns.data(), count, order.data() + (position(leaf) - begin),
                     position(leaf + 1) - position(leaf));
      };
    });
  }

  // [d, count] the columns of the cases from `begin` on
  std::vector<double> copied(Count begin, Count count) const {
    std::vector<double> columns(static_cast<std::size_t>(d_ * count));
    for (Count f = 0; f < d_; ++f)
      for (Count i = 0; i < count; ++i) columns[f * count + i] = column(f)[keyed_[begin + i].index];
    return columns;
  }

  static std::vector<Keyed> numbered(Count count) {
    std::vector<Keyed> order(static_cast<std::size_t>(count));
    for (Count i = 0; i < count; ++i) order[i].index = static_cast<std::int32_t>(i);
    return order;
  }

  // The feature with the largest coefficient * width^power among every step-th of these cases; -1 if none varies.
  template <class Column>
  Count widest(const Keyed* own, Count count, Count step, const Column& column_of) const {
    Count best = -1;
    double largest = 0.0;
    for (Count f = 0; f < d_; ++f) {
      const double* x = column_of(f);
      double low = infinity, high = -infinity;
      for (Count j = 0; j < count; j += step) {
        low = std::min(low, x[own[j].index]);
        high = std::max(high, x[own[j].index]);
      }
      const double width = high - low;
      const double weighted = tree_.coefficients[f] * (cases_.power == 2 ? width * width : width);
      if (width > 0 && (best < 0 || weighted > largest)) best = f, largest = weighted;
    }
    return best;
  }

  // Cuts cases before the one `at` in the order of the feature that is widest in a sample, or in all where none varies.
  template <class Column>
  void split(Keyed* own, Count count, Count at, const Column& column_of) const {
    const Count step = (count + sample_length - 1) / sample_length;
    Count f = widest(own, count, step, column_of);
    if (f < 0 && step > 1) f = widest(own, count, 1, column_of);
    if (f < 0) return;
    const double* x = column_of(f);
    for (Count j = 0; j < count; ++j) own[j].sum = x[own[j].index];
    std::nth_element(own, own + at, own + count);
  }

  void halve(Count first, Count last, Count threads) {
    const Count begin = position(first), count = position(last) - begin;
    if (last - first == 1 || count * d_ <= cached_values) {
      finish(first, last);
      return;
    }
    const Count middle = middle_of(first, last);
    split(keyed_.data() + begin, count, position(middle) - begin, [this](Count f) { return column(f); });
    std::future<void> helper;
    if (threads > 1) {
      try {
        helper = std::async(std::launch::async, [=, this] { halve(first, middle, threads / 2); });
      } catch (const std::system_error&) {
        // the system gives no more threads: this one does both halves
      }
    }
    if (!helper.valid()) halve(first, middle, 1);
    halve(middle, last, threads - threads / 2);
    if (helper.valid()) helper.get();
  }

  // A range in the cache: its columns and an order of its cases that is refined until each leaf has its own.
  void finish(Count first, Count last) {
    const Count begin = position(first), count = position(last) - begin;
    const std::vector<double> columns = copied(begin, count);
    std::vector<Keyed> order = numbered(count);
    halve_local(first, last, begin, columns.data(), count, order.data());
  }

  // `columns` [d, stride] and `order` start at the case `begin`
  void halve_local(Count first, Count last, Count begin, const double* columns, Count stride, Keyed* order) {
    Keyed* own = order + (position(first) - begin);
    const Count count = position(last) - position(first);
    if (last - first == 1) {
      write_leaf(first, begin, columns, stride, own, count);
      return;
    }
    const Count middle = middle_of(first, last);
    split(own, count, position(middle) - position(first), [=](Count f) { return columns + f * stride; });
    halve_local(first, middle, begin, columns, stride, order);
    halve_local(middle, last, begin, columns, stride, order);
  }

  void write_leaf(Count leaf, Count begin, const double* columns, Count stride, const Keyed* own, Count count) {
    for (Count j = 0; j < count; ++j) tree_.index[position(leaf) + j] = keyed_[begin + own[j].index].index;
    for (Count f = 0; f < d_; ++f) {
      const double* x = columns + f * stride;
      double low = infinity, high = -infinity;
      for (Count j = 0; j < count; ++j) {
        low = std::min(low, x[own[j].index]);
        high = std::max(high, x[own[j].index]);
      }
      const Count at = (leaf * d_ + f) * leaf_length;
      const double step = (high - low) / steps;
      const bool apart = step >= least_step && step < infinity;  // else all are in the first part
      for (Count j = 0; j < count && !tree_.has_bytes; ++j) tree_.tiles[at + j] = x[own[j].index];
      for (Count j = 0; j < count && tree_.has_bytes && apart; ++j)
        tree_.bytes[at + j] = static_cast<std::uint8_t>(std::min((x[own[j].index] - low) / step, steps - 1.0));
      double* box = side(slots_[leaf], f);
      box[0] = low;
      box[fan_out] = high;
    }
  }

  // Makes the nodes over the leaves first .. last, parents before children; returns the height.
  Count connect(Count first, Count last) {
    const std::size_t node = tree_.children.size();
    tree_.children.resize(node + fan_out, KdTree::none);
    Count height = 1, lane = 0;
    const Count middle = middle_of(first, last);
    const Count cuts[] = {first, middle_of(first, middle), middle, middle_of(middle, last), last};
    for (Count part = 0; part < fan_out; ++part) {
      const Count from = cuts[part], to = cuts[part + 1];
      if (from == to) continue;
      std::int32_t child = static_cast<std::int32_t>(~from);
      if (to - from > 1) {
        child = static_cast<std::int32_t>(tree_.children.size() / fan_out);
        height = std::max(height, 1 + connect(from, to));
      } else {
        slots_[from] = static_cast<Count>(node) + lane;
      }
      tree_.children[node + lane++] = child;
    }
    return height;
  }

  // Where the box of a child begins in one feature; its high end is fan_out further.
  double* side(Count slot, Count f) {
    return tree_.boxes.data() + (slot / fan_out * d_ + f) * 2 * fan_out + slot % fan_out;
  }

  // The boxes of nodes, which hold those of their children; leaves have theirs.
  void box_nodes() {
    for (Count slot = static_cast<Count>(tree_.children.size()) - 1; slot >= 0; --slot) {  // children come after their parents
      const std::int32_t child = tree_.children[slot];
      for (Count f = 0; f < d_ && (child >= 0 || child == KdTree::none); ++f) {
        double *box = side(slot, f), *of_child = side(std::max<Count>(child, 0) * fan_out, f);
        box[0] = child < 0 ? infinity : *std::min_element(of_child, of_child + fan_out);
        box[fan_out] = child < 0 ? -infinity : *std::max_element(of_child + fan_out, of_child + 2 * fan_out);
      }
    }
  }

  const KdCases& cases_;
  const Count start_;
  KdTree& tree_;
  Count d_ = 0;
  std::vector<Keyed> keyed_;         // [n] the cases in the order of the leaves, as far as it is known
  std::vector<Count> slots_;         // [leaves] fan_out times the node of a leaf, and its lane there
};

}  // namespace

KdForest kd_build(const KdCases& cases, Count threads) {
  KdForest forest{cases.columns, {}, cases.n, cases.p, cases.power};
  std::vector<std::int32_t> packed;
  if (cases.order) {
    places_in(cases.order, cases.n);
    packed.resize(static_cast<std::size_t>(cases.n));
    for (Count i = 0; i < cases.n; ++i) packed[cases.original(i)] = static_cast<std::int32_t>(i);
  }
  for (Count a = 0; a < cases.g; ++a) {
    if (cases.segments[a] == cases.segments[a + 1]) continue;
    KdTree tree{};
    Builder(cases, a, packed, tree).build(threads);
    forest.trees.push_back(std::move(tree));
  }
  return forest;
}

}  // namespace nearwise
