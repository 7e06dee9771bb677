// project for Python: checks what comes in, releases the GIL and classifies along one feature.
#include <cmath>

#include "border.hpp"
#include "projection.hpp"

namespace nearwise {
namespace {

using Doubles2 = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

Doubles2 project_arrays(const Array& values, const Array& folds, Count n_folds, const Array& codes, const Array& weights,
                        const Array& priors, double coefficient, double power, double period, Count k,
                        double tolerance) {
  Projection p{};
  p.values = data_of<double>(values, "values", 1, "float64");
  p.n = static_cast<Count>(values.shape(0));
  p.folds = data_of<std::int32_t>(folds, "folds", 1, "int32");
  p.codes = data_of<std::int32_t>(codes, "codes", 1, "int32");
  p.weights = data_of<double>(weights, "weights", 1, "float64");
  p.priors = data_of<double>(priors, "priors", 1, "float64");
  require_shape(folds, "folds", {p.n});
  require_shape(codes, "codes", {p.n});
  require_shape(weights, "weights", {p.n});
  p.n_folds = n_folds;
  p.classes = static_cast<Count>(priors.shape(0));
  p.coefficient = coefficient;
  p.power = power;
  p.period = period;
  require(p.classes >= 1, "priors must hold at least one class.");
  require(n_folds >= 1 && n_folds <= Count(1) << 31, "n_folds must be in 1 .. 2**31.");
  require(k >= 1 && k <= 1 << 20, "k must be in 1 .. 2**20.");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  require(std::isfinite(coefficient) && coefficient >= 0, "coefficient must be finite, not negative.");
  require(power >= 1 && std::isfinite(power), "power must be a number from 1.");
  require(period >= 0 && std::isfinite(period), "period must be finite, not negative.");
  for (Count i = 0; i < p.n; ++i) {
    require(std::isfinite(p.values[i]), "values must be finite.");
    require(i == 0 || p.values[i - 1] <= p.values[i], "values must be sorted.");
    require(p.folds[i] >= 0 && p.folds[i] < n_folds, "folds must be in 0 .. n_folds - 1.");
    require(p.codes[i] >= 0 && p.codes[i] < p.classes, "codes must be in 0 .. classes - 1.");
  }
  const auto rows = static_cast<std::size_t>(n_folds), columns = static_cast<std::size_t>(k);
  std::vector<double> right(rows * columns);
  {
    nb::gil_scoped_release release;
    project(p, k, tolerance, right.data());
  }
  return to_numpy<double, 2>(std::move(right), {rows, columns});
}

}  // namespace

void bind_projection(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("project", &project_arrays, "values"_a, "folds"_a, "n_folds"_a, "codes"_a, "weights"_a, "priors"_a,
             "coefficient"_a, "power"_a, "period"_a, "k"_a, "tolerance"_a,
             "The weight of the cases that neighbours of other folds on one sorted feature classify right.");
}

}  // namespace nearwise
