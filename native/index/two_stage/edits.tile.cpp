// Edits between one query text and eight stored ones, compiled once per instruction set.
//
// Bit-parallel columns (Myers 1999, Hyyrö 2003): bit i of `up` and `down` says that the edit distance grows or falls from
// letter i - 1 to i of the query. All texts end in the last column. A column before a text starts leaves the first column as
// it is, because nothing comes in at the top (`enter` is 0) and no letter matches.
//
// After all but r columns, the distance of the query without its last r letters and the text without its last r letters is
//   length - r + (ups - downs of the first query length - r letters).
// It lies on the diagonal that ends at both ends, along which distances never fall: where it is beyond `most` for all
// texts, nobody needs the rest.
#include <string.h>

#include "index/two_stage/two_stage.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

using Word = std::uint64_t;

#ifdef __AVX2__
constexpr Count side = 4;
using Words = Word __attribute__((vector_size(8 * side)));
template <Count words>
Words look_up(const Word* pattern, const std::uint8_t* const* ends, Count back) {
  return Words{pattern[words * ends[0][-back]], pattern[words * ends[1][-back]], pattern[words * ends[2][-back]],
               pattern[words * ends[3][-back]]};
}
Word lane(const Words& words, Count l) { return words[static_cast<int>(l)]; }
Words later(const Words& before, Count column) {  // 1 where the text has started
  using Signed = std::int64_t __attribute__((vector_size(8 * side)));
  return reinterpret_cast<Words>(reinterpret_cast<const Signed&>(before) <= column) & 1;
}
#else
constexpr Count side = 1;
using Words = Word;
template <Count words>
Words look_up(const Word* pattern, const std::uint8_t* const* ends, Count back) {
  return pattern[words * ends[0][-back]];
}
Word lane(Words words, Count) { return words; }
Words later(Words before, Count column) { return before <= static_cast<Word>(column); }
#endif

int ones(Word word) { return __builtin_popcountll(word); }

template <Count words>
struct Column {
  Words up[words], down[words];
  Words before;  // columns before the text starts
};

template <Count words>
void start(const int* lengths, int longest, Column<words>& c) {
  for (Count w = 0; w < words; ++w) {
    c.up[w] = ~Words{};
    c.down[w] = Words{};
  }
  Word before[side];
  for (Count l = 0; l < side; ++l) before[l] = static_cast<Word>(longest - lengths[l]);
  memcpy(&c.before, before, sizeof(Words));
}

template <Count words>
inline void next_column(const Word* pattern, const std::uint8_t* const* ends, Count back, const Words& enter, Column<words>& c) {
  Words rises = enter, falls{};  // what comes in from the letter above
  for (Count w = 0; w < words; ++w) {
    const Words up = c.up[w], down = c.down[w];
    Words match = look_up<words>(pattern + w, ends, back);
    const Words vertical = match | down;
    if (words > 1 && w > 0) match |= falls;
    const Words diagonal = (((match & up) + up) ^ up) | match;
    Words right = down | ~(diagonal | up), left = up & diagonal;
    const Words out = right >> 63, fall = left >> 63;
    right = (right << 1) | rises;
    left = left << 1;
    if (words > 1) {
      left |= falls;
      rises = out;
      falls = fall;
    }
    c.up[w] = left | ~(vertical | right);
    c.down[w] = right & vertical;
  }
}

// The distances on the diagonal with r columns to come.
template <Count words>
bool all_beyond(const Column<words>& c, int query_length, const int* lengths, const int* most, int r, int* edits) {
  const int rows = query_length > r ? query_length - r : 0;
  bool beyond = true;
  for (Count l = 0; l < side; ++l) {
    int score = lengths[l] - r;
    for (Count w = 0; w < words; ++w) {
      const int held = rows - static_cast<int>(64 * w);
      const Word mask = held >= 64 ? ~Word{0} : held > 0 ? (Word{1} << held) - 1 : 0;
      score += ones(lane(c.up[w], l) & mask) - ones(lane(c.down[w], l) & mask);
    }
    edits[l] = score;
    beyond &= score > most[l];
  }
  return beyond;
}

template <Count words>
void count_words(const Pattern& pattern, const std::uint8_t* const* ends, const int* lengths, const int* most, int* edits) {
  constexpr int step = 4;  // columns between two looks at the diagonal
  for (Count l = 0; l < lanes; l += 2 * side) {  // two independent columns keep the machine busy
    int longest = 0, shortest = most_letters, patience = 0;
    for (Count i = l; i < l + 2 * side; ++i) {
      longest = lengths[i] > longest ? lengths[i] : longest;
      shortest = lengths[i] < shortest ? lengths[i] : shortest;
      patience = most[i] > patience ? most[i] : patience;
    }
    Column<words> a, b;
    start<words>(lengths + l, longest, a);
    start<words>(lengths + l + side, longest, b);
    int column = 0;
    for (; column < longest - shortest; ++column) {
      next_column<words>(pattern.words, ends + l, longest - column, later(a.before, column), a);
      next_column<words>(pattern.words, ends + l + side, longest - column, later(b.before, column), b);
    }
    const Words enter = Words{} + 1;
    while (column < longest) {
      for (const int stop = column + step < longest ? column + step : longest; column < stop; ++column) {
        next_column<words>(pattern.words, ends + l, longest - column, enter, a);
        next_column<words>(pattern.words, ends + l + side, longest - column, enter, b);
      }
      const int r = longest - column;
      if (column <= patience && pattern.length - r <= patience) continue;  // the diagonal cannot be beyond it yet
      if (r == 0) break;
      if (all_beyond(a, pattern.length, lengths + l, most + l, r, edits + l) &&
          all_beyond(b, pattern.length, lengths + l + side, most + l + side, r, edits + l + side))
        break;
    }
    if (column < longest) continue;
    all_beyond(a, pattern.length, lengths + l, most + l, 0, edits + l);
    all_beyond(b, pattern.length, lengths + l + side, most + l + side, 0, edits + l + side);
  }
}

}  // namespace

void count_edits(const Pattern& pattern, const std::uint8_t* const* ends, const int* lengths, const int* most, int* edits) {
  switch (pattern.count) {
    case 1: return count_words<1>(pattern, ends, lengths, most, edits);
    case 2: return count_words<2>(pattern, ends, lengths, most, edits);
    case 3: return count_words<3>(pattern, ends, lengths, most, edits);
    default: return count_words<4>(pattern, ends, lengths, most, edits);
  }
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
