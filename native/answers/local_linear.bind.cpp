// local_linear for Python: checks what comes in, releases the GIL and answers.
#include <cmath>

#include "answers/local_linear.hpp"
#include "binding/arrays.hpp"

namespace nearwise {
namespace {

using Answers = nb::ndarray<nb::numpy, double, nb::ndim<4>>;

Answers local_linear_arrays(const Array& design, const Array& is_flag, const Array& asked, const Array& distances,
                            const Array& indices, const Array& case_weights, const Array& codes, const Array& amounts,
                            Count n_groups, const Array& sizes, const Array& ridges, Count threads) {
  require(threads >= 1, "threads must be at least 1.");
  require(n_groups >= 1, "n_groups must be at least 1.");
  Neighbourhoods all{};
  all.design = data_of<double>(design, "design", 2, "float64");
  all.is_flag = data_of<std::uint8_t>(is_flag, "is_flag", 1, "uint8");
  all.asked = data_of<double>(asked, "asked", 2, "float64");
  all.distances = data_of<double>(distances, "distances", 2, "float64");
  all.indices = data_of<Count>(indices, "indices", 2, "int64");
  all.case_weights = data_of<double>(case_weights, "case_weights", 1, "float64");
  all.codes = data_of<std::int32_t>(codes, "codes", 1, "int32");
  all.amounts = data_of<double>(amounts, "amounts", 1, "float64");
  all.sizes = data_of<Count>(sizes, "sizes", 1, "int64");
  all.ridges = data_of<double>(ridges, "ridges", 1, "float64");
  all.n = static_cast<Count>(design.shape(0));
  all.d = static_cast<Count>(design.shape(1));
  all.m = static_cast<Count>(asked.shape(0));
  all.listed = static_cast<Count>(indices.shape(1));
  all.n_sizes = static_cast<Count>(sizes.shape(0));
  all.n_ridges = static_cast<Count>(ridges.shape(0));
  all.n_groups = n_groups;
  require_shape(is_flag, "is_flag", {all.d});
  require_shape(asked, "asked", {all.m, all.d});
  require_shape(distances, "distances", {all.m, all.listed});
  require_shape(indices, "indices", {all.m, all.listed});
  require_shape(case_weights, "case_weights", {all.n});
  require_shape(codes, "codes", {all.n});
  require_shape(amounts, "amounts", {all.n});
  for (Count at = 0; at < all.n_sizes; ++at)
    require(all.sizes[at] >= 1 && all.sizes[at] < all.listed, "sizes must be in 1 .. listed neighbours - 1.");
  for (Count at = 0; at < all.n_ridges; ++at)
    require(all.ridges[at] > 0 && std::isfinite(all.ridges[at]), "ridges must be positive.");
  for (Count i = 0; i < all.n; ++i) {
    require(all.codes[i] >= 0 && all.codes[i] < n_groups, "codes must be in 0 .. n_groups - 1.");
    require(all.case_weights[i] >= 0 && std::isfinite(all.case_weights[i]), "case_weights must be finite, not negative.");
  }
  for (Count at = 0; at < all.m * all.listed; ++at) {
    require(all.indices[at] >= 0 && all.indices[at] < all.n, "indices must be in 0 .. n - 1.");
    require(std::isfinite(all.distances[at]) && all.distances[at] >= 0, "distances must be finite, not negative.");
  }
  const std::vector<std::size_t> shape{static_cast<std::size_t>(all.m), static_cast<std::size_t>(all.n_sizes),
                                       static_cast<std::size_t>(all.n_ridges), static_cast<std::size_t>(n_groups)};
  std::vector<double> answers(shape[0] * shape[1] * shape[2] * shape[3], 0.0);
  {
    nb::gil_scoped_release release;
    local_linear(all, answers.data(), threads);
  }
  return to_numpy<double, 4>(std::move(answers), {shape[0], shape[1], shape[2], shape[3]});
}

}  // namespace

void bind_local_linear(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("local_linear", &local_linear_arrays, "design"_a, "is_flag"_a, "asked"_a, "distances"_a, "indices"_a,
             "case_weights"_a, "codes"_a, "amounts"_a, "n_groups"_a, "sizes"_a, "ridges"_a, "threads"_a = 1,
             "(m, sizes, ridges, groups) answers of weighted ridge regressions on the nearest cases.");
}

}  // namespace nearwise
