// What the walk of 32 queries reads: plain data only, as this header is compiled once per instruction set.
#pragma once

#include "machine/instructions.hpp"
#include "machine/numbers.hpp"

namespace nearwise::coded {

constexpr Count lanes = 32;        // queries that walk together: the bytes of one AVX2 register
constexpr Count most_levels = 48;  // features that branch; the rest is scanned, which bounds the stack of a walk
constexpr Count most_entries = 65535;

// A subtree. Nodes stand in preorder, so the first child of a node is the next node.
struct Node {
  std::uint32_t after;  // the node after this subtree
  std::int32_t begin;   // rows of a leaf; begin == end for an inner node
  std::int32_t end;
  std::uint16_t level;  // how many features were added before this node
  std::uint16_t from;   // the first feature that its rows still have to add
  std::uint16_t entry;  // the costs that this node adds
};

struct Walk {
  const Node* nodes;
  Count first, last;              // nodes to visit, all children of the root
  const std::uint16_t* entries;   // [rows, width]
  Count width;
  bool wide;                      // the next three hold words; otherwise bytes in the same memory
  const std::uint16_t* costs;     // [n_entries, lanes]
  std::uint16_t* stack;           // [most_levels + 1, lanes] the bound at each level; the first is given
  const std::uint16_t* limits;    // [lanes] a bound above it is out; `hit` may lower them
  void (*hit)(void* context, Count row, std::uint32_t alive);
  void* context;
};

// What each value of a feature costs one query.
struct Prices {
  const double* terms;  // [values]
  Count values;
  double coefficient, unit;
  double most;  // units at most
};

// Units of one feature, a query after the other, to be laid out an entry after the other.
struct Spread {
  const std::uint16_t* units;  // [used, width]
  Count width, used, entries;
};

// walk: visits nodes and calls `hit` for rows that may be within the limit.
// quantise: units[code] = (coefficient * terms[code] - least) * unit in whole units; returns the least cost.
// spread: costs[entry, lane] = units[lane, entry].
#define NEARWISE_CODED_TILES                                        \
  void walk(const Walk& walk);                                      \
  double quantise(const Prices& prices, std::uint16_t* units);      \
  void spread_bytes(const Spread& spread, std::uint8_t* costs);     \
  void spread_words(const Spread& spread, std::uint16_t* costs);

NEARWISE_UP_TO_AVX2(
NEARWISE_CODED_TILES
)

}  // namespace nearwise::coded
