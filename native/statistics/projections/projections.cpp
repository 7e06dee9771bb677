// Queries in blocks; inside a block feature by feature, so that the values of one feature stay near.
#include "statistics/projections/projections.hpp"

#include <algorithm>
#include <cmath>

#include "machine/parallel.hpp"
#include "selection/nearest.hpp"
#include "statistics/projections/merged.hpp"
#include "statistics/projections/tally.hpp"
#include "statistics/projections/view.hpp"

namespace nearwise {
namespace {

constexpr Count block = 128;
constexpr Count few = 16;  // places that are looked at all

class Voting {
 public:
  Voting(const Axes& axes, const Ballot& ballot, const Outcome& out)
      : axes_(axes), b_(ballot), out_(out), size_(axes.groups * axes.v), tally_(axes.groups, axes.v) {}

  void operator()(Count first, Count last) {
    const Count rows = last - first;
    for (Count f = 0; f < static_cast<Count>(axes_.axes.size()); ++f) {
      const Axis& axis = axes_.axes[f];
      if (b_.weights[f] == 0 && out_.by_feature == nullptr) continue;
      if (axis.positions) find_places(axis, b_.values + f * b_.m + first, rows, places_);
      if (axis.changes) find_places(*axis.changes, b_.values + f * b_.m + first, rows, changed_places_);
      for (Count i = 0; i < rows; ++i) ask(axis, f, first + i, {places_[i], axis.changes ? changed_places_[i] : 0});
    }
  }

 private:
  // All queries take a step at a time, so that what they read is fetched side by side.
  static void find_places(const Axis& axis, const double* values, Count rows, Count* places) {
    const double* positions = axis.positions;
    std::fill(places, places + rows, 0);
    for (Count left = axis.runs; left > 1;) {
      const Count half = left / 2;
      for (Count i = 0; i < rows; ++i) places[i] += positions[places[i] + half - 1] < values[i] ? half : 0;
      left -= half;
    }
    for (Count i = 0; i < rows && axis.runs > 0; ++i) {
      places[i] += positions[places[i]] < values[i];
#if defined(__GNUC__)
      if (axis.short_codes) __builtin_prefetch(axis.short_codes->data() + places[i]);
#endif
    }
  }

  // Where a query stands in an axis, and in its changes.
  using Places = Count[2];

  void ask(const Axis& axis, Count f, Count query, const Places& places) {
    const double value = b_.values[f * b_.m + query];
    if (std::isnan(value)) return;
    Own own;
    if (b_.own_runs && b_.own_runs[f * b_.m + query] >= 0)
      own = {b_.own_runs[f * b_.m + query], b_.own_codes[query], b_.own_amounts + query * axes_.v};
    const Count k = std::min(b_.k, axis.n - (own.run >= 0));
    if (k < 1) return;
    const double share = axis.positions ? on_line(axis, value, places, k, own) : by_equality(axis, value, k, own);
    double* alone = out_.by_feature;
    if (alone) alone += (query * static_cast<Count>(axes_.axes.size()) + f) * size_;
    tally_.close(share, b_.weights[f], out_.total + query * size_, out_.near + query * axes_.groups, alone);
  }

  // The k nearest where every run is one case and none ties for the last place, as on most real numbers: they are k
  // neighbours in sorted order. False where it takes a closer look.
  bool in_a_row(const Axis& axis, double value, const Places& places, Count k) {
    const double* x = axis.positions;
    const Count place = places[0];
    if (k > axis.runs) return false;
    Count first = std::max<Count>(0, place - k), end = std::min(place, axis.runs - k);
    if (end - first <= few) {  // all at once costs less than steps that nobody can foretell
      Count further = 0;
      for (Count at = first; at < end; ++at) further += std::fabs(x[at] - value) > std::fabs(x[at + k] - value);
      end = first += further;
    }
    while (first < end) {
      const Count middle = (first + end) / 2;
      const bool further = std::fabs(x[middle] - value) > std::fabs(x[middle + k] - value);
      first = further ? middle + 1 : first;
      end = further ? end : middle;
    }
    if (!stays(axis, {first - 1, first + k}, places[1])) return false;
    const double last = std::max(std::fabs(x[first] - value), std::fabs(x[first + k - 1] - value));
    const Tie tie(last, b_.tolerance);
    if (first > 0 && std::fabs(x[first - 1] - value) <= tie.high) return false;
    if (first + k < axis.runs && std::fabs(x[first + k] - value) <= tie.high) return false;
    const std::uint8_t* codes = axis.short_codes ? axis.short_codes->data() : nullptr;
    for (Count at = first; at < first + k; ++at) {
      const double gap = std::fabs(x[at] - value);
      tally_.add_one(codes ? codes[at] : axis.codes[at], away(axis, gap < tie.low ? gap : last));
    }
    return true;
  }

  // Whether no case came or went between two runs, nor at them.
  static bool stays(const Axis& axis, const Between& b, Count changed_place) {
    if (!axis.changes) return true;
    const Axis& changes = *axis.changes;
    if (axis.period > 0) return false;
    const bool below = changed_place == 0 ||
                       (b.low >= 0 && changes.positions[changed_place - 1] < axis.positions[b.low]);
    return below && (changed_place == changes.runs ||
                     (b.high < axis.runs && changes.positions[changed_place] > axis.positions[b.high]));
  }

  // Each gives the share that each case of the tie has of a place.
  double on_line(const Axis& axis, double value, const Places& places, Count k, const Own& own) {
    const bool simple = !axis.before && !axis.amounts && axis.period == 0 && own.run < 0;
    if (simple && in_a_row(axis, value, places, k)) return 1.0;
    const View view(axis, value, own.run);
    double last = 0.0;
    const Between all = view.nearest(places[0], k, b_.tolerance, &last);
    if (!stays(axis, all, places[1])) return among_changes(axis, value, places, k);
    const Between inside = view.nearer(all, Tie(last, b_.tolerance).low);
    const double scaled = away(axis, last);
    for (Count at = inside.low + 1; at < inside.high; ++at)
      tally_.add(axis, view.run(at), away(axis, view.gap(at)), true, own);
    for (Count at = all.low + 1; at <= inside.low; ++at) tally_.add(axis, view.run(at), scaled, false, own);
    for (Count at = inside.high; at < all.high; ++at) tally_.add(axis, view.run(at), scaled, false, own);
    const Count nearer = view.cases(inside);
    return static_cast<double>(k - nearer) / static_cast<double>(view.cases(all) - nearer);
  }

  // The same where cases came or went nearby.
  double among_changes(const Axis& axis, double value, const Places& places, Count k) {
    merged_.find(axis, value, places, k, b_.tolerance);
    const auto& runs = merged_.runs();
    Count nearer = 0, tied = 0;
    for (std::size_t i = merged_.inside_first(); i < merged_.inside_end(); ++i) {
      tally_.add(*runs[i].axis, runs[i].run, away(axis, runs[i].gap), true, Own{});
      nearer += runs[i].cases;
    }
    const double scaled = away(axis, merged_.last());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i >= merged_.inside_first() && i < merged_.inside_end()) continue;
      tally_.add(*runs[i].axis, runs[i].run, scaled, false, Own{});
      tied += runs[i].cases;
    }
    return static_cast<double>(k - nearer) / static_cast<double>(tied);
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
  Merged merged_;
  Count places_[block], changed_places_[block];
};

}  // namespace

std::vector<double> totals_of(const Axis& axis, Count groups, Count v) {
  std::vector<double> totals(groups * v);
  for (Count e = 0; e < axis.entries; ++e)
    for (Count j = 0; j < v; ++j)
      totals[axis.codes[e] * v + j] += axis.amounts ? axis.amounts[e * v + j] : static_cast<double>(axis.cases_of(e));
  return totals;
}

std::shared_ptr<const std::vector<std::uint8_t>> short_codes_of(const Axis& axis, Count groups) {
  if (!axis.positions || axis.before || axis.amounts || axis.period > 0 || groups > 256) return nullptr;
  return std::make_shared<const std::vector<std::uint8_t>>(axis.codes, axis.codes + axis.entries);
}

void vote_on_axes(const Axes& axes, const Ballot& ballot, const Outcome& out) {
  std::fill(out.near, out.near + ballot.m * axes.groups, infinity);
  blocks_in_parallel(ballot.m, block, ballot.threads, [&] { return Voting(axes, ballot, out); });
}

}  // namespace nearwise
