// The arguments of a call from Python: each is asked for once, by name, with the type and the shape that it must have.
#pragma once

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "binding/arrays.hpp"

namespace nearwise {

// The names of arguments in their order; those after a bar may be left out, or be None.
struct Names {
  explicit Names(const char* text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (word == "|") required = all.size();
      else all.push_back(word);
    }
    required = std::min(required, all.size());
  }
  std::vector<std::string> all;
  std::size_t required = SIZE_MAX;
};

// A size that an array must have, or one that it tells.
struct Size {
  Size(Count size, Count* told = nullptr, bool is_of_cases = false) : known(size), told(told), is_of_cases(is_of_cases) {}
  Count known;
  Count* told;
  bool is_of_cases;  // which are numbered in 32 bits
};

inline Size told(Count& size) { return {0, &size}; }
inline Size told_cases(Count& n) { return {0, &n, true}; }

class Given {
 public:
  Given(const Names& names, const nb::args& args, const nb::kwargs& kwargs) : names_(names.all), values_(names_.size()) {
    refuse_unless(args.size() <= values_.size(), "there are at most " + std::to_string(values_.size()) + " arguments.");
    std::copy(args.begin(), args.end(), values_.begin());
    for (const auto& [key, value] : kwargs) {
      const std::size_t at = place_of(nb::cast<const char*>(key));
      refuse_unless(at < values_.size() && !values_[at].is_valid(),
                    std::string("the argument ") + nb::cast<const char*>(key) + " is not known, or given twice.");
      values_[at] = value;
    }
    for (std::size_t at = 0; at < names.required; ++at)
      refuse_unless(values_[at].is_valid(), "the argument " + names_[at] + " is missing.");
  }

  bool has(const char* name) const {
    const std::size_t at = place_of(name);
    return at < values_.size() && values_[at].is_valid() && !values_[at].is_none();
  }

  template <class T>
  T value(const char* name) const {
    T out{};
    refuse_unless(has(name) && nb::try_cast(values_[place_of(name)], out), std::string(name) + " is of the wrong type.");
    return out;
  }
  template <class T>
  T value(const char* name, T otherwise) const {
    return has(name) ? value<T>(name) : otherwise;
  }

  Count threads() const {
    const Count threads = value<Count>("threads", 1);
    require(threads >= 1, "threads must be at least 1, got " + std::to_string(threads) + ".");
    return threads;
  }
  double tolerance() const {
    const double tolerance = value<double>("tolerance");
    require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1, got " + std::to_string(tolerance) + ".");
    return tolerance;
  }

  // Arrays are held for the call, and longer by whom `held` is handed to.
  Array array(const char* name) { return held_.emplace_back(value<Array>(name)); }
  std::vector<Array> arrays(const char* name) {
    const auto all = value<std::vector<Array>>(name);
    held_.insert(held_.end(), all.begin(), all.end());
    return all;
  }
  std::vector<Array> held() { return std::move(held_); }

  template <class T>
  const T* array(const char* name, std::initializer_list<Size> shape) {
    return checked<T>(array(name), name, shape);
  }
  // The same where it may be left out: null.
  template <class T>
  const T* maybe(const char* name, std::initializer_list<Size> shape) {
    return has(name) ? array<T>(name, shape) : nullptr;
  }
  template <class T>
  std::vector<T> copy(const char* name, std::initializer_list<Size> shape) const {
    const Array array = value<Array>(name);
    const T* from = checked<T>(array, name, shape);
    return {from, from + array.size()};
  }

  // The data of an array of this shape; sizes that it tells are set.
  template <class T>
  static const T* checked(const Array& array, const char* name, std::initializer_list<Size> shape) {
    data_of<T>(array, name, shape.size());
    std::vector<Count> expected;
    for (const Size& size : shape) {
      const Count found = size_of(array, expected.size());
      if (size.is_of_cases) case_count(array.shape(expected.size()));
      if (size.told) *size.told = found;
      expected.push_back(size.told ? found : size.known);
    }
    return shaped<T>(array, name, expected);
  }

 private:
  static void refuse_unless(bool condition, const std::string& otherwise) {
    if (!condition) throw nb::type_error(otherwise.c_str());
  }
  std::size_t place_of(const char* name) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }

  const std::vector<std::string>& names_;
  std::vector<nb::handle> values_;
  std::vector<Array> held_;
};

// What was made of some arrays, with those that it points into.
template <class Kind>
struct Held {
  std::vector<Array> columns;
  std::unique_ptr<Kind> index;
};

template <class Kind>
auto held_with(Given& given, std::unique_ptr<Kind> made) {
  return std::make_unique<Held<Kind>>(Held<Kind>{given.held(), std::move(made)});
}

// A function of what is given as Python calls it.
template <class Return>
auto called(const char* names, Return (*function)(Given&)) {
  return [names = Names(names), function](const nb::args& args, const nb::kwargs& kwargs) {
    Given given(names, args, kwargs);
    return function(given);
  };
}

template <class Self, class Return>
auto called(const char* names, Return (*method)(Self&, Given&)) {
  return [names = Names(names), method](Self& self, const nb::args& args, const nb::kwargs& kwargs) {
    Given given(names, args, kwargs);
    return method(self, given);
  };
}

}  // namespace nearwise
