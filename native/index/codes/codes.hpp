// Coded search: the nearest cases when every feature is a symbol.
//
//   s(x, q) = sum over f, in schema order, of  coefficients[f] * t_f(x_f, q_f)
//   t_f     = [x_f != q_f] under overlap, a table of values otherwise
//
// Equal cases are stored once, as a pattern, and patterns are sorted with the heaviest feature first: a tree whose
// subtrees are ranges of rows. 32 queries walk it together. Each has a byte a lane: its costs, rounded down to whole
// units of its own scale, add up to a lower bound of the sum. A subtree or a row is passed over only where that bound
// exceeds the limit in all lanes; what is left is summed in double precision, in schema order, and decided there.
//
// Shapes: n cases, m queries, p features, g parts (classes with their own weights), v numbers a case.
#pragma once

#include <cstdint>
#include <vector>

#include "index/codes/walk.hpp"
#include "selection/nearest.hpp"

namespace nearwise::coded {

// One feature of a part: where it stands in a row, what it costs and which costs its codes have.
struct Step {
  std::int32_t feature;   // in the schema
  std::int32_t position;  // in a row of codes, heaviest first
  double coefficient;
  double costs[2];       // of equal codes and of different ones: looked up, as a branch would often be guessed wrong
  std::int32_t values;   // codes are in 0 .. values - 1
  std::int32_t entry;    // its entries are entry .. entry + entries - 1
  std::int32_t entries;  // fewer than values where codes share an entry, which then holds the least of their costs
  bool is_table;
};

inline std::int32_t entry_of(const Step& step, std::int32_t code) {
  if (step.values == step.entries) return step.entry + code;
  if (!step.is_table) return step.entry + code % step.entries;
  return step.entry + static_cast<std::int32_t>(Count{code} * step.entries / step.values);
}

// Cases that share their weights. Features of weight 0 are not in it.
struct Part {
  std::vector<Step> steps;                    // in schema order, in which sums are added
  std::vector<std::int32_t> heaviest;         // [width] the step at each position
  std::vector<std::int32_t> codes;            // [rows, width]
  std::vector<std::uint16_t> entries;         // [rows, width]
  std::vector<Node> nodes;
  std::vector<std::uint32_t> roots;           // the subtrees below the root, and the end of all nodes
  Count first = 0, rows = 0, width = 0;       // patterns first .. first + rows
  Count n_entries = 1;                        // entry 0 costs nothing
};

struct Index {
  std::vector<Part> parts;
  std::vector<Count> offsets;          // [patterns + 1] members[offsets[r]] .. are the cases of pattern r, ascending
  std::vector<std::int32_t> members;   // [n]
  std::vector<std::int32_t> pattern;   // [n] the pattern of a case
  std::vector<std::int32_t> values;    // [p] codes are in 0 .. values - 1
  std::vector<std::uint8_t> is_table;  // [p]
  Count n = 0, p = 0, patterns = 0;
};

// What is stored, as it comes from Python.
struct Stored {
  const std::int32_t* codes;        // [p, n]
  const std::int32_t* values;       // [p]
  const std::uint8_t* is_table;     // [p]
  const std::int32_t* part;         // [n]
  const double* coefficients;       // [g, p]
  Count n, p, g;
  const std::int32_t* order;        // [n] the cases as members has them; null: they are sorted
  Count leaf;                       // a range of at most so many rows is scanned, not branched
};

Index build(const Stored& stored);

struct Queries : Wanted {
  const std::int32_t* codes;           // [m, p] the stored code that equals it, or -1
  const std::int32_t* rows;            // [m, p] the row of its table
  const Count* order;                  // [count] the queries to answer; neighbours in it walk together
  std::vector<const double*> tables;   // [p] each (rows, values), or null
  Count count;
  bool distinct;                       // k counts distinct sums, not cases
};

// What to add up over cases that tie, and what was added up over those of a pattern before.
struct Tally {
  Payload payload;
  bool whole;                 // whole numbers add up to the same in any order
  std::vector<Count> offsets;        // [patterns + 1] entries of a pattern, where patterns have many cases; else empty
  std::vector<std::int32_t> groups_of;
  std::vector<double> sums;          // [entries, v]
};

Tally tally(const Index& index, const Payload& payload);

// Answers queries in their order until the time is over, at least one batch, and returns how many. For levels, indices hold
// how many cases are at each, tie_sums [m, k, n_groups, v] what they add up to, and inside and tied nothing.
struct Effort {
  Count threads;
  double seconds;
};
Count search(const Index& index, const Queries& queries, const Tally& tally, const Effort& effort, const Nearest& found);

// Sorts queries so that those which share the heaviest values walk together.
std::vector<Count> coherent_order(const Index& index, const std::int32_t* codes, Count m);

}  // namespace nearwise::coded
