// Whether the quoted values of a text stand alone between separators, each on one line.
#pragma once

#include <cstdint>

#include "machine/numbers.hpp"

namespace nearwise {

// Quotes open and close in turn. One that opens stands behind a separator, a line end or another quote; one that closes
// stands before one of these; no line ends between the two. The text is taken as if a line end stood around it.
bool is_well_quoted(const std::uint8_t* letters, Count n, std::uint8_t separator);

}  // namespace nearwise
