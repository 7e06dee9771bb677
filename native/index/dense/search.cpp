// The search: propose in single precision, decide in double precision.
//
// A case is kept when the smallest sum that its value allows (see bounds.hpp) does not exceed the k-th smallest of
// the largest sums that the values allow, ties included. So every case that belongs to the answer is kept. Where columns
// stand in for others, what they may have left out is added to the largest sum.
#include <algorithm>
#include <cmath>
#include <memory>

#include "index/dense/bounds.hpp"
#include "index/dense/dense.hpp"
#include "machine/instructions.hpp"
#include "machine/parallel.hpp"

namespace nearwise {
namespace {

constexpr Count chunk_groups = 16;      // groups of queries that share a block of panels
constexpr Count block_bytes = 160 << 10;  // panels that stay in the second-level cache

struct Candidate {
  double low, high;  // the true sum lies between, in the packed unit
  Count packed;
};

}  // namespace

// The search of one thread over a chunk of queries.
class Search final : public FloatListener {
 public:
  Search(const Dense& dense, const Ask& ask, Form form, const Answer& answer)
      : dense_(dense), c_(dense.columns_), ask_(ask), form_(form), weighed_(dense.weighed_), answer_(answer),
        d_(static_cast<Count>(dense.numbers_.size())), s_(static_cast<Count>(dense.symbols_.size())),
        bounds_(form, dense.weighed_, c_.power, c_.p), unit_(bounds_.raised(dense.gain_)), least_room_(2 * ask.k + 6),
        lists_(chunk_groups * group_height), bound_(chunk_groups * group_height), rooms_(chunk_groups * group_height),
        served_(chunk_groups * group_height), numbers_(chunk_groups * d_ * group_height),
        roots_(weighed_ == Weighed::by_query ? numbers_.size() : 0), holes_(numbers_.size()),
        codes_(chunk_groups * s_ * group_height), weights_(codes_.size()), lengths_(chunk_groups * group_height),
        widest_(d_), ranking_(c_, ask, answer) {
    for (std::vector<Candidate>& list : lists_) list.reserve(static_cast<std::size_t>(least_room_ + panel_width));
  }

  void run(Count first, Count last) {
    first_ = first;
    const Count groups = (last - first + 5) / group_height;
    for (Count j = first; j < last; ++j) {
      lists_[j - first].clear();
      bound_[j - first] = ask_.known_reach(j) * unit_;
      rooms_[j - first] = least_room_;
      served_[j - first] = true;
    }
    Count packed = -1;  // the segment that the queries are packed for
    for (Count a = 0; a < c_.g; ++a) {
      const Dense::Segment& segment = dense_.segments_[a];
      if (segment.cases == 0) continue;
      if (packed < 0 || !same_coefficients(a, packed)) pack_queries(packed = a, last, groups);
      const Count panel_bytes = std::max<Count>(1, (d_ + s_) * panel_width * (weighed_ == Weighed::by_case ? 8 : 4));
      const Count step = std::max<Count>(1, block_bytes / panel_bytes);
      for (Count from = 0; from < segment.panels; from += step) {
        const Count panels = std::min(step, segment.panels - from);
        look_at(segment, from, panels);
        for (Count group = 0; group < groups; ++group) run_block(segment, from, panels, group, last);
      }
    }
    for (Count j = first; j < last; ++j) rank(j);
  }

  void found(int row, Count panel, std::uint32_t mask, const float* values) override {
    const Count slot = group_ * group_height + row;
    std::vector<Candidate>& list = lists_[slot];
    for (; mask != 0; mask &= mask - 1) {
      const int lane = __builtin_ctz(mask);
      const Count at = (block_from_ + panel) * panel_width + lane;
      if (at >= segment_->cases) continue;
      const Count packed = segment_->first_case + at;
      if (ask_.leaves_out(dense_.order_[packed], first_ + slot)) continue;
      Candidate each{bounds_.low(values[lane], blurs_[row]), bounds_.high(values[lane], blurs_[row]), packed};
      if (each.low > bound_[slot]) continue;
      if (!c_.slack.empty()) each.high += left_out(c_, ask_, dense_.order_[packed], first_ + slot) * unit_;
      list.push_back(each);
      // the nearest one alone needs no list to know its bound
      if (ask_.k == 1) bound_[slot] = std::min(bound_[slot], each.high * (1 + 4 * ask_.tolerance));
    }
    if (static_cast<Count>(list.size()) >= rooms_[slot]) tighten(slot);
    limits[row] = bounds_.limit(bound_[slot], blurs_[row]);
  }

 private:
  // Drops the cases that cannot belong to the answer any more; the list is thinned again when it has doubled.
  void tighten(Count slot) {
    std::vector<Candidate>& list = lists_[slot];
    if (static_cast<Count>(list.size()) < ask_.k) return;
    if (ask_.k > 1) {
      const auto kth = list.begin() + static_cast<std::ptrdiff_t>(ask_.k - 1);
      std::nth_element(list.begin(), kth, list.end(),
                       [](const Candidate& x, const Candidate& y) { return x.high < y.high; });
      bound_[slot] = std::min(bound_[slot], kth->high * (1 + 4 * ask_.tolerance));
    }
    std::erase_if(list, [&](const Candidate& each) { return each.low > bound_[slot]; });
    rooms_[slot] = std::max(least_room_, 2 * static_cast<Count>(list.size()));
  }

  bool same_coefficients(Count a, Count b) const {
    const double* all = c_.coefficients.data();
    return std::equal(all + a * c_.p, all + (a + 1) * c_.p, all + b * c_.p);
  }

  void pack_queries(Count a, Count last, Count groups) {
    for (Count slot = 0; slot < groups * group_height; ++slot) {
      const Count query = std::min(last - 1, first_ + slot), group = slot / group_height, row = slot % group_height;
      pack_numbers(a, slot, query, (group * d_) * group_height + row);
      for (Count j = 0; j < s_; ++j) {
        const Count f = dense_.symbols_[j], to = (group * s_ + j) * group_height + row;
        const double q = ask_.queries[query * c_.p + f];
        const double own = ask_.by_query ? ask_.by_query[query * c_.p + f] : 1.0;
        const double weight = own * c_.coefficients[a * c_.p + f] * unit_;
        const bool own_kind = c_.both_missing[f] == 0.0;  // a missing symbol equals a missing one
        codes_[to] = q != q ? (own_kind ? -1 : -2) : static_cast<std::int32_t>(q);
        weights_[to] = static_cast<float>(weight);
        if (ask_.by_query && !(weight < 1e30)) served_[slot] = false;
      }
    }
  }

  // Numbers of one query, as the tile wants them, and its length.
  void pack_numbers(Count a, Count slot, Count query, Count to) {
    const double* q = ask_.queries + query * c_.p;
    double length = 0.0;
    for (Count j = 0; j < d_; ++j, to += group_height) {
      const Count f = dense_.numbers_[j];
      const double r = ask_.by_query ? dense_.root(ask_.by_query[query * c_.p + f]) : 1.0;
      const bool counts = r > 0.0 && (!c_.weighs_cases() || dense_.widest_of_all_[j] > 0.0);
      const double factor = counts ? dense_.factors_[a * d_ + j] * dense_.gain_ : 0.0;
      const double x = Dense::from(q[f], dense_.centre_[j], factor);
      const double hole = factor == 0.0 ? 0.0 : c_.one_missing[f] * factor * r;
      // weights of cases are multiplied by the tile, in single precision, where 0 * infinity is not a number
      if (c_.weighs_cases() && (std::abs(x) > 1e30 || !(hole < 1e30))) served_[slot] = false;
      if (std::isinf(q[f])) served_[slot] = false;
      holes_[to] = static_cast<float>(hole);
      numbers_[to] = static_cast<float>(form_ == Form::product ? -2 * x : c_.weighs_cases() ? -x : r * x);
      if (ask_.by_query) roots_[to] = static_cast<float>(-r);
      if (weighed_ == Weighed::packed && x == x) length += bounds_.raised(std::abs(x));
      if (weighed_ != Weighed::packed) length += bounds_.raised(apart(j, x, r));
    }
    lengths_[slot] = dense_.root(length);
    if (!bounds_.serves(lengths_[slot])) served_[slot] = false;
  }

  // At least r |q| and r |x| of any case, where the weights are kept apart.
  double apart(Count j, double q, double r) const {
    const double wide = dense_.widest_of_all_[j], own = q == q ? std::abs(q) : 0.0;
    return weighed_ == Weighed::by_query ? r * (own + wide) : wide * own;
  }

  // How far the cases of a block reach.
  void look_at(const Dense::Segment& segment, Count from, Count panels) {
    const Count first = segment.first_panel + from;
    reach_ = 0.0;
    for (Count panel = first; panel < first + panels; ++panel)
      reach_ = std::max(reach_, static_cast<double>(dense_.norms_[panel]));
    if (weighed_ == Weighed::packed) return;
    std::fill(widest_.begin(), widest_.end(), 0.0);
    const Count width = weighed_ == Weighed::by_factor ? own_lanes(weighed_, d_) : d_;
    for (Count panel = first; panel < first + panels; ++panel)
      for (Count j = 0; j < d_; ++j)
        widest_[j] = std::max(widest_[j], static_cast<double>(dense_.widest_[panel * width + std::min(j, width - 1)]));
  }

  Blur blur(Count slot, Count query) const {
    const double more = ask_.blur ? ask_.blur[query] * dense_.gain_ : 0.0;
    if (weighed_ == Weighed::packed) return bounds_.blur(lengths_[slot], reach_, more);
    const Count first = slot / group_height * d_ * group_height + slot % group_height;
    double length = 0.0, reach = 0.0;
    for (Count j = 0; j < d_; ++j) {
      const double q = std::abs(static_cast<double>(numbers_[first + j * group_height]));
      if (weighed_ == Weighed::by_query) reach += bounds_.raised(-roots_[first + j * group_height] * widest_[j]);
      if (q == q) length += bounds_.raised(weighed_ == Weighed::by_query ? q : q * widest_[j]);
    }
    const double room = 1 + 1e-6;  // these were rounded to single precision
    return bounds_.blur(dense_.root(length) * room, weighed_ == Weighed::by_query ? dense_.root(reach) * room : reach_, more);
  }

  void run_block(const Dense::Segment& segment, Count from, Count panels, Count group, Count last) {
    segment_ = &segment;
    block_from_ = from;
    group_ = group;
    const Count first_panel = segment.first_panel + from;
    bool any = false;
    for (int row = 0; row < group_height; ++row) {
      const Count slot = group * group_height + row, query = first_ + slot;
      const bool asks = query < last && served_[slot];
      if (asks) blurs_[row] = blur(slot, query);
      limits[row] = asks ? bounds_.limit(bound_[slot], blurs_[row]) : -INFINITY;
      any = any || asks;
    }
    if (!any) return;
    Block block{};
    block.numbers = dense_.panels_.data() + first_panel * d_ * panel_width;
    block.symbols = dense_.codes_.data() + first_panel * s_ * panel_width;
    block.case_roots = dense_.case_roots_.data() + first_panel * own_lanes(weighed_, d_) * panel_width;
    block.case_weights = dense_.case_weights_.data() + first_panel * own_lanes(weighed_, s_) * panel_width;
    block.start = dense_.start_.data() + first_panel * panel_width;
    block.panels = panels;
    block.d = d_;
    block.s = s_;
    block.query_numbers = numbers_.data() + group * d_ * group_height;
    if (ask_.by_query) block.query_roots = roots_.data() + group * d_ * group_height;
    block.query_symbols = codes_.data() + group * s_ * group_height;
    block.query_weights = weights_.data() + group * s_ * group_height;
    block.holes = holes_.data() + group * d_ * group_height;
    block.has_holes = form_ != Form::product && (dense_.has_holes_ || any_hole(group, last));
    block.form = form_;
    block.weighed = weighed_;
    block.power = static_cast<float>(c_.power);
    NEARWISE_CHOSEN(propose)(block, *this);
  }

  bool any_hole(Count group, Count last) const {
    for (int row = 0; row < group_height; ++row) {
      const Count query = std::min(last - 1, first_ + group * group_height + row);
      for (Count f : dense_.numbers_)
        if (ask_.queries[query * c_.p + f] != ask_.queries[query * c_.p + f]) return true;
    }
    return false;
  }

  void rank(Count query) {
    if (!served_[query - first_]) {
      answer_.proposed[query] = -1;
      return;
    }
    tighten(query - first_);
    const std::vector<Candidate>& list = lists_[query - first_];
    answer_.proposed[query] = static_cast<Count>(list.size());
    ranking_.clear();
    for (const Candidate& each : list) ranking_.add(dense_.order_[each.packed]);
    ranking_.rank(query);
  }

  const Dense& dense_;
  const Columns& c_;
  const Ask& ask_;
  const Form form_;
  const Weighed weighed_;
  const Answer& answer_;
  const Count d_, s_;
  const Bounds bounds_;
  const double unit_;  // of sums, where the gain is that of lengths
  const Count least_room_;
  std::vector<std::vector<Candidate>> lists_;
  std::vector<double> bound_;
  std::vector<Count> rooms_;
  std::vector<char> served_;
  std::vector<float> numbers_, roots_, holes_;
  std::vector<std::int32_t> codes_;
  std::vector<float> weights_;
  std::vector<double> lengths_, widest_;
  Ranking ranking_;
  Blur blurs_[group_height] = {};
  const Dense::Segment* segment_ = nullptr;
  Count first_ = 0, block_from_ = 0, group_ = 0;
  double reach_ = 0.0;
};

void Dense::nearest(const Ask& ask, Form form, const Answer& answer) const {
  const Count height = chunk_height(ask.m, ask.threads, chunk_groups * group_height, group_height);
  blocks_in_parallel(ask.m, height, ask.threads, [&] {
    return [search = std::make_unique<Search>(*this, ask, form, answer)](Count first, Count last) { search->run(first, last); };
  });
}

}  // namespace nearwise
