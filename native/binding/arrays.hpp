// The border between Python and the kernels: arrays are checked here, once, before any pointer is used.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "machine/numbers.hpp"
#include "machine/scratch.hpp"

namespace nearwise {

namespace nb = nanobind;
using Array = nb::ndarray<nb::ro, nb::device::cpu>;

// A literal costs nothing where the condition holds, so that it may stand in a loop over cases.
inline void require(bool condition, const char* otherwise) {
  if (!condition) throw nb::value_error(otherwise);
}

inline void require(bool condition, const std::string& otherwise) {
  if (!condition) throw nb::value_error(otherwise.c_str());
}

inline std::string shape_text(const std::vector<Count>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + ")";
}

inline bool is_contiguous(const Array& array) {
  if (array.size() == 0) return true;  // its strides mean nothing
  Count expected = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) != 1 && array.stride(i) != expected) return false;
    expected *= static_cast<Count>(array.shape(i));
  }
  return true;
}

constexpr Count most_cases = (Count{1} << 31) - 2;  // cases are numbered in 32 bits, and so is one past the last

// A number of cases that fits.
inline Count case_count(std::size_t n) {
  if (n > static_cast<std::size_t>(most_cases))
    require(false, "at most 2**31 - 2 cases can be held, got " + std::to_string(n) + ": they are numbered in 32 bits.");
  return static_cast<Count>(n);
}

template <class T>
constexpr const char* type_name = std::is_same_v<T, double>  ? "float64"
                                  : std::is_same_v<T, Count> ? "int64"
                                  : sizeof(T) == 4           ? "int32"
                                  : sizeof(T) == 2           ? "int16"
                                                             : "uint8";

inline Count size_of(const Array& array, std::size_t axis) { return static_cast<Count>(array.shape(axis)); }

// The data of an array that must have this type, this number of dimensions and C order.
template <class T>
const T* data_of(const Array& array, const char* name, std::size_t ndim) {
  const std::string who(name);
  require(array.dtype() == nb::dtype<T>(), who + " must be an array of " + type_name<T> + ".");
  require(array.ndim() == ndim,
          who + " must have " + std::to_string(ndim) + " dimension(s), got " + std::to_string(array.ndim()) + ".");
  require(is_contiguous(array), who + " must be contiguous in C order: pass numpy.ascontiguousarray of it.");
  return static_cast<const T*>(array.data());
}

// The same where the shape is known.
template <class T>
const T* shaped(const Array& array, const char* name, const std::vector<Count>& expected) {
  const T* data = data_of<T>(array, name, expected.size());
  std::vector<Count> shape;
  for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(size_of(array, i));
  require(shape == expected, std::string(name) + " must have shape " + shape_text(expected) + ", got " +
                                 shape_text(shape) + ".");
  return data;
}

// Requires that each of 0 .. count - 1 holds. The sentence is made only where one does not: a string for every entry would
// cost more than the search.
template <class Holds>
void require_all(Count count, const std::string& otherwise, const Holds& holds) {
  for (Count i = 0; i < count; ++i)
    if (!holds(i)) require(false, otherwise + "; it is not at " + std::to_string(i) + ".");
}

template <class T>
void require_between(const T* values, Count count, Count low, Count high, const std::string& otherwise) {
  require_all(count, otherwise, [&](Count i) { return values[i] >= low && values[i] < high; });
}

inline void require_weights(const double* values, Count count, const std::string& name) {
  require_all(count, name + " must be finite and not negative",
              [&](Count i) { return values[i] >= 0 && values[i] < infinity; });
}

// packed cases segments[a] .. segments[a + 1] make a segment
inline void require_segments(const Count* segments, Count g, Count n) {
  require(segments[0] == 0 && segments[g] == n, "segments must start at 0 and end at n = " + std::to_string(n) + ".");
  require_all(g, "segments must not decrease", [&](Count a) { return segments[a] <= segments[a + 1]; });
}

inline void require_power(double power) {
  require(power > 0 && power <= 1e6, "power must be above 0 and at most 1e6, got " + std::to_string(power) + ".");
}

// Works without holding Python's lock.
template <class Work>
auto without_gil(const Work& work) {
  nb::gil_scoped_release release;
  return work();
}

template <class T, std::size_t ndim>
using Numpy = nb::ndarray<nb::numpy, T, nb::ndim<ndim>>;

// Hands memory (a vector, or scratch memory of which the first entries are used) to NumPy, which frees it.
template <std::size_t ndim, class Memory>
auto to_numpy(Memory&& values, const Count (&sizes)[ndim]) {
  using T = std::remove_reference_t<decltype(values[0])>;
  std::size_t shape[ndim];
  std::copy(sizes, sizes + ndim, shape);
  auto owned = std::make_unique<Memory>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.get(), [](void* pointer) noexcept { delete static_cast<Memory*>(pointer); });
  owned.release();
  return Numpy<T, ndim>(data, ndim, shape, owner);
}

// A whole vector in one dimension.
template <class T>
Numpy<T, 1> to_numpy(std::vector<T>&& values) {
  return to_numpy(std::move(values), {static_cast<Count>(values.size())});
}

}  // namespace nearwise
