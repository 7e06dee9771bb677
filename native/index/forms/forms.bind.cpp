// The search under quadratic forms for Python: checks what comes in, releases the GIL and calls the kernel.
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "binding/search.hpp"
#include "index/forms/forms.hpp"
#include "layout/columns.bind.hpp"

namespace nearwise {
namespace {

// The arrays live as long as what points into them.
struct HeldForms {
  FormCases cases{};
  std::vector<Array> arrays;
  std::unique_ptr<CoarseCases> coarse;
};

std::unique_ptr<HeldForms> make(const Array& columns, const Array& is_symbol, const Array& scales,
                                const Array& one_missing, const Array& both_missing) {
  auto held = std::make_unique<HeldForms>();
  FormCases& c = held->cases;
  c.columns = data_of<double>(columns, "columns", 2);
  c.p = size_of(columns, 0);
  c.n = case_count(columns.shape(1));
  c.is_symbol = shaped<std::uint8_t>(is_symbol, "is_symbol", {c.p});
  c.scales = shaped<double>(scales, "scales", {c.p});
  c.one_missing = shaped<double>(one_missing, "one_missing", {c.p});
  c.both_missing = shaped<double>(both_missing, "both_missing", {c.p});
  held->arrays = {columns, is_symbol, scales, one_missing, both_missing};
  without_gil([&] { held->coarse = std::make_unique<CoarseCases>(c); });
  c.coarse = held->coarse.get();
  return held;
}

auto nearest(const HeldForms& held, const Array& queries, const Array& forms, const Array& exclude, Count k,
             double tolerance, const Array& group_codes, const Array& group_values, Count n_groups, Count threads) {
  FormCases c = held.cases;
  FormQueries q{};
  q.values = data_of<double>(queries, "queries", 2);
  const Count m = size_of(queries, 0);
  shaped<double>(queries, "queries", {m, c.p});
  q.forms = data_of<double>(forms, "forms", 3);
  c.r = size_of(forms, 1);
  shaped<double>(forms, "forms", {m, c.r, c.p});
  static_cast<Wanted&>(q) = wanted("forms", {exclude, k, tolerance, group_codes, group_values, n_groups, threads}, m, c.n);
  require_excluded(q, c.n);
  NearestArrays found(q);
  without_gil([&] { search_forms(c, q, found.pointers()); });
  return found.to_python();
}

}  // namespace

void bind_forms(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<HeldForms>(module, "Forms", "Stored cases that are searched under quadratic forms; threads may share it.")
      .def(nb::new_(&make), "columns"_a, "is_symbol"_a, "scales"_a, "one_missing"_a, "both_missing"_a)
      .def("nearest", &nearest, "queries"_a, "forms"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a,
           "group_values"_a, "n_groups"_a, "threads"_a = 1,
           "The k nearest cases of every query under a quadratic form of its own, and the group that ties with the k-th.");
}

}  // namespace nearwise
