// Contrast for Python: checks what comes in, releases the GIL and calls the kernel.
#include <nanobind/stl/tuple.h>

#include <cmath>

#include "binding/given.hpp"
#include "statistics/contrasts/contrast.hpp"

namespace nearwise {
namespace {

void check_values(const ContrastInput& in, const std::vector<std::uint8_t>& is_holed) {
  require_weights(in.scales, in.p, "scales");
  require_weights(in.periods, in.p, "periods");
  for (Count f = 0; f < in.p; ++f) {
    require(in.kind[f] < kinds, "kinds must be in 0 .. 4.");
    for (Count i = 0; i < in.n; ++i) {
      const double x = in.columns[f * in.n + i];
      if (x != x) {
        require(is_holed[f] != 0, "only the features in holed may miss values.");
        continue;
      }
      require(std::isfinite(x), "columns must be finite, or NaN.");
      if (in.kind[f] == symbol) require(x >= 0 && x < (1 << 24), "codes of symbols must be in 0 .. 2**24.");
      if (on_circle(in.kind[f])) require(x >= 0 && x <= in.periods[f], "values on a circle must be in 0 .. period.");
    }
  }
}

void check_holes(const ContrastInput& in) {
  for (Count hole = 0; hole < in.h; ++hole) {
    const double* x = in.columns + in.holed[hole] * in.n;
    for (Count i = 0; i < in.n; ++i) {
      const std::int32_t cell = in.cells[hole * in.n + i];
      require((cell < 0) == (x[i] != x[i]) && cell < in.cells_of[hole], "cells must be in 0 .. cells - 1, negative where missing.");
    }
    require_weights(in.tables[hole], in.g * in.cells_of[hole], "tables");
  }
  require_weights(in.both, in.h * in.g * in.g, "both");
}

std::unique_ptr<Contrast> make(Given& given) {
  ContrastInput in{};
  in.columns = given.array<double>("columns", {told(in.p), told_cases(in.n)});
  in.g = given.value<Count>("n_groups");
  in.power = given.value<int>("power");
  const auto equal = given.value<double>("equal", 0.0), different = given.value<double>("different", 1.0);
  require(equal >= 0 && equal < different && std::isfinite(different), "a ramp must climb from 0 or more.");
  in.ramp = {equal, 1.0 / (different - equal)};
  require(in.power == 1 || in.power == 2, "power must be 1 or 2, got " + std::to_string(in.power) + ".");
  require(in.p >= 1, "columns must hold a feature.");
  require(in.g >= 1 && in.g < (1 << 24), "n_groups must be in 1 .. 2**24, got " + std::to_string(in.g) + ".");
  in.kind = given.array<std::uint8_t>("kinds", {in.p});
  in.scales = given.array<double>("scales", {in.p});
  in.periods = given.array<double>("periods", {in.p});
  in.groups = given.array<std::int32_t>("groups", {in.n});
  in.holed = given.array<Count>("holed", {told(in.h)});
  in.cells = given.array<std::int32_t>("cells", {in.h, in.n});
  in.both = given.array<double>("both", {in.h, in.g, in.g});
  for (const Array& table : given.arrays("tables"))
    in.tables.push_back(Given::checked<double>(table, "tables", {in.g, told(in.cells_of.emplace_back())}));
  require(static_cast<Count>(in.tables.size()) == in.h, "tables must hold one array per feature in holed.");
  std::vector<std::uint8_t> is_holed(static_cast<std::size_t>(in.p), 0);
  for (Count hole = 0; hole < in.h; ++hole) {
    const Count f = in.holed[hole];
    require(f >= 0 && f < in.p && !is_holed[f], "holed must hold different features in 0 .. p - 1.");
    is_holed[f] = 1;
  }
  require_between(in.groups, in.n, 0, in.g, "groups must be in 0 .. n_groups - 1");
  check_values(in, is_holed);
  check_holes(in);
  return without_gil([&] { return std::make_unique<Contrast>(in); });
}

PairQueries asked(const Contrast& self, Given& given) {
  PairQueries q{};
  q.cases = given.array<Count>("queries", {told(q.m)});
  q.threads = given.threads();
  require_between(q.cases, q.m, 0, self.n(), "queries must be in 0 .. n - 1");
  return q;
}

auto near(Contrast& self, Given& given) {
  const PairQueries q = asked(self, given);
  const Count k = given.value<Count>("k");
  const double tolerance = given.tolerance();
  const bool with_sums = given.value<bool>("with_sums");
  require(k >= 1 && k < (Count{1} << 31), "k must be in 1 .. 2**31, got " + std::to_string(k) + ".");
  require(self.is_usable(), "single precision cannot hold these cases.");
  for (Count j = 0; j < q.m && self.h() > 0; ++j)
    require(self.group(q.cases[j]) == self.group(q.cases[0]), "where values are missing, queries must be of one group.");
  NearLists found = without_gil([&] { return self.near(q, k, tolerance, with_sums); });
  return std::make_tuple(to_numpy(std::move(found.ends)), to_numpy(std::move(found.inside)),
                         to_numpy(std::move(found.share)), to_numpy(std::move(found.cases)),
                         to_numpy(std::move(found.sums)));
}

auto listed(const Contrast& self, Given& given) {
  const PairQueries q = asked(self, given);
  Count entries = 0;
  PairLists lists{};
  lists.cases = given.array<std::int32_t>("cases", {told(entries)});
  lists.ends = given.array<Count>("ends", {q.m + 1});
  lists.coefficients = given.array<double>("coefficients", {entries});
  require(lists.ends[0] == 0 && lists.ends[q.m] == entries, "ends must start at 0 and end at the number of entries.");
  require_all(q.m, "ends must not decrease", [&](Count j) { return lists.ends[j] <= lists.ends[j + 1]; });
  require_between(lists.cases, entries, 0, self.n(), "cases must be in 0 .. n - 1");
  return to_numpy(without_gil([&] { return self.listed(q, lists); }));
}

auto sums(const Contrast& self, Given& given) {
  const PairQueries q = asked(self, given);
  return to_numpy(without_gil([&] { return self.sums(q); }), {q.m, self.n()});
}

auto blocked(const Contrast& self, Given& given) {
  const PairQueries q = asked(self, given);
  const double* coefficients = given.array<double>("coefficients", {q.m, self.n()});
  return to_numpy(without_gil([&] { return self.blocked(q, coefficients); }));
}

}  // namespace

void bind_contrast(nb::module_& module) {
  nb::class_<Contrast>(module, "Contrast", "Near cases, and sums of differences over pairs of cases.")
      .def(nb::new_(called("columns kinds scales periods groups n_groups holed cells tables both power | equal different", &make)))
      .def_prop_ro("is_usable", &Contrast::is_usable)
      .def("near", called("queries k tolerance with_sums | threads", &near))
      .def("listed", called("queries ends cases coefficients | threads", &listed))
      .def("sums", called("queries | threads", &sums))
      .def("blocked", called("queries coefficients | threads", &blocked));
}

}  // namespace nearwise
