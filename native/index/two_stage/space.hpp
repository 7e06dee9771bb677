// What a two-stage search keeps while it runs.
#pragma once

#include <array>
#include <vector>

#include "index/two_stage/two_stage.hpp"
#include "selection/best.hpp"

namespace nearwise::stages {  // the tree has an Asked of its own

constexpr Count block_length = 4;  // queries that share a stretch of cases
constexpr Count first_batch = 4;   // cases compared in full at first, for each neighbour asked for
constexpr std::int16_t unknown = INT16_MIN;

struct Candidate {
  float lower, cheap;  // bounds of the whole sum, and of the numbers and symbols alone
  std::int32_t packed;
  std::int32_t bucket;
};

// One text of the query.
struct Asked {
  Pattern pattern;
  const std::uint8_t* counts;
  int length;        // -1: missing
  bool share;        // whether edits are divided by the longer length
  double one, both;  // raw differences where one or both are missing
  std::array<LengthRule, most_letters + 2> rules;  // by length + 1
};

// Of one thread.
struct Workspace {
  Workspace(const TextCases& c, Count packed, const Wanted& wanted)
      : bounds(block_length * packed), minima(block_length * packed / chunk),
        lines(block_length, std::vector<Line>(static_cast<std::size_t>(c.g * c.p))), rows(packed + 8),
        candidates(packed + 1), sorted(packed), words(256 * most_words * c.t), asked(c.t), edits(c.t), known(c.d, unknown),
        best(wanted, c.n) {}
  std::vector<float> bounds, minima;          // [block_length, packed], [block_length, chunks]
  std::vector<std::vector<Line>> lines;       // [block_length, g * p]
  std::vector<std::int32_t> rows;
  std::vector<Candidate> candidates, sorted;
  std::vector<std::uint64_t> words;           // [t, 256, 4] where each letter stands in the query texts
  std::vector<Asked> asked;                   // [t]
  std::vector<std::array<int, lanes>> edits;  // [t] of the cases that are being compared
  std::vector<std::int16_t> known;            // [d] edits of a text that was compared, -1 - edits: at least so many
  std::vector<std::int32_t> touched;          // texts that are known
  Best best;                                  // of the cases compared in full
  std::vector<float> nearest_chunks;          // minima, to be put in order
};

}  // namespace nearwise::stages
