// One pass. A table that fits the first-level cache is kept four times and every fourth case goes into the same copy:
// two cases of the same cell would otherwise wait for each other's increment.
#include "statistics/counts/count_codes.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace nearwise {
namespace {

constexpr Count copies = 4, small = 1 << 11;  // cells

}  // namespace

bool count_codes(const CodePairs& pairs, std::int32_t v, std::int32_t c, Count* cases, double* sums) {
  const std::int32_t *rows = pairs.rows, *columns = pairs.columns;
  const double* weights = pairs.weights;
  const Count n = pairs.n;
  const Count cells = static_cast<Count>(v) * c;
  std::int32_t last_row = -1, last_column = -1;
  for (Count i = 0; i < n; ++i) {
    last_row = std::max(last_row, rows[i]);
    last_column = std::max(last_column, columns[i]);
  }
  if (last_row >= v || last_column >= c) return false;
  const auto cell = [&](Count i) -> Count {  // -1 where the case is left out
    const std::int32_t row = rows[i], column = columns[i];
    return (row | column) < 0 ? -1 : static_cast<Count>(row) * c + column;
  };
  if (weights != nullptr || cells > small) {
    for (Count i = 0; i < n; ++i) {
      const Count at = cell(i);
      if (at < 0) continue;
      ++cases[at];
      if (weights != nullptr) sums[at] += weights[i];
    }
    return true;
  }
  // the first cell of each copy takes the cases that are left out
  std::vector<Count> copy(static_cast<std::size_t>(copies * (cells + 1)));
  Count* lane[copies];
  for (Count l = 0; l < copies; ++l) lane[l] = copy.data() + l * (cells + 1) + 1;
  Count i = 0;
  for (; i + copies <= n; i += copies)
    for (Count l = 0; l < copies; ++l) ++lane[l][cell(i + l)];
  for (; i < n; ++i) ++lane[0][cell(i)];
  for (Count at = 0; at < cells; ++at)
    for (Count l = 0; l < copies; ++l) cases[at] += lane[l][at];
  return true;
}

}  // namespace nearwise
