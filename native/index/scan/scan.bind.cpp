// scan for Python: checks what comes in, releases the GIL and calls the kernel.
#include <nanobind/stl/optional.h>

#include <optional>

#include "binding/search.hpp"
#include "index/scan/scan.hpp"
#include "machine/instructions.hpp"

namespace nearwise {
namespace {

const Border border{"scan"};

void check_cases(const Cases& c) {
  border.check(c.segments[0] == 0 && c.segments[c.g] == c.n, "segments must start at 0 and end at n = " + std::to_string(c.n));
  border.check_none(first_wrong(c.g, [&](Count a) { return c.segments[a] > c.segments[a + 1]; }),
                    "segments must not decrease");
  border.check_none(first_wrong(c.n, [&](Count i) { return c.index[i] < 0; }), "index must not be negative");
}

NearestTuple scan_arrays(const Array& columns, const Array& is_symbol, const Array& segments, const Array& coefficients,
                         const Array& one_missing, const Array& both_missing, double power, const Array& queries,
                         const Array& exclude, const Array& index, Count k, double tolerance, const Array& group_codes,
                         const Array& group_values, Count n_groups, Count threads, const std::optional<Array>& joined) {
  border.check_power(power);
  border.check_search(k, n_groups, tolerance, threads);
  Cases c{};
  Queries q{};
  c.columns = data_of<double>(columns, "columns", 2, "float64");
  c.is_symbol = data_of<std::uint8_t>(is_symbol, "is_symbol", 1, "uint8");
  c.segments = data_of<Count>(segments, "segments", 1, "int64");
  c.coefficients = data_of<double>(coefficients, "coefficients", 2, "float64");
  c.one_missing = data_of<double>(one_missing, "one_missing", 1, "float64");
  c.both_missing = data_of<double>(both_missing, "both_missing", 1, "float64");
  c.index = data_of<Count>(index, "index", 1, "int64");
  q.values = data_of<double>(queries, "queries", 2, "float64");

  c.p = static_cast<Count>(columns.shape(0));
  c.n = case_count(columns.shape(1));
  c.g = static_cast<Count>(coefficients.shape(0));
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
  require_shape(index, "index", {c.n});
  if (joined) {
    c.joined = data_of<std::uint8_t>(*joined, "joined", 1, "uint8");
    require_shape(*joined, "joined", {c.p});
    for (Count f = 0; f < c.p; ++f)
      require(!c.joined[f] || (f > 0 && !c.is_symbol[f] && !c.is_symbol[f - 1]), "scan: only numbers can be joined.");
  }
  std::tie(c.group_codes, c.group_values) = border.groups(group_codes, group_values, c.n, n_groups);
  c.v = static_cast<Count>(group_values.shape(1));
  q.exclude = border.excluded(exclude, q.m, c.n);
  check_cases(c);

  NearestArrays found(q.m, k, n_groups, c.v);
  {
    nb::gil_scoped_release release;
    scan(c, q, threads, NEARWISE_CHOSEN(tile), found.pointers());
  }
  return found.to_python();
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
