// Two-stage search: numbers and symbols in single precision bound every sum from below, texts are compared by edits for
// the survivors only, and double precision ranks those.
//
// Shapes: n cases, m queries, p numbers and symbols, t texts, g segments (classes), d different texts.
#pragma once

#include <vector>

#include "machine/instructions.hpp"
#include "selection/nearest.hpp"

namespace nearwise {

constexpr Count chunk = 64;          // cases whose bounds have one minimum; a segment is padded to whole chunks
constexpr Count lanes = 8;           // texts compared at a time
constexpr Count letter_counts = 32;  // counts[b] of the letters with code % 32 == b
constexpr int most_letters = 255;    // of a text: a count must fit in a byte
constexpr Count most_words = 4;      // of 64 letters

// What one number or symbol of one query adds to the bounds, in single precision.
struct Line {
  enum Kind { number, number_or_hole, symbol, no_query };
  Kind kind;
  const float* values;  // [packed cases]; NaN where the value is missing
  float query, error;   // error: what the difference of two rounded numbers may be off by
  float known, hole;    // what adds a different symbol (or, without a query value, a known value), and a missing value
};

// One query text. Letters are codes 1 .. 255 of the stored alphabet; 0 is a letter of no stored text.
struct Pattern {
  const std::uint64_t* words;  // [256, words] bit i of word w says that letter 64 w + i is this code
  Count count;                 // of words, 1 .. 4
  int length;
};

// A text of a stored case.
struct StoredText {
  std::int32_t text, segment;
  std::int32_t length;  // -1: missing
};

// What a stored text of one length adds to bounds: constant + (longer - shared letters) * factor, before it is raised.
struct LengthRule {
  float constant, factor;
  int longer;
};

// One text of the query, as the bounds see it.
struct Letters {
  const std::uint8_t* own;     // [32] counts of its letters
  const std::uint8_t* counts;  // [d, 32] of the stored ones
  const StoredText* held;            // [packed]
  const LengthRule* rules;     // by length + 1
  const float* weights;        // [segment * stride]
  Count stride;
};

NEARWISE_EACH_INSTRUCTION_SET(
// sums[i] = the sum of the lines, begin <= i < end, whole chunks; minima[i / 64] of each chunk. Power 1 or 2.
void bound(const Line* lines, Count count, int power, Count begin, Count end, float* sums, float* minima);
// rows = the i with above < sums[i] <= upto among whole chunks; returns how many. NaN is never among them. Up to eight
// rows beyond them are written.
Count gather(const float* sums, const float* minima, Count packed, float above, float upto, std::int32_t* rows);
// lower[j] += what the texts of rows[j] add at least. Two texts have at most sum over b of min(own[b], counts[b]) letters
// in common.
void add_letters(const Letters& letters, int power, const std::int32_t* rows, Count count, float* lower);
// edits[l], l < lanes: insertions, deletions and replacements from the query to the text that ends at ends[l]; where
// there are more than most[l], any number beyond it that is not too large. Before a text there are zeros.
void count_edits(const Pattern& pattern, const std::uint8_t* const* ends, const int* lengths, const int* most, int* edits);
)

// The cases as Python hands them over; those that are pointed to are read while the index is made.
struct TextCases {
  const double* columns;             // [p, n] NaN is a missing value, a symbol is its code
  const std::int32_t* segment;       // [n] the row of the coefficients
  const std::int16_t* lengths;       // [d] -1: the text is missing
  const std::int32_t* text_of;       // [t, n] in 0 .. d - 1
  std::vector<std::uint8_t> is_symbol;    // [p]
  std::vector<double> coefficients;       // [g, p]
  std::vector<double> one_missing;        // [p] the difference when exactly one of the two values is missing
  std::vector<double> both_missing;       // [p] the difference when both are
  std::vector<std::uint8_t> letters;      // [d, width] each text at the end of its row, zeros before it
  std::vector<std::uint8_t> counts;       // [d, 32]
  std::vector<double> text_terms;         // [t, 4] place among all features, 1 if divided by the longer length, one, both missing
  std::vector<double> text_coefficients;  // [g, t]
  Count n, p, t, g, d, width;
  int power;                         // 1 or 2
};

struct TextQueries : Wanted {
  const double* values;              // [m, p]
  const std::uint8_t* letters;       // [m, t, width] from the beginning of the row
  const std::uint8_t* counts;        // [m, t, 32]
  const std::int16_t* lengths;       // [m, t] -1: missing
  Count width;
};

// The cases packed for search, segment by segment in whole chunks. Immutable, so threads may share it.
class TextStages {
 public:
  explicit TextStages(TextCases cases);
  void nearest(const TextQueries& queries, const Nearest& nearest) const;
  Count n() const { return c_.n; }
  Count p() const { return c_.p; }
  Count t() const { return c_.t; }

 private:
  friend class TextSearch;
  struct Stretch {  // packed cases of one segment that fit in a cache together
    Count begin, end, segment;
  };
  void pack();
  void pack_numbers();
  // [g, p] the lines of one query
  void lines(const double* query, std::vector<Line>& lines) const;

  TextCases c_;
  Count packed_ = 0;
  bool repeats_;                           // whether some text belongs to several cases
  std::vector<float> text_floats_;         // [g, t] the coefficients of texts, cut where single precision ends
  std::vector<float> text_inverses_;       // [g, t] one over these
  std::vector<Stretch> stretches_;
  std::vector<std::int32_t> case_of_;      // [packed] -1: padding
  std::vector<std::int32_t> place_of_;     // [n]
  std::vector<StoredText> held_;                 // [t, packed]
  std::vector<double> rows_;               // [packed, p]
  std::vector<float> floats_;              // [p, packed] numbers centred and times their factor, or codes
  std::vector<double> centre_;             // [p]
  std::vector<double> factor_, largest_;   // [g, p] of a number, and the largest of its products; infinity: no bound
  std::vector<std::uint8_t> has_holes_;    // [p]
};

}  // namespace nearwise
