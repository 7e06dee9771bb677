// Coarse for Python: checks what comes in, keeps the columns alive, releases the GIL and searches.
#include "index/bytes/bytes.hpp"
#include "layout/columns.bind.hpp"

namespace nearwise {
namespace {

std::unique_ptr<Held<Coarse>> make(Given& given) {
  Columns c = columns_from(given);
  require(c.power == 1 || c.power == 2, "power must be 1 or 2, got " + std::to_string(c.power) + ".");
  const std::vector<std::int32_t> order = given.has("order") ? given.copy<std::int32_t>("order", {c.n}) : std::vector<std::int32_t>{};
  return held_with(given, without_gil([&] { return std::make_unique<Coarse>(std::move(c), order.empty() ? nullptr : order.data()); }));
}

auto nearest(const Held<Coarse>& self, Given& given) {
  require(self.index->is_usable(), "bytes cannot hold these cases.");
  const Ask ask = asked(self.index->columns(), given);
  NearestArrays found(ask);
  without_gil([&] { self.index->nearest(ask, {found.pointers(), found.looked_at()}); });
  return found.to_python_with_effort();
}

}  // namespace

void bind_bytes(nb::module_& module) {
  nb::class_<Held<Coarse>>(module, "CoarseIndex", "Numbers and symbols as bytes, for search by proposal and decision.")
      .def(nb::new_(called("columns is_symbol segment coefficients one_missing both_missing power | joined role slack "
                           "order", &make)))
      .def("order", [](const Held<Coarse>& self) { return to_numpy(std::vector(self.index->order())); },
                   "The packed cases.")
      .def_prop_ro("is_usable", [](const Held<Coarse>& self) { return self.index->is_usable(); })
      .def("nearest",
           called("queries exclude k tolerance group_codes group_values n_groups | threads slack reach", &nearest));
}

}  // namespace nearwise
