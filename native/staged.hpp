// Two-stage search: numbers and symbols first, texts for the survivors only. Shapes as in scan.hpp, t texts.
#pragma once

#include "scan.hpp"

namespace nearwise {

constexpr Count text_bytes = 128;    // one text: 64 letters, 32 counts of letters, its length, and padding
constexpr Count text_letters = 64;   // letters are codes 1 .. 255 of the stored alphabet; 0 is a letter of no stored text
constexpr Count text_counts = 32;    // counts[b] of the letters with code % 32 == b
constexpr Count length_at = 96;      // the byte that holds the length
constexpr std::uint8_t no_text = 255;  // a length that says that the text is missing
constexpr Count lanes = 8;           // texts compared at a time

struct Texts {
  const std::uint8_t* stored;        // [t, n, 128]
  const std::uint8_t* asked;         // [m, t, 128]
  const double* terms;               // [t, 4] place among all features, 1 if divided by the longer length, one, both missing
  const double* coefficients;        // [g, t]
  Count t;
};

// What is compiled per instruction set. Both take one query text and some stored texts.
struct TextTile {
  // shared[j] = sum over b of min(counts of the query, counts of row j): at least the letters that the two have in common
  void (*shared)(const std::uint8_t* query, const std::uint8_t* stored, const Count* rows, Count count, int* shared);
  // edits[j], j < lanes: insertions, deletions and replacements from the query to the text; where there are more than
  // `most`, any number beyond it that is not too large
  void (*edits)(const std::uint64_t* pattern, int query_length, const std::uint8_t* const* texts, int most, int* edits);
};

namespace baseline {
extern const TextTile text_tile;
}
namespace avx2 {
extern const TextTile text_tile;
}

void staged(const Cases& cases, const Queries& queries, const Texts& texts, Count threads, Tile tile,
            const TextTile& text_tile, const Nearest& nearest);

}  // namespace nearwise
