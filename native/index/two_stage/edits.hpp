// How the copies of index/two_stage/bounds.tile.cpp find those of index/two_stage/edits.tile.cpp.
#pragma once

#include "index/two_stage/two_stage.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {

void count_edits(const Pattern& pattern, const std::uint8_t* const* ends, const int* lengths, const int* most, int* edits);

}
