// Rows of separated text for Python.
#include "binding/arrays.hpp"
#include "cases/rows.hpp"

namespace nearwise {
namespace {

Count even_rows_of(const Array& letters, int separator, Count width, Count longest, Count threads) {
  const Text text{data_of<std::uint8_t>(letters, "letters", 1), size_of(letters, 0)};
  require(separator > 0 && separator < 256 && separator != '"' && separator != '\n' && separator != '\r',
          "separator must be a byte that is no quote and no line end.");
  require(width > 0 && longest > 0 && threads > 0, "width, longest and threads must be 1 or more.");
  const RowShape shape{static_cast<std::uint8_t>(separator), width, longest};
  return without_gil([&] { return even_rows(text, shape, threads); });
}

}  // namespace

void bind_rows(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("even_rows", &even_rows_of, "letters"_a, "separator"_a, "width"_a, "longest"_a, "threads"_a,
             "How many rows of this width every parser finds in a text, -1 where they may not agree.");
}

}  // namespace nearwise
