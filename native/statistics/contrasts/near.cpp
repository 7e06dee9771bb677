// The near cases: propose in single precision, decide in double precision.
//
// With u = 2^-24 and g = (p + 8) u, and t the value that single precision gives for the true sum s (all in the packed
// unit): t and s, or for squares sqrt(t) and sqrt(s), differ by at most the slack, but for a relative g. Every case is
// kept whose smallest possible sum does not exceed the k-th smallest of the largest possible ones, ties included. Both
// grow with t, so one limit of t a query does it.
//
// Where all features are numbers without holes and their ranges are even enough, t is a whole number of sixteen bits
// (coarse.cpp). Otherwise sums of |x - q| over numbers without holes may be had as the sum of max(2x, 2q), less
// that of x and that of q, where both sums start: two operations instead of three. With R the sum of the largest |x|, no
// partial sum exceeds 4R, so t is off by at most 4.2 (p + 10) u R more.
#include <algorithm>
#include <cmath>
#include <memory>

#include "machine/instructions.hpp"
#include "machine/parallel.hpp"
#include "selection/nearest.hpp"
#include "statistics/contrasts/contrast.hpp"

namespace nearwise {
namespace {

constexpr Count chunk_groups = 16;          // groups of queries that share panels while they are in cache
constexpr Count chunk = chunk_groups * group_height;
constexpr Count block_bytes = 192 * 1024;   // of panels

struct Candidate {
  float value;
  std::int32_t packed;
};

}  // namespace

// One thread's search. `run` answers one chunk of queries.
class NearSearch final : public FloatListener {
 public:
  NearSearch(const Contrast& cases, Count k, double tolerance, bool with_sums)
      : c_(cases), s_(cases.space_), k_(k), least_room_(2 * k + 4), tolerance_(tolerance), with_sums_(with_sums),
        relative_(static_cast<double>(s_.p + 8) * 1.001 / (1 << 24)), lists_(chunk), limits_(chunk), rooms_(chunk), starts_(chunk), totals_(chunk),
        coarse_(static_cast<std::size_t>(c_.coarse_gain_ > 0 ? s_.p * chunk : 0)),
        queries_(static_cast<std::size_t>(s_.p * chunk)), unknown_case_(static_cast<std::size_t>(s_.h * chunk)),
        is_unknown_(static_cast<std::size_t>(s_.h * chunk)), any_unknown_(static_cast<std::size_t>(s_.h * chunk_groups)) {}

  void run(const Count* asked, Count m, NearLists& out) {
    asked_ = asked;
    m_ = m;
    const Count groups = (m + group_height - 1) / group_height;
    const bool is_coarse = c_.coarse_gain_ > 0;
    if (is_coarse) pack_coarse(groups);
    else pack_queries(groups);
    const Count panel_bytes = (s_.p + s_.h) * panel_width * (is_coarse ? 2 : 4);
    const Count step = 2 * std::max<Count>(1, block_bytes / panel_bytes / 2);
    std::vector<NearLists> found(static_cast<std::size_t>(s_.g));
    for (Count a = 0; a < s_.g; ++a) {
      segment_ = &c_.segments_[a];
      pack_holes(a, groups);
      for (Count j = 0; j < m; ++j) {
        lists_[j].clear();
        limits_[j] = INFINITY;
        rooms_[j] = least_room_;
      }
      const Count panels = (segment_->cases + panel_width - 1) / panel_width;
      for (Count from = 0; from < panels; from += step)
        for (Count group = 0; group < groups; ++group) run_block(from, std::min(step, panels - from), group);
      for (Count j = 0; j < m; ++j) rank(j, found[a]);
    }
    gather(found, out);
  }

  void found(int row, Count panel, std::uint32_t mask, const float* values) override {
    const Count slot = group_ * group_height + row;
    std::vector<Candidate>& list = lists_[slot];
    for (; mask != 0; mask &= mask - 1) {
      const int lane = __builtin_ctz(mask);
      const Count at = (from_ + panel) * panel_width + lane;
      if (at >= segment_->cases) continue;
      const Count packed = segment_->first_case + at;
      if (packed == c_.place_[asked_[slot]]) continue;
      list.push_back({values[lane], static_cast<std::int32_t>(packed)});
    }
    if (static_cast<Count>(list.size()) >= rooms_[slot]) {
      tighten(slot);
      limits[row] = limits_[slot];
    }
  }

 private:
  // The largest value of a case that may come before, or tie with, one whose value is `kth`.
  float limit(float kth) const {
    double value = kth;
    if (s_.power == 2) value = std::sqrt(value);
    value = value * (1 + relative_) + c_.slack_;               // no sum of such a value is larger
    value *= 1 + 4 * tolerance_;
    value = (value + c_.slack_) * (1 + relative_);             // no value of such a sum is larger
    if (s_.power == 2) value *= value;
    return std::nextafter(static_cast<float>(value), INFINITY);
  }

  // The k-th smallest value of a list of more than k.
  float kth(std::vector<Candidate>& list) const {
    const auto at = list.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(list.begin(), at, list.end(),
                     [](const Candidate& x, const Candidate& y) { return x.value < y.value; });
    return at->value;
  }

  // Drops the cases that cannot belong to the answer any more; the list is thinned again when it has doubled.
  void tighten(Count slot) {
    std::vector<Candidate>& list = lists_[slot];
    if (static_cast<Count>(list.size()) > k_) {
      const float most = limits_[slot] = std::min(limits_[slot], limit(kth(list)));
      std::erase_if(list, [&](const Candidate& each) { return each.value > most; });
    }
    rooms_[slot] = std::max(least_room_, 2 * static_cast<Count>(list.size()));
  }

  void pack_queries(Count groups) {
    for (Count slot = 0; slot < groups * group_height; ++slot) {
      const double* row = c_.rows_.data() + asked_[std::min(m_ - 1, slot)] * s_.p;
      float* to = queries_.data() + slot / group_height * s_.p * group_height + slot % group_height;
      Count f = 0;
      for (const Count* counts : {s_.clean, s_.holed})
        for (int kind = 0; kind < kinds; ++kind)
          for (const Count end = f + counts[kind]; f < end; ++f) {
            const double twice = c_.by_largest_ && f < s_.clean[number] ? 2.0 : 1.0;
            to[f * group_height] = static_cast<float>(kind == symbol ? row[f] : twice * c_.packed(row, f));
          }
      starts_[slot] = c_.start(row);
    }
  }

  void pack_coarse(Count groups) {
    for (Count slot = 0; slot < groups * group_height; ++slot) {
      const double* row = c_.rows_.data() + asked_[std::min(m_ - 1, slot)] * s_.p;
      std::uint32_t* to = coarse_.data() + slot / group_height * s_.p * group_height + slot % group_height;
      totals_[slot] = 0;
      for (Count f = 0; f < s_.p; ++f) {
        const std::uint32_t x = c_.coarse(row, f);
        to[f * group_height] = x | x << 16;
        totals_[slot] += x;
      }
    }
  }

  // What a query differs by from a case of group a in which the feature is missing.
  void pack_holes(Count a, Count groups) {
    std::fill(any_unknown_.begin(), any_unknown_.end(), std::uint8_t{0});
    for (Count slot = 0; slot < groups * group_height; ++slot) {
      const Count i = asked_[std::min(m_ - 1, slot)];
      const Count to = slot / group_height * s_.h * group_height + slot % group_height;
      for (Count hole = 0; hole < s_.h; ++hole) {
        const bool missing = c_.cells_[i * s_.h + hole] < 0;
        const double delta = missing ? 0.0 : c_.difference(hole, a, i) * c_.gain_;
        is_unknown_[to + hole * group_height] = missing ? ~0u : 0u;
        any_unknown_[slot / group_height * s_.h + hole] |= missing;
        unknown_case_[to + hole * group_height] = static_cast<float>(s_.power == 2 ? delta * delta : delta);
      }
    }
  }

  void run_block(Count from, Count panels, Count group) {
    from_ = from;
    group_ = group;
    for (int row = 0; row < group_height; ++row) {
      const Count slot = group * group_height + row;
      limits[row] = slot < m_ ? limits_[slot] : -INFINITY;
    }
    const Count first = segment_->first_panel + from;
    if (c_.coarse_gain_ > 0) {
      NEARWISE_CHOSEN(propose_short)
      ({c_.coarse_.data() + first * s_.p * panel_width, c_.halves_.data() + first * panel_width,
        c_.totals_.data() + first * panel_width, coarse_.data() + group * s_.p * group_height,
        totals_.data() + group * group_height, panels, s_.p}, *this);
      return;
    }
    NearBlock block{};
    block.values = c_.panels_.data() + first * s_.p * panel_width;
    block.start = c_.start_.data() + first * panel_width;
    block.query_start = starts_.data() + group * group_height;
    block.by_largest = c_.by_largest_;
    block.unknown = c_.unknown_.data() + first * s_.h * panel_width;
    block.panels = panels;
    block.p = s_.p;
    block.h = s_.h;
    std::copy(s_.clean, s_.clean + kinds, block.clean);
    std::copy(s_.holed, s_.holed + kinds, block.holed);
    block.queries = queries_.data() + group * s_.p * group_height;
    block.unknown_case = unknown_case_.data() + group * s_.h * group_height;
    block.is_unknown = is_unknown_.data() + group * s_.h * group_height;
    block.any_unknown = any_unknown_.data() + group * s_.h;
    block.weights = c_.weights_.data();
    block.power = s_.power;
    block.ramp_start = static_cast<float>(s_.ramp.equal * c_.gain_);
    block.ramp_slope = static_cast<float>(s_.ramp.slope);
    block.ramp_end = static_cast<float>(c_.gain_);
    NEARWISE_CHOSEN(propose_near)(block, *this);
  }

  void rank(Count slot, NearLists& out) {
    tighten(slot);
    std::vector<Candidate>& list = lists_[slot];
    const Count size = static_cast<Count>(list.size());
    ranked_.clear();
    const PairCase q = c_.at(asked_[slot]);
    const float kth_value = size > k_ ? kth(list) : INFINITY;  // no more than k: all of them, whatever their sums
    for (const Candidate& each : list) {
      const Count i = c_.order_[each.packed];
      // fewer than k values are below that of the k-th, so a case that comes before all others is among the k for sure
      const bool is_sure = !with_sums_ && (size <= k_ || limit(each.value) < kth_value);
      ranked_.push_back({is_sure ? -1.0 : NEARWISE_CHOSEN(pair_sum)(s_, q, c_.at(i)), static_cast<std::int32_t>(i)});
    }
    std::sort(ranked_.begin(), ranked_.end());
    Count inside = size, kept = size;
    double share = 1.0;
    if (size > k_) {
      const Tie tie(ranked_[k_ - 1].sum, tolerance_);
      inside = kept = 0;
      while (kept < size && ranked_[kept].sum <= tie.high) inside += ranked_[kept++].sum < tie.low;
      share = static_cast<double>(k_ - inside) / static_cast<double>(kept - inside);
      if (kept == k_) inside = kept;
    }
    out.ends.push_back(kept);
    out.inside.push_back(inside);
    out.share.push_back(share);
    for (Count j = 0; j < kept; ++j) {
      out.cases.push_back(ranked_[j].index);
      if (with_sums_) out.sums.push_back(ranked_[j].sum);
    }
  }

  // From group after group to query after query.
  void gather(const std::vector<NearLists>& found, NearLists& out) const {
    std::vector<Count> at(found.size(), 0);
    for (Count j = 0; j < m_; ++j)
      for (std::size_t a = 0; a < found.size(); ++a) {
        const NearLists& from = found[a];
        const Count kept = from.ends[j];
        out.ends.push_back(kept);
        out.inside.push_back(from.inside[j]);
        out.share.push_back(from.share[j]);
        out.cases.insert(out.cases.end(), from.cases.begin() + at[a], from.cases.begin() + at[a] + kept);
        if (with_sums_) out.sums.insert(out.sums.end(), from.sums.begin() + at[a], from.sums.begin() + at[a] + kept);
        at[a] += kept;
      }
  }

  const Contrast& c_;
  const PairSpace& s_;
  const Count k_, least_room_;
  const double tolerance_;
  const bool with_sums_;
  const double relative_;
  std::vector<std::vector<Candidate>> lists_;
  std::vector<float> limits_;
  std::vector<Count> rooms_;
  std::vector<float> starts_;
  std::vector<std::uint32_t> totals_, coarse_;
  std::vector<float> queries_, unknown_case_;
  std::vector<std::uint32_t> is_unknown_;
  std::vector<std::uint8_t> any_unknown_;
  std::vector<Ranked<std::int32_t>> ranked_;
  const Contrast::Segment* segment_ = nullptr;
  const Count* asked_ = nullptr;
  Count m_ = 0, from_ = 0, group_ = 0;
};

NearLists Contrast::near(const PairQueries& queries, Count k, double tolerance, bool with_sums) {
  if (queries.m > 0) pack_unknown(groups_[queries.cases[0]]);
  const Count chunks = (queries.m + chunk - 1) / chunk;
  std::vector<NearLists> parts(static_cast<std::size_t>(chunks));
  in_parallel(chunks, queries.threads, [&] {
    return [&, search = std::make_unique<NearSearch>(*this, k, tolerance, with_sums)](Count at) {
      search->run(queries.cases + at * chunk, std::min(chunk, queries.m - at * chunk), parts[at]);
    };
  });
  NearLists out;
  Count end = 0;
  out.ends.push_back(0);
  for (NearLists& part : parts) {
    for (Count kept : part.ends) out.ends.push_back(end += kept);
    out.inside.insert(out.inside.end(), part.inside.begin(), part.inside.end());
    out.share.insert(out.share.end(), part.share.begin(), part.share.end());
    out.cases.insert(out.cases.end(), part.cases.begin(), part.cases.end());
    out.sums.insert(out.sums.end(), part.sums.begin(), part.sums.end());
    part = NearLists();
  }
  return out;
}

}  // namespace nearwise
