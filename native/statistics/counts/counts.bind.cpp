// Coding, sorting, counting and cutting for Python: what is done with whole columns.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>
#include <utility>

#include "binding/arrays.hpp"
#include "statistics/counts/count_codes.hpp"
#include "statistics/counts/distinct.hpp"
#include "statistics/counts/mdl.hpp"
#include "statistics/counts/sort_pairs.hpp"

namespace nearwise {
namespace {

constexpr Count most_rows = Count{1} << 31;

auto distinct_arrays(const Array& rows) {
  const std::uint8_t* bytes = data_of<std::uint8_t>(rows, "rows", 2);
  const auto n = size_of(rows, 0), width = size_of(rows, 1);
  require(n < most_rows, "rows must be fewer than 2**31.");
  Scratch<std::int32_t> codes(static_cast<std::size_t>(n));
  std::vector<Count> first = without_gil([&] { return distinct(bytes, n, width, codes.data()); });
  return std::make_pair(to_numpy(std::move(codes), {n}), to_numpy(std::move(first)));
}

auto sort_pairs_arrays(const Array& values, const Array& codes) {
  const double* numbers = data_of<double>(values, "values", 1);
  const auto n = size_of(values, 0);
  const std::int32_t* carried = shaped<std::int32_t>(codes, "codes", {n});
  require(n < most_rows, "values must be fewer than 2**31.");
  Scratch<double> sorted(static_cast<std::size_t>(n));
  Scratch<std::int32_t> with(static_cast<std::size_t>(n));
  const Count known = without_gil([&] { return sort_pairs(numbers, carried, n, sorted.data(), with.data()); });
  return std::make_pair(to_numpy(std::move(sorted), {known}), to_numpy(std::move(with), {known}));
}

auto count_codes_arrays(const Array& rows, const Array& columns, Count n_rows, Count n_columns,
                        const std::optional<Array>& weights) {
  const std::int32_t* first = data_of<std::int32_t>(rows, "rows", 1);
  const auto n = size_of(rows, 0);
  const std::int32_t* second = shaped<std::int32_t>(columns, "columns", {n});
  require(n_rows >= 0 && n_rows < most_rows && n_columns >= 0 && n_columns < most_rows,
          "n_rows and n_columns must be in 0 .. 2**31 - 1.");
  const double* weighs = weights ? shaped<double>(*weights, "weights", {n}) : nullptr;
  std::vector<Count> cases(n_rows * n_columns);
  std::vector<double> sums(weighs ? n_rows * n_columns : 0);
  const bool right = without_gil([&] {
    return count_codes({first, second, weighs, n}, static_cast<std::int32_t>(n_rows),
                       static_cast<std::int32_t>(n_columns), cases.data(), sums.data());
  });
  require(right, "rows must be below n_rows and columns below n_columns.");
  std::optional<Numpy<double, 2>> by_weight;
  if (weighs) by_weight = to_numpy(std::move(sums), {n_rows, n_columns});
  return std::make_pair(to_numpy(std::move(cases), {n_rows, n_columns}), by_weight);
}

auto mdl_cuts_array(const Array& values, const Array& classes, const std::optional<Array>& cases,
                    const Array& alphabet, const Array& table, double scale) {
  Ordered entries{};
  Units units{};
  entries.values = data_of<double>(values, "values", 1);
  entries.n = size_of(values, 0);
  entries.classes = shaped<std::int32_t>(classes, "classes", {entries.n});
  units.alphabet = data_of<double>(alphabet, "alphabet", 1);
  units.table = data_of<Count>(table, "table", 1);
  units.size = size_of(table, 0);
  units.scale = scale;
  require(alphabet.shape(0) >= 1 && size_of(alphabet, 0) < most_rows,
          "alphabet must have one entry more than there are classes.");
  require(units.size >= 2 && scale > 0, "table must begin with the terms of 0 and 1, and scale must be positive.");
  entries.c = static_cast<std::int32_t>(alphabet.shape(0)) - 1;
  if (cases) entries.cases = shaped<Count>(*cases, "cases", {entries.n});
  std::vector<Count> found;
  bool right = true;
  without_gil([&] {
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
  });
  require(right, "values must ascend, classes be in 0 .. classes - 1, and cases be positive and less than 2**31 in all.");
  return to_numpy(std::move(found));
}

}  // namespace

void bind_counts(nb::module_& module) {
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
