// Which copy of the hot loops (X.tile.cpp) this machine runs; chosen once, when the module is loaded.
//
// Nothing in an X.tile.cpp may be inline outside the anonymous namespace: the linker keeps one copy of an inline function,
// and if that were the AVX2 copy the baseline would run it on machines that lack AVX2.
#pragma once

namespace nearwise {

enum class Instructions { baseline, avx2, avx512 };

Instructions chosen_instructions();

// Declares the copies of hot loops, one a namespace; those that were not compiled are never called. The folders that have
// an AVX-512 copy are listed in CMakeLists.txt.
#define NEARWISE_EACH_INSTRUCTION_SET(...) \
  namespace baseline {                     \
  __VA_ARGS__                              \
  }                                        \
  namespace avx2 {                         \
  __VA_ARGS__                              \
  }                                        \
  namespace avx512 {                       \
  __VA_ARGS__                              \
  }

// The same for hot loops that AVX-512 does not make faster: whoever asks for its copy gets that of AVX2.
#define NEARWISE_UP_TO_AVX2(...) \
  namespace baseline {           \
  __VA_ARGS__                    \
  }                              \
  namespace avx2 {               \
  __VA_ARGS__                    \
  }                              \
  namespace avx512 {             \
  using namespace avx2;          \
  }

// The copy of a hot loop to run; where the others were not compiled there is only one.
#ifdef NEARWISE_HAS_AVX512
#define NEARWISE_CHOSEN(loop)                                              \
  (chosen_instructions() == Instructions::avx512 ? avx512::loop            \
   : chosen_instructions() == Instructions::avx2 ? avx2::loop              \
                                                 : baseline::loop)
#elif defined(NEARWISE_HAS_AVX2)
#define NEARWISE_CHOSEN(loop) (chosen_instructions() == Instructions::avx2 ? avx2::loop : baseline::loop)
#else
#define NEARWISE_CHOSEN(loop) (baseline::loop)
#endif

}  // namespace nearwise
