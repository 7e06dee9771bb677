// local_linear for Python: checks what comes in, releases the GIL and answers.
#include "answers/local_linear.hpp"
#include "binding/arrays.hpp"

namespace nearwise {
namespace {

auto local_linear_arrays(const Array& design, const Array& is_flag, const Array& asked, const Array& distances,
                         const Array& indices, const Array& case_weights, const Array& codes, const Array& amounts,
                         Count n_groups, const Array& sizes, const Array& ridges, Count threads) {
  require(threads >= 1, "threads must be at least 1.");
  require(n_groups >= 1, "n_groups must be at least 1.");
  Neighbourhoods all{};
  all.design = data_of<double>(design, "design", 2);
  all.asked = data_of<double>(asked, "asked", 2);
  all.indices = data_of<Count>(indices, "indices", 2);
  all.sizes = data_of<Count>(sizes, "sizes", 1);
  all.ridges = data_of<double>(ridges, "ridges", 1);
  all.n = size_of(design, 0);
  all.d = size_of(design, 1);
  all.m = size_of(asked, 0);
  all.listed = size_of(indices, 1);
  all.n_sizes = size_of(sizes, 0);
  all.n_ridges = size_of(ridges, 0);
  all.n_groups = n_groups;
  all.is_flag = shaped<std::uint8_t>(is_flag, "is_flag", {all.d});
  shaped<double>(asked, "asked", {all.m, all.d});
  all.distances = shaped<double>(distances, "distances", {all.m, all.listed});
  shaped<Count>(indices, "indices", {all.m, all.listed});
  all.case_weights = shaped<double>(case_weights, "case_weights", {all.n});
  all.codes = shaped<std::int32_t>(codes, "codes", {all.n});
  all.amounts = shaped<double>(amounts, "amounts", {all.n});
  require_between(all.sizes, all.n_sizes, 1, all.listed, "sizes must be in 1 .. listed neighbours - 1");
  require_all(all.n_ridges, "ridges must be positive",
              [&](Count i) { return all.ridges[i] > 0 && all.ridges[i] < infinity; });
  require_between(all.codes, all.n, 0, n_groups, "codes must be in 0 .. n_groups - 1");
  require_weights(all.case_weights, all.n, "case_weights");
  require_between(all.indices, all.m * all.listed, 0, all.n, "indices must be in 0 .. n - 1");
  require_weights(all.distances, all.m * all.listed, "distances");
  const std::vector<std::size_t> shape{static_cast<std::size_t>(all.m), static_cast<std::size_t>(all.n_sizes),
                                       static_cast<std::size_t>(all.n_ridges), static_cast<std::size_t>(n_groups)};
  std::vector<double> answers(shape[0] * shape[1] * shape[2] * shape[3], 0.0);
  without_gil([&] { local_linear(all, answers.data(), threads); });
  return to_numpy(std::move(answers), {shape[0], shape[1], shape[2], shape[3]});
}

}  // namespace

void bind_local_linear(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("local_linear", &local_linear_arrays, "design"_a, "is_flag"_a, "asked"_a, "distances"_a, "indices"_a,
             "case_weights"_a, "codes"_a, "amounts"_a, "n_groups"_a, "sizes"_a, "ridges"_a, "threads"_a = 1,
             "(m, sizes, ridges, groups) answers of weighted ridge regressions on the nearest cases.");
}

}  // namespace nearwise
