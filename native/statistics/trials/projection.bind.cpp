// project for Python: checks what comes in, releases the GIL and classifies along one feature.
#include <cmath>

#include "statistics/trials/projection.hpp"
#include "statistics/trials/trials.bind.hpp"

namespace nearwise {
namespace {

auto project_arrays(const Array& values, const Array& places, Count n_folds, const Array& weights, const Array& priors,
                    double coefficient, double power, double period, Count k, double tolerance) {
  Projection p{};
  p.values = data_of<double>(values, "values", 1);
  p.n = case_count(values.shape(0));
  p.weights = weights.size() == 0 ? nullptr : shaped<double>(weights, "weights", {p.n});
  p.priors = data_of<double>(priors, "priors", 1);
  p.places = shaped<std::int32_t>(places, "places", {p.n});
  p.n_folds = n_folds;
  p.classes = size_of(priors, 0);
  p.coefficient = coefficient;
  p.power = power;
  p.period = period;
  require(p.classes >= 1, "priors must hold at least one class.");
  require(n_folds >= 1 && n_folds * p.classes < Count(1) << 31, "n_folds times classes must be in 1 .. 2**31 - 1.");
  require_trial(k, tolerance, 1);
  require(std::isfinite(coefficient) && coefficient >= 0, "coefficient must be finite, not negative.");
  require(power >= 1 && std::isfinite(power), "power must be a number from 1.");
  require(period >= 0 && std::isfinite(period), "period must be finite, not negative.");
  require_all(p.n, "values must be finite", [&](Count i) { return std::isfinite(p.values[i]); });
  require_all(p.n, "values must be sorted", [&](Count i) { return i == 0 || p.values[i - 1] <= p.values[i]; });
  require_between(p.places, p.n, 0, n_folds * p.classes, "places must be in 0 .. n_folds * classes - 1");
  const auto rows = static_cast<std::size_t>(n_folds), columns = static_cast<std::size_t>(k);
  std::vector<double> right(rows * columns);
  without_gil([&] { project(p, k, tolerance, right.data()); });
  return to_numpy(std::move(right), {rows, columns});
}

}  // namespace

void bind_projection(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("project", &project_arrays, "values"_a, "places"_a, "n_folds"_a, "weights"_a, "priors"_a,
             "coefficient"_a, "power"_a, "period"_a, "k"_a, "tolerance"_a,
             "The weight of the cases that neighbours of other folds on one sorted feature classify right.");
}

}  // namespace nearwise
