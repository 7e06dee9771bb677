// The numbers that every kernel counts and compares with.
#pragma once

#include <cstdint>
#include <limits>

namespace nearwise {

using Count = std::int64_t;

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace nearwise
