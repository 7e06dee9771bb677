// Texts of parsed columns for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <tuple>

#include "binding/arrays.hpp"
#include "cases/coded_texts.hpp"
#include "cases/moments.hpp"

namespace nearwise {
namespace {

ArrowTexts texts_of(const nb::capsule& stream) {
  auto* given = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(stream.ptr(), "arrow_array_stream"));
  if (given == nullptr) throw nb::python_error();
  require(given->release != nullptr, "the stream was taken already: ask the column for another.");
  return ArrowTexts(given);
}

auto coded_column(const nb::capsule& stream) {
  const ArrowTexts texts = texts_of(stream);
  case_count(static_cast<std::size_t>(texts.size()));
  CodedTexts found = without_gil([&] { return coded_texts(texts); });
  nb::list different;
  for (const std::string_view text : found.different) {
    PyObject* told = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
    if (told == nullptr) throw nb::python_error();
    different.append(nb::steal(told));
  }
  return std::make_tuple(different, to_numpy(std::move(found.codes)));
}

auto moments_of(const nb::capsule& stream) {
  const ArrowTexts texts = texts_of(stream);
  std::optional<ReadMoments> found = without_gil([&] { return moments(texts); });
  using Told = std::tuple<Numpy<double, 1>, std::string, std::string>;
  if (!found) return std::optional<Told>{};
  const bool are_dates = found->sort == Moments::dates;
  const char* holds = are_dates ? "date" : found->sort == Moments::times ? "datetime" : "datetime with zone";
  return std::optional<Told>(Told{to_numpy(std::move(found->since)), are_dates ? "days" : "seconds", holds});
}

}  // namespace

void bind_texts(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("coded_texts", &coded_column, "stream"_a,
             "The different texts of a stream of Arrow's C interface, in order of appearance, and which of them each case "
             "has; the code behind the last is a missing text.");
  module.def("moments", &moments_of, "stream"_a,
             "Dates, or dates with a time, since 1970, their unit and what they hold; None where a text is none.");
}

}  // namespace nearwise
