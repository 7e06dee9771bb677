// The order in which an index has its cases. It is what takes long to find, and all that is kept of an index: whoever has
// it makes the rest of the cases themselves. It may come from a file, so it is checked against them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "machine/numbers.hpp"

namespace nearwise {

inline void require_order(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

// The place of each of the n cases in an order that holds each once.
inline std::vector<std::int32_t> places_in(const std::int32_t* order, Count n) {
  std::vector<std::int32_t> places(static_cast<std::size_t>(n), -1);
  for (Count at = 0; at < n; ++at) {
    const std::int32_t i = order[at];
    require_order(i >= 0 && i < n && places[i] < 0, "order must hold each of 0 .. n - 1 once.");
    places[i] = static_cast<std::int32_t>(at);
  }
  return places;
}

// Takes an order over where each case comes before the next: then it holds each once, as none comes before itself.
template <class Index, class Before>
void take_order(const std::int32_t* given, Count n, std::vector<Index>& order, const Before& before) {
  order.resize(static_cast<std::size_t>(n));
  for (Count at = 0; at < n; ++at) {
    require_order(given[at] >= 0 && given[at] < n, "order must hold each of 0 .. n - 1 once.");
    order[at] = given[at];
    require_order(at == 0 || before(order[at - 1], order[at]), "order is not that of these cases.");
  }
}

}  // namespace nearwise
