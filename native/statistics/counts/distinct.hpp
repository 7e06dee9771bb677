// Which rows of bytes are equal.
#pragma once

#include <cstdint>
#include <vector>

namespace nearwise {

// rows [n, width] -> codes [n], and the first row of every code; codes are numbered as they appear.
std::vector<std::int64_t> distinct(const std::uint8_t* rows, std::int64_t n, std::int64_t width, std::int32_t* codes);

}  // namespace nearwise
