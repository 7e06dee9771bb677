// How a tile that proposes tells what it found.
#pragma once

#include "machine/numbers.hpp"

namespace nearwise {

// Told of cases whose value does not exceed the limit of a query: a mask of the panel's cases and their values.
template <class Value, int height>
struct Listener {
  Value limits[height];
  virtual void found(int row, Count panel, std::uint32_t mask, const Value* values) = 0;

 protected:
  ~Listener() = default;
};

// Of a tile in single precision: the cases of a panel and the queries of a group.
constexpr int panel_width = 16, group_height = 6;
using FloatListener = Listener<float, group_height>;

}  // namespace nearwise
