// One pass over the sorted values. Equal values form a run; cases of one run and fold have the same neighbours, so each
// such group is asked once: it walks outwards from its run, always to the nearer side, over the entries of other folds.
#include "statistics/trials/projection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "arithmetic/raised.hpp"
#include "selection/winner.hpp"

namespace nearwise {
namespace {

// Cases of one run, fold and class.
struct Entry {
  std::int32_t fold, code, cases;
  double weight;
};

struct Item {
  double sum;
  const Entry* entry;
};

class Line {
 public:
  Line(const Projection& cases, Count k, double tolerance)
      : c_(cases), k_(k), tolerance_(tolerance), votes_(cases.classes), near_(cases.classes), winners_(k) {
    entries_.reserve(cases.n);
    for (Count start = 0, end; start < c_.n; start = end) {
      for (end = start + 1; end < c_.n && c_.values[end] == c_.values[start];) ++end;
      starts_.push_back(static_cast<Count>(entries_.size()));
      positions_.push_back(c_.values[start]);
      add_run(start, end);
    }
    starts_.push_back(static_cast<Count>(entries_.size()));
  }

  void run(double* right) {
    for (Count r = 0; r < runs(); ++r)
      for (Count at = starts_[r]; at < starts_[r + 1];) {  // entries of a run are sorted by fold
        const std::int32_t fold = entries_[at].fold;
        ask(r, fold);
        for (; at < starts_[r + 1] && entries_[at].fold == fold; ++at)
          for (Count j = 0; j < k_; ++j)
            if (winners_[j] == entries_[at].code) right[fold * k_ + j] += entries_[at].weight;
      }
  }

 private:
  Count runs() const { return static_cast<Count>(positions_.size()); }

  // Entries by fold and class, added up in the order of the cases.
  void add_run(Count start, Count end) {
    if (end - start == 1) {
      entries_.push_back(entry(c_.places[start], weight(start)));
      return;
    }
    order_.resize(static_cast<std::size_t>(end - start));
    for (Count i = start; i < end; ++i) order_[i - start] = {c_.places[i], i};
    std::sort(order_.begin(), order_.end());
    std::int32_t before = -1;
    for (const auto& [place, i] : order_) {
      if (place == before) {
        ++entries_.back().cases;
        entries_.back().weight += weight(i);
      } else {
        entries_.push_back(entry(place, weight(i)));
      }
      before = place;
    }
  }

  double weight(Count i) const { return c_.weights ? c_.weights[i] : 1.0; }
  Entry entry(std::int32_t place, double weight) const {
    const auto classes = static_cast<std::int32_t>(c_.classes);
    return {place / classes, place % classes, 1, weight};
  }

  double sum(Count a, Count b) const {
    double gap = std::fabs(positions_[a] - positions_[b]);
    if (c_.period > 0) gap = std::min(gap, c_.period - gap);
    return c_.coefficient * raised_to(gap, c_.power);
  }

  // Items of other folds in the order of their sums, up to the end of the tie group of the k-th case.
  void gather(Count r, std::int32_t fold) {
    items_.clear();
    Count found = 0, left_out = runs() - 1, low = r, high = r;
    double limit = infinity, s = 0.0;
    auto take = [&](Count at) {
      for (Count e = starts_[at]; e < starts_[at + 1]; ++e) {
        if (entries_[e].fold == fold) continue;
        items_.push_back({s, &entries_[e]});
        found += entries_[e].cases;
      }
      if (found >= k_ && limit == infinity) limit = Tie(s, tolerance_).high;
    };
    take(r);
    const bool ring = c_.period > 0;
    double below = next(r, low = down(low, ring)), above = next(r, high = up(high, ring));
    while (left_out > 0) {
      const bool goes_down = below <= above;
      s = goes_down ? below : above;
      if (s > limit || s == infinity) break;
      --left_out;
      if (goes_down) {
        take(low);
        below = next(r, low = down(low, ring));
      } else {
        take(high);
        above = next(r, high = up(high, ring));
      }
    }
  }

  Count down(Count at, bool ring) const { return at > 0 ? at - 1 : ring ? runs() - 1 : -1; }
  Count up(Count at, bool ring) const { return at + 1 < runs() ? at + 1 : ring ? 0 : -1; }
  double next(Count r, Count at) const { return at < 0 ? infinity : sum(r, at); }

  // winners_ [K]: for each k the cases nearer than the k-th vote, those that tie with it share the places that remain.
  void ask(Count r, std::int32_t fold) {
    if (k_ == 1 && starts_[r + 1] - starts_[r] == 1 && c_.period == 0 && ask_simply(r, fold)) return;
    gather(r, fold);
    if (items_.empty()) {
      std::fill(winners_.begin(), winners_.end(), -1);  // undetermined
      return;
    }
    if (k_ == 1 && items_.size() == 1 && items_[0].entry->weight > 0) {
      winners_[0] = items_[0].entry->code;
      return;
    }
    std::size_t at = 0;
    Count cases = items_[0].entry->cases;
    for (Count k = 1; k <= k_; ++k) {
      while (cases < k && at + 1 < items_.size()) cases += items_[++at].entry->cases;
      winners_[k - 1] = vote(items_[at].sum, std::min(k, cases));
    }
  }

  // The nearest neighbour where nothing ties with it and all runs on the way hold one entry, as on most real numbers;
  // false where it takes a closer look.
  bool ask_simply(Count r, std::int32_t fold) {
    Count low = r - 1, high = r + 1;
    for (; low >= 0 && entries_[starts_[low]].fold == fold; --low)
      if (starts_[low + 1] - starts_[low] != 1) return false;
    for (; high < runs() && entries_[starts_[high]].fold == fold; ++high)
      if (starts_[high + 1] - starts_[high] != 1) return false;
    const double below = low < 0 ? infinity : sum(r, low), above = high >= runs() ? infinity : sum(r, high);
    const bool goes_down = below < above;
    const Count at = goes_down ? low : high, next = goes_down ? low - 1 : high + 1;
    const double nearest = goes_down ? below : above, upper = Tie(nearest, tolerance_).high;
    if (!(nearest < infinity) || (goes_down ? above : below) <= upper) return false;
    if (next >= 0 && next < runs() && sum(r, next) <= upper) return false;
    if (starts_[at + 1] - starts_[at] != 1 || !(entries_[starts_[at]].weight > 0)) return false;
    winners_[0] = entries_[starts_[at]].code;
    return true;
  }

  std::int32_t vote(double last, Count places) {
    const Tie tie(last, tolerance_);
    std::fill(votes_.begin(), votes_.end(), 0.0);
    std::fill(near_.begin(), near_.end(), infinity);
    Count inside = 0, tied = 0;
    for (const Item& item : items_) {
      if (item.sum > tie.high) break;
      if (item.sum < tie.low) inside += item.entry->cases;
      else tied += item.entry->cases;
    }
    const double share = static_cast<double>(places - inside) / static_cast<double>(tied);
    for (const Item& item : items_) {
      if (item.sum > tie.high) break;
      const Entry& entry = *item.entry;
      const bool is_inside = item.sum < tie.low;
      votes_[entry.code] += is_inside ? entry.weight : share * entry.weight;
      if (entry.weight > 0) near_[entry.code] = std::min(near_[entry.code], is_inside ? item.sum : last);
    }
    return winner(votes_, near_, c_.priors, tolerance_);
  }

  const Projection& c_;
  const Count k_;
  const double tolerance_;
  std::vector<Entry> entries_;
  std::vector<Count> starts_;       // of the entries of each run
  std::vector<double> positions_;   // of the runs
  std::vector<Item> items_;
  std::vector<double> votes_, near_;
  std::vector<std::int32_t> winners_;
  std::vector<std::pair<std::int32_t, Count>> order_;
};

}  // namespace

void project(const Projection& cases, Count k, double tolerance, double* right) {
  if (cases.n > 0) Line(cases, k, tolerance).run(right);
}

}  // namespace nearwise
