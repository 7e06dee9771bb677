#include "layout/columns.hpp"

#include <algorithm>

namespace nearwise {

double middle_of(const Columns& columns, Count f) {
  return columns.centre.empty() ? known_middle(columns.values[f], columns.n) : columns.centre[f];
}

double known_middle(const double* values, Count n) {
  std::vector<double> sample;
  const Count step = std::max<Count>(1, n / 4096);
  for (Count i = 0; i < n; i += step)
    if (values[i] == values[i]) sample.push_back(values[i]);
  if (sample.empty()) return 0.0;
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  return *middle;
}

}  // namespace nearwise
