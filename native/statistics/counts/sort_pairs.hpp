// Sorting numbers together with a code each.
#pragma once

#include "machine/numbers.hpp"

namespace nearwise {

// values [n] with NaN for missing, codes [n] -> the known values in ascending order, each with its code, and how many they
// are. sorted and carried have room for n. Equal values keep their order; -0.0 becomes 0.0.
Count sort_pairs(const double* values, const std::int32_t* codes, Count n, double* sorted,
                        std::int32_t* carried);

}  // namespace nearwise
