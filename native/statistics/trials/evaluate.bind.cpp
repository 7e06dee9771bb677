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

struct Evaluator {
  std::vector<Array> held;
  Trial trial;
};

std::unique_ptr<Evaluator> make(std::vector<Array> columns, const Array& is_symbol, const Array& one_missing,
                                const Array& both_missing, const Array& scales, double power, const Array& folds,
                                Count n_folds, bool leave_one_out, const Array& codes, const Array& case_weights,
                                const Array& priors, bool by_distance) {
  require_power(power);
  require(!columns.empty(), "columns must hold at least one feature.");
  auto self = std::make_unique<Evaluator>();
  Trial& t = self->trial;
  Columns& c = t.columns;
  data_of<std::int32_t>(folds, "folds", 1);
  data_of<double>(priors, "priors", 1);
  c.p = static_cast<Count>(columns.size());
  c.n = case_count(folds.shape(0));
  c.g = 1;
  c.power = power;
  c.is_symbol = copied<std::uint8_t>(is_symbol, "is_symbol", {c.p});
  c.one_missing = copied<double>(one_missing, "one_missing", {c.p});
  c.both_missing = copied<double>(both_missing, "both_missing", {c.p});
  c.segment.assign(static_cast<std::size_t>(c.n), 0);
  c.coefficients.assign(static_cast<std::size_t>(c.p), 0.0);
  t.folds = copied<std::int32_t>(folds, "folds", {c.n});
  t.n_folds = n_folds;
  t.scales = copied<double>(scales, "scales", {c.p});
  t.codes = copied<std::int32_t>(codes, "codes", {c.n});
  t.case_weights = copied<double>(case_weights, "case_weights", {c.n});
  t.priors = copied<double>(priors, "priors", {size_of(priors, 0)});
  t.leave_one_out = leave_one_out;
  t.by_distance = by_distance;
  require(!leave_one_out || n_folds == 1, "leave_one_out needs n_folds = 1.");
  require_folds(t.folds.data(), c.n, n_folds);
  require_classes(t.codes.data(), c.n, size_of(priors, 0));
  take_columns(c, columns);
  t.queries.resize(static_cast<std::size_t>(c.n * c.p));
  for (Count f = 0; f < c.p; ++f)
    for (Count i = 0; i < c.n; ++i) {
      const double x = !c.is_symbol[f] ? c.values[f][i] : c.codes[f][i] < 0 ? std::nan("") : c.codes[f][i];
      t.queries[i * c.p + f] = x;
      t.is_plain = t.is_plain && x == x && !c.is_symbol[f];
    }
  for (Count f = 0; f < c.p; ++f) t.columns.centre.push_back(c.is_symbol[f] ? 0.0 : known_middle(c.values[f], c.n));
  self->held = std::move(columns);
  return self;
}

auto right(const Evaluator& self, const Array& weights, Count first, Count last, Count k, double tolerance, Count threads) {
  const Trial& t = self.trial;
  const double* w = data_of<double>(weights, "weights", 2);
  const Count count = size_of(weights, 0);
  shaped<double>(weights, "weights", {count, t.columns.p});
  require(first >= 0 && first <= last && last <= t.columns.n, "first and last must be in 0 .. n.");
  require_trial(k, tolerance, threads);
  require_weights(w, count * t.columns.p, "weights");
  const auto rows = static_cast<std::size_t>(count), folds = static_cast<std::size_t>(t.n_folds);
  std::vector<double> found(rows * folds * static_cast<std::size_t>(k));
  std::vector<std::uint8_t> unserved(rows);
  without_gil([&] { evaluate(t, {w, count, first, last, k, threads, tolerance}, found.data(), unserved.data()); });
  return std::make_pair(to_numpy(std::move(found), {rows, folds, static_cast<std::size_t>(k)}),
                        to_numpy(std::move(unserved)));
}

}  // namespace

void bind_evaluate(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Evaluator>(module, "Evaluator", "Cases whose classification under many weight vectors is counted.")
      .def(nb::new_(&make),
           "columns"_a, "is_symbol"_a, "one_missing"_a, "both_missing"_a, "scales"_a, "power"_a, "folds"_a, "n_folds"_a,
           "leave_one_out"_a, "codes"_a, "case_weights"_a, "priors"_a, "by_distance"_a)
      .def("right", &right, "weights"_a, "first"_a, "last"_a, "k"_a, "tolerance"_a, "threads"_a = 1);
}

}  // namespace nearwise
