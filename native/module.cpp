// nearwise._core: chooses the instruction set and gathers the kernels.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "machine/instructions.hpp"

namespace nearwise {
namespace {

bool has(Instructions wanted) {
  if (wanted == Instructions::baseline) return true;
#ifdef NEARWISE_HAS_AVX2
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (wanted == Instructions::avx2) return has_avx2;
#ifdef NEARWISE_HAS_AVX512
  return has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
#endif
#endif
  return false;
}

// Whether AVX-512 was measured to be faster on processors of this kind, see docs/design.md.
bool gains_by_avx512() {
#ifdef NEARWISE_HAS_AVX512
  return has(Instructions::avx512) && __builtin_cpu_is("amd");
#else
  return false;
#endif
}

constexpr Instructions from_best[] = {Instructions::avx512, Instructions::avx2, Instructions::baseline};

std::string name_of(Instructions instructions) {
  if (instructions == Instructions::avx512) return "avx512";
  return instructions == Instructions::avx2 ? "avx2" : "baseline";
}

// NEARWISE_INSTRUCTIONS=baseline lets a test run the plain kernels on a machine that has better ones; avx512 asks for
// those that are not chosen by themselves everywhere. A wish that the processor cannot fulfil counts for nothing.
Instructions choose() {
  const char* wish = std::getenv("NEARWISE_INSTRUCTIONS");
  for (Instructions each : from_best)
    if (wish != nullptr && wish == name_of(each) && has(each)) return each;
  if (gains_by_avx512()) return Instructions::avx512;
  return has(Instructions::avx2) ? Instructions::avx2 : Instructions::baseline;
}

std::vector<std::string> names_of_all() {
  std::vector<std::string> out;
  for (Instructions each : from_best)
    if (has(each)) out.push_back(name_of(each));
  return out;
}

}  // namespace

Instructions chosen_instructions() {
  static const Instructions chosen = choose();
  return chosen;
}

// Each has its border in an X.bind.cpp.
#define NEARWISE_KERNELS(each)                                                                         \
  each(arithmetic) each(bytes) each(changes) each(codes) each(contrast) each(counts) each(dense)       \
  each(evaluate) each(every_k) each(exact_sums) each(forms) each(kd) each(local_linear) each(projection)                 \
  each(projections) each(quotes) each(rows) each(scan) each(texts) each(two_stage) each(vote_pairs)

#define NEARWISE_DECLARE(kernel) void bind_##kernel(nanobind::module_& module);
NEARWISE_KERNELS(NEARWISE_DECLARE)

}  // namespace nearwise

NB_MODULE(_core, module) {
  module.doc() = "The native kernels of nearwise: arrays in, arrays out.";
  module.def(
      "instruction_set",
      [] { return nearwise::name_of(nearwise::chosen_instructions()); },
      "The instruction set that the kernels were chosen for when the module was loaded.");
  module.def("instruction_sets", nearwise::names_of_all, "Those that this processor has, the widest first.");
  module.def(
      "tell_of_leaks",
      [](bool told) { nanobind::set_leak_warnings(told); },
      nanobind::arg("told"),
      "Whether objects of the core that outlive the interpreter are told of on the way out.");
#define NEARWISE_BIND(kernel) nearwise::bind_##kernel(module);
  NEARWISE_KERNELS(NEARWISE_BIND)
}
