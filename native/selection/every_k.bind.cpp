// every_k for Python: checks what comes in, releases the GIL and votes.
#include <cmath>

#include "binding/given.hpp"
#include "selection/every_k.hpp"

namespace nearwise {
namespace {

auto every_k_arrays(Given& given) {
  Lists lists{};
  Voters voters{};
  lists.sums = given.array<double>("sums", {told(lists.m), told(lists.k)});
  voters.codes = given.array<std::int32_t>("codes", {told_cases(voters.n)});
  voters.priors = given.array<double>("priors", {told(voters.n_groups)});
  require(voters.n_groups >= 1, "priors must hold at least one class.");
  lists.indices = given.array<Count>("indices", {lists.m, lists.k});
  lists.kernel = given.array<double>("kernel", {lists.m, lists.k});
  lists.tied = given.array<Count>("tied", {lists.m});
  lists.tie_sums = given.array<double>("tie_sums", {lists.m, voters.n_groups});
  lists.fair = given.value<bool>("fair");
  lists.ask_next = given.value<bool>("ask_next", false);
  lists.tolerance = given.tolerance();
  voters.weights = given.array<double>("weights", {voters.n});
  const Count threads = given.threads();
  require_between(voters.codes, voters.n, 0, voters.n_groups, "codes must be in 0 .. classes - 1");
  require_all(lists.m * lists.k, "indices must be in 0 .. n - 1", [&](Count at) {
    return !std::isfinite(lists.sums[at]) || (lists.indices[at] >= 0 && lists.indices[at] < voters.n);
  });
  require_all(lists.m, "tied must not be negative", [&](Count row) { return lists.tied[row] >= 0; });
  std::vector<std::int32_t> winners(lists.m * lists.k);
  without_gil([&] { every_k(lists, voters, winners.data(), threads); });
  return to_numpy(std::move(winners), {lists.m, lists.k});
}

}  // namespace

void bind_every_k(nb::module_& module) {
  module.def("every_k",
             called("sums indices kernel tied tie_sums codes weights priors fair tolerance | threads ask_next",
                    &every_k_arrays),
             "The class that wins for every k, from one search.");
}

}  // namespace nearwise
