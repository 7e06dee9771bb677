// KdTree for Python: checks what comes in, releases the GIL and calls the kernel.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <string>
#include <tuple>

#include "binding/arrays.hpp"
#include "index/tree/kd.hpp"
#include "machine/instructions.hpp"

namespace nearwise {
namespace {

using Doubles1 = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Doubles2 = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Doubles3 = nb::ndarray<nb::numpy, double, nb::ndim<3>>;
using Counts1 = nb::ndarray<nb::numpy, Count, nb::ndim<1>>;
using Counts2 = nb::ndarray<nb::numpy, Count, nb::ndim<2>>;

constexpr Count most = (Count{1} << 31) - 1;  // cases are numbered in 32 bits

KdLoops chosen_loops() { return NEARWISE_CHOSEN(kd_loops)(); }

Count size_of(const Array& array, std::size_t axis) { return static_cast<Count>(array.shape(axis)); }

// A sentence is put together only where it is needed: these checks look at every number.
[[noreturn]] void refuse(const std::string& why) { throw nb::value_error(("KdTree: " + why).c_str()); }

void check_threads(Count threads) {
  require(threads >= 1, "KdTree: threads must be at least 1, got " + std::to_string(threads) + ".");
}

void check_finite(const double* values, Count size, const char* name) {
  for (Count i = 0; i < size; ++i)
    if (!std::isfinite(values[i])) refuse(std::string(name) + " must be finite, it is not at " + std::to_string(i) + ".");
}

void check_cases(const KdCases& c) {
  require(c.segments[0] == 0 && c.segments[c.g] == c.n, "KdTree: segments must start at 0 and end at n = " +
                                                            std::to_string(c.n) + ".");
  for (Count a = 0; a < c.g; ++a)
    if (c.segments[a] > c.segments[a + 1]) refuse("segments must not decrease, they do at " + std::to_string(a) + ".");
  check_finite(c.columns, c.n * c.p, "columns");
  check_finite(c.coefficients, c.g * c.p, "coefficients");
  for (Count i = 0; i < c.g * c.p; ++i)
    if (c.coefficients[i] < 0) refuse("coefficients must not be negative, they are at " + std::to_string(i) + ".");
  std::vector<bool> seen(static_cast<std::size_t>(c.n));
  for (Count i = 0; i < c.n; ++i) {
    if (c.index[i] < 0 || c.index[i] >= c.n || seen[c.index[i]])
      refuse("index must hold each of 0 .. n - 1 once, it does not at " + std::to_string(i) + ".");
    seen[c.index[i]] = true;
  }
}

KdForest built(const Array& columns, const Array& segments, const Array& coefficients, const Array& index, int power,
               Count threads) {
  KdCases c{};
  c.columns = data_of<double>(columns, "columns", 2, "float64");
  c.segments = data_of<Count>(segments, "segments", 1, "int64");
  c.coefficients = data_of<double>(coefficients, "coefficients", 2, "float64");
  c.index = data_of<Count>(index, "index", 1, "int64");
  c.p = size_of(columns, 0);
  c.n = case_count(columns.shape(1));
  c.g = size_of(coefficients, 0);
  c.power = power;
  require(power == 1 || power == 2, "KdTree: power must be 1 or 2, got " + std::to_string(power) + ".");
  check_threads(threads);
  require_shape(segments, "segments", {c.g + 1});
  require_shape(coefficients, "coefficients", {c.g, c.p});
  require_shape(index, "index", {c.n});
  check_cases(c);
  nb::gil_scoped_release release;
  return kd_build(c, threads);
}

const double* checked_queries(const KdForest& forest, const Array& queries) {
  const double* values = data_of<double>(queries, "queries", 2, "float64");
  require_shape(queries, "queries", {size_of(queries, 0), forest.p});
  check_finite(values, size_of(queries, 0) * forest.p, "queries");
  return values;
}

KdQueries asked(const KdForest& forest, const Array& queries, const Array& exclude, Count threads) {
  KdQueries q{checked_queries(forest, queries), data_of<Count>(exclude, "exclude", 1, "int64"), size_of(queries, 0)};
  check_threads(threads);
  require_shape(exclude, "exclude", {q.m});
  return q;
}

Counts1 places(const KdForest& forest, const Array& queries, Count threads) {
  check_threads(threads);
  const double* values = checked_queries(forest, queries);
  const auto m = queries.shape(0);
  std::vector<Count> out;
  {
    nb::gil_scoped_release release;
    out = kd_places(forest, values, static_cast<Count>(m), threads, chosen_loops());
  }
  return to_numpy<Count, 1>(std::move(out), {m});
}

std::tuple<Doubles2, Counts2, Counts1, Counts1, Doubles3, Counts1> nearest(
    const KdForest& forest, const Array& queries, const Array& exclude, Count k, double tolerance,
    const Array& group_codes, const Array& group_values, Count n_groups, Count threads) {
  const KdQueries q = asked(forest, queries, exclude, threads);
  require(k >= 1 && k <= most, "KdTree: k must be in 1 .. 2**31 - 1, got " + std::to_string(k) + ".");
  require(n_groups >= 0 && n_groups <= most, "KdTree: n_groups must be in 0 .. 2**31 - 1.");
  require(tolerance >= 0 && tolerance < 1, "KdTree: tolerance must be in 0 .. 1, got " + std::to_string(tolerance) + ".");
  KdPayload payload{data_of<std::int32_t>(group_codes, "group_codes", 1, "int32"),
                    data_of<double>(group_values, "group_values", 2, "float64"), size_of(group_values, 1), n_groups};
  require_shape(group_codes, "group_codes", {forest.n});
  require_shape(group_values, "group_values", {forest.n, payload.v});
  for (Count i = 0; i < forest.n; ++i)
    if (payload.codes[i] < 0 || payload.codes[i] >= n_groups)
      refuse("group_codes must be in 0 .. n_groups - 1, it is " + std::to_string(payload.codes[i]) + " at " +
             std::to_string(i) + ".");

  const auto m = static_cast<std::size_t>(q.m), width = static_cast<std::size_t>(k);
  const auto groups = static_cast<std::size_t>(n_groups), v = static_cast<std::size_t>(payload.v);
  std::vector<double> sums(m * width), tie_sums(m * groups * v);
  std::vector<Count> indices(m * width), inside(m), tied(m), visited(m);
  {
    nb::gil_scoped_release release;
    kd_nearest(forest, q, k, tolerance, payload, threads, chosen_loops(),
               {sums.data(), indices.data(), inside.data(), tied.data(), tie_sums.data()}, visited.data());
  }
  return {to_numpy<double, 2>(std::move(sums), {m, width}), to_numpy<Count, 2>(std::move(indices), {m, width}),
          to_numpy<Count, 1>(std::move(inside), {m}), to_numpy<Count, 1>(std::move(tied), {m}),
          to_numpy<double, 3>(std::move(tie_sums), {m, groups, v}), to_numpy<Count, 1>(std::move(visited), {m})};
}

std::tuple<Counts1, Doubles1, Counts1> within(const KdForest& forest, const Array& queries, const Array& limits,
                                              const Array& exclude, Count threads) {
  const KdQueries q = asked(forest, queries, exclude, threads);
  const double* most_of = data_of<double>(limits, "limits", 1, "float64");
  require_shape(limits, "limits", {q.m});
  std::vector<Count> ends(static_cast<std::size_t>(q.m) + 1), indices;
  std::vector<double> sums;
  {
    nb::gil_scoped_release release;
    const std::vector<Near> found = kd_within(forest, q, most_of, threads, chosen_loops());
    for (Count j = 0; j < q.m; ++j) ends[j + 1] = ends[j] + static_cast<Count>(found[j].size());
    sums.reserve(static_cast<std::size_t>(ends[q.m]));
    indices.reserve(static_cast<std::size_t>(ends[q.m]));
    for (const Near& near : found)
      for (const auto& [sum, index] : near) {
        sums.push_back(sum);
        indices.push_back(index);
      }
  }
  const std::size_t rows = ends.size(), total = sums.size();
  return {to_numpy<Count, 1>(std::move(ends), {rows}), to_numpy<double, 1>(std::move(sums), {total}),
          to_numpy<Count, 1>(std::move(indices), {total})};
}

}  // namespace

void bind_kd(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<KdForest>(module, "KdTree", "A kd-tree per segment of numeric cases; immutable, so threads may share it.")
      .def(
          "__init__",
          [](KdForest* self, const Array& columns, const Array& segments, const Array& coefficients, const Array& index,
             int power, Count threads) {
            new (self) KdForest(built(columns, segments, coefficients, index, power, threads));
          },
          "columns"_a, "segments"_a, "coefficients"_a, "index"_a, "power"_a, "threads"_a = 1)
      .def("places", &places, "queries"_a, "threads"_a = 1, "Where each query falls; search in this order.")
      .def("nearest", &nearest, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a, "group_values"_a,
           "n_groups"_a, "threads"_a = 1, "The k nearest cases of every query, exactly, and the group that ties.")
      .def("within", &within, "queries"_a, "limits"_a, "exclude"_a, "threads"_a = 1,
           "All cases with a sum of at most the limit of each query.");
}

}  // namespace nearwise
