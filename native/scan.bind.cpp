// scan for Python: checks what comes in, releases the GIL and calls the kernel.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>

#include "border.hpp"
#include "instructions.hpp"
#include "scan.hpp"

namespace nearwise {
namespace {

void check_segments(const Cases& c) {
  require(c.segments[0] == 0 && c.segments[c.g] == c.n, "scan: segments must start at 0 and end at n = " +
                                                            std::to_string(c.n) + ".");
  for (Count a = 0; a < c.g; ++a)
    if (c.segments[a] > c.segments[a + 1])
      require(false, "scan: segments must not decrease, they do at " + std::to_string(a) + ".");
}

void check_cases(const Cases& c) {
  for (Count i = 0; i < c.n; ++i) {
    if (c.index[i] < 0) require(false, "scan: index must not be negative, it is at " + std::to_string(i) + ".");
    if (c.group_codes[i] < 0 || c.group_codes[i] >= c.n_groups)
      require(false, "scan: group_codes must be in 0 .. n_groups - 1, it is " + std::to_string(c.group_codes[i]) +
                         " at " + std::to_string(i) + ".");
  }
}

void check_queries(const Queries& q, Count n) {
  for (Count i = 0; i < q.m; ++i)
    if (q.exclude[i] < -1 || q.exclude[i] >= n)
      require(false, "scan: exclude must be -1 or a packed position below n, it is " + std::to_string(q.exclude[i]) +
                         " at " + std::to_string(i) + ".");
}

using Doubles2 = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Doubles3 = nb::ndarray<nb::numpy, double, nb::ndim<3>>;
using Counts1 = nb::ndarray<nb::numpy, Count, nb::ndim<1>>;
using Counts2 = nb::ndarray<nb::numpy, Count, nb::ndim<2>>;

std::tuple<Doubles2, Counts2, Counts1, Counts1, Doubles3> scan_arrays(
    const Array& columns, const Array& is_symbol, const Array& segments, const Array& coefficients,
    const Array& one_missing, const Array& both_missing, int power, const Array& queries, const Array& exclude,
    const Array& index, Count k, double tolerance, const Array& group_codes, const Array& group_values, Count n_groups,
    Count threads, const std::optional<Array>& joined) {
  constexpr Count most = Count{1} << 31;  // keeps every product of sizes below within 64 bits
  require(power == 1 || power == 2, "scan: power must be 1 or 2, got " + std::to_string(power) + ".");
  require(k >= 1 && k <= most, "scan: k must be in 1 .. 2**31, got " + std::to_string(k) + ".");
  require(n_groups >= 0 && n_groups <= most, "scan: n_groups must be in 0 .. 2**31, got " + std::to_string(n_groups) + ".");
  require(threads >= 1, "scan: threads must be at least 1, got " + std::to_string(threads) + ".");
  require(tolerance >= 0 && tolerance < 1, "scan: tolerance must be in 0 .. 1, got " + std::to_string(tolerance) + ".");

  Cases c{};
  Queries q{};
  c.columns = data_of<double>(columns, "columns", 2, "float64");
  c.is_symbol = data_of<std::uint8_t>(is_symbol, "is_symbol", 1, "uint8");
  c.segments = data_of<Count>(segments, "segments", 1, "int64");
  c.coefficients = data_of<double>(coefficients, "coefficients", 2, "float64");
  c.one_missing = data_of<double>(one_missing, "one_missing", 1, "float64");
  c.both_missing = data_of<double>(both_missing, "both_missing", 1, "float64");
  c.index = data_of<Count>(index, "index", 1, "int64");
  c.group_codes = data_of<std::int32_t>(group_codes, "group_codes", 1, "int32");
  c.group_values = data_of<double>(group_values, "group_values", 2, "float64");
  q.values = data_of<double>(queries, "queries", 2, "float64");
  q.exclude = data_of<Count>(exclude, "exclude", 1, "int64");

  c.p = static_cast<Count>(columns.shape(0));
  c.n = static_cast<Count>(columns.shape(1));
  c.g = static_cast<Count>(coefficients.shape(0));
  c.v = static_cast<Count>(group_values.shape(1));
  c.n_groups = n_groups;
  c.power = power;
  q.m = static_cast<Count>(queries.shape(0));
  q.k = k;
  q.stride = c.p;
  q.tolerance = tolerance;
  require_shape(is_symbol, "is_symbol", {c.p});
  require_shape(segments, "segments", {c.g + 1});
  require_shape(coefficients, "coefficients", {c.g, c.p});
  require_shape(one_missing, "one_missing", {c.p});
  require_shape(both_missing, "both_missing", {c.p});
  require_shape(queries, "queries", {q.m, c.p});
  require_shape(exclude, "exclude", {q.m});
  require_shape(index, "index", {c.n});
  require_shape(group_codes, "group_codes", {c.n});
  require_shape(group_values, "group_values", {c.n, c.v});
  if (joined) {
    c.joined = data_of<std::uint8_t>(*joined, "joined", 1, "uint8");
    require_shape(*joined, "joined", {c.p});
    for (Count f = 0; f < c.p; ++f)
      require(!c.joined[f] || (f > 0 && !c.is_symbol[f] && !c.is_symbol[f - 1]), "scan: only numbers can be joined.");
  }
  check_segments(c);
  check_cases(c);
  check_queries(q, c.n);

  const auto m = static_cast<std::size_t>(q.m), width = static_cast<std::size_t>(k);
  const auto groups = static_cast<std::size_t>(n_groups), v = static_cast<std::size_t>(c.v);
  std::vector<double> sums(m * width), tie_sums(m * groups * v);
  std::vector<Count> indices(m * width), inside(m), tied(m);
  {
    nb::gil_scoped_release release;
    scan(c, q, threads, NEARWISE_CHOSEN(tile),
         {sums.data(), indices.data(), inside.data(), tied.data(), tie_sums.data()});
  }
  return {to_numpy<double, 2>(std::move(sums), {m, width}), to_numpy<Count, 2>(std::move(indices), {m, width}),
          to_numpy<Count, 1>(std::move(inside), {m}), to_numpy<Count, 1>(std::move(tied), {m}),
          to_numpy<double, 3>(std::move(tie_sums), {m, groups, v})};
}

}  // namespace

void bind_scan(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("scan", &scan_arrays, "columns"_a, "is_symbol"_a, "segments"_a, "coefficients"_a, "one_missing"_a,
             "both_missing"_a, "power"_a, "queries"_a, "exclude"_a, "index"_a, "k"_a, "tolerance"_a, "group_codes"_a,
             "group_values"_a, "n_groups"_a, "threads"_a = 1, "joined"_a = nb::none(),
             "The k nearest cases of every query, exactly, and the group that ties with the k-th.");
}

}  // namespace nearwise
