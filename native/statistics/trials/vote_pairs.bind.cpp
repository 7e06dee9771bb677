// vote_pairs for Python: checks what comes in, releases the GIL and counts.
#include <cmath>

#include "statistics/trials/trials.bind.hpp"
#include "statistics/trials/vote_pairs.hpp"

namespace nearwise {
namespace {

auto vote_pairs_arrays(Given& given) {
  Pairs d{};
  static_cast<Classified&>(d) = classified_from(given);
  const std::vector<Array> terms = given.arrays("terms");
  require(!terms.empty(), "terms must hold at least one feature.");
  Given::checked<double>(terms[0], "terms", {told(d.m), d.n});
  for (const Array& term : terms) d.terms.push_back(Given::checked<double>(term, "terms", {d.m, d.n}));
  d.coefficients = given.array<double>("coefficients", {told(d.w), static_cast<Count>(terms.size())});
  d.first = given.value<Count>("first");
  d.k = trial_neighbours(given);
  d.tolerance = given.tolerance();
  require_weights(d.coefficients, d.w * static_cast<Count>(terms.size()), "coefficients");
  require(d.first >= 0 && d.first + d.m <= d.n, "first must leave room for all queries.");
  require_power(d.power);
  const Count threads = given.threads();
  std::vector<double> right(d.w * d.n_folds * d.k);
  without_gil([&] { vote_pairs(d, threads, right.data()); });
  return to_numpy(std::move(right), {d.w, d.n_folds, d.k});
}

}  // namespace

void bind_vote_pairs(nb::module_& module) {
  module.def("vote_pairs",
             called("terms coefficients first folds n_folds leave_one_out codes case_weights priors power by_distance k "
                    "tolerance | threads", &vote_pairs_arrays),
             "The weight of the cases classified right under many weight vectors, from known pairs.");
}

}  // namespace nearwise
