// project for Python: checks what comes in, releases the GIL and classifies along one feature.
#include <nanobind/stl/pair.h>

#include <cmath>
#include <utility>

#include "binding/arrays.hpp"
#include "statistics/trials/projection.hpp"

namespace nearwise {
namespace {

using Doubles1 = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Labels1 = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using Doubles2 = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

Doubles2 project_arrays(const Array& values, const Array& places, Count n_folds, const Array& weights,
                        const Array& priors, double coefficient, double power, double period, Count k,
                        double tolerance) {
  Projection p{};
  p.values = data_of<double>(values, "values", 1, "float64");
  p.n = case_count(values.shape(0));
  p.places = data_of<std::int32_t>(places, "places", 1, "int32");
  const double* w = data_of<double>(weights, "weights", 1, "float64");
  p.weights = weights.shape(0) == 0 ? nullptr : w;
  p.priors = data_of<double>(priors, "priors", 1, "float64");
  require_shape(places, "places", {p.n});
  if (p.weights) require_shape(weights, "weights", {p.n});
  p.n_folds = n_folds;
  p.classes = static_cast<Count>(priors.shape(0));
  p.coefficient = coefficient;
  p.power = power;
  p.period = period;
  require(p.classes >= 1, "priors must hold at least one class.");
  require(n_folds >= 1 && n_folds * p.classes < Count(1) << 31, "n_folds times classes must be in 1 .. 2**31 - 1.");
  require(k >= 1 && k <= 1 << 20, "k must be in 1 .. 2**20.");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  require(std::isfinite(coefficient) && coefficient >= 0, "coefficient must be finite, not negative.");
  require(power >= 1 && std::isfinite(power), "power must be a number from 1.");
  require(period >= 0 && std::isfinite(period), "period must be finite, not negative.");
  for (Count i = 0; i < p.n; ++i) {
    require(std::isfinite(p.values[i]), "values must be finite.");
    require(i == 0 || p.values[i - 1] <= p.values[i], "values must be sorted.");
    require(p.places[i] >= 0 && p.places[i] < n_folds * p.classes, "places must be in 0 .. n_folds * classes - 1.");
  }
  const auto rows = static_cast<std::size_t>(n_folds), columns = static_cast<std::size_t>(k);
  std::vector<double> right(rows * columns);
  {
    nb::gil_scoped_release release;
    project(p, k, tolerance, right.data());
  }
  return to_numpy<double, 2>(std::move(right), {rows, columns});
}

std::pair<Doubles1, Labels1> sort_arrays(const Array& values, const Array& labels) {
  const double* v = data_of<double>(values, "values", 1, "float64");
  const std::int32_t* l = data_of<std::int32_t>(labels, "labels", 1, "int32");
  const Count n = static_cast<Count>(values.shape(0));
  require_shape(labels, "labels", {n});
  for (Count i = 0; i < n; ++i) require(v[i] == v[i], "values must not hold NaN.");
  std::vector<double> sorted(v, v + n);
  std::vector<std::int32_t> moved(l, l + n);
  {
    nb::gil_scoped_release release;
    sort_with(sorted.data(), moved.data(), n);
  }
  const auto size = static_cast<std::size_t>(n);
  return {to_numpy<double, 1>(std::move(sorted), {size}), to_numpy<std::int32_t, 1>(std::move(moved), {size})};
}

}  // namespace

void bind_projection(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("project", &project_arrays, "values"_a, "places"_a, "n_folds"_a, "weights"_a, "priors"_a,
             "coefficient"_a, "power"_a, "period"_a, "k"_a, "tolerance"_a,
             "The weight of the cases that neighbours of other folds on one sorted feature classify right.");
  module.def("sort_with", &sort_arrays, "values"_a, "labels"_a, "Values in ascending order, and their labels with them.");
}

}  // namespace nearwise
