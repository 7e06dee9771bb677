// Changes of one weight for Python: checks the cases once, then many calls.
#include <algorithm>
#include <memory>

#include "statistics/trials/changes.hpp"
#include "statistics/trials/trials.bind.hpp"

namespace nearwise {
namespace {

std::unique_ptr<Held<ChangeCases>> make(Given& given) {
  auto self = std::make_unique<ChangeCases>();
  ChangeCases& c = *self;
  static_cast<Classified&>(c) = classified_from(given);
  c.columns = given.array<double>("columns", {told(c.p), c.n});
  c.is_symbol = given.array<std::uint8_t>("is_symbol", {c.p});
  c.one_missing = given.array<double>("one_missing", {c.p});
  c.both_missing = given.array<double>("both_missing", {c.p});
  c.scales = given.array<double>("scales", {c.p});
  require(c.power == 1 || c.power == 2, "power must be 1 or 2.");
  require(c.p > 0, "columns must hold at least one feature.");
  for (Count f = 0; f < c.p; ++f)
    c.has_holes.push_back(std::any_of(c.columns + f * c.n, c.columns + (f + 1) * c.n, [](double x) { return x != x; }));
  return held_with(given, std::move(self));
}

auto right(const Held<ChangeCases>& self, Given& given) {
  const ChangeCases& cases = *self.index;
  ChangeAsk ask{};
  ask.bases = given.array<double>("bases", {told(ask.b), cases.p});
  ask.features = given.array<std::int32_t>("features", {told(ask.c)});
  ask.rows = given.array<Count>("rows", {told(ask.r)});
  ask.base_of = given.array<std::int32_t>("base_of", {ask.c});
  ask.values = given.array<double>("values", {ask.c});
  ask.block_of = given.array<std::int32_t>("block_of", {ask.c});
  ask.own_block = given.array<std::int32_t>("own_block", {cases.p});
  for (const Array& block : given.arrays("blocks"))
    ask.blocks.push_back(Given::checked<double>(block, "blocks", {ask.r, cases.n}));
  ask.k = trial_neighbours(given);
  ask.tolerance = given.tolerance();
  ask.threads = given.threads();
  const auto held = static_cast<Count>(ask.blocks.size());
  require_weights(ask.bases, ask.b * cases.p, "bases");
  require_weights(ask.values, ask.c, "values");
  require_between(ask.base_of, ask.c, 0, ask.b, "base_of must be in 0 .. bases - 1");
  require_between(ask.features, ask.c, 0, cases.p, "features must be in 0 .. p - 1");
  require_between(ask.own_block, cases.p, INT32_MIN, held, "own_block names a block that is not there");
  require_between(ask.block_of, ask.c, INT32_MIN, held, "block_of names a block that is not there");
  require_between(ask.rows, ask.r, 0, cases.n, "rows must be in 0 .. n - 1");
  std::vector<std::uint8_t> found(ask.c * ask.r * ask.k);
  without_gil([&] { classify_changes(cases, ask, found.data()); });
  return to_numpy(std::move(found), {ask.c, ask.r, ask.k});
}

}  // namespace

void bind_changes(nb::module_& module) {
  nb::class_<Held<ChangeCases>>(module, "Changes",
                                "Cases whose classification after changes of one weight is asked for.")
      .def(nb::new_(called("columns is_symbol one_missing both_missing scales power folds leave_one_out codes case_weights "
                           "priors by_distance", &make)))
      .def("right", called("bases base_of features values block_of own_block blocks rows k tolerance | threads", &right));
}

}  // namespace nearwise
