// The search: propose in single precision, decide in double precision.
//
// With u = 2^-24, D = u (|q| + R) for a panel of cases no longer than R, and t the value that single precision gives
// for the true sum s (all in the packed unit):
//   squares   sqrt(t) and sqrt(s) differ by at most D, but for a relative g = (p + 8) u in the sum
//   moduli    t and s differ by at most D, but for g s
//   product   t + |q|^2 and s differ by at most E = 1.1 u (p + 8) (R^2 + 2 |q| R), but for g s
// A case is kept when the smallest sum that its value allows does not exceed the k-th smallest of the largest sums that
// the values allow, ties included. So every case that belongs to the answer is kept. Where columns stand in for others,
// what they may have left out is added to the largest sum.
#include <algorithm>
#include <cmath>
#include <memory>

#include "dense.hpp"
#include "instructions.hpp"
#include "parallel.hpp"

namespace nearwise {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unit = 1.001 / (1 << 24);  // with room for what double precision rounds on the way
constexpr double farthest = 1e15;           // a longer query would overflow single precision; it is not served
constexpr double tiny = 1e-18;          // what underflow in single precision may take away, as a length
constexpr Count chunk_groups = 16;      // groups of queries that share a block of panels
constexpr Count block_bytes = 160 << 10;  // panels that stay in the second-level cache

struct Candidate {
  double low, high;  // the true sum lies between, in the packed unit
  Count packed;
};

}  // namespace

// The search of one thread over a chunk of queries.
class Search final : public Listener {
 public:
  Search(const Dense& dense, const Ask& ask, Form form, const Answer& answer)
      : dense_(dense), c_(dense.columns_), ask_(ask), form_(form), answer_(answer),
        d_(static_cast<Count>(dense.numbers_.size())), s_(static_cast<Count>(dense.symbols_.size())),
        relative_((c_.p + 8) * unit * 1.5), least_room_(2 * ask.k + 6), lists_(chunk_groups * group_height),
        bound_(chunk_groups * group_height), rooms_(chunk_groups * group_height), served_(chunk_groups * group_height),
        numbers_(chunk_groups * d_ * group_height), codes_(chunk_groups * s_ * group_height), weights_(s_), holes_(d_),
        lengths_(chunk_groups * group_height), decision_(c_, ask, answer) {
    for (std::vector<Candidate>& list : lists_) list.reserve(static_cast<std::size_t>(least_room_ + panel_width));
  }

  void run(Count first) {
    first_ = first;
    const Count last = std::min(ask_.m, first + chunk_groups * group_height), groups = (last - first + 5) / group_height;
    for (Count j = first; j < last; ++j) {
      lists_[j - first].clear();
      bound_[j - first] = ask_.known_reach(j) * (c_.power == 2 ? dense_.gain_ * dense_.gain_ : dense_.gain_);
      rooms_[j - first] = least_room_;
      served_[j - first] = true;
    }
    Count packed = -1;  // the segment that the queries are packed for
    for (Count a = 0; a < c_.g; ++a) {
      const Dense::Segment& segment = dense_.segments_[a];
      if (segment.cases == 0) continue;
      if (packed < 0 || !same_coefficients(a, packed)) pack_queries(packed = a, last, groups);
      const Count panel_bytes = std::max<Count>(1, (d_ + s_) * panel_width * 4);
      const Count step = std::max<Count>(1, block_bytes / panel_bytes);
      for (Count from = 0; from < segment.panels; from += step)
        for (Count group = 0; group < groups; ++group)
          run_block(segment, from, std::min(step, segment.panels - from), group, last);
    }
    for (Count j = first; j < last; ++j) decide(j);
  }

  void found(int row, Count panel, unsigned mask, const float* values) override {
    const Count slot = group_ * group_height + row;
    std::vector<Candidate>& list = lists_[slot];
    const double length = lengths_[slot];
    for (; mask != 0; mask &= mask - 1) {
      const int lane = __builtin_ctz(mask);
      const Count at = (block_from_ + panel) * panel_width + lane;
      if (at >= segment_->cases) continue;
      const Count packed = segment_->first_case + at;
      if (ask_.leaves_out(dense_.order_[packed], first_ + slot)) continue;
      Candidate each{low(values[lane], length), high(values[lane], length), packed};
      if (each.low > bound_[slot]) continue;
      if (!c_.role.empty())
        each.high += left_out(c_, ask_, dense_.order_[packed], first_ + slot) * dense_.gain_ * dense_.gain_;
      list.push_back(each);
      // the nearest one alone needs no list to know its bound
      if (ask_.k == 1) bound_[slot] = std::min(bound_[slot], each.high * (1 + 4 * ask_.tolerance));
    }
    if (static_cast<Count>(list.size()) >= rooms_[slot]) tighten(slot);
    limits[row] = limit(slot);
  }

 private:
  double low(double value, double length) const {
    if (form_ == Form::product) return (value + length * length - error(length)) / (1 + relative_);
    const double slack = unit * (length + reach_) + tiny;
    if (form_ == Form::moduli) return value / (1 + relative_) - slack;
    const double root = std::max(0.0, std::sqrt(value / (1 + relative_)) - slack);
    return root * root;
  }

  double high(double value, double length) const {
    if (form_ == Form::product) return (value + length * length + error(length)) * (1 + relative_);
    const double slack = unit * (length + reach_) + tiny;
    if (form_ == Form::moduli) return value * (1 + relative_) + slack;
    const double root = std::sqrt(value * (1 + relative_)) + slack;
    return root * root;
  }

  double error(double length) const {
    return 1.1 * unit * (c_.p + 8) * (reach_ * reach_ + 2 * length * reach_) + tiny * tiny;
  }

  // The largest single precision value that a case within the bound of this query can have.
  float limit(Count slot) const {
    const double bound = bound_[slot], length = lengths_[slot];
    if (bound == infinity) return INFINITY;
    double value;
    if (form_ == Form::product) {
      value = bound * (1 + relative_) + error(length) - length * length;
    } else {
      const double slack = unit * (length + reach_) + tiny;
      value = form_ == Form::moduli ? (bound + slack) * (1 + relative_)
                                    : (std::sqrt(bound) + slack) * (std::sqrt(bound) + slack) * (1 + relative_);
    }
    return std::nextafter(static_cast<float>(value), INFINITY);
  }

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
    for (Count j = 0; j < s_; ++j) {
      const Count f = dense_.symbols_[j];
      const double scaled = c_.coefficients[a * c_.p + f] * (c_.power == 2 ? dense_.gain_ * dense_.gain_ : dense_.gain_);
      weights_[j] = static_cast<float>(scaled);
    }
    for (Count j = 0; j < d_; ++j) {
      const Count f = dense_.numbers_[j];
      const double missing = c_.one_missing[f] * dense_.gain_;
      holes_[j] = static_cast<float>(c_.coefficients[a * c_.p + f] *
                                     (c_.power == 2 ? missing * missing : c_.one_missing[f] * dense_.gain_));
    }
    for (Count slot = 0; slot < groups * group_height; ++slot) {
      const Count query = std::min(last - 1, first_ + slot), group = slot / group_height, row = slot % group_height;
      const double* q = ask_.queries + query * c_.p;
      double length = 0.0;
      for (Count j = 0; j < d_; ++j) {
        const Count f = dense_.numbers_[j];
        const double x = (q[f] - dense_.centre_[j]) * dense_.factors_[a * d_ + j] * dense_.gain_;
        numbers_[(group * d_ + j) * group_height + row] = static_cast<float>(form_ == Form::product ? -2 * x : x);
        if (x == x) length += c_.power == 2 ? x * x : std::abs(x);
      }
      lengths_[slot] = c_.power == 2 ? std::sqrt(length) : length;
      if (!(lengths_[slot] < farthest)) served_[slot] = false;
      for (Count j = 0; j < s_; ++j) {
        const Count f = dense_.symbols_[j];
        const bool own_kind = c_.both_missing[f] == 0.0;  // a missing symbol equals a missing one
        codes_[(group * s_ + j) * group_height + row] =
            q[f] != q[f] ? (own_kind ? -1 : -2) : static_cast<std::int32_t>(q[f]);
      }
    }
  }

  void run_block(const Dense::Segment& segment, Count from, Count panels, Count group, Count last) {
    segment_ = &segment;
    block_from_ = from;
    group_ = group;
    const Count first_panel = segment.first_panel + from;
    reach_ = 0.0;
    for (Count panel = 0; panel < panels; ++panel)
      reach_ = std::max(reach_, static_cast<double>(dense_.norms_[first_panel + panel]));
    bool any = false;
    for (int row = 0; row < group_height; ++row) {
      const Count slot = group * group_height + row, query = first_ + slot;
      const bool asks = query < last && served_[slot];
      limits[row] = asks ? limit(slot) : -INFINITY;
      any = any || asks;
    }
    if (!any) return;
    Block block{};
    block.numbers = dense_.panels_.data() + first_panel * d_ * panel_width;
    block.symbols = dense_.codes_.data() + first_panel * s_ * panel_width;
    block.start = dense_.start_.data() + first_panel * panel_width;
    block.panels = panels;
    block.d = d_;
    block.s = s_;
    block.query_numbers = numbers_.data() + group * d_ * group_height;
    block.query_symbols = codes_.data() + group * s_ * group_height;
    block.symbol_weights = weights_.data();
    block.holes = holes_.data();
    block.has_holes = form_ != Form::product;
    block.form = form_;
    if (block.has_holes) block.has_holes = dense_.has_holes_ || any_hole(group, last);
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

  void decide(Count query) {
    if (!served_[query - first_]) {
      answer_.proposed[query] = -1;
      return;
    }
    tighten(query - first_);
    const std::vector<Candidate>& list = lists_[query - first_];
    answer_.proposed[query] = static_cast<Count>(list.size());
    decision_.clear();
    for (const Candidate& each : list) decision_.add(dense_.order_[each.packed]);
    decision_.finish(query);
  }

  const Dense& dense_;
  const Columns& c_;
  const Ask& ask_;
  const Form form_;
  const Answer& answer_;
  const Count d_, s_;
  const double relative_;
  const Count least_room_;
  std::vector<std::vector<Candidate>> lists_;
  std::vector<double> bound_;
  std::vector<Count> rooms_;
  std::vector<char> served_;
  std::vector<float> numbers_;
  std::vector<std::int32_t> codes_;
  std::vector<float> weights_, holes_;
  std::vector<double> lengths_;
  Decision decision_;
  const Dense::Segment* segment_ = nullptr;
  Count first_ = 0, block_from_ = 0, group_ = 0;
  double reach_ = 0.0;
};

void Dense::nearest(const Ask& ask, Form form, const Answer& answer) const {
  const Count height = chunk_groups * group_height;
  in_parallel((ask.m + height - 1) / height, ask.threads, [&] {
    return [search = std::make_unique<Search>(*this, ask, form, answer), height](Count chunk) { search->run(chunk * height); };
  });
}

}  // namespace nearwise
