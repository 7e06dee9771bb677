// evaluate for Python: checks the cases once, then many calls with weight vectors.
#include <nanobind/stl/pair.h>

#include <cmath>
#include <memory>
#include <utility>

#include "layout/columns.bind.hpp"
#include "statistics/trials/evaluate.hpp"
#include "statistics/trials/trials.bind.hpp"

namespace nearwise {
namespace {

std::unique_ptr<Held<Trial>> make(Given& given) {
  auto self = std::make_unique<Trial>();
  Trial& t = *self;
  static_cast<Classified&>(t) = classified_from(given);
  Columns& c = t.columns;
  require(!t.leave_one_out || t.n_folds == 1, "leave_one_out needs n_folds = 1.");
  c.n = t.n;
  c.g = 1;
  take_columns(c, given);
  c.coefficients.assign(static_cast<std::size_t>(c.p), 0.0);
  t.scales = given.copy<double>("scales", {c.p});
  t.queries.resize(static_cast<std::size_t>(c.n * c.p));
  for (Count f = 0; f < c.p; ++f) {
    for (Count i = 0; i < c.n; ++i) {
      const double x = !c.is_symbol[f] ? c.values[f][i] : c.codes[f][i] < 0 ? std::nan("") : c.codes[f][i];
      t.queries[i * c.p + f] = x;
      t.is_plain = t.is_plain && x == x && !c.is_symbol[f];
    }
    c.centre.push_back(c.is_symbol[f] ? 0.0 : known_middle(c.values[f], c.n));
  }
  return held_with(given, std::move(self));
}

auto right(const Held<Trial>& self, Given& given) {
  const Trial& t = *self.index;
  TrialAsk ask{};
  ask.weights = given.array<double>("weights", {told(ask.w), t.columns.p});
  ask.first = given.value<Count>("first");
  ask.last = given.value<Count>("last");
  ask.k = trial_neighbours(given);
  ask.tolerance = given.tolerance();
  ask.threads = given.threads();
  require(ask.first >= 0 && ask.first <= ask.last && ask.last <= t.n, "first and last must be in 0 .. n.");
  require_weights(ask.weights, ask.w * t.columns.p, "weights");
  std::vector<double> found(ask.w * t.n_folds * ask.k);
  std::vector<std::uint8_t> unserved(ask.w);
  without_gil([&] { evaluate(t, ask, found.data(), unserved.data()); });
  return std::make_pair(to_numpy(std::move(found), {ask.w, t.n_folds, ask.k}), to_numpy(std::move(unserved)));
}

}  // namespace

void bind_evaluate(nb::module_& module) {
  nb::class_<Held<Trial>>(module, "Evaluator", "Cases whose classification under many weight vectors is counted.")
      .def(nb::new_(called("columns is_symbol one_missing both_missing scales power folds n_folds leave_one_out codes "
                           "case_weights priors by_distance", &make)))
      .def("right", called("weights first last k tolerance | threads", &right));
}

}  // namespace nearwise
