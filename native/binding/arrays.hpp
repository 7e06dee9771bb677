// The border between Python and the kernels: arrays are checked here, once, before any pointer is used.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <string>
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

// The data of an array that must have this type, this number of dimensions and C order.
template <class T>
const T* data_of(const Array& array, const char* name, std::size_t ndim, const char* type) {
  const std::string who(name);
  require(array.dtype() == nb::dtype<T>(), who + " must be an array of " + type + ".");
  require(array.ndim() == ndim,
          who + " must have " + std::to_string(ndim) + " dimension(s), got " + std::to_string(array.ndim()) + ".");
  require(is_contiguous(array), who + " must be contiguous in C order: pass numpy.ascontiguousarray of it.");
  return static_cast<const T*>(array.data());
}

inline void require_shape(const Array& array, const char* name, const std::vector<Count>& expected) {
  std::vector<Count> shape;
  for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(static_cast<Count>(array.shape(i)));
  require(shape == expected, std::string(name) + " must have shape " + shape_text(expected) + ", got " +
                                 shape_text(shape) + ".");
}

// Hands a vector to NumPy, which frees it.
template <class T, std::size_t ndim>
nb::ndarray<nb::numpy, T, nb::ndim<ndim>> to_numpy(std::vector<T>&& values, const std::size_t (&shape)[ndim]) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.get(), [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  owned.release();
  return {data, ndim, shape, owner};
}

// The same of scratch memory, of which the first entries are used.
template <class T, std::size_t ndim>
nb::ndarray<nb::numpy, T, nb::ndim<ndim>> to_numpy(Scratch<T>&& values, const std::size_t (&shape)[ndim]) {
  auto owned = std::make_unique<Scratch<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.get(), [](void* pointer) noexcept { delete static_cast<Scratch<T>*>(pointer); });
  owned.release();
  return {data, ndim, shape, owner};
}

}  // namespace nearwise
