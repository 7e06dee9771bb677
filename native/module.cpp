// nearwise._core: chooses the instruction set and gathers the kernels.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdlib>
#include <string>

#include "machine/instructions.hpp"

namespace nearwise {
namespace {

// NEARWISE_INSTRUCTIONS=baseline lets a test run the plain kernels on a machine that has better ones; avx512 asks for
// those that are no faster where they were run. A wish that the processor cannot fulfil counts for nothing.
Instructions choose() {
#ifdef NEARWISE_HAS_AVX2
  const char* given = std::getenv("NEARWISE_INSTRUCTIONS");
  const std::string wish = given == nullptr ? "" : given;
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#ifdef NEARWISE_HAS_AVX512
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (wish == "avx512" && has_avx512) return Instructions::avx512;
#endif
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

// Each has its border in an X.bind.cpp.
#define NEARWISE_KERNELS(each)                                                                         \
  each(arithmetic) each(bytes) each(changes) each(codes) each(contrast) each(counts) each(dense)       \
  each(evaluate) each(every_k) each(kd) each(local_linear) each(projection) each(scan) each(two_stage) \
  each(vote_pairs)

#define NEARWISE_DECLARE(kernel) void bind_##kernel(nanobind::module_& module);
NEARWISE_KERNELS(NEARWISE_DECLARE)

}  // namespace nearwise

NB_MODULE(_core, module) {
  module.doc() = "The native kernels of nearwise: arrays in, arrays out.";
  module.def(
      "instruction_set",
      [] { return std::string(nearwise::name_of(nearwise::chosen_instructions())); },
      "The instruction set that the kernels were chosen for when the module was loaded.");
#define NEARWISE_BIND(kernel) nearwise::bind_##kernel(module);
  NEARWISE_KERNELS(NEARWISE_BIND)
}
