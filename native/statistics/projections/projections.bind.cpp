// Projections for Python: checks the features once, then what each vote brings.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>
#include <tuple>

#include "binding/arrays.hpp"
#include "statistics/projections/projections.hpp"

namespace nearwise {
namespace {

using Given = std::optional<Array>;
// positions, starts, before, codes, cases, amounts, runs, inverse, period
using AxisArrays = std::tuple<Given, Given, Given, Array, Given, Given, Count, double, double>;

// The arrays live as long as what points into them.
struct Held {
  Axes axes;
  std::vector<AxisArrays> arrays;
};

template <class T>
const T* optional_data(const Given& array, const char* name, const std::vector<Count>& shape) {
  return array ? shaped<T>(*array, name, shape) : nullptr;
}

Axis checked_axis(const AxisArrays& given, Count groups, Count v) {
  const auto& [positions, starts, before, codes, cases, amounts, runs, inverse, period] = given;
  Axis a{};
  require(runs >= 0 && runs <= most_cases, "runs must be from 0 to the largest number of cases.");
  a.runs = runs;
  a.positions = optional_data<double>(positions, "positions", {runs});
  a.starts = optional_data<std::int32_t>(starts, "starts", {runs + 1});
  a.before = optional_data<std::int32_t>(before, "before", {runs + 1});
  a.codes = data_of<std::int32_t>(codes, "codes", 1);
  a.entries = case_count(codes.shape(0));
  a.cases = optional_data<std::int32_t>(cases, "cases", {a.entries});
  a.amounts = optional_data<double>(amounts, "amounts", {a.entries, v});
  a.inverse = inverse;
  a.period = period;
  a.n = a.cases_before(runs);
  require(std::isfinite(inverse) && inverse >= 0, "inverse must be finite, not negative.");
  require(std::isfinite(period) && period >= 0, "period must be finite, not negative.");
  require(a.amounts != nullptr || v == 1, "amounts must be there where there are several values per case.");
  require(a.first_entry(0) == 0 && a.first_entry(runs) == a.entries, "starts must go from 0 to the entries.");
  require(a.cases_before(0) == 0, "before must start at 0.");
  require_between(a.codes, a.entries, 0, groups, "codes must be in 0 .. groups - 1");
  require_all(runs, "runs must not be negative in size", [&](Count r) {
    return a.first_entry(r) <= a.first_entry(r + 1) && a.cases_before(r) <= a.cases_before(r + 1);
  });
  require_all(runs, "each run must hold the cases of its entries", [&](Count r) {
    Count held = 0;
    for (Count e = a.first_entry(r); e < a.first_entry(r + 1); ++e) {
      if (a.cases_of(e) < 1) return false;
      held += a.cases_of(e);
    }
    return held == a.cases_before(r + 1) - a.cases_before(r);
  });
  if (a.positions) {
    require_all(runs, "positions must be finite and ascend", [&](Count r) {
      return std::isfinite(a.positions[r]) && (r == 0 || a.positions[r - 1] < a.positions[r]);
    });
    require(period == 0 || runs == 0 || (a.positions[0] >= -period / 2 && a.positions[runs - 1] <= period / 2),
            "positions on a circle must be at most half a turn from 0.");
    a.short_codes = short_codes_of(a, groups);
  } else {
    a.totals = totals_of(a, groups, v);
  }
  return a;
}

std::unique_ptr<Held> make(std::vector<AxisArrays> features, Count groups, Count v) {
  require(groups >= 1 && groups <= most_cases && v >= 1 && v <= 2, "groups must be from 1, and values 1 or 2.");
  auto held = std::make_unique<Held>();
  held->axes.groups = groups;
  held->axes.v = v;
  for (const AxisArrays& feature : features) held->axes.axes.push_back(checked_axis(feature, groups, v));
  held->arrays = std::move(features);
  return held;
}

// What changed on one feature: the runs where cases came or went (symbols: all of them), and how many cases have a value.
using Changed = std::tuple<AxisArrays, Count>;

std::unique_ptr<Held> with_changes(const Held& before, const std::vector<Changed>& features) {
  require(features.size() == before.axes.axes.size(), "changes must be given for each feature.");
  auto held = std::make_unique<Held>(before);
  for (std::size_t f = 0; f < features.size(); ++f) {
    const auto& [arrays, n] = features[f];
    Axis& axis = held->axes.axes[f];
    Axis changed = checked_axis(arrays, before.axes.groups, before.axes.v);
    held->arrays.push_back(arrays);
    require(!axis.changes, "changes must be told of an axis that has none.");
    require((axis.positions != nullptr) == (changed.positions != nullptr) && axis.period == changed.period,
            "changes must be of the form of their axis.");
    if (!axis.positions) {
      axis = std::move(changed);
      continue;
    }
    require(n >= changed.n && n <= axis.n + changed.n, "the cases of an axis must be those before and those that came.");
    axis.inverse = changed.inverse;
    axis.n = n;
    if (changed.runs > 0) axis.changes = std::make_shared<const Axis>(std::move(changed));
  }
  return held;
}

void check_own(const Axes& axes, const Ballot& b) {
  for (const Axis& axis : axes.axes) require(!axis.changes, "no case is skipped where others came or went.");
  require_between(b.own_codes, b.m, 0, axes.groups, "own_codes must be in 0 .. groups - 1");
  for (std::size_t f = 0; f < axes.axes.size(); ++f)
    require_between(b.own_runs + static_cast<Count>(f) * b.m, b.m, -1, axes.axes[f].runs, "own_runs must be runs or -1");
}

auto vote(const Held& held, const Array& values, const Array& weights, const Given& own_runs, const Given& own_codes,
          const Given& own_amounts, Count k, double tolerance, bool by_feature, Count threads) {
  const Axes& axes = held.axes;
  const auto p = static_cast<Count>(axes.axes.size());
  Ballot b{};
  b.values = data_of<double>(values, "values", 2);
  b.m = size_of(values, 1);
  shaped<double>(values, "values", {p, b.m});
  b.weights = shaped<double>(weights, "weights", {p});
  require_weights(b.weights, p, "weights");
  require(k >= 1 && threads >= 1, "k and threads must be at least 1.");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be from 0 to 1.");
  require_all(p * b.m, "values must not be infinite", [&](Count i) { return !std::isinf(b.values[i]); });
  for (Count f = 0; f < p; ++f)
    if (axes.axes[f].period > 0)
      require_all(b.m, "values on a circle must be at most half a turn from 0", [&](Count i) {
        return !(std::fabs(b.values[f * b.m + i]) > axes.axes[f].period / 2);
      });
  b.k = k;
  b.tolerance = tolerance;
  b.threads = threads;
  if (own_runs) {
    require(own_codes.has_value() && own_amounts.has_value(), "own_codes and own_amounts go with own_runs.");
    b.own_runs = shaped<std::int32_t>(*own_runs, "own_runs", {p, b.m});
    b.own_codes = shaped<std::int32_t>(*own_codes, "own_codes", {b.m});
    b.own_amounts = shaped<double>(*own_amounts, "own_amounts", {b.m, axes.v});
    check_own(axes, b);
  }
  const auto m = static_cast<std::size_t>(b.m), g = static_cast<std::size_t>(axes.groups),
             v = static_cast<std::size_t>(axes.v), features = static_cast<std::size_t>(p);
  std::vector<double> total(m * g * v), near(m * g), alone(by_feature ? m * features * g * v : 0);
  without_gil([&] { vote_on_axes(axes, b, {total.data(), near.data(), by_feature ? alone.data() : nullptr}); });
  return std::make_tuple(to_numpy(std::move(total), {m, g, v}), to_numpy(std::move(near), {m, g}),
                         to_numpy(std::move(alone), {by_feature ? m : 0, features, g, v}));
}

}  // namespace

void bind_projections(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Held>(module, "Projections", "The stored cases on each feature by itself; immutable, threads may share it.")
      .def(nb::new_(&make), "features"_a, "groups"_a, "values"_a)
      .def("with_changes", &with_changes, "features"_a, "The same after cases came or went, without sorting again.")
      .def("vote", &vote, "values"_a, "weights"_a, "own_runs"_a.none(), "own_codes"_a.none(), "own_amounts"_a.none(),
           "k"_a, "tolerance"_a, "by_feature"_a, "threads"_a = 1,
           "Votes of the k nearest on each feature, fair ties included: (m, g, v) with weights, (m, g) smallest "
           "differences, and (m, p, g, v) feature by feature if asked for.");
}

}  // namespace nearwise
