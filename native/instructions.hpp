// Which copy of the hot loops this machine runs; chosen once, when the module is loaded.
#pragma once

namespace nearwise {

enum class Instructions { baseline, avx2 };

Instructions chosen_instructions();

// The copy of a hot loop to run; where AVX2 was not compiled there is only one.
#ifdef NEARWISE_HAS_AVX2
#define NEARWISE_CHOSEN(loop) (chosen_instructions() == Instructions::avx2 ? avx2::loop : baseline::loop)
#else
#define NEARWISE_CHOSEN(loop) (baseline::loop)
#endif

}  // namespace nearwise
