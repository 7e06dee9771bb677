// Dense for Python: checks what comes in, keeps the columns alive, releases the GIL and searches.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "border.hpp"
#include "dense.hpp"

namespace nearwise {
namespace {

using Doubles2 = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Doubles3 = nb::ndarray<nb::numpy, double, nb::ndim<3>>;
using Counts1 = nb::ndarray<nb::numpy, Count, nb::ndim<1>>;
using Counts2 = nb::ndarray<nb::numpy, Count, nb::ndim<2>>;

struct DenseIndex {
  std::vector<Array> held;  // the columns that the index points into
  std::unique_ptr<Dense> dense;
};

template <class T>
std::vector<T> copied(const Array& array, const char* name, std::size_t ndim, const char* type) {
  const T* from = data_of<T>(array, name, ndim, type);
  return std::vector<T>(from, from + array.size());
}

void make_index(DenseIndex* self, std::vector<Array> columns, const Array& is_symbol, const Array& segment,
                const Array& coefficients, const Array& one_missing, const Array& both_missing, int power,
                const std::optional<Array>& joined) {
  require(power == 1 || power == 2, "power must be 1 or 2, got " + std::to_string(power) + ".");
  require(!columns.empty(), "columns must hold at least one feature.");
  Columns c;
  c.p = static_cast<Count>(columns.size());
  c.is_symbol = copied<std::uint8_t>(is_symbol, "is_symbol", 1, "uint8");
  c.segment = copied<std::int32_t>(segment, "segment", 1, "int32");
  c.coefficients = copied<double>(coefficients, "coefficients", 2, "float64");
  c.one_missing = copied<double>(one_missing, "one_missing", 1, "float64");
  c.both_missing = copied<double>(both_missing, "both_missing", 1, "float64");
  c.n = static_cast<Count>(c.segment.size());
  c.g = static_cast<Count>(coefficients.shape(0));
  c.power = power;
  require_shape(is_symbol, "is_symbol", {c.p});
  require_shape(coefficients, "coefficients", {c.g, c.p});
  require_shape(one_missing, "one_missing", {c.p});
  require_shape(both_missing, "both_missing", {c.p});
  if (joined) {
    c.joined = copied<std::uint8_t>(*joined, "joined", 1, "uint8");
    require_shape(*joined, "joined", {c.p});
    for (Count f = 0; f < c.p; ++f)
      require(!c.joined[f] || (f > 0 && !c.is_symbol[f] && !c.is_symbol[f - 1]), "only numbers can be joined.");
  }
  for (const Array& column : columns) {
    c.values.push_back(data_of<double>(column, "columns", 1, "float64"));
    require_shape(column, "columns", {c.n});
  }
  for (double each : c.coefficients) require(std::isfinite(each) && each >= 0, "coefficients must be finite, not negative.");
  for (std::int32_t each : c.segment) require(each >= 0 && each < c.g, "segment must be in 0 .. g - 1.");
  for (Count f = 0; f < c.p; ++f) {
    if (!c.is_symbol[f]) continue;
    for (Count i = 0; i < c.n; ++i) {
      const double code = c.values[f][i];
      require(code != code || (code >= 0 && code < (1 << 30)), "codes of symbols must be in 0 .. 2**30, or NaN.");
    }
  }
  self->held = std::move(columns);
  nb::gil_scoped_release release;
  self->dense = std::make_unique<Dense>(std::move(c));
}

std::tuple<Doubles2, Counts2, Counts1, Counts1, Doubles3, Counts1> nearest(
    const DenseIndex& self, const Array& queries, const Array& exclude, Count k, double tolerance,
    const Array& group_codes, const Array& group_values, Count n_groups, int form, Count threads) {
  const Columns& c = self.dense->columns();
  constexpr Count most = Count{1} << 31;
  require(k >= 1 && k <= most, "k must be in 1 .. 2**31, got " + std::to_string(k) + ".");
  require(n_groups >= 0 && n_groups <= most, "n_groups must be in 0 .. 2**31.");
  require(threads >= 1, "threads must be at least 1, got " + std::to_string(threads) + ".");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  require(form >= 0 && form <= 2 && (form == 2) == (c.power == 1), "form must be 0 or 1 with power 2, 2 with power 1.");
  require(form != 0 || !self.dense->has_holes(), "form 0 cannot serve missing numbers.");
  require(self.dense->is_usable(), "single precision cannot hold these cases.");
  Ask ask{};
  ask.queries = data_of<double>(queries, "queries", 2, "float64");
  ask.exclude = data_of<Count>(exclude, "exclude", 1, "int64");
  ask.group_codes = data_of<std::int32_t>(group_codes, "group_codes", 1, "int32");
  ask.group_values = data_of<double>(group_values, "group_values", 2, "float64");
  ask.m = static_cast<Count>(queries.shape(0));
  ask.v = static_cast<Count>(group_values.shape(1));
  ask.k = k;
  ask.n_groups = n_groups;
  ask.threads = threads;
  ask.tolerance = tolerance;
  require_shape(queries, "queries", {ask.m, c.p});
  require_shape(exclude, "exclude", {ask.m});
  require_shape(group_codes, "group_codes", {c.n});
  require_shape(group_values, "group_values", {c.n, ask.v});
  for (Count i = 0; i < c.n; ++i)
    require(ask.group_codes[i] >= 0 && ask.group_codes[i] < n_groups, "group_codes must be in 0 .. n_groups - 1.");
  for (Count j = 0; j < ask.m; ++j)
    for (Count f = 0; f < c.p; ++f) {
      const double q = ask.queries[j * c.p + f];
      require(q != q ? form != 0 || c.is_symbol[f] : !c.is_symbol[f] || (q >= 0 && q < (1 << 30)),
              "queries hold a code beyond 2**30, or a missing number that form 0 cannot serve.");
    }
  const auto m = static_cast<std::size_t>(ask.m), width = static_cast<std::size_t>(k);
  const auto groups = static_cast<std::size_t>(n_groups), v = static_cast<std::size_t>(ask.v);
  std::vector<double> sums(m * width), tie_sums(m * groups * v);
  std::vector<Count> indices(m * width), inside(m), tied(m), proposed(m);
  {
    nb::gil_scoped_release release;
    self.dense->nearest(ask, static_cast<Form>(form), {sums.data(), indices.data(), inside.data(), tied.data(),
                                                       tie_sums.data(), proposed.data()});
  }
  return {to_numpy<double, 2>(std::move(sums), {m, width}), to_numpy<Count, 2>(std::move(indices), {m, width}),
          to_numpy<Count, 1>(std::move(inside), {m}), to_numpy<Count, 1>(std::move(tied), {m}),
          to_numpy<double, 3>(std::move(tie_sums), {m, groups, v}), to_numpy<Count, 1>(std::move(proposed), {m})};
}

}  // namespace

void bind_dense(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<DenseIndex>(module, "DenseIndex", "Numbers and symbols, packed for search by proposal and decision.")
      .def("__init__",
           [](DenseIndex* self, std::vector<Array> columns, const Array& is_symbol, const Array& segment,
              const Array& coefficients, const Array& one_missing, const Array& both_missing, int power,
              const std::optional<Array>& joined) {
             new (self) DenseIndex();
             try {
               make_index(self, std::move(columns), is_symbol, segment, coefficients, one_missing, both_missing, power,
                          joined);
             } catch (...) {
               self->~DenseIndex();
               throw;
             }
           },
           "columns"_a, "is_symbol"_a, "segment"_a, "coefficients"_a, "one_missing"_a, "both_missing"_a, "power"_a,
           "joined"_a = nb::none())
      .def_prop_ro("has_holes", [](const DenseIndex& self) { return self.dense->has_holes(); })
      .def_prop_ro("is_usable", [](const DenseIndex& self) { return self.dense->is_usable(); })
      .def("nearest", &nearest, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a, "group_values"_a,
           "n_groups"_a, "form"_a, "threads"_a = 1);
}

}  // namespace nearwise
