// Which copy of the hot loops this machine runs; chosen once, when the module is loaded.
#pragma once

namespace nearwise {

enum class Instructions { baseline, avx2 };

Instructions chosen_instructions();

}  // namespace nearwise
