// vote_pairs for Python: checks what comes in, releases the GIL and counts.
#include <nanobind/stl/vector.h>

#include <cmath>

#include "binding/arrays.hpp"
#include "statistics/trials/vote_pairs.hpp"

namespace nearwise {
namespace {

using Doubles3 = nb::ndarray<nb::numpy, double, nb::ndim<3>>;

Doubles3 vote_pairs_arrays(const std::vector<Array>& terms, const Array& coefficients, Count first, const Array& folds,
                           Count n_folds, bool leave_one_out, const Array& codes, const Array& weights,
                           const Array& priors, double power, bool by_distance, Count k, double tolerance,
                           Count threads) {
  require(!terms.empty(), "terms must hold at least one feature.");
  Pairs d{};
  d.folds = data_of<std::int32_t>(folds, "folds", 1, "int32");
  d.codes = data_of<std::int32_t>(codes, "codes", 1, "int32");
  d.weights = data_of<double>(weights, "weights", 1, "float64");
  d.priors = data_of<double>(priors, "priors", 1, "float64");
  d.n = case_count(folds.shape(0));
  d.classes = static_cast<Count>(priors.shape(0));
  require_shape(codes, "codes", {d.n});
  require_shape(weights, "weights", {d.n});
  for (const Array& term : terms) {
    d.terms.push_back(data_of<double>(term, "terms", 2, "float64"));
    d.m = static_cast<Count>(terms[0].shape(0));
    require_shape(term, "terms", {d.m, d.n});
  }
  const double* c = data_of<double>(coefficients, "coefficients", 2, "float64");
  const Count w = static_cast<Count>(coefficients.shape(0));
  require_shape(coefficients, "coefficients", {w, static_cast<Count>(terms.size())});
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    require(std::isfinite(c[i]) && c[i] >= 0, "coefficients must be finite, not negative.");
  require(first >= 0 && first + d.m <= d.n, "first must leave room for all queries.");
  require(d.classes >= 1, "priors must hold at least one class.");
  require(n_folds >= 1 && n_folds <= 1 << 20, "n_folds must be in 1 .. 2**20.");
  require(k >= 1 && k <= 1 << 20, "k must be in 1 .. 2**20.");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  require(power >= 1 && std::isfinite(power), "power must be a number from 1.");
  require(threads >= 1, "threads must be at least 1.");
  for (Count i = 0; i < d.n; ++i) {
    require(d.folds[i] >= 0 && d.folds[i] < n_folds, "folds must be in 0 .. n_folds - 1.");
    require(d.codes[i] >= 0 && d.codes[i] < d.classes, "codes must be in 0 .. classes - 1.");
  }
  d.first = first;
  d.n_folds = n_folds;
  d.power = power;
  d.leave_one_out = leave_one_out;
  d.by_distance = by_distance;
  const auto rows = static_cast<std::size_t>(w), g = static_cast<std::size_t>(n_folds), places = static_cast<std::size_t>(k);
  std::vector<double> right(rows * g * places);
  {
    nb::gil_scoped_release release;
    vote_pairs(d, c, w, k, tolerance, threads, right.data());
  }
  return to_numpy<double, 3>(std::move(right), {rows, g, places});
}

}  // namespace

void bind_vote_pairs(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("vote_pairs", &vote_pairs_arrays, "terms"_a, "coefficients"_a, "first"_a, "folds"_a, "n_folds"_a,
             "leave_one_out"_a, "codes"_a, "weights"_a, "priors"_a, "power"_a, "by_distance"_a, "k"_a, "tolerance"_a,
             "threads"_a = 1, "The weight of the cases classified right under many weight vectors, from known pairs.");
}

}  // namespace nearwise
