// Sorting numbers together with a code each.
#pragma once

#include <cstdint>
#include <vector>

namespace nearwise {

// values [n] with NaN for missing, codes [n] -> the known values in ascending order, each with its code. Equal values
// keep their order; -0.0 becomes 0.0.
void sort_pairs(const double* values, const std::int32_t* codes, std::int64_t n, std::vector<double>& sorted,
                std::vector<std::int32_t>& carried);

}  // namespace nearwise
