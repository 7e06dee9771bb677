// Changes of one weight for Python: checks the cases once, then many calls.
#include <nanobind/stl/vector.h>

#include <cmath>
#include <utility>

#include "binding/arrays.hpp"
#include "statistics/trials/changes.hpp"

namespace nearwise {
namespace {

using Flags3 = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<3>>;

template <class T>
std::vector<T> copied(const Array& array, const char* name, const std::vector<Count>& shape, const char* type) {
  const T* from = data_of<T>(array, name, shape.size(), type);
  require_shape(array, name, shape);
  return std::vector<T>(from, from + array.size());
}

void make(ChangeCases* self, const Array& columns, const Array& is_symbol, const Array& one_missing, const Array& both_missing,
          const Array& scales, int power, const Array& folds, bool leave_one_out, const Array& codes, const Array& case_weights,
          const Array& priors, bool by_distance) {
  ChangeCases& c = *self;
  require(power == 1 || power == 2, "power must be 1 or 2.");
  require(columns.ndim() == 2 && columns.shape(0) > 0, "columns must hold at least one feature.");
  c.p = static_cast<Count>(columns.shape(0));
  c.n = case_count(columns.shape(1));
  c.columns = copied<double>(columns, "columns", {c.p, c.n}, "float64");
  c.has_holes.assign(static_cast<std::size_t>(c.p), 0);
  for (Count f = 0; f < c.p; ++f)
    for (Count i = 0; i < c.n; ++i) c.has_holes[f] |= c.columns[f * c.n + i] != c.columns[f * c.n + i];
  c.is_symbol = copied<std::uint8_t>(is_symbol, "is_symbol", {c.p}, "uint8");
  c.one_missing = copied<double>(one_missing, "one_missing", {c.p}, "float64");
  c.both_missing = copied<double>(both_missing, "both_missing", {c.p}, "float64");
  c.scales = copied<double>(scales, "scales", {c.p}, "float64");
  c.folds = copied<std::int32_t>(folds, "folds", {c.n}, "int32");
  c.codes = copied<std::int32_t>(codes, "codes", {c.n}, "int32");
  c.case_weights = copied<double>(case_weights, "case_weights", {c.n}, "float64");
  c.priors = copied<double>(priors, "priors", {static_cast<Count>(priors.shape(0))}, "float64");
  c.power = power;
  c.leave_one_out = leave_one_out;
  c.by_distance = by_distance;
  require(!c.priors.empty(), "priors must hold at least one class.");
  for (std::int32_t each : c.codes)
    require(each >= 0 && each < static_cast<std::int32_t>(c.priors.size()), "codes must be in 0 .. classes - 1.");
  for (Count i = 0; i < c.n; ++i) {
    const std::int32_t fold = c.folds[i];
    require(fold >= 0 && fold < 1 << 20, "folds must be in 0 .. 2**20.");
    if (fold >= static_cast<std::int32_t>(c.members.size())) c.members.resize(static_cast<std::size_t>(fold) + 1);
    c.members[fold].push_back(i);
  }
}

Flags3 right(const ChangeCases& cases, const Array& bases, const Array& base_of, const Array& features, const Array& values,
             const Array& block_of, const Array& own_block, const std::vector<Array>& blocks, const Array& rows, Count k,
             double tolerance, Count threads) {
  ChangeAsk ask{};
  ask.b = static_cast<Count>(bases.shape(0));
  ask.c = static_cast<Count>(features.shape(0));
  ask.r = static_cast<Count>(rows.shape(0));
  ask.bases = data_of<double>(bases, "bases", 2, "float64");
  require_shape(bases, "bases", {ask.b, cases.p});
  ask.base_of = data_of<std::int32_t>(base_of, "base_of", 1, "int32");
  ask.features = data_of<std::int32_t>(features, "features", 1, "int32");
  ask.values = data_of<double>(values, "values", 1, "float64");
  ask.block_of = data_of<std::int32_t>(block_of, "block_of", 1, "int32");
  ask.own_block = data_of<std::int32_t>(own_block, "own_block", 1, "int32");
  ask.rows = data_of<Count>(rows, "rows", 1, "int64");
  for (const auto& [array, name] : {std::pair{&base_of, "base_of"}, {&values, "values"}, {&block_of, "block_of"}})
    require_shape(*array, name, {ask.c});
  require_shape(own_block, "own_block", {cases.p});
  const auto held = static_cast<std::int32_t>(blocks.size());
  for (const Array& block : blocks) {
    ask.blocks.push_back(data_of<double>(block, "blocks", 2, "float64"));
    require_shape(block, "blocks", {ask.r, cases.n});
  }
  for (Count at = 0; at < ask.b * cases.p; ++at)
    require(std::isfinite(ask.bases[at]) && ask.bases[at] >= 0, "bases must be finite, not negative.");
  for (Count f = 0; f < cases.p; ++f) require(ask.own_block[f] < held, "own_block names a block that is not there.");
  for (Count at = 0; at < ask.c; ++at) {
    require(ask.base_of[at] >= 0 && ask.base_of[at] < ask.b, "base_of must be in 0 .. bases - 1.");
    require(ask.features[at] >= 0 && ask.features[at] < cases.p, "features must be in 0 .. p - 1.");
    require(std::isfinite(ask.values[at]) && ask.values[at] >= 0, "values must be finite, not negative.");
    require(ask.block_of[at] < held, "block_of names a block that is not there.");
  }
  for (Count at = 0; at < ask.r; ++at) require(ask.rows[at] >= 0 && ask.rows[at] < cases.n, "rows must be in 0 .. n - 1.");
  require(k >= 1 && k <= 1 << 20, "k must be in 1 .. 2**20.");
  require(threads >= 1, "threads must be at least 1.");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  ask.k = k;
  ask.tolerance = tolerance;
  ask.threads = threads;
  const auto c = static_cast<std::size_t>(ask.c), r = static_cast<std::size_t>(ask.r);
  std::vector<std::uint8_t> found(c * r * static_cast<std::size_t>(k));
  {
    nb::gil_scoped_release release;
    classify_changes(cases, ask, found.data());
  }
  return to_numpy<std::uint8_t, 3>(std::move(found), {c, r, static_cast<std::size_t>(k)});
}

}  // namespace

void bind_changes(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<ChangeCases>(module, "Changes", "Cases whose classification after changes of one weight is asked for.")
      .def("__init__",
           [](ChangeCases* self, const Array& columns, const Array& is_symbol, const Array& one_missing,
              const Array& both_missing, const Array& scales, int power, const Array& folds, bool leave_one_out,
              const Array& codes, const Array& case_weights, const Array& priors, bool by_distance) {
             new (self) ChangeCases();
             try {
               make(self, columns, is_symbol, one_missing, both_missing, scales, power, folds, leave_one_out, codes,
                    case_weights, priors, by_distance);
             } catch (...) {
               self->~ChangeCases();
               throw;
             }
           },
           "columns"_a, "is_symbol"_a, "one_missing"_a, "both_missing"_a, "scales"_a, "power"_a, "folds"_a,
           "leave_one_out"_a, "codes"_a, "case_weights"_a, "priors"_a, "by_distance"_a)
      .def("right", &right, "bases"_a, "base_of"_a, "features"_a, "values"_a, "block_of"_a, "own_block"_a, "blocks"_a,
           "rows"_a, "k"_a, "tolerance"_a, "threads"_a = 1);
}

}  // namespace nearwise
