// every_k for Python: checks what comes in, releases the GIL and votes.
#include <cmath>
#include <string>

#include "binding/arrays.hpp"
#include "selection/every_k.hpp"

namespace nearwise {
namespace {

using Codes2 = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;

Codes2 every_k_arrays(const Array& sums, const Array& indices, const Array& kernel, const Array& tied,
                      const Array& tie_sums, const Array& codes, const Array& weights, const Array& priors, bool fair,
                      double tolerance, Count threads, bool ask_next) {
  require(threads >= 1, "threads must be at least 1.");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  Lists lists{};
  Voters voters{};
  lists.sums = data_of<double>(sums, "sums", 2, "float64");
  lists.indices = data_of<Count>(indices, "indices", 2, "int64");
  lists.kernel = data_of<double>(kernel, "kernel", 2, "float64");
  lists.tied = data_of<Count>(tied, "tied", 1, "int64");
  lists.tie_sums = data_of<double>(tie_sums, "tie_sums", 2, "float64");
  voters.codes = data_of<std::int32_t>(codes, "codes", 1, "int32");
  voters.weights = data_of<double>(weights, "weights", 1, "float64");
  voters.priors = data_of<double>(priors, "priors", 1, "float64");
  lists.m = static_cast<Count>(sums.shape(0));
  lists.k = static_cast<Count>(sums.shape(1));
  lists.fair = fair;
  lists.ask_next = ask_next;
  lists.tolerance = tolerance;
  voters.n = case_count(codes.shape(0));
  voters.n_groups = static_cast<Count>(priors.shape(0));
  require(voters.n_groups >= 1, "priors must hold at least one class.");
  require_shape(indices, "indices", {lists.m, lists.k});
  require_shape(kernel, "kernel", {lists.m, lists.k});
  require_shape(tied, "tied", {lists.m});
  require_shape(tie_sums, "tie_sums", {lists.m, voters.n_groups});
  require_shape(weights, "weights", {voters.n});
  for (Count i = 0; i < voters.n; ++i)
    require(voters.codes[i] >= 0 && voters.codes[i] < voters.n_groups, "codes must be in 0 .. classes - 1.");
  for (Count at = 0; at < lists.m * lists.k; ++at) {
    if (!std::isfinite(lists.sums[at])) continue;
    require(lists.indices[at] >= 0 && lists.indices[at] < voters.n, "indices must be in 0 .. n - 1.");
  }
  for (Count row = 0; row < lists.m; ++row) require(lists.tied[row] >= 0, "tied must not be negative.");
  const auto m = static_cast<std::size_t>(lists.m), k = static_cast<std::size_t>(lists.k);
  std::vector<std::int32_t> winners(m * k);
  {
    nb::gil_scoped_release release;
    every_k(lists, voters, winners.data(), threads);
  }
  return to_numpy<std::int32_t, 2>(std::move(winners), {m, k});
}

}  // namespace

void bind_every_k(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("every_k", &every_k_arrays, "sums"_a, "indices"_a, "kernel"_a, "tied"_a, "tie_sums"_a, "codes"_a,
             "weights"_a, "priors"_a, "fair"_a, "tolerance"_a, "threads"_a = 1, "ask_next"_a = false,
             "The class that wins for every k, from one search.");
}

}  // namespace nearwise
