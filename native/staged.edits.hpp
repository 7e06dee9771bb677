// How the copies of staged.tile.cpp find those of staged.edits.tile.cpp.
#pragma once

#include "staged.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {

void count_edits(const Pattern& pattern, const std::uint8_t* const* ends, const int* lengths, const int* most, int* edits);

}
