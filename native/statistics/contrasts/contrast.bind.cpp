// Contrast for Python: checks what comes in, releases the GIL and calls the kernel.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include "binding/arrays.hpp"
#include "statistics/contrasts/contrast.hpp"

namespace nearwise {
namespace {

void check_values(const ContrastInput& in, const std::vector<std::uint8_t>& is_holed) {
  require_weights(in.scales, in.p, "scales");
  require_weights(in.periods, in.p, "periods");
  for (Count f = 0; f < in.p; ++f) {
    require(in.kind[f] < kinds, "kinds must be 0, 1 or 2.");
    for (Count i = 0; i < in.n; ++i) {
      const double x = in.columns[f * in.n + i];
      if (x != x) {
        require(is_holed[f] != 0, "only the features in holed may miss values.");
        continue;
      }
      require(std::isfinite(x), "columns must be finite, or NaN.");
      if (in.kind[f] == symbol) require(x >= 0 && x < (1 << 24), "codes of symbols must be in 0 .. 2**24.");
      if (in.kind[f] == circle) require(x >= 0 && x <= in.periods[f], "values on a circle must be in 0 .. period.");
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

std::unique_ptr<Contrast> make_contrast(const Array& columns, const Array& kind, const Array& scales,
                                        const Array& periods, const Array& groups, Count n_groups, const Array& holed,
                                        const Array& cells, const std::vector<Array>& tables, const Array& both,
                                        int power) {
  require(power == 1 || power == 2, "power must be 1 or 2, got " + std::to_string(power) + ".");
  ContrastInput in{};
  in.columns = data_of<double>(columns, "columns", 2);
  in.holed = data_of<Count>(holed, "holed", 1);
  in.p = size_of(columns, 0);
  in.n = case_count(columns.shape(1));
  in.h = size_of(holed, 0);
  in.g = n_groups;
  in.power = power;
  require(in.p >= 1, "columns must hold a feature.");
  require(in.g >= 1 && in.g < (1 << 24), "n_groups must be in 1 .. 2**24, got " + std::to_string(n_groups) + ".");
  in.kind = shaped<std::uint8_t>(kind, "kinds", {in.p});
  in.scales = shaped<double>(scales, "scales", {in.p});
  in.periods = shaped<double>(periods, "periods", {in.p});
  in.groups = shaped<std::int32_t>(groups, "groups", {in.n});
  in.cells = shaped<std::int32_t>(cells, "cells", {in.h, in.n});
  in.both = shaped<double>(both, "both", {in.h, in.g, in.g});
  require(static_cast<Count>(tables.size()) == in.h, "tables must hold one array per feature in holed.");
  for (const Array& table : tables) {
    in.tables.push_back(data_of<double>(table, "tables", 2));
    in.cells_of.push_back(size_of(table, 1));
    shaped<double>(table, "tables", {in.g, in.cells_of.back()});
  }
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

const Count* checked_queries(const Contrast& self, const Array& queries, Count threads) {
  require(threads >= 1, "threads must be at least 1, got " + std::to_string(threads) + ".");
  const Count* rows = data_of<Count>(queries, "queries", 1);
  require_between(rows, size_of(queries, 0), 0, self.n(), "queries must be in 0 .. n - 1");
  return rows;
}

auto near_arrays(Contrast& self, const Array& queries, Count k, double tolerance, bool with_sums, Count threads) {
  const Count* rows = checked_queries(self, queries, threads);
  const Count m = size_of(queries, 0);
  require(k >= 1 && k < (Count{1} << 31), "k must be in 1 .. 2**31, got " + std::to_string(k) + ".");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  require(self.is_usable(), "single precision cannot hold these cases.");
  for (Count j = 0; j < m && self.h() > 0; ++j)
    require(self.group(rows[j]) == self.group(rows[0]), "where values are missing, queries must be of one group.");
  NearLists found = without_gil([&] { return self.near(rows, m, k, tolerance, with_sums, threads); });
  return std::make_tuple(to_numpy(std::move(found.ends)), to_numpy(std::move(found.inside)),
                         to_numpy(std::move(found.share)), to_numpy(std::move(found.cases)),
                         to_numpy(std::move(found.sums)));
}

auto listed_arrays(const Contrast& self, const Array& queries, const Array& ends, const Array& cases,
                   const Array& coefficients, Count threads) {
  const Count* rows = checked_queries(self, queries, threads);
  const std::int32_t* others = data_of<std::int32_t>(cases, "cases", 1);
  const Count m = size_of(queries, 0), entries = size_of(cases, 0);
  const Count* stops = shaped<Count>(ends, "ends", {m + 1});
  const double* weights = shaped<double>(coefficients, "coefficients", {entries});
  require(stops[0] == 0 && stops[m] == entries, "ends must start at 0 and end at the number of entries.");
  require_all(m, "ends must not decrease", [&](Count j) { return stops[j] <= stops[j + 1]; });
  require_between(others, entries, 0, self.n(), "cases must be in 0 .. n - 1");
  std::vector<double> totals(static_cast<std::size_t>(self.p()));
  without_gil([&] { self.listed(rows, m, stops, others, weights, threads, totals.data()); });
  return to_numpy(std::move(totals));
}

auto sums_arrays(const Contrast& self, const Array& queries, Count threads) {
  const Count* rows = checked_queries(self, queries, threads);
  const std::size_t m = queries.shape(0), n = static_cast<std::size_t>(self.n());
  std::vector<double> out(m * n);
  without_gil([&] { self.sums(rows, static_cast<Count>(m), threads, out.data()); });
  return to_numpy(std::move(out), {m, n});
}

auto blocked_arrays(const Contrast& self, const Array& queries, const Array& coefficients, Count threads) {
  const Count* rows = checked_queries(self, queries, threads);
  const Count m = size_of(queries, 0);
  const double* weights = shaped<double>(coefficients, "coefficients", {m, self.n()});
  std::vector<double> totals(static_cast<std::size_t>(self.p()));
  without_gil([&] { self.blocked(rows, m, weights, threads, totals.data()); });
  return to_numpy(std::move(totals));
}

}  // namespace

void bind_contrast(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Contrast>(module, "Contrast", "Near cases, and sums of differences over pairs of cases.")
      .def(nb::new_(&make_contrast), "columns"_a, "kinds"_a, "scales"_a, "periods"_a, "groups"_a, "n_groups"_a,
           "holed"_a, "cells"_a, "tables"_a, "both"_a, "power"_a)
      .def_prop_ro("is_usable", &Contrast::is_usable)
      .def("near", &near_arrays, "queries"_a, "k"_a, "tolerance"_a, "with_sums"_a, "threads"_a = 1)
      .def("listed", &listed_arrays, "queries"_a, "ends"_a, "cases"_a, "coefficients"_a, "threads"_a = 1)
      .def("sums", &sums_arrays, "queries"_a, "threads"_a = 1)
      .def("blocked", &blocked_arrays, "queries"_a, "coefficients"_a, "threads"_a = 1);
}

}  // namespace nearwise
