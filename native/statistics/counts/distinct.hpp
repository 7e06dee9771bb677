// Which rows of bytes are equal.
#pragma once

#include <vector>

#include "machine/numbers.hpp"

namespace nearwise {

// rows [n, width] -> codes [n], and the first row of every code; codes are numbered as they appear.
std::vector<Count> distinct(const std::uint8_t* rows, Count n, Count width, std::int32_t* codes);

}  // namespace nearwise
