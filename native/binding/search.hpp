// What every search for neighbours is asked with, checked once, and the arrays that it answers with.
#pragma once

#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "binding/arrays.hpp"
#include "index/scan/scan.hpp"

namespace nearwise {

// The position of the first entry that is wrong, or -1. The sentence is made only then: a string for every entry would
// cost more than the search.
template <class Wrong>
Count first_wrong(Count count, Wrong wrong) {
  for (Count i = 0; i < count; ++i)
    if (wrong(i)) return i;
  return -1;
}

// The name of a kernel, in whose sentences it comes first.
struct Border {
  std::string who;

  void check(bool condition, const std::string& rule) const { require(condition, who + ": " + rule + "."); }

  void check_none(Count at, const std::string& rule) const {
    if (at >= 0) require(false, who + ": " + rule + "; it is not at " + std::to_string(at) + ".");
  }

  void check_power(double power) const {
    check(power >= 1 && power < 1e6, "power must be from 1 to 1e6, got " + std::to_string(power));
  }

  void check_search(Count k, Count n_groups, double tolerance, Count threads) const {
    constexpr Count most = Count{1} << 31;  // keeps every product of sizes within 64 bits
    check(k >= 1 && k <= most, "k must be in 1 .. 2**31, got " + std::to_string(k));
    check(n_groups >= 0 && n_groups <= most, "n_groups must be in 0 .. 2**31, got " + std::to_string(n_groups));
    check(threads >= 1, "threads must be at least 1, got " + std::to_string(threads));
    check(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1, got " + std::to_string(tolerance));
  }

  // group_codes (n,) and group_values (n, v)
  std::pair<const std::int32_t*, const double*> groups(const Array& codes, const Array& values, Count n, Count n_groups) const {
    const auto* of = data_of<std::int32_t>(codes, "group_codes", 1, "int32");
    const auto* held = data_of<double>(values, "group_values", 2, "float64");
    require_shape(codes, "group_codes", {n});
    require_shape(values, "group_values", {n, static_cast<Count>(values.shape(1))});
    check_none(first_wrong(n, [&](Count i) { return of[i] < 0 || of[i] >= n_groups; }),
               "group_codes must be in 0 .. n_groups - 1");
    return {of, held};
  }

  // exclude (m,)
  const Count* excluded(const Array& exclude, Count m, Count n) const {
    const Count* of = data_of<Count>(exclude, "exclude", 1, "int64");
    require_shape(exclude, "exclude", {m});
    check_none(first_wrong(m, [&](Count i) { return of[i] < -1 || of[i] >= n; }), "exclude must be -1 or a position below n");
    return of;
  }
};

using NearestTuple =
    std::tuple<nb::ndarray<nb::numpy, double, nb::ndim<2>>, nb::ndarray<nb::numpy, Count, nb::ndim<2>>,
               nb::ndarray<nb::numpy, Count, nb::ndim<1>>, nb::ndarray<nb::numpy, Count, nb::ndim<1>>,
               nb::ndarray<nb::numpy, double, nb::ndim<3>>>;

// Neighbours before they are handed to NumPy.
class NearestArrays {
 public:
  NearestArrays(Count m, Count k, Count n_groups, Count v)
      : m_(static_cast<std::size_t>(m)), k_(static_cast<std::size_t>(k)), groups_(static_cast<std::size_t>(n_groups)),
        v_(static_cast<std::size_t>(v)), sums_(m_ * k_), tie_sums_(m_ * groups_ * v_), indices_(m_ * k_), inside_(m_),
        tied_(m_) {}
  Nearest pointers() { return {sums_.data(), indices_.data(), inside_.data(), tied_.data(), tie_sums_.data()}; }
  NearestTuple to_python() {
    return {to_numpy<double, 2>(std::move(sums_), {m_, k_}), to_numpy<Count, 2>(std::move(indices_), {m_, k_}),
            to_numpy<Count, 1>(std::move(inside_), {m_}), to_numpy<Count, 1>(std::move(tied_), {m_}),
            to_numpy<double, 3>(std::move(tie_sums_), {m_, groups_, v_})};
  }

 private:
  std::size_t m_, k_, groups_, v_;
  std::vector<double> sums_, tie_sums_;
  std::vector<Count> indices_, inside_, tied_;
};

}  // namespace nearwise
