// project for Python: checks what comes in, releases the GIL and classifies along one feature.
#include <cmath>

#include "statistics/trials/projection.hpp"
#include "statistics/trials/trials.bind.hpp"

namespace nearwise {
namespace {

auto project_arrays(Given& given) {
  Projection p{};
  p.values = given.array<double>("values", {told_cases(p.n)});
  p.weights = given.array("weights").size() == 0 ? nullptr : given.array<double>("weights", {p.n});
  p.priors = given.array<double>("priors", {told(p.classes)});
  p.places = given.array<std::int32_t>("places", {p.n});
  p.n_folds = given.value<Count>("n_folds");
  p.coefficient = given.value<double>("coefficient");
  p.power = given.value<double>("power");
  p.period = given.value<double>("period");
  const Count k = trial_neighbours(given);
  const double tolerance = given.tolerance();
  require(p.classes >= 1, "priors must hold at least one class.");
  require(p.n_folds >= 1 && p.n_folds * p.classes < Count(1) << 31, "n_folds times classes must be in 1 .. 2**31 - 1.");
  require(std::isfinite(p.coefficient) && p.coefficient >= 0, "coefficient must be finite, not negative.");
  require_power(p.power);
  require(p.period >= 0 && std::isfinite(p.period), "period must be finite, not negative.");
  require_all(p.n, "values must be finite", [&](Count i) { return std::isfinite(p.values[i]); });
  require_all(p.n, "values must be sorted", [&](Count i) { return i == 0 || p.values[i - 1] <= p.values[i]; });
  require_between(p.places, p.n, 0, p.n_folds * p.classes, "places must be in 0 .. n_folds * classes - 1");
  std::vector<double> right(p.n_folds * k);
  without_gil([&] { project(p, k, tolerance, right.data()); });
  return to_numpy(std::move(right), {p.n_folds, k});
}

}  // namespace

void bind_projection(nb::module_& module) {
  module.def("project", called("values places n_folds weights priors coefficient power period k tolerance", &project_arrays),
             "The weight of the cases that neighbours of other folds on one sorted feature classify right.");
}

}  // namespace nearwise
