// The scans for Python: checks what comes in, keeps the cases, releases the GIL and calls the kernels.
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <initializer_list>

#include "index/scan/scan.hpp"
#include "layout/columns.bind.hpp"

namespace nearwise {
namespace {

// The cases of a scan with the arrays that they point into.
struct HeldCases {
  std::vector<Array> held;
  Cases cases{};

  template <class Value>
  const Value* keep(const Array& array, const char* name, std::initializer_list<Count> shape) {
    const Value* data = shaped<Value>(array, name, shape);
    held.push_back(array);
    return data;
  }
};

// What a scan cannot do without.
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

std::unique_ptr<HeldCases> make(const Array& columns, const Array& is_symbol, const Array& segments,
                                const Array& coefficients, const Array& one_missing, const Array& both_missing,
                                double power, const Array& index) {
  auto self = std::make_unique<HeldCases>();
  Cases& c = self->cases;
  take_cases(c, columns, is_symbol, one_missing, both_missing, power);
  c.coefficients = data_of<double>(coefficients, "coefficients", 2);
  c.g = size_of(coefficients, 0);
  shaped<double>(coefficients, "coefficients", {c.g, c.p});
  c.segments = shaped<Count>(segments, "segments", {c.g + 1});
  c.index = shaped<Count>(index, "index", {c.n});
  require_segments(c.segments, c.g, c.n);
  require_all(c.n, "index must not be negative", [&](Count i) { return c.index[i] >= 0; });
  self->held = {columns, is_symbol, segments, coefficients, one_missing, both_missing, index};
  return self;
}

void join(HeldCases& self, const Array& joined) {
  Cases& c = self.cases;
  c.joined = self.keep<std::uint8_t>(joined, "joined", {c.p});
  require_joined(c.joined, c.is_symbol, c.p);
}

void expect(HeldCases& self, const Array& is_mean, const Array& expected) {
  Cases& c = self.cases;
  c.is_mean = self.keep<std::uint8_t>(is_mean, "is_mean", {c.p});
  c.expected = self.keep<double>(expected, "expected", {c.p, c.n});
}

void ignore(HeldCases& self, const Array& is_ignored, const Array& weights, const Array& worst) {
  Cases& c = self.cases;
  c.is_ignored = self.keep<std::uint8_t>(is_ignored, "is_ignored", {c.p});
  c.weights = self.keep<double>(weights, "weights", {c.g, c.p});
  c.worst = self.keep<double>(worst, "worst", {c.g});
}

void weigh(HeldCases& self, const Maybe& by_case, const Maybe& scales, bool by_query) {
  Cases& c = self.cases;
  require(!scales || by_case, "scales need weights by case.");
  if (by_case) c.by_case = self.keep<double>(*by_case, "by_case", {c.p, c.n});
  if (scales) c.scales = self.keep<double>(*scales, "scales", {c.p});
  c.by_query = by_query;
}

auto nearest(const HeldCases& self, const Array& queries, const Array& exclude, Count k, double tolerance,
             const Array& group_codes, const Array& group_values, Count n_groups, Count threads) {
  const Cases& c = self.cases;
  const Question question{exclude, k, tolerance, group_codes, group_values, n_groups, threads};
  Queries q{};
  q.values = data_of<double>(queries, "queries", 2);
  shaped<double>(queries, "queries", {size_of(queries, 0), query_length(c)});
  static_cast<Wanted&>(q) = wanted("scan", question, size_of(queries, 0), c.n);
  require_excluded(q, c.n);
  NearestArrays found(q);
  without_gil([&] { scan(c, q, found.pointers()); });
  return found.to_python();
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
    const auto tile = NEARWISE_CHOSEN(tile);
    for (Count begin = 0; begin < stored; begin += tile_length)
      tile(c, asked, begin, std::min(begin + tile_length, stored), sums.data());
  });
}

}  // namespace

void bind_scan(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<HeldCases>(module, "ScanCases", "Numbers and symbols, for an exact scan.")
      .def(nb::new_(&make), "columns"_a, "is_symbol"_a, "segments"_a, "coefficients"_a, "one_missing"_a,
           "both_missing"_a, "power"_a, "index"_a)
      .def("join", &join, "joined"_a)
      .def("expect", &expect, "is_mean"_a, "expected"_a)
      .def("ignore", &ignore, "is_ignored"_a, "weights"_a, "worst"_a)
      .def("weigh", &weigh, "by_case"_a.none(), "scales"_a.none(), "by_query"_a)
      .def("nearest", &nearest, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a, "group_values"_a,
           "n_groups"_a, "threads"_a = 1,
           "The k nearest cases of every query, exactly, and the group that ties with the k-th.");
  module.def("online_sums", &online_sums, "columns"_a, "is_symbol"_a, "coefficients"_a, "one_missing"_a,
             "both_missing"_a, "power"_a, "query"_a, "stored"_a, "sums"_a,
             "Writes into sums[0 .. stored) the sums of one query over the first cases.");
}

}  // namespace nearwise
