// Changes of one weight for Python: checks the cases once, then many calls.
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "statistics/trials/changes.hpp"
#include "statistics/trials/trials.bind.hpp"

namespace nearwise {
namespace {

std::unique_ptr<ChangeCases> make(const Array& columns, const Array& is_symbol, const Array& one_missing,
                                  const Array& both_missing, const Array& scales, int power, const Array& folds,
                                  bool leave_one_out, const Array& codes, const Array& case_weights, const Array& priors,
                                  bool by_distance) {
  auto self = std::make_unique<ChangeCases>();
  ChangeCases& c = *self;
  require(power == 1 || power == 2, "power must be 1 or 2.");
  require(columns.ndim() == 2 && columns.shape(0) > 0, "columns must hold at least one feature.");
  data_of<double>(priors, "priors", 1);
  c.p = size_of(columns, 0);
  c.n = case_count(columns.shape(1));
  c.columns = copied<double>(columns, "columns", {c.p, c.n});
  c.has_holes.assign(static_cast<std::size_t>(c.p), 0);
  for (Count f = 0; f < c.p; ++f)
    for (Count i = 0; i < c.n; ++i) c.has_holes[f] |= c.columns[f * c.n + i] != c.columns[f * c.n + i];
  c.is_symbol = copied<std::uint8_t>(is_symbol, "is_symbol", {c.p});
  c.one_missing = copied<double>(one_missing, "one_missing", {c.p});
  c.both_missing = copied<double>(both_missing, "both_missing", {c.p});
  c.scales = copied<double>(scales, "scales", {c.p});
  c.folds = copied<std::int32_t>(folds, "folds", {c.n});
  c.codes = copied<std::int32_t>(codes, "codes", {c.n});
  c.case_weights = copied<double>(case_weights, "case_weights", {c.n});
  c.priors = copied<double>(priors, "priors", {size_of(priors, 0)});
  c.power = power;
  c.leave_one_out = leave_one_out;
  c.by_distance = by_distance;
  require_classes(c.codes.data(), c.n, size_of(priors, 0));
  require_folds(c.folds.data(), c.n, 1 << 20);
  for (Count i = 0; i < c.n; ++i) {
    const auto fold = static_cast<std::size_t>(c.folds[i]);
    if (fold >= c.members.size()) c.members.resize(fold + 1);
    c.members[fold].push_back(i);
  }
  return self;
}

auto right(const ChangeCases& cases, const Array& bases, const Array& base_of, const Array& features, const Array& values,
           const Array& block_of, const Array& own_block, const std::vector<Array>& blocks, const Array& rows, Count k,
           double tolerance, Count threads) {
  ChangeAsk ask{};
  ask.bases = data_of<double>(bases, "bases", 2);
  ask.features = data_of<std::int32_t>(features, "features", 1);
  ask.rows = data_of<Count>(rows, "rows", 1);
  ask.b = size_of(bases, 0);
  ask.c = size_of(features, 0);
  ask.r = size_of(rows, 0);
  shaped<double>(bases, "bases", {ask.b, cases.p});
  ask.base_of = shaped<std::int32_t>(base_of, "base_of", {ask.c});
  ask.values = shaped<double>(values, "values", {ask.c});
  ask.block_of = shaped<std::int32_t>(block_of, "block_of", {ask.c});
  ask.own_block = shaped<std::int32_t>(own_block, "own_block", {cases.p});
  for (const Array& block : blocks) ask.blocks.push_back(shaped<double>(block, "blocks", {ask.r, cases.n}));
  const auto held = static_cast<Count>(blocks.size());
  require_weights(ask.bases, ask.b * cases.p, "bases");
  require_weights(ask.values, ask.c, "values");
  require_between(ask.base_of, ask.c, 0, ask.b, "base_of must be in 0 .. bases - 1");
  require_between(ask.features, ask.c, 0, cases.p, "features must be in 0 .. p - 1");
  require_between(ask.own_block, cases.p, INT32_MIN, held, "own_block names a block that is not there");
  require_between(ask.block_of, ask.c, INT32_MIN, held, "block_of names a block that is not there");
  require_between(ask.rows, ask.r, 0, cases.n, "rows must be in 0 .. n - 1");
  require_trial(k, tolerance, threads);
  ask.k = k;
  ask.tolerance = tolerance;
  ask.threads = threads;
  const auto c = static_cast<std::size_t>(ask.c), r = static_cast<std::size_t>(ask.r), places = static_cast<std::size_t>(k);
  std::vector<std::uint8_t> found(c * r * places);
  without_gil([&] { classify_changes(cases, ask, found.data()); });
  return to_numpy(std::move(found), {c, r, places});
}

}  // namespace

void bind_changes(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<ChangeCases>(module, "Changes", "Cases whose classification after changes of one weight is asked for.")
      .def(nb::new_(&make),
           "columns"_a, "is_symbol"_a, "one_missing"_a, "both_missing"_a, "scales"_a, "power"_a, "folds"_a,
           "leave_one_out"_a, "codes"_a, "case_weights"_a, "priors"_a, "by_distance"_a)
      .def("right", &right, "bases"_a, "base_of"_a, "features"_a, "values"_a, "block_of"_a, "own_block"_a, "blocks"_a,
           "rows"_a, "k"_a, "tolerance"_a, "threads"_a = 1);
}

}  // namespace nearwise
