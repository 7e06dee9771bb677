#include "cases/quotes.hpp"

#include <cstddef>
#include <cstring>

namespace nearwise {
namespace {

// The place of a letter from here on; n where there is none.
Count next(const std::uint8_t* letters, Count from, Count n, char letter) {
  if (from >= n) return n;
  const void* found = std::memchr(letters + from, letter, static_cast<std::size_t>(n - from));
  return found == nullptr ? n : static_cast<const std::uint8_t*>(found) - letters;
}

}  // namespace

bool is_well_quoted(const std::uint8_t* letters, Count n, std::uint8_t separator) {
  for (Count open = next(letters, 0, n, '"'); open < n;) {
    const std::uint8_t before = open > 0 ? letters[open - 1] : '\n';
    if (before != separator && before != '\n' && before != '"') return false;
    const Count close = next(letters, open + 1, n, '"');
    if (close == n || next(letters, open + 1, close, '\n') < close) return false;
    const std::uint8_t behind = close + 1 < n ? letters[close + 1] : '\n';
    if (behind != separator && behind != '\n' && behind != '\r' && behind != '"') return false;
    open = next(letters, close + 1, n, '"');
  }
  return true;
}

}  // namespace nearwise
