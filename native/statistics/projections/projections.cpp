// Queries in blocks; inside a block feature by feature, so that the values of one feature stay near.
#include "statistics/projections/projections.hpp"

#include <algorithm>
#include <cmath>

#include "machine/parallel.hpp"
#include "selection/nearest.hpp"
#include "statistics/projections/tally.hpp"

namespace nearwise {
namespace {

constexpr Count block = 64;

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

class Voting {
 public:
  Voting(const Axes& axes, const Ballot& ballot, const Outcome& out)
      : axes_(axes), b_(ballot), out_(out), size_(axes.groups * axes.v), tally_(axes.groups, axes.v) {}

  void operator()(Count first, Count last) {
    const Count rows = last - first;
    for (Count f = 0; f < static_cast<Count>(axes_.axes.size()); ++f) {
      const Axis& axis = axes_.axes[f];
      if (b_.weights[f] == 0 && out_.by_feature == nullptr) continue;
      if (axis.positions) find_places(axis, b_.values + f * b_.m + first, rows);
      for (Count i = 0; i < rows; ++i) ask(axis, f, first + i, places_[i]);
    }
  }

 private:
  // All queries take a step at a time, so that what they read is fetched side by side.
  void find_places(const Axis& axis, const double* values, Count rows) {
    const double* positions = axis.positions;
    std::fill(places_, places_ + rows, 0);
    for (Count left = axis.runs; left > 1;) {
      const Count half = left / 2;
      for (Count i = 0; i < rows; ++i) places_[i] += positions[places_[i] + half - 1] < values[i] ? half : 0;
      left -= half;
    }
    for (Count i = 0; i < rows && axis.runs > 0; ++i) {
      places_[i] += positions[places_[i]] < values[i];
#if defined(__GNUC__)
      __builtin_prefetch(axis.codes + axis.entries * places_[i] / axis.runs);
#endif
    }
  }

  void ask(const Axis& axis, Count f, Count query, Count place) {
    const double value = b_.values[f * b_.m + query];
    if (std::isnan(value)) return;
    Own own;
    if (b_.own_runs && b_.own_runs[f * b_.m + query] >= 0)
      own = {b_.own_runs[f * b_.m + query], b_.own_codes[query], b_.own_amounts + query * axes_.v};
    const Count k = std::min(b_.k, axis.n - (own.run >= 0));
    if (k < 1) return;
    const double share = axis.positions ? on_line(axis, value, place, k, own) : by_equality(axis, value, k, own);
    double* alone = out_.by_feature;
    if (alone) alone += (query * static_cast<Count>(axes_.axes.size()) + f) * size_;
    tally_.close(share, b_.weights[f], out_.total + query * size_, out_.near + query * axes_.groups, alone);
  }

  // The k nearest where every run is one case and none ties for the last place, as on most real numbers: they are k
  // neighbours in sorted order. False where it takes a closer look.
  bool in_a_row(const Axis& axis, double value, Count place, Count k) {
    const double* x = axis.positions;
    Count first = std::max<Count>(0, place - k), end = std::min(place, axis.runs - k);
    while (first < end) {
      const Count middle = (first + end) / 2;
      const bool further = std::fabs(x[middle] - value) > std::fabs(x[middle + k] - value);
      first = further ? middle + 1 : first;
      end = further ? end : middle;
    }
    const double last = std::max(std::fabs(x[first] - value), std::fabs(x[first + k - 1] - value));
    const Tie tie(last, b_.tolerance);
    if (first > 0 && std::fabs(x[first - 1] - value) <= tie.high) return false;
    if (first + k < axis.runs && std::fabs(x[first + k] - value) <= tie.high) return false;
    for (Count at = first; at < first + k; ++at) {
      const double gap = std::fabs(x[at] - value);
      tally_.add_one(axis.codes[at], away(axis, gap < tie.low ? gap : last));
    }
    return true;
  }

  // Both give the share that each case of the tie has of a place.
  double on_line(const Axis& axis, double value, Count place, Count k, const Own& own) {
    const bool simple = !axis.before && !axis.amounts && axis.period == 0 && own.run < 0;
    if (simple && in_a_row(axis, value, place, k)) return 1.0;
    const View view(axis, value, own.run);
    double last = 0.0;
    const Between all = view.nearest(place, k, b_.tolerance, &last);
    const Between inside = view.nearer(all, Tie(last, b_.tolerance).low);
    const double scaled = away(axis, last);
    for (Count at = inside.low + 1; at < inside.high; ++at)
      tally_.add(axis, view.run(at), away(axis, view.gap(at)), true, own);
    for (Count at = all.low + 1; at <= inside.low; ++at) tally_.add(axis, view.run(at), scaled, false, own);
    for (Count at = inside.high; at < all.high; ++at) tally_.add(axis, view.run(at), scaled, false, own);
    const Count nearer = view.cases(inside);
    return static_cast<double>(k - nearer) / static_cast<double>(view.cases(all) - nearer);
  }

  double by_equality(const Axis& axis, double value, Count k, const Own& own) {
    const Count run = value >= 0 && value < static_cast<double>(axis.runs) ? static_cast<Count>(value) : -1;
    Count same = run < 0 ? 0 : axis.cases_before(run + 1) - axis.cases_before(run);
    same -= run >= 0 && run == own.run;
    if (same > 0) tally_.add(axis, run, 0.0, same < k, own);
    if (same >= k) return static_cast<double>(k) / static_cast<double>(same);
    tally_.add_others(axis, run, away(axis, 1.0), own, b_.tolerance);
    return static_cast<double>(k - same) / static_cast<double>(axis.n - (own.run >= 0) - same);
  }

  // A constant feature has no unit, and says nothing of who is near.
  static double away(const Axis& axis, double gap) { return axis.inverse > 0 ? gap * axis.inverse : infinity; }

  const Axes& axes_;
  const Ballot& b_;
  const Outcome& out_;
  const Count size_;
  Tally tally_;
  Count places_[block];
};

}  // namespace

std::vector<double> totals_of(const Axis& axis, Count groups, Count v) {
  std::vector<double> totals(groups * v);
  for (Count e = 0; e < axis.entries; ++e)
    for (Count j = 0; j < v; ++j)
      totals[axis.codes[e] * v + j] += axis.amounts ? axis.amounts[e * v + j] : static_cast<double>(axis.cases_of(e));
  return totals;
}

void vote_on_axes(const Axes& axes, const Ballot& ballot, const Outcome& out) {
  std::fill(out.near, out.near + ballot.m * axes.groups, infinity);
  blocks_in_parallel(ballot.m, block, ballot.threads, [&] { return Voting(axes, ballot, out); });
}

}  // namespace nearwise
