// Exact sums for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>
#include <vector>

#include "binding/arrays.hpp"
#include "statistics/exact/exact_sums.hpp"

namespace nearwise {
namespace {

auto exact_sums_arrays(const std::vector<Array>& factors, const std::optional<Array>& groups, Count n_groups) {
  require(factors.size() >= 1 && factors.size() <= 3, "factors must be one to three arrays.");
  Factors given{};
  given.k = static_cast<int>(factors.size());
  require(factors[0].ndim() == 1, "factors must have 1 dimension(s).");
  given.n = size_of(factors[0], 0);
  require(given.n <= most_added, "factors must have at most 2**30 entries.");
  for (int j = 0; j < given.k; ++j)
    given.columns[j] = shaped<double>(factors[static_cast<std::size_t>(j)], "factors", {given.n});
  given.groups = groups ? shaped<std::int32_t>(*groups, "groups", {given.n}) : nullptr;
  require(n_groups >= 0 && n_groups <= most_added && (groups || n_groups == 1),
          "n_groups must be in 0 .. 2**30, and 1 without groups.");
  given.n_groups = n_groups;
  Span span{};
  std::vector<Count> sums;
  const Addable is = without_gil([&] {
    const Addable found = span_of(given, span);
    if (found == Addable::yes) {
      sums.resize(static_cast<std::size_t>(n_groups * span.limbs));
      exact_sums(given, span, sums.data());
    }
    return found;
  });
  require(is != Addable::infinite, "factors must be finite, or NaN where they are missing.");
  require(is != Addable::outside, "groups must be below n_groups.");
  return std::make_pair(to_numpy(std::move(sums), {n_groups, span.limbs}), span.base);
}

}  // namespace

void bind_exact_sums(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("exact_sums", &exact_sums_arrays, "factors"_a, "groups"_a = nb::none(), "n_groups"_a = 1,
             "The limbs of the sums of products by group, and the place of the first of them.");
}

}  // namespace nearwise
