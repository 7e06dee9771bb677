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
// the edit distance grows or falls from letter i - 1 to i of the pattern; `score` follows its last letter.
#if defined(__AVX2__) && defined(__GNUC__)
constexpr Count side = 4;
using Words = Word __attribute__((vector_size(8 * side)));
void look_up(const Word* pattern, const std::uint8_t* const* t, int j, Words& match) {
  match = Words{pattern[t[0][j]], pattern[t[1][j]], pattern[t[2][j]], pattern[t[3][j]]};
}
#else
constexpr Count side = 1;
using Words = Word;
void look_up(const Word* pattern, const std::uint8_t* const* t, int j, Words& match) { match = pattern[t[0][j]]; }
#endif

struct Column {
  Words up, down, score, length;
};

void next_letter(const Word* pattern, const std::uint8_t* const* texts, int j, int last, Column& c) {
  Words match;
  look_up(pattern, texts, j, match);
  const Words diagonal = (((match & c.up) + c.up) ^ c.up) | match | c.down;
  const Words right = c.down | ~(diagonal | c.up), left = diagonal & c.up;
  const Words counts = (static_cast<Word>(j) - c.length) >> 63;  // 1 unless the text has ended
  c.score += ((right >> last) & counts) - ((left >> last) & counts);
  const Words shifted = (right << 1) | 1;
  c.up = (left << 1) | ~(diagonal | shifted);
  c.down = shifted & diagonal;
}

void edit_counts(const Word* pattern, int query_length, const std::uint8_t* const* texts, int* edits) {
  if (query_length == 0) {
    for (Count l = 0; l < lanes; ++l) edits[l] = texts[l][length_at];
    return;
  }
  const Word start = static_cast<Word>(query_length);
  int longest = 0;
  Word lengths[lanes], scores[lanes];
  for (Count l = 0; l < lanes; ++l) {
    const int own = texts[l][length_at];
    longest = own > longest ? own : longest;
    lengths[l] = static_cast<Word>(own);
  }
  for (Count l = 0; l < lanes; l += 2 * side) {  // two independent columns keep the machine busy
    Column a{~Words{}, Words{}, start + Words{}, Words{}}, b = a;
    memcpy(&a.length, lengths + l, sizeof(Words));
    memcpy(&b.length, lengths + l + side, sizeof(Words));
    for (int j = 0; j < longest; ++j) {
      next_letter(pattern, texts + l, j, query_length - 1, a);
      next_letter(pattern, texts + l + side, j, query_length - 1, b);
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
