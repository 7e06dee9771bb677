// Quotes of a text for Python.
#include "binding/arrays.hpp"
#include "cases/quotes.hpp"

namespace nearwise {
namespace {

bool well_quoted(const Array& letters, int separator) {
  const auto* found = data_of<std::uint8_t>(letters, "letters", 1);
  require(separator > 0 && separator < 256 && separator != '"' && separator != '\n' && separator != '\r',
          "separator must be a byte that is no quote and no line end.");
  return without_gil([&] { return is_well_quoted(found, size_of(letters, 0), static_cast<std::uint8_t>(separator)); });
}

}  // namespace

void bind_quotes(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("is_well_quoted", &well_quoted, "letters"_a, "separator"_a,
             "Whether quoted values stand alone between separators, each on one line.");
}

}  // namespace nearwise
