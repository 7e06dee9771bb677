// Dense for Python: checks what comes in, keeps the columns alive, releases the GIL and searches.
#include "decide.bind.hpp"
#include "dense.hpp"

namespace nearwise {
namespace {

auto nearest(const Held<Dense>& self, const Array& queries, const Array& exclude, Count k, double tolerance,
             const Array& group_codes, const Array& group_values, Count n_groups, int form, Count threads,
             const Maybe& slack) {
  const Columns& c = self.index->columns();
  require(form >= 0 && form <= 2 && (form == 2) == (c.power == 1), "form must be 0 or 1 with power 2, 2 with power 1.");
  require(form != 0 || !self.index->has_holes(), "form 0 cannot serve missing numbers.");
  require(self.index->is_usable(), "single precision cannot hold these cases.");
  Questions questions(c, queries, exclude, k, tolerance, group_codes, group_values, n_groups, threads, slack);
  for (Count j = 0; form == 0 && j < questions.ask.m; ++j)
    for (Count f = 0; f < c.p; ++f) {
      const double q = questions.ask.queries[j * c.p + f];
      require(q == q || c.is_symbol[f], "queries hold a missing number, which form 0 cannot serve.");
    }
  {
    nb::gil_scoped_release release;
    self.index->nearest(questions.ask, static_cast<Form>(form), questions.answer());
  }
  return questions.to_python();
}

}  // namespace

void bind_dense(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Held<Dense>>(module, "DenseIndex", "Numbers and symbols, packed for search by proposal and decision.")
      .def("__init__", &make_held<Dense>, "columns"_a, "is_symbol"_a, "segment"_a, "coefficients"_a, "one_missing"_a,
           "both_missing"_a, "power"_a, "joined"_a = nb::none(), "role"_a = nb::none(), "slack"_a = nb::none())
      .def_prop_ro("has_holes", [](const Held<Dense>& self) { return self.index->has_holes(); })
      .def_prop_ro("is_usable", [](const Held<Dense>& self) { return self.index->is_usable(); })
      .def("nearest", &nearest, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a, "group_values"_a,
           "n_groups"_a, "form"_a, "threads"_a = 1, "slack"_a = nb::none());
}

}  // namespace nearwise
