// KdTree for Python: checks what comes in, releases the GIL and calls the kernel.
#include <cmath>
#include <memory>

#include "binding/search.hpp"
#include "index/tree/kd.hpp"

namespace nearwise {
namespace {

// Numbers that take 64 MB. Bytes take an eighth of that, and queries 1.4 to 1.7 times as long; they were measured at a million
// cases of 10 and 20 numbers, where a query takes 6 microseconds with numbers.
constexpr Count most_whole = 8 << 20;

void check_finite(const double* values, Count size, const std::string& name) {
  require_all(size, "KdTree: " + name + " must be finite", [&](Count i) { return std::isfinite(values[i]); });
}

void check_cases(const KdCases& c) {
  require_segments(c.segments, c.g, c.n);
  for (const double* column : c.columns) check_finite(column, c.n, "columns");
  check_finite(c.coefficients, c.g * c.p, "coefficients");
  require_all(c.g * c.p, "KdTree: coefficients must not be negative", [&](Count i) { return c.coefficients[i] >= 0; });
  if (!c.index) return;
  std::vector<bool> seen(static_cast<std::size_t>(c.n));
  require_all(c.n, "KdTree: index must hold each of 0 .. n - 1 once", [&](Count i) {
    if (c.index[i] < 0 || c.index[i] >= c.n || seen[c.index[i]]) return false;
    return static_cast<bool>(seen[c.index[i]] = true);
  });
}

std::unique_ptr<Held<KdForest>> make(Given& given) {
  KdCases c{};
  const std::vector<Array> columns = given.arrays("columns");
  c.p = static_cast<Count>(columns.size());
  c.coefficients = given.array<double>("coefficients", {told(c.g), c.p});
  c.segments = given.array<Count>("segments", {c.g + 1});
  c.n = case_count(columns.empty() ? static_cast<std::size_t>(c.segments[c.g]) : columns[0].size());
  for (const Array& column : columns) c.columns.push_back(shaped<double>(column, "columns", {c.n}));
  c.index = given.maybe<Count>("index", {c.n});
  c.power = given.value<int>("power");
  require(c.power == 1 || c.power == 2, "KdTree: power must be 1 or 2, got " + std::to_string(c.power) + ".");
  c.most_whole = given.value<Count>("most_whole", most_whole);
  c.order = given.maybe<std::int32_t>("order", {c.n});
  const Count threads = given.threads();
  check_cases(c);
  return std::make_unique<Held<KdForest>>(  // the columns stay; what else is given was read
      Held<KdForest>{columns, without_gil([&] { return std::make_unique<KdForest>(kd_build(c, threads)); })});
}

auto order(const Held<KdForest>& self) {
  const KdForest& forest = *self.index;
  std::vector<std::int32_t> all;
  all.reserve(static_cast<std::size_t>(forest.n));
  for (const KdTree& tree : forest.trees) all.insert(all.end(), tree.index.begin(), tree.index.end());
  return to_numpy(std::move(all));
}

KdQueries asked(const KdForest& forest, Given& given) {
  KdQueries q{};
  q.values = given.array<double>("queries", {told(q.m), forest.p});
  q.threads = given.threads();
  check_finite(q.values, q.m * forest.p, "queries");
  return q;
}

auto places(const Held<KdForest>& self, Given& given) {
  const KdForest& forest = *self.index;
  const KdQueries q = asked(forest, given);
  return to_numpy(without_gil([&] { return kd_places(forest, q); }));
}

auto nearest(const Held<KdForest>& self, Given& given) {
  const KdForest& forest = *self.index;
  KdQueries q = asked(forest, given);
  static_cast<Wanted&>(q) = wanted("KdTree", given, q.m, forest.n);
  NearestArrays found(q);
  without_gil([&] { kd_nearest(forest, q, found.pointers(), found.looked_at()); });
  return found.to_python_with_effort();
}

auto within(const Held<KdForest>& self, Given& given) {
  const KdForest& forest = *self.index;
  KdQueries q = asked(forest, given);
  q.exclude = given.array<Count>("exclude", {q.m});
  const double* most_of = given.array<double>("limits", {q.m});
  std::vector<Count> ends{0}, indices;
  std::vector<double> sums;
  without_gil([&] {
    const std::vector<RankedCases> found = kd_within(forest, q, most_of);
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
  nb::class_<Held<KdForest>>(module, "KdTree", "A kd-tree per segment of numeric cases; immutable, so threads may share it.")
      .def(nb::new_(called("columns segments coefficients index power | threads order most_whole", &make)))
      .def("order", &order, "The original index of each case in the order of the leaves.")
      .def("places", called("queries | threads", &places), "Where each query falls; search in this order.")
      .def("nearest", called("queries exclude k tolerance group_codes group_values n_groups | threads reach", &nearest),
           "The k nearest cases of every query, exactly, and the group that ties.")
      .def("within", called("queries limits exclude | threads", &within),
           "All cases with a sum of at most the limit of each query.");
}

}  // namespace nearwise
