// Whether every parser of separated text takes these bytes apart into the same rows.
#pragma once

#include <cstdint>

#include "machine/numbers.hpp"

namespace nearwise {

struct Text {
  const std::uint8_t* letters;
  Count n;
};

struct RowShape {
  std::uint8_t separator;
  Count width;    // values of every row
  Count longest;  // bytes of a line, without its end
};

// The number of rows, -1 where the parsers may not agree. Every line is a row, has as many values, and ends in LF or CR LF.
// Quotes open and close in turn: one that opens stands behind a separator, a line end or another quote; one that closes
// stands before one of these; no line ends between the two. No NUL is there, and no 0x that may begin a number.
Count even_rows(const Text& text, const RowShape& shape, Count threads);

}  // namespace nearwise
