// Coarse for Python: checks what comes in, keeps the columns alive, releases the GIL and searches.
#include "index/bytes/bytes.hpp"
#include "layout/columns.bind.hpp"

namespace nearwise {
namespace {

std::unique_ptr<Held<Coarse>> make(std::vector<Array> columns, const Array& is_symbol, const Array& segment,
                                   const Array& coefficients, const Array& one_missing, const Array& both_missing,
                                   double power, const Maybe& joined, const Maybe& role, const Maybe& slack) {
  Columns c = columns_from(
      {columns, is_symbol, segment, coefficients, one_missing, both_missing, power, joined, role, slack});
  require(power == 1 || power == 2, "power must be 1 or 2, got " + std::to_string(power) + ".");
  auto self = std::make_unique<Held<Coarse>>();
  self->columns = std::move(columns);
  self->index = without_gil([&] { return std::make_unique<Coarse>(std::move(c)); });
  return self;
}

auto nearest(const Held<Coarse>& self, const Array& queries, const Array& exclude, Count k, double tolerance,
             const Array& group_codes, const Array& group_values, Count n_groups, Count threads,
             const Maybe& slack) {
  require(self.index->is_usable(), "bytes cannot hold these cases.");
  const Question question{exclude, k, tolerance, group_codes, group_values, n_groups, threads};
  const Ask ask = asked(self.index->columns(), queries, question, slack);
  NearestArrays found(ask);
  without_gil([&] { self.index->nearest(ask, {found.pointers(), found.looked_at()}); });
  return found.to_python_with_effort();
}

}  // namespace

void bind_bytes(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Held<Coarse>>(module, "CoarseIndex", "Numbers and symbols as bytes, for search by proposal and decision.")
      .def(nb::new_(&make), "columns"_a, "is_symbol"_a, "segment"_a, "coefficients"_a, "one_missing"_a,
           "both_missing"_a, "power"_a, "joined"_a = nb::none(), "role"_a = nb::none(), "slack"_a = nb::none())
      .def_prop_ro("is_usable", [](const Held<Coarse>& self) { return self.index->is_usable(); })
      .def("nearest", &nearest, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a, "group_values"_a,
           "n_groups"_a, "threads"_a = 1, "slack"_a = nb::none());
}

}  // namespace nearwise
