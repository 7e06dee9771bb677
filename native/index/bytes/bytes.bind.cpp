// Coarse for Python: checks what comes in, keeps the columns alive, releases the GIL and searches.
#include "binding/columns.hpp"
#include "index/bytes/bytes.hpp"

namespace nearwise {
namespace {

auto nearest(const Held<Coarse>& self, const Array& queries, const Array& exclude, Count k, double tolerance,
             const Array& group_codes, const Array& group_values, Count n_groups, Count threads,
             const Maybe& slack) {
  const Columns& c = self.index->columns();
  require(self.index->is_usable(), "bytes cannot hold these cases.");
  Questions questions(c, queries, exclude, k, tolerance, group_codes, group_values, n_groups, threads, slack);
  {
    nb::gil_scoped_release release;
    self.index->nearest(questions.ask, questions.answer());
  }
  return questions.to_python();
}

}  // namespace

void bind_coarse(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Held<Coarse>>(module, "CoarseIndex", "Numbers and symbols as bytes, for search by proposal and decision.")
      .def("__init__", &make_held<Coarse>, "columns"_a, "is_symbol"_a, "segment"_a, "coefficients"_a, "one_missing"_a,
           "both_missing"_a, "power"_a, "joined"_a = nb::none(), "role"_a = nb::none(), "slack"_a = nb::none())
      .def_prop_ro("is_usable", [](const Held<Coarse>& self) { return self.index->is_usable(); })
      .def("nearest", &nearest, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a, "group_values"_a,
           "n_groups"_a, "threads"_a = 1, "slack"_a = nb::none());
}

}  // namespace nearwise
