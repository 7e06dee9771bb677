// The runs of an axis together with those that changed since it was sorted, as one query sees them.
//
// A run of the changes stands for the one of the axis at the same place, if there is one. It may be empty: then all cases
// of that place are gone. Both are sorted, so that the nearest runs are at one of four cursors.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "selection/nearest.hpp"
#include "statistics/projections/projections.hpp"

namespace nearwise {

struct SeenRun {
  const Axis* axis;
  Count run, cases;
  double gap;
};

class Merged {
 public:
  // Finds the runs of the k nearest cases and of all that tie with the k-th; ``places`` are the first runs, of the axis
  // and of its changes, that are not below the query.
  void find(const Axis& axis, double query, const Count (&places)[2], Count k, double tolerance) {
    axes_[0] = &axis;
    axes_[1] = axis.changes.get();
    query_ = query;
    for (int which = 0; which < 2; ++which) {
      low_[which] = places[which] - 1;
      high_[which] = places[which];
    }
    lower_.clear();
    higher_.clear();
    last_ = 0.0;
    for (Count found = 0; found < k;) {
      SeenRun below, above;
      const bool lower = next(true, &below), higher = next(false, &above);
      if (!lower && !higher) break;
      const bool down = lower && (!higher || below.gap <= above.gap);
      const SeenRun& taken = down ? below : above;
      take(down, taken);
      found += taken.cases;
      last_ = taken.gap;
    }
    const double limit = Tie(last_, tolerance).high;
    SeenRun run;
    while (next(true, &run) && run.gap <= limit) take(true, run);
    while (next(false, &run) && run.gap <= limit) take(false, run);
    arrange(Tie(last_, tolerance).low);
  }

  // All of them, ascending; those from ``inside_first`` to ``inside_end`` are nearer than the tie, which is at ``last``.
  const std::vector<SeenRun>& runs() const { return runs_; }
  std::size_t inside_first() const { return inside_first_; }
  std::size_t inside_end() const { return inside_end_; }
  double last() const { return last_; }

 private:
  // Where a cursor stands: on a circle maybe one turn off.
  struct Place {
    Count run, turn;
    double position;
    bool operator<(const Place& other) const {
      return turn != other.turn ? turn < other.turn : position < other.position;
    }
  };

  bool has_more(int which, bool down) const {
    const Axis& a = *axes_[which];
    if (a.period > 0) return high_[which] - low_[which] - 1 < a.runs;
    return down ? low_[which] >= 0 : high_[which] < a.runs;
  }
  Place place(int which, bool down) const {
    const Axis& a = *axes_[which];
    const Count at = down ? low_[which] : high_[which];
    const Count turn = at < 0 ? -1 : at >= a.runs ? 1 : 0;
    return {at - turn * a.runs, turn, a.positions[at - turn * a.runs]};
  }
  void step(int which, bool down) { down ? --low_[which] : ++high_[which]; }

  // The next run that holds cases, below or above; empty ones are passed, and so are those that changed since.
  bool next(bool down, SeenRun* found) {
    for (;;) {
      const bool before = has_more(0, down), now = has_more(1, down);
      if (!before && !now) return false;
      if (!now) return see(0, place(0, down), found);
      const Place changed = place(1, down);
      if (before) {
        const Place same = place(0, down);
        if (down ? changed < same : same < changed) return see(0, same, found);
        if (!(same < changed) && !(changed < same)) step(0, down);
      }
      if (see(1, changed, found)) return true;
      step(1, down);
    }
  }
  bool see(int which, const Place& at, SeenRun* found) const {
    const Axis& a = *axes_[which];
    const double gap = std::fabs(at.position - query_);
    *found = {&a, at.run, a.cases_before(at.run + 1) - a.cases_before(at.run),
              a.period > 0 ? std::min(gap, a.period - gap) : gap};
    return found->cases > 0;
  }
  void take(bool down, const SeenRun& run) {
    (down ? lower_ : higher_).push_back(run);
    step(run.axis == axes_[0] ? 0 : 1, down);
  }

  void arrange(double limit) {
    runs_.assign(lower_.rbegin(), lower_.rend());
    runs_.insert(runs_.end(), higher_.begin(), higher_.end());
    inside_first_ = 0;
    inside_end_ = runs_.size();
    while (inside_first_ < inside_end_ && runs_[inside_first_].gap >= limit) ++inside_first_;
    while (inside_first_ < inside_end_ && runs_[inside_end_ - 1].gap >= limit) --inside_end_;
  }

  const Axis* axes_[2];
  double query_, last_;
  Count low_[2], high_[2];
  std::vector<SeenRun> lower_, higher_, runs_;
  std::size_t inside_first_, inside_end_;
};

}  // namespace nearwise
