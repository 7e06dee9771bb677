// local_linear for Python: checks what comes in, releases the GIL and answers.
#include "answers/local_linear.hpp"
#include "binding/given.hpp"

namespace nearwise {
namespace {

auto local_linear_arrays(Given& given) {
  Neighbourhoods all{};
  all.design = given.array<double>("design", {told(all.n), told(all.d)});
  all.is_flag = given.array<std::uint8_t>("is_flag", {all.d});
  all.asked = given.array<double>("asked", {told(all.m), all.d});
  all.indices = given.array<Count>("indices", {all.m, told(all.listed)});
  all.distances = given.array<double>("distances", {all.m, all.listed});
  all.case_weights = given.array<double>("case_weights", {all.n});
  all.codes = given.array<std::int32_t>("codes", {all.n});
  all.amounts = given.array<double>("amounts", {all.n});
  all.sizes = given.array<Count>("sizes", {told(all.n_sizes)});
  all.ridges = given.array<double>("ridges", {told(all.n_ridges)});
  all.n_groups = given.value<Count>("n_groups");
  require(all.n_groups >= 1, "n_groups must be at least 1.");
  const Count threads = given.threads();
  require_between(all.sizes, all.n_sizes, 1, all.listed, "sizes must be in 1 .. listed neighbours - 1");
  require_all(all.n_ridges, "ridges must be positive",
              [&](Count i) { return all.ridges[i] > 0 && all.ridges[i] < infinity; });
  require_between(all.codes, all.n, 0, all.n_groups, "codes must be in 0 .. n_groups - 1");
  require_weights(all.case_weights, all.n, "case_weights");
  require_between(all.indices, all.m * all.listed, 0, all.n, "indices must be in 0 .. n - 1");
  require_weights(all.distances, all.m * all.listed, "distances");
  std::vector<double> answers(all.m * all.n_sizes * all.n_ridges * all.n_groups);
  without_gil([&] { local_linear(all, answers.data(), threads); });
  return to_numpy(std::move(answers), {all.m, all.n_sizes, all.n_ridges, all.n_groups});
}

}  // namespace

void bind_local_linear(nb::module_& module) {
  module.def("local_linear",
             called("design is_flag asked distances indices case_weights codes amounts n_groups sizes ridges | threads",
                    &local_linear_arrays),
             "(m, sizes, ridges, groups) answers of weighted ridge regressions on the nearest cases.");
}

}  // namespace nearwise
