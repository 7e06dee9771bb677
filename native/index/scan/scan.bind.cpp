// The scans for Python: checks what comes in, keeps the cases, releases the GIL and calls the kernels.
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>

#include "index/scan/scan.hpp"
#include "index/scan/weighed.hpp"
#include "layout/columns.bind.hpp"

namespace nearwise {
namespace {

// Cases of a scan with the arrays that they point into.
template <class Kind>
struct HeldCases {
  std::vector<Array> held;
  Kind cases{};
};

// What all scans have.
void take_cases(Cases& c, const Array& columns, const Array& is_symbol, const Array& one_missing,
                const Array& both_missing, double power) {
  require_power(power);
  c.columns = data_of<double>(columns, "columns", 2);
  c.p = size_of(columns, 0);
  c.n = case_count(columns.shape(1));
  c.power = power;
  c.is_symbol = shaped<std::uint8_t>(is_symbol, "is_symbol", {c.p});
  c.one_missing = shaped<double>(one_missing, "one_missing", {c.p});
  c.both_missing = shaped<double>(both_missing, "both_missing", {c.p});
}

void take_segments(Cases& c, const Array& segments, const Array& coefficients, const Array& index) {
  c.coefficients = data_of<double>(coefficients, "coefficients", 2);
  c.g = size_of(coefficients, 0);
  shaped<double>(coefficients, "coefficients", {c.g, c.p});
  c.segments = shaped<Count>(segments, "segments", {c.g + 1});
  c.index = shaped<Count>(index, "index", {c.n});
  require_segments(c.segments, c.g, c.n);
  require_all(c.n, "index must not be negative", [&](Count i) { return c.index[i] >= 0; });
}

std::unique_ptr<HeldCases<Cases>> make_plain(const Array& columns, const Array& is_symbol, const Array& segments,
                                             const Array& coefficients, const Array& one_missing,
                                             const Array& both_missing, double power, const Array& index,
                                             const Maybe& joined) {
  auto self = std::make_unique<HeldCases<Cases>>();
  Cases& c = self->cases;
  take_cases(c, columns, is_symbol, one_missing, both_missing, power);
  take_segments(c, segments, coefficients, index);
  self->held = {columns, is_symbol, segments, coefficients, one_missing, both_missing, index};
  if (!joined) return self;
  c.joined = shaped<std::uint8_t>(*joined, "joined", {c.p});
  require_joined(c.joined, c.is_symbol, c.p);
  self->held.push_back(*joined);
  return self;
}

std::unique_ptr<HeldCases<WeighedCases>> make_weighed(const Array& columns, const Array& is_symbol, const Array& segments,
                                                      const Array& coefficients, const Array& one_missing,
                                                      const Array& both_missing, const Array& policies,
                                                      const Array& expected, const Array& by_case, const Array& weights,
                                                      const Array& worst, const Array& index, const Array& scales,
                                                      bool by_query, double power) {
  auto self = std::make_unique<HeldCases<WeighedCases>>();
  WeighedCases& c = self->cases;
  take_cases(c, columns, is_symbol, one_missing, both_missing, power);
  take_segments(c, segments, coefficients, index);
  c.policies = shaped<std::uint8_t>(policies, "policies", {c.p});
  c.expected = shaped<double>(expected, "expected", {c.p, c.n});
  c.by_case = by_case.size() ? shaped<double>(by_case, "by_case", {c.p, c.n}) : nullptr;
  c.scales = scales.size() ? shaped<double>(scales, "scales", {c.p}) : nullptr;
  c.weights = shaped<double>(weights, "weights", {c.g, c.p});
  c.worst = shaped<double>(worst, "worst", {c.g});
  c.by_query = by_query;
  require(!c.scales || c.by_case || c.n == 0, "scales need weights by case.");
  require_between(c.policies, c.p, 0, 3, "policies must be 0, 1 or 2");
  c.ignores = std::count(c.policies, c.policies + c.p, static_cast<std::uint8_t>(Policy::ignore)) > 0;
  self->held = {columns, is_symbol, segments, coefficients, one_missing, both_missing,
                policies, expected, by_case, weights, worst, index, scales};
  return self;
}

auto nearest(const Cases& c, const Array& queries, Count stride, Tile tile, const Question& question) {
  Queries q{};
  q.values = data_of<double>(queries, "queries", 2);
  q.stride = stride;
  shaped<double>(queries, "queries", {size_of(queries, 0), stride});
  static_cast<Wanted&>(q) = wanted("scan", question, size_of(queries, 0), c.n);
  require_excluded(q, c.n);
  NearestArrays found(q);
  without_gil([&] { scan(c, q, tile, found.pointers()); });
  return found.to_python();
}

auto nearest_plain(const HeldCases<Cases>& self, const Array& queries, const Array& exclude, Count k, double tolerance,
                   const Array& group_codes, const Array& group_values, Count n_groups, Count threads) {
  return nearest(self.cases, queries, self.cases.p, NEARWISE_CHOSEN(tile),
                 {exclude, k, tolerance, group_codes, group_values, n_groups, threads});
}

auto nearest_weighed(const HeldCases<WeighedCases>& self, const Array& queries, const Array& exclude, Count k,
                     double tolerance, const Array& group_codes, const Array& group_values, Count n_groups, Count threads) {
  const WeighedCases& c = self.cases;
  return nearest(c, queries, c.p * (c.by_query ? 2 + c.g : 2), NEARWISE_CHOSEN(weighed_tile),
                 {exclude, k, tolerance, group_codes, group_values, n_groups, threads});
}

// The sums of one query over the first cases of a table that grows. Online methods ask for the nearest of the cases seen
// so far under weights that change with every case, so there is nothing to build: one pass of the tile over the cases
// stored so far, written into an array that is used again.
void online_sums(const Array& columns, const Array& is_symbol, const Array& coefficients, const Array& one_missing,
                 const Array& both_missing, double power, const Array& query, Count stored,
                 nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> sums) {
  Cases c{};
  take_cases(c, columns, is_symbol, one_missing, both_missing, power);
  c.coefficients = shaped<double>(coefficients, "coefficients", {c.p});
  c.g = 1;
  const double* asked = shaped<double>(query, "query", {c.p});
  require(stored >= 0 && stored <= c.n, "online_sums: stored must be in 0 .. n, got " + std::to_string(stored) + ".");
  require(static_cast<Count>(sums.shape(0)) == c.n, "sums must have one entry per case.");
  const Count segments[2] = {0, c.n};
  c.segments = segments;
  without_gil([&] {
    const Tile tile = NEARWISE_CHOSEN(tile);
    for (Count begin = 0; begin < stored; begin += tile_length)
      tile(c, asked, begin, std::min(begin + tile_length, stored), sums.data());
  });
}

}  // namespace

void bind_scan(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<HeldCases<Cases>>(module, "ScanCases", "Numbers and symbols, for an exact scan.")
      .def(nb::new_(&make_plain), "columns"_a, "is_symbol"_a, "segments"_a, "coefficients"_a, "one_missing"_a,
           "both_missing"_a, "power"_a, "index"_a, "joined"_a = nb::none())
      .def("nearest", &nearest_plain, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a, "group_values"_a,
           "n_groups"_a, "threads"_a = 1,
           "The k nearest cases of every query, exactly, and the group that ties with the k-th.");
  nb::class_<HeldCases<WeighedCases>>(module, "WeighedCases",
                                      "Cases whose weights come with the case or the query, for an exact scan.")
      .def(nb::new_(&make_weighed), "columns"_a, "is_symbol"_a, "segments"_a, "coefficients"_a, "one_missing"_a,
           "both_missing"_a, "policies"_a, "expected"_a, "by_case"_a, "weights"_a, "worst"_a, "index"_a, "scales"_a,
           "by_query"_a, "power"_a)
      .def("nearest", &nearest_weighed, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a,
           "group_values"_a, "n_groups"_a, "threads"_a = 1);
  module.def("online_sums", &online_sums, "columns"_a, "is_symbol"_a, "coefficients"_a, "one_missing"_a,
             "both_missing"_a, "power"_a, "query"_a, "stored"_a, "sums"_a,
             "Writes into sums[0 .. stored) the sums of one query over the first cases.");
}

}  // namespace nearwise
