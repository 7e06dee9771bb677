// The different texts of a column, and which of them each case has.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cases/arrow.hpp"

namespace nearwise {

struct CodedTexts {
  std::vector<std::string_view> different;  // in the order in which they appear, in the memory of the column
  std::vector<std::int32_t> codes;          // one behind the last for a missing text
};

CodedTexts coded_texts(const ArrowTexts& texts);

}  // namespace nearwise
