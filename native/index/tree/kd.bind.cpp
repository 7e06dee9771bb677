// KdTree for Python: checks what comes in, releases the GIL and calls the kernel.
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <memory>

#include "binding/search.hpp"
#include "index/tree/kd.hpp"
#include "machine/instructions.hpp"

namespace nearwise {
namespace {

KdLoops chosen_loops() { return NEARWISE_CHOSEN(kd_loops)(); }

void check_threads(Count threads) {
  require(threads >= 1, "KdTree: threads must be at least 1, got " + std::to_string(threads) + ".");
}

void check_finite(const double* values, Count size, const std::string& name) {
  require_all(size, "KdTree: " + name + " must be finite", [&](Count i) { return std::isfinite(values[i]); });
}

void check_cases(const KdCases& c) {
  require_segments(c.segments, c.g, c.n);
  check_finite(c.columns, c.n * c.p, "columns");
  check_finite(c.coefficients, c.g * c.p, "coefficients");
  require_all(c.g * c.p, "KdTree: coefficients must not be negative", [&](Count i) { return c.coefficients[i] >= 0; });
  std::vector<bool> seen(static_cast<std::size_t>(c.n));
  require_all(c.n, "KdTree: index must hold each of 0 .. n - 1 once", [&](Count i) {
    if (c.index[i] < 0 || c.index[i] >= c.n || seen[c.index[i]]) return false;
    return static_cast<bool>(seen[c.index[i]] = true);
  });
}

std::unique_ptr<KdForest> make(const Array& columns, const Array& segments, const Array& coefficients,
                               const Array& index, int power, Count threads) {
  KdCases c{};
  c.columns = data_of<double>(columns, "columns", 2);
  c.coefficients = data_of<double>(coefficients, "coefficients", 2);
  c.p = size_of(columns, 0);
  c.n = case_count(columns.shape(1));
  c.g = size_of(coefficients, 0);
  c.power = power;
  c.segments = shaped<Count>(segments, "segments", {c.g + 1});
  c.index = shaped<Count>(index, "index", {c.n});
  shaped<double>(coefficients, "coefficients", {c.g, c.p});
  require(power == 1 || power == 2, "KdTree: power must be 1 or 2, got " + std::to_string(power) + ".");
  check_threads(threads);
  check_cases(c);
  return without_gil([&] { return std::make_unique<KdForest>(kd_build(c, threads)); });
}

KdQueries asked(const KdForest& forest, const Array& queries, Count threads) {
  KdQueries q{};
  q.values = data_of<double>(queries, "queries", 2);
  q.m = size_of(queries, 0);
  q.threads = threads;
  shaped<double>(queries, "queries", {q.m, forest.p});
  check_finite(q.values, q.m * forest.p, "queries");
  check_threads(threads);
  return q;
}

Numpy<Count, 1> places(const KdForest& forest, const Array& queries, Count threads) {
  const KdQueries q = asked(forest, queries, threads);
  return to_numpy(without_gil([&] { return kd_places(forest, q, chosen_loops()); }));
}

auto nearest(const KdForest& forest, const Array& queries, const Array& exclude, Count k, double tolerance,
             const Array& group_codes, const Array& group_values, Count n_groups, Count threads) {
  KdQueries q = asked(forest, queries, threads);
  static_cast<Wanted&>(q) =
      wanted("KdTree", {exclude, k, tolerance, group_codes, group_values, n_groups, threads}, q.m, forest.n);
  NearestArrays found(q);
  without_gil([&] { kd_nearest(forest, q, chosen_loops(), found.pointers(), found.looked_at()); });
  return found.to_python_with_effort();
}

auto within(const KdForest& forest, const Array& queries, const Array& limits, const Array& exclude, Count threads) {
  KdQueries q = asked(forest, queries, threads);
  q.exclude = shaped<Count>(exclude, "exclude", {q.m});
  const double* most_of = shaped<double>(limits, "limits", {q.m});
  std::vector<Count> ends{0}, indices;
  std::vector<double> sums;
  without_gil([&] {
    const std::vector<RankedCases> found = kd_within(forest, q, most_of, chosen_loops());
    for (const RankedCases& near : found) ends.push_back(ends.back() + static_cast<Count>(near.size()));
    sums.reserve(static_cast<std::size_t>(ends.back()));
    indices.reserve(static_cast<std::size_t>(ends.back()));
    for (const RankedCases& near : found)
      for (const auto& [sum, index] : near) {
        sums.push_back(sum);
        indices.push_back(index);
      }
  });
  return std::make_tuple(to_numpy(std::move(ends)), to_numpy(std::move(sums)), to_numpy(std::move(indices)));
}

}  // namespace

void bind_kd(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<KdForest>(module, "KdTree", "A kd-tree per segment of numeric cases; immutable, so threads may share it.")
      .def(nb::new_(&make), "columns"_a, "segments"_a, "coefficients"_a, "index"_a, "power"_a, "threads"_a = 1)
      .def("places", &places, "queries"_a, "threads"_a = 1, "Where each query falls; search in this order.")
      .def("nearest", &nearest, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a, "group_values"_a,
           "n_groups"_a, "threads"_a = 1, "The k nearest cases of every query, exactly, and the group that ties.")
      .def("within", &within, "queries"_a, "limits"_a, "exclude"_a, "threads"_a = 1,
           "All cases with a sum of at most the limit of each query.");
}

}  // namespace nearwise
