// evaluate for Python: checks the cases once, then many calls with weight vectors.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "binding/columns.hpp"
#include "statistics/trials/evaluate.hpp"

namespace nearwise {
namespace {

using Doubles3 = nb::ndarray<nb::numpy, double, nb::ndim<3>>;
using Flags = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

struct Evaluator {
  std::vector<Array> held;
  Trial trial;
};

template <class T>
std::vector<T> copied(const Array& array, const char* name, const std::vector<Count>& shape, const char* type) {
  require_shape(array, name, shape);
  return nearwise::copied<T>(array, name, shape.size(), type);
}

void make(Evaluator* self, std::vector<Array> columns, const Array& is_symbol, const Array& one_missing,
          const Array& both_missing, const Array& scales, double power, const Array& folds, Count n_folds,
          bool leave_one_out, const Array& codes, const Array& case_weights, const Array& priors, bool by_distance) {
  require(power >= 1 && power < 1e6, "power must be from 1 to 1e6.");
  require(!columns.empty(), "columns must hold at least one feature.");
  require(n_folds >= 1 && n_folds <= 1 << 20, "n_folds must be in 1 .. 2**20.");
  Trial& t = self->trial;
  Columns& c = t.columns;
  c.p = static_cast<Count>(columns.size());
  c.n = case_count(folds.shape(0));
  c.g = 1;
  c.power = power;
  c.is_symbol = copied<std::uint8_t>(is_symbol, "is_symbol", {c.p}, "uint8");
  c.one_missing = copied<double>(one_missing, "one_missing", {c.p}, "float64");
  c.both_missing = copied<double>(both_missing, "both_missing", {c.p}, "float64");
  c.segment.assign(static_cast<std::size_t>(c.n), 0);
  c.coefficients.assign(static_cast<std::size_t>(c.p), 0.0);
  t.folds = copied<std::int32_t>(folds, "folds", {c.n}, "int32");
  t.n_folds = n_folds;
  t.scales = copied<double>(scales, "scales", {c.p}, "float64");
  t.codes = copied<std::int32_t>(codes, "codes", {c.n}, "int32");
  t.case_weights = copied<double>(case_weights, "case_weights", {c.n}, "float64");
  t.priors = copied<double>(priors, "priors", {static_cast<Count>(priors.shape(0))}, "float64");
  t.leave_one_out = leave_one_out;
  t.by_distance = by_distance;
  require(!t.priors.empty(), "priors must hold at least one class.");
  require(!leave_one_out || n_folds == 1, "leave_one_out needs n_folds = 1.");
  for (std::int32_t each : t.folds) require(each >= 0 && each < n_folds, "folds must be in 0 .. n_folds - 1.");
  for (std::int32_t each : t.codes)
    require(each >= 0 && each < static_cast<std::int32_t>(t.priors.size()), "codes must be in 0 .. classes - 1.");
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
}

std::pair<Doubles3, Flags> right(const Evaluator& self, const Array& weights, Count first, Count last, Count k,
                                 double tolerance, Count threads) {
  const Trial& t = self.trial;
  const double* w = data_of<double>(weights, "weights", 2, "float64");
  const Count count = static_cast<Count>(weights.shape(0));
  require_shape(weights, "weights", {count, t.columns.p});
  require(first >= 0 && first <= last && last <= t.columns.n, "first and last must be in 0 .. n.");
  require(k >= 1 && k <= 1 << 20, "k must be in 1 .. 2**20.");
  require(threads >= 1, "threads must be at least 1.");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  for (std::size_t i = 0; i < weights.size(); ++i)
    require(std::isfinite(w[i]) && w[i] >= 0, "weights must be finite, not negative.");
  const auto rows = static_cast<std::size_t>(count), folds = static_cast<std::size_t>(t.n_folds);
  std::vector<double> found(rows * folds * static_cast<std::size_t>(k));
  std::vector<std::uint8_t> unserved(rows);
  {
    nb::gil_scoped_release release;
    evaluate(t, w, count, first, last, k, tolerance, threads, found.data(), unserved.data());
  }
  return {to_numpy<double, 3>(std::move(found), {rows, folds, static_cast<std::size_t>(k)}),
          to_numpy<std::uint8_t, 1>(std::move(unserved), {rows})};
}

}  // namespace

void bind_evaluate(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Evaluator>(module, "Evaluator", "Cases whose classification under many weight vectors is counted.")
      .def("__init__",
           [](Evaluator* self, std::vector<Array> columns, const Array& is_symbol, const Array& one_missing,
              const Array& both_missing, const Array& scales, double power, const Array& folds, Count n_folds,
              bool leave_one_out, const Array& codes, const Array& case_weights, const Array& priors, bool by_distance) {
             new (self) Evaluator();
             try {
               make(self, std::move(columns), is_symbol, one_missing, both_missing, scales, power, folds, n_folds,
                    leave_one_out, codes, case_weights, priors, by_distance);
             } catch (...) {
               self->~Evaluator();
               throw;
             }
           },
           "columns"_a, "is_symbol"_a, "one_missing"_a, "both_missing"_a, "scales"_a, "power"_a, "folds"_a, "n_folds"_a,
           "leave_one_out"_a, "codes"_a, "case_weights"_a, "priors"_a, "by_distance"_a)
      .def("right", &right, "weights"_a, "first"_a, "last"_a, "k"_a, "tolerance"_a, "threads"_a = 1);
}

}  // namespace nearwise
