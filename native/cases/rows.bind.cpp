// Files of separated text and their rows for Python.
#include <nanobind/stl/filesystem.h>

#include "binding/arrays.hpp"
#include "cases/file.hpp"
#include "cases/rows.hpp"

namespace nearwise {
namespace {

nb::object file_bytes(const std::filesystem::path& path, Count threads) {
  require(threads > 0, "threads must be 1 or more.");
  const Count n = size_of_file(path);
  if (n < 0) return nb::none();
  nb::object bytes = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(n)));
  if (!bytes.is_valid()) throw nb::python_error();
  char* into = PyBytes_AS_STRING(bytes.ptr());
  return without_gil([&] { return read_file(path, into, n, threads); }) ? bytes : nb::none();
}

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
  module.def("file_bytes", &file_bytes, "path"_a, "threads"_a,
             "The bytes of a file, None where it cannot be read or changes its size.");
  module.def("even_rows", &even_rows_of, "letters"_a, "separator"_a, "width"_a, "longest"_a, "threads"_a,
             "How many rows of this width every parser finds in a text, -1 where they may not agree.");
}

}  // namespace nearwise
