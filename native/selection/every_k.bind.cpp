// every_k for Python: checks what comes in, releases the GIL and votes.
#include <cmath>

#include "binding/arrays.hpp"
#include "selection/every_k.hpp"

namespace nearwise {
namespace {

auto every_k_arrays(const Array& sums, const Array& indices, const Array& kernel, const Array& tied,
                    const Array& tie_sums, const Array& codes, const Array& weights, const Array& priors, bool fair,
                    double tolerance, Count threads, bool ask_next) {
  require(threads >= 1, "threads must be at least 1.");
  require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
  Lists lists{};
  Voters voters{};
  lists.sums = data_of<double>(sums, "sums", 2);
  voters.codes = data_of<std::int32_t>(codes, "codes", 1);
  voters.priors = data_of<double>(priors, "priors", 1);
  lists.m = size_of(sums, 0);
  lists.k = size_of(sums, 1);
  lists.fair = fair;
  lists.ask_next = ask_next;
  lists.tolerance = tolerance;
  voters.n = case_count(codes.shape(0));
  voters.n_groups = size_of(priors, 0);
  require(voters.n_groups >= 1, "priors must hold at least one class.");
  lists.indices = shaped<Count>(indices, "indices", {lists.m, lists.k});
  lists.kernel = shaped<double>(kernel, "kernel", {lists.m, lists.k});
  lists.tied = shaped<Count>(tied, "tied", {lists.m});
  lists.tie_sums = shaped<double>(tie_sums, "tie_sums", {lists.m, voters.n_groups});
  voters.weights = shaped<double>(weights, "weights", {voters.n});
  require_between(voters.codes, voters.n, 0, voters.n_groups, "codes must be in 0 .. classes - 1");
  require_all(lists.m * lists.k, "indices must be in 0 .. n - 1", [&](Count at) {
    return !std::isfinite(lists.sums[at]) || (lists.indices[at] >= 0 && lists.indices[at] < voters.n);
  });
  require_all(lists.m, "tied must not be negative", [&](Count row) { return lists.tied[row] >= 0; });
  const auto m = static_cast<std::size_t>(lists.m), k = static_cast<std::size_t>(lists.k);
  std::vector<std::int32_t> winners(m * k);
  without_gil([&] { every_k(lists, voters, winners.data(), threads); });
  return to_numpy(std::move(winners), {m, k});
}

}  // namespace

void bind_every_k(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("every_k", &every_k_arrays, "sums"_a, "indices"_a, "kernel"_a, "tied"_a, "tie_sums"_a, "codes"_a,
             "weights"_a, "priors"_a, "fair"_a, "tolerance"_a, "threads"_a = 1, "ask_next"_a = false,
             "The class that wins for every k, from one search.");
}

}  // namespace nearwise
