// The scan with weights of cases and queries for Python: checks what comes in, keeps the cases, releases the GIL.
#include "index/scan/weighed.hpp"

#include "binding/columns.hpp"
#include "machine/instructions.hpp"

namespace nearwise {
namespace {

struct Weighed {
  std::vector<Array> held;
  WeighedCases cases{};
};

void make_weighed(Weighed* self, Array columns, Array is_symbol, Array segments, Array coefficients, Array one_missing,
                  Array both_missing, Array policies, Array expected, Array by_case, Array weights, Array worst,
                  Array index, Array scales, bool by_query, double power) {
  require(power >= 1 && power < 1e6, "power must be from 1 to 1e6, got " + std::to_string(power) + ".");
  new (self) Weighed();
  try {
    WeighedCases& c = self->cases;
    c.columns = data_of<double>(columns, "columns", 2, "float64");
    c.is_symbol = data_of<std::uint8_t>(is_symbol, "is_symbol", 1, "uint8");
    c.segments = data_of<Count>(segments, "segments", 1, "int64");
    c.coefficients = data_of<double>(coefficients, "coefficients", 2, "float64");
    c.one_missing = data_of<double>(one_missing, "one_missing", 1, "float64");
    c.both_missing = data_of<double>(both_missing, "both_missing", 1, "float64");
    c.policies = data_of<std::uint8_t>(policies, "policies", 1, "uint8");
    c.expected = data_of<double>(expected, "expected", 2, "float64");
    c.by_case = by_case.size() ? data_of<double>(by_case, "by_case", 2, "float64") : nullptr;
    c.scales = scales.size() ? data_of<double>(scales, "scales", 1, "float64") : nullptr;
    c.weights = data_of<double>(weights, "weights", 2, "float64");
    c.worst = data_of<double>(worst, "worst", 1, "float64");
    c.index = data_of<Count>(index, "index", 1, "int64");
    c.p = static_cast<Count>(columns.shape(0));
    c.n = case_count(columns.shape(1));
    c.g = static_cast<Count>(coefficients.shape(0));
    c.by_query = by_query;
    c.power = power;
    require_shape(is_symbol, "is_symbol", {c.p});
    require_shape(segments, "segments", {c.g + 1});
    require_shape(coefficients, "coefficients", {c.g, c.p});
    require_shape(one_missing, "one_missing", {c.p});
    require_shape(both_missing, "both_missing", {c.p});
    require_shape(policies, "policies", {c.p});
    require_shape(expected, "expected", {c.p, c.n});
    if (c.by_case) require_shape(by_case, "by_case", {c.p, c.n});
    if (c.scales) require_shape(scales, "scales", {c.p});
    require(!c.scales || c.by_case || c.n == 0, "scales need weights by case.");
    require_shape(weights, "weights", {c.g, c.p});
    require_shape(worst, "worst", {c.g});
    require_shape(index, "index", {c.n});
    require(c.segments[0] == 0 && c.segments[c.g] == c.n, "segments must start at 0 and end at n.");
    for (Count a = 0; a < c.g; ++a) require(c.segments[a] <= c.segments[a + 1], "segments must not decrease.");
    for (Count i = 0; i < c.n; ++i) require(c.index[i] >= 0, "index must not be negative.");
    for (Count f = 0; f < c.p; ++f) {
      require(c.policies[f] <= 2, "policies must be 0, 1 or 2.");
      c.ignores = c.ignores || c.policies[f] == static_cast<std::uint8_t>(Policy::ignore);
    }
    self->held = {columns, is_symbol, segments, coefficients, one_missing, both_missing,
                  policies, expected, by_case, weights, worst, index, scales};
  } catch (...) {
    self->~Weighed();
    throw;
  }
}

auto nearest(const Weighed& self, const Array& queries, const Array& exclude, Count k, double tolerance,
             const Array& group_codes, const Array& group_values, Count n_groups, Count threads) {
  constexpr Count most = Count{1} << 31;
  require(k >= 1 && k <= most, "k must be in 1 .. 2**31, got " + std::to_string(k) + ".");
  require(n_groups >= 0 && n_groups <= most, "n_groups must be in 0 .. 2**31.");
  require(threads >= 1, "threads must be at least 1, got " + std::to_string(threads) + ".");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  WeighedCases c = self.cases;
  Queries q{};
  q.values = data_of<double>(queries, "queries", 2, "float64");
  q.exclude = data_of<Count>(exclude, "exclude", 1, "int64");
  c.group_codes = data_of<std::int32_t>(group_codes, "group_codes", 1, "int32");
  c.group_values = data_of<double>(group_values, "group_values", 2, "float64");
  c.v = static_cast<Count>(group_values.shape(1));
  c.n_groups = n_groups;
  q.m = static_cast<Count>(queries.shape(0));
  q.k = k;
  q.tolerance = tolerance;
  q.stride = c.p * (c.by_query ? 2 + c.g : 2);
  require_shape(queries, "queries", {q.m, q.stride});
  require_shape(exclude, "exclude", {q.m});
  require_shape(group_codes, "group_codes", {c.n});
  require_shape(group_values, "group_values", {c.n, c.v});
  for (Count i = 0; i < c.n; ++i)
    require(c.group_codes[i] >= 0 && c.group_codes[i] < n_groups, "group_codes must be in 0 .. n_groups - 1.");
  for (Count j = 0; j < q.m; ++j) require(q.exclude[j] >= -1 && q.exclude[j] < c.n, "exclude must be in -1 .. n - 1.");
  const auto m = static_cast<std::size_t>(q.m), width = static_cast<std::size_t>(k);
  const auto groups = static_cast<std::size_t>(n_groups), v = static_cast<std::size_t>(c.v);
  std::vector<double> sums(m * width), tie_sums(m * groups * v);
  std::vector<Count> indices(m * width), inside(m), tied(m);
  {
    nb::gil_scoped_release release;
    scan(c, q, threads, NEARWISE_CHOSEN(weighed_tile),
         {sums.data(), indices.data(), inside.data(), tied.data(), tie_sums.data()});
  }
  return std::make_tuple(
      to_numpy<double, 2>(std::move(sums), {m, width}), to_numpy<Count, 2>(std::move(indices), {m, width}),
      to_numpy<Count, 1>(std::move(inside), {m}), to_numpy<Count, 1>(std::move(tied), {m}),
      to_numpy<double, 3>(std::move(tie_sums), {m, groups, v}));
}

}  // namespace

void bind_weighed(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Weighed>(module, "WeighedCases", "Cases whose weights come with the case or the query, for an exact scan.")
      .def("__init__", &make_weighed, "columns"_a, "is_symbol"_a, "segments"_a, "coefficients"_a, "one_missing"_a,
           "both_missing"_a, "policies"_a, "expected"_a, "by_case"_a, "weights"_a, "worst"_a, "index"_a, "scales"_a,
           "by_query"_a, "power"_a)
      .def("nearest", &nearest, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a, "group_values"_a,
           "n_groups"_a, "threads"_a = 1);
}

}  // namespace nearwise
