// Coding, sorting, counting and cutting for Python: what is done with whole columns.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>
#include <string>
#include <utility>

#include "binding/arrays.hpp"
#include "statistics/counts/count_codes.hpp"
#include "statistics/counts/distinct.hpp"
#include "statistics/counts/mdl.hpp"
#include "statistics/counts/sort_pairs.hpp"

namespace nearwise {
namespace {

using Doubles = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Codes = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using Counts = nb::ndarray<nb::numpy, Count, nb::ndim<1>>;
using Counts2 = nb::ndarray<nb::numpy, Count, nb::ndim<2>>;
using Doubles2 = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

constexpr Count most_rows = Count{1} << 31;

std::pair<Codes, Counts> distinct_arrays(const Array& rows) {
  const std::uint8_t* bytes = data_of<std::uint8_t>(rows, "rows", 2, "uint8");
  const auto n = static_cast<Count>(rows.shape(0)), width = static_cast<Count>(rows.shape(1));
  require(n < most_rows, "rows must be fewer than 2**31.");
  Scratch<std::int32_t> codes(static_cast<std::size_t>(n));
  std::vector<Count> first;
  {
    nb::gil_scoped_release release;
    first = distinct(bytes, n, width, codes.data());
  }
  const std::size_t size = first.size();
  return {to_numpy<std::int32_t, 1>(std::move(codes), {static_cast<std::size_t>(n)}),
          to_numpy<Count, 1>(std::move(first), {size})};
}

std::pair<Doubles, Codes> sort_pairs_arrays(const Array& values, const Array& codes) {
  const double* numbers = data_of<double>(values, "values", 1, "float64");
  const std::int32_t* carried = data_of<std::int32_t>(codes, "codes", 1, "int32");
  const auto n = static_cast<Count>(values.shape(0));
  require_shape(codes, "codes", {n});
  require(n < most_rows, "values must be fewer than 2**31.");
  Scratch<double> sorted(static_cast<std::size_t>(n));
  Scratch<std::int32_t> with(static_cast<std::size_t>(n));
  std::size_t known = 0;
  {
    nb::gil_scoped_release release;
    known = static_cast<std::size_t>(sort_pairs(numbers, carried, n, sorted.data(), with.data()));
  }
  return {to_numpy<double, 1>(std::move(sorted), {known}), to_numpy<std::int32_t, 1>(std::move(with), {known})};
}

std::pair<Counts2, std::optional<Doubles2>> count_codes_arrays(const Array& rows, const Array& columns, Count n_rows,
                                                              Count n_columns, const std::optional<Array>& weights) {
  const std::int32_t* first = data_of<std::int32_t>(rows, "rows", 1, "int32");
  const std::int32_t* second = data_of<std::int32_t>(columns, "columns", 1, "int32");
  const auto n = static_cast<Count>(rows.shape(0));
  require_shape(columns, "columns", {n});
  require(n_rows >= 0 && n_rows < most_rows && n_columns >= 0 && n_columns < most_rows,
          "n_rows and n_columns must be in 0 .. 2**31 - 1.");
  const double* weighs = nullptr;
  if (weights) {
    weighs = data_of<double>(*weights, "weights", 1, "float64");
    require_shape(*weights, "weights", {n});
  }
  const auto v = static_cast<std::size_t>(n_rows), c = static_cast<std::size_t>(n_columns);
  std::vector<Count> cases(v * c);
  std::vector<double> sums(weighs ? v * c : 0);
  bool right = false;
  {
    nb::gil_scoped_release release;
    right = count_codes(first, second, weighs, n, static_cast<std::int32_t>(n_rows),
                        static_cast<std::int32_t>(n_columns), cases.data(), sums.data());
  }
  require(right, "rows must be below n_rows and columns below n_columns.");
  std::optional<Doubles2> by_weight;
  if (weighs) by_weight = to_numpy<double, 2>(std::move(sums), {v, c});
  return {to_numpy<Count, 2>(std::move(cases), {v, c}), by_weight};
}

Counts mdl_cuts_array(const Array& values, const Array& classes, const std::optional<Array>& cases,
                      const Array& alphabet, const Array& table, double scale) {
  Ordered entries{};
  Units units{};
  entries.values = data_of<double>(values, "values", 1, "float64");
  entries.classes = data_of<std::int32_t>(classes, "classes", 1, "int32");
  entries.n = static_cast<Count>(values.shape(0));
  require_shape(classes, "classes", {entries.n});
  units.alphabet = data_of<double>(alphabet, "alphabet", 1, "float64");
  units.table = data_of<Count>(table, "table", 1, "int64");
  units.size = static_cast<Count>(table.shape(0));
  units.scale = scale;
  require(alphabet.shape(0) >= 1 && static_cast<Count>(alphabet.shape(0)) < most_rows,
          "alphabet must have one entry more than there are classes.");
  require(units.size >= 2 && scale > 0, "table must begin with the terms of 0 and 1, and scale must be positive.");
  entries.c = static_cast<std::int32_t>(alphabet.shape(0)) - 1;
  if (cases) {
    entries.cases = data_of<Count>(*cases, "cases", 1, "int64");
    require_shape(*cases, "cases", {entries.n});
  }
  std::vector<Count> found;
  bool right = true;
  {
    nb::gil_scoped_release release;
    Count left = most_rows - 1;
    for (Count i = 0; i < entries.n; ++i) {
      right &= entries.classes[i] >= 0 && entries.classes[i] < entries.c;
      right &= i == 0 || entries.values[i - 1] <= entries.values[i];
      const Count here = entries.cases ? entries.cases[i] : 1;
      right &= here >= 1 && here <= left;
      if (!right) break;
      left -= here;
    }
    if (right) found = mdl_cuts(entries, units);
  }
  require(right, "values must ascend, classes be in 0 .. classes - 1, and cases be positive and less than 2**31 in all.");
  const std::size_t size = found.size();
  return to_numpy<Count, 1>(std::move(found), {size});
}

}  // namespace

void bind_presets(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("distinct", &distinct_arrays, "rows"_a, "Which row each row equals, and the first row of each kind.");
  module.def("sort_pairs", &sort_pairs_arrays, "values"_a, "codes"_a,
             "The known numbers in ascending order, each with its code.");
  module.def("count_codes", &count_codes_arrays, "rows"_a, "columns"_a, "n_rows"_a, "n_columns"_a,
             "weights"_a = nb::none(), "How often two codes occur together, and with what weight.");
  module.def("mdl_cuts", &mdl_cuts_array, "values"_a, "classes"_a, "cases"_a.none(), "alphabet"_a, "table"_a, "scale"_a,
             "The entries before which Fayyad and Irani cut.");
}

}  // namespace nearwise
