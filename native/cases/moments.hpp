// ISO dates, and dates with a time, as numbers.
#pragma once

#include <optional>
#include <vector>

#include "cases/arrow.hpp"

namespace nearwise {

enum class Moments { dates, times, zoned_times };

struct ReadMoments {
  Moments sort;
  std::vector<double> since;  // days or seconds since 1970, NaN for a missing text
};

// All texts of a column where they are dates of the years 1000 to 9999, all without a time, or all with one and without a
// zone, or all with both; nothing where a text is anything else, or where a time would be rounded twice.
std::optional<ReadMoments> moments(const ArrowTexts& texts);

}  // namespace nearwise
