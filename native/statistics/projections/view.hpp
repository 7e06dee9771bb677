// The runs of one feature as one query sees them: a place among sorted numbers, and a walk to both sides.
#pragma once

#include <algorithm>
#include <cmath>

#include "selection/nearest.hpp"
#include "statistics/projections/projections.hpp"

namespace nearwise {

// Runs between two others, which it does not hold. On a circle they may be beyond its ends, and mean those of another turn.
struct Between {
  Count low, high;
};

// The runs of one feature as one query sees them.
class View {
 public:
  View(const Axis& axis, double query, Count own) : a_(axis), query_(query), own_(own) {}

  double gap(Count at) const {
    const double gap = std::fabs(a_.positions[run(at)] - query_);
    return a_.period > 0 ? std::min(gap, a_.period - gap) : gap;
  }
  Count run(Count at) const {
    if (a_.period == 0) return at;
    return at < 0 ? at + a_.runs : at >= a_.runs ? at - a_.runs : at;
  }
  // Whether there is a further run below or above.
  bool has_lower(const Between& b) const { return a_.period > 0 ? b.high - b.low - 1 < a_.runs : b.low >= 0; }
  bool has_higher(const Between& b) const { return a_.period > 0 ? b.high - b.low - 1 < a_.runs : b.high < a_.runs; }

  // Cases in between, without the one to skip.
  Count cases(const Between& b) const {
    Count found = before(b.high) - before(b.low + 1);
    for (Count turned = -1; turned <= 1; ++turned) {
      const Count at = own_ + turned * a_.runs;
      if (own_ >= 0 && at > b.low && at < b.high) --found;
    }
    return found;
  }

  // The runs of the k nearest cases and of all that tie with the k-th; ``last`` is how far this one is.
  Between nearest(Count place, Count k, double tolerance, double* last) const {
    Between b{place - 1, place};
    Count found = 0;
    while (found < k) {
      const bool lower = has_lower(b), higher = has_higher(b);
      if (!lower && !higher) break;
      const double below = lower ? gap(b.low) : infinity, above = higher ? gap(b.high) : infinity;
      const bool down = lower && (!higher || below <= above);
      const Count at = run(down ? b.low-- : b.high++);
      *last = down ? below : above;
      found += a_.cases_before(at + 1) - a_.cases_before(at) - (at == own_);
    }
    const double limit = Tie(*last, tolerance).high;
    while (has_lower(b) && gap(b.low) <= limit) --b.low;
    while (has_higher(b) && gap(b.high) <= limit) ++b.high;
    return b;
  }

  // Those of them that are nearer than the tie.
  Between nearer(Between b, double limit) const {
    while (b.low + 1 < b.high && gap(b.low + 1) >= limit) ++b.low;
    while (b.low + 1 < b.high && gap(b.high - 1) >= limit) --b.high;
    return b;
  }

 private:
  // Cases of the runs before one, which may be a turn off.
  Count before(Count at) const {
    const Count turn = at < 0 ? -1 : at > a_.runs ? 1 : 0;
    return a_.cases_before(at - turn * a_.runs) + turn * a_.n;
  }

  const Axis& a_;
  const double query_;
  const Count own_;
};

}  // namespace nearwise
