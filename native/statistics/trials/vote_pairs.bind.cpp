// vote_pairs for Python: checks what comes in, releases the GIL and counts.
#include <nanobind/stl/vector.h>

#include <cmath>

#include "statistics/trials/trials.bind.hpp"
#include "statistics/trials/vote_pairs.hpp"

namespace nearwise {
namespace {

auto vote_pairs_arrays(const std::vector<Array>& terms, const Array& coefficients, Count first, const Array& folds,
                       Count n_folds, bool leave_one_out, const Array& codes, const Array& weights, const Array& priors,
                       double power, bool by_distance, Count k, double tolerance, Count threads) {
  require(!terms.empty(), "terms must hold at least one feature.");
  Pairs d{};
  d.folds = data_of<std::int32_t>(folds, "folds", 1);
  d.priors = data_of<double>(priors, "priors", 1);
  d.n = case_count(folds.shape(0));
  d.classes = size_of(priors, 0);
  d.codes = shaped<std::int32_t>(codes, "codes", {d.n});
  d.weights = shaped<double>(weights, "weights", {d.n});
  data_of<double>(terms[0], "terms", 2);
  d.m = size_of(terms[0], 0);
  for (const Array& term : terms) d.terms.push_back(shaped<double>(term, "terms", {d.m, d.n}));
  const double* c = data_of<double>(coefficients, "coefficients", 2);
  const Count w = size_of(coefficients, 0);
  shaped<double>(coefficients, "coefficients", {w, static_cast<Count>(terms.size())});
  require_weights(c, size_of(coefficients, 0) * size_of(coefficients, 1), "coefficients");
  require(first >= 0 && first + d.m <= d.n, "first must leave room for all queries.");
  require(power >= 1 && std::isfinite(power), "power must be a number from 1.");
  require_trial(k, tolerance, threads);
  require_folds(d.folds, d.n, n_folds);
  require_classes(d.codes, d.n, d.classes);
  d.first = first;
  d.n_folds = n_folds;
  d.power = power;
  d.leave_one_out = leave_one_out;
  d.by_distance = by_distance;
  const auto rows = static_cast<std::size_t>(w), g = static_cast<std::size_t>(n_folds), places = static_cast<std::size_t>(k);
  std::vector<double> right(rows * g * places);
  without_gil([&] { vote_pairs(d, c, w, k, tolerance, threads, right.data()); });
  return to_numpy(std::move(right), {rows, g, places});
}

}  // namespace

void bind_vote_pairs(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("vote_pairs", &vote_pairs_arrays, "terms"_a, "coefficients"_a, "first"_a, "folds"_a, "n_folds"_a,
             "leave_one_out"_a, "codes"_a, "weights"_a, "priors"_a, "power"_a, "by_distance"_a, "k"_a, "tolerance"_a,
             "threads"_a = 1, "The weight of the cases classified right under many weight vectors, from known pairs.");
}

}  // namespace nearwise
