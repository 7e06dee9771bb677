// nearwise._core: chooses the instruction set and gathers the kernels. X.bind.cpp is the border of kernel X, X.tile.cpp
// its hot loops, compiled once per instruction set.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdlib>
#include <string>

#include "instructions.hpp"

namespace nearwise {
namespace {

// NEARWISE_INSTRUCTIONS=baseline lets a test run the plain kernels on a machine that has better ones.
Instructions choose() {
#ifdef NEARWISE_HAS_AVX2
  const char* wish = std::getenv("NEARWISE_INSTRUCTIONS");
  const bool plain = wish != nullptr && std::string(wish) == "baseline";
  __builtin_cpu_init();
  if (!plain && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Instructions::avx2;
#endif
  return Instructions::baseline;
}

}  // namespace

Instructions chosen_instructions() {
  static const Instructions chosen = choose();
  return chosen;
}

void bind_coarse(nanobind::module_& module);
void bind_dense(nanobind::module_& module);
void bind_evaluate(nanobind::module_& module);
void bind_every_k(nanobind::module_& module);
void bind_kd(nanobind::module_& module);
void bind_scan(nanobind::module_& module);
void bind_coded(nanobind::module_& module);
void bind_staged(nanobind::module_& module);
void bind_weighed(nanobind::module_& module);

}  // namespace nearwise

NB_MODULE(_core, module) {
  module.doc() = "The native kernels of nearwise: arrays in, arrays out.";
  module.def(
      "instruction_set",
      [] { return std::string(nearwise::chosen_instructions() == nearwise::Instructions::avx2 ? "avx2" : "baseline"); },
      "The instruction set that the kernels were chosen for when the module was loaded.");
  nearwise::bind_coarse(module);
  nearwise::bind_dense(module);
  nearwise::bind_evaluate(module);
  nearwise::bind_every_k(module);
  nearwise::bind_kd(module);
  nearwise::bind_scan(module);
  nearwise::bind_coded(module);
  nearwise::bind_staged(module);
  nearwise::bind_weighed(module);
}
