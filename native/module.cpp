// nearwise._core: chooses the instruction set and gathers the kernels.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdlib>
#include <string>

#include "machine/instructions.hpp"

namespace nearwise {
namespace {

// NEARWISE_INSTRUCTIONS=baseline lets a test run the plain kernels on a machine that has better ones; avx512 asks for
// those that nobody has run yet. A wish that the processor cannot fulfil counts for nothing.
Instructions choose() {
#ifdef NEARWISE_HAS_AVX2
  const char* given = std::getenv("NEARWISE_INSTRUCTIONS");
  const std::string wish = given == nullptr ? "" : given;
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (wish == "avx512" && has_avx512) return Instructions::avx512;
  if (wish != "baseline" && has_avx2) return Instructions::avx2;
#endif
  return Instructions::baseline;
}

const char* name_of(Instructions instructions) {
  if (instructions == Instructions::avx512) return "avx512";
  return instructions == Instructions::avx2 ? "avx2" : "baseline";
}

}  // namespace

Instructions chosen_instructions() {
  static const Instructions chosen = choose();
  return chosen;
}

void bind_arithmetic(nanobind::module_& module);
void bind_changes(nanobind::module_& module);
void bind_coarse(nanobind::module_& module);
void bind_contrast(nanobind::module_& module);
void bind_dense(nanobind::module_& module);
void bind_evaluate(nanobind::module_& module);
void bind_every_k(nanobind::module_& module);
void bind_kd(nanobind::module_& module);
void bind_local_linear(nanobind::module_& module);
void bind_online(nanobind::module_& module);
void bind_projection(nanobind::module_& module);
void bind_presets(nanobind::module_& module);
void bind_scan(nanobind::module_& module);
void bind_coded(nanobind::module_& module);
void bind_staged(nanobind::module_& module);
void bind_vote_pairs(nanobind::module_& module);
void bind_weighed(nanobind::module_& module);

}  // namespace nearwise

NB_MODULE(_core, module) {
  module.doc() = "The native kernels of nearwise: arrays in, arrays out.";
  module.def(
      "instruction_set",
      [] { return std::string(nearwise::name_of(nearwise::chosen_instructions())); },
      "The instruction set that the kernels were chosen for when the module was loaded.");
  nearwise::bind_arithmetic(module);
  nearwise::bind_changes(module);
  nearwise::bind_coarse(module);
  nearwise::bind_contrast(module);
  nearwise::bind_dense(module);
  nearwise::bind_evaluate(module);
  nearwise::bind_every_k(module);
  nearwise::bind_kd(module);
  nearwise::bind_local_linear(module);
  nearwise::bind_online(module);
  nearwise::bind_projection(module);
  nearwise::bind_presets(module);
  nearwise::bind_scan(module);
  nearwise::bind_coded(module);
  nearwise::bind_staged(module);
  nearwise::bind_vote_pairs(module);
  nearwise::bind_weighed(module);
}
