// Letters that texts share and edits between them, compiled once per instruction set. Nothing here may be inline outside
// the anonymous namespace (see scan.tile.cpp).
#include <string.h>

#include "staged.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

using Word = std::uint64_t;

void shared_letters(const std::uint8_t* query, const std::uint8_t* stored, const Count* rows, Count count, int* shared) {
  std::uint8_t own[text_counts];
  for (Count b = 0; b < text_counts; ++b) own[b] = query[text_letters + b];
  for (Count j = 0; j < count; ++j) {
    const std::uint8_t* other = stored + rows[j] * text_bytes + text_letters;
    std::uint8_t least[text_counts];
    for (Count b = 0; b < text_counts; ++b) least[b] = own[b] < other[b] ? own[b] : other[b];
    int total = 0;
    for (Count b = 0; b < text_counts; ++b) total += least[b];
    shared[j] = total;
  }
}

// Hyyrö's bit-parallel columns (Myers 1999, Hyyrö 2003) of one pattern and a few texts: bit i of `up` and `down` says that
// the edit distance grows or falls from letter i - 1 to i of the pattern. `score` follows the diagonal that ends at the last
// letters of both. It never falls, so where it is beyond `most` for all texts nobody needs the rest.
#if defined(__AVX2__) && defined(__GNUC__)
constexpr Count side = 4;
using Words = Word __attribute__((vector_size(8 * side)));
void look_up(const Word* pattern, const std::uint8_t* const* t, int j, Words& match) {
  match = Words{pattern[t[0][j]], pattern[t[1][j]], pattern[t[2][j]], pattern[t[3][j]]};
}
bool all(const Words& bits) { return (bits[0] & bits[1] & bits[2] & bits[3]) != 0; }
#else
constexpr Count side = 1;
using Words = Word;
void look_up(const Word* pattern, const std::uint8_t* const* t, int j, Words& match) { match = pattern[t[0][j]]; }
bool all(Words bits) { return bits != 0; }
#endif

struct Column {
  Words up, down, score, length, shift;  // shift: of the pattern against the text, on the diagonal
};

void start(int query_length, const Word* lengths, Column& c) {
  memcpy(&c.length, lengths, sizeof(Words));
  c.up = ~Words{};
  c.down = Words{};
  c.shift = static_cast<Word>(query_length) - c.length;
  const Words negative = c.shift >> 63;
  c.score = (c.shift ^ -negative) + negative;  // |shift|
}

void next_letter(const Word* pattern, const std::uint8_t* const* texts, int j, Column& c) {
  Words match;
  look_up(pattern, texts, j, match);
  const Words diagonal = (((match & c.up) + c.up) ^ c.up) | match | c.down;
  const Words right = c.down | ~(diagonal | c.up), left = diagonal & c.up;
  const Words at = static_cast<Word>(j) + c.shift;
  const Words outside = (at | (c.length - 1 - static_cast<Word>(j))) >> 63;  // before the diagonal, or after the text
  c.score += (~(diagonal >> (at & 63)) & 1) & ~outside;
  const Words shifted = (right << 1) | 1;
  c.up = (left << 1) | ~(diagonal | shifted);
  c.down = shifted & diagonal;
}

void edit_counts(const Word* pattern, int query_length, const std::uint8_t* const* texts, int most, int* edits) {
  int longest = 0;
  Word lengths[lanes], scores[lanes];
  for (Count l = 0; l < lanes; ++l) {
    const int own = texts[l][length_at];
    longest = own > longest ? own : longest;
    lengths[l] = static_cast<Word>(own);
  }
  const Word limit = static_cast<Word>(most);
  for (Count l = 0; l < lanes; l += 2 * side) {  // two independent columns keep the machine busy
    Column a, b;
    start(query_length, lengths + l, a);
    start(query_length, lengths + l + side, b);
    for (int j = 0; j < longest;) {
      for (const int stop = j + 4 < longest ? j + 4 : longest; j < stop; ++j) {
        next_letter(pattern, texts + l, j, a);
        next_letter(pattern, texts + l + side, j, b);
      }
      if (all(((limit - a.score) & (limit - b.score)) >> 63)) break;
    }
    memcpy(scores + l, &a.score, sizeof(Words));
    memcpy(scores + l + side, &b.score, sizeof(Words));
  }
  for (Count l = 0; l < lanes; ++l) edits[l] = static_cast<int>(scores[l]);
}

}  // namespace

extern const TextTile text_tile;
const TextTile text_tile{shared_letters, edit_counts};

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
