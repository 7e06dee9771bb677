// Bounds of numbers and symbols in single precision, the rows within reach, and letters that texts share, compiled once per
// instruction set.
#include <math.h>

#include "index/two_stage/two_stage.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

template <int power>
void add_line(const Line& line, const float* x, float* sums) {
  const float q = line.query, error = line.error, known = line.known, hole = line.hole;
  switch (line.kind) {
    case Line::number:
      for (Count i = 0; i < chunk; ++i) {
        const float apart = fabsf(q - x[i]) - error, least = apart > 0.0f ? apart : 0.0f;
        sums[i] += power == 2 ? least * least : least;
      }
      break;
    case Line::number_or_hole:
      for (Count i = 0; i < chunk; ++i) {
        const float apart = fabsf(q - x[i]) - error, least = apart > 0.0f ? apart : 0.0f;
        const float term = power == 2 ? least * least : least;
        sums[i] += x[i] != x[i] ? hole : term;
      }
      break;
    case Line::symbol:
      for (Count i = 0; i < chunk; ++i) {
        const float term = x[i] != q ? known : 0.0f;
        sums[i] += x[i] != x[i] ? hole : term;
      }
      break;
    case Line::no_query:
      for (Count i = 0; i < chunk; ++i) sums[i] += x[i] != x[i] ? hole : known;
      break;
  }
}

template <int power>
void bound_all(const Line* lines, Count count, Count begin, Count end, float* sums, float* minima) {
  for (Count at = begin; at < end; at += chunk) {
    float part[chunk] = {};
    for (Count f = 0; f < count; ++f) add_line<power>(lines[f], lines[f].values + at, part);
    float least[8];
    for (Count i = 0; i < 8; ++i) least[i] = part[i];
    for (Count i = 8; i < chunk; i += 8)
      for (Count j = 0; j < 8; ++j) least[j] = part[i + j] < least[j] ? part[i + j] : least[j];
    for (Count i = 0; i < chunk; ++i) sums[at + i] = part[i];
    for (Count i = 1; i < 8; ++i) least[0] = least[i] < least[0] ? least[i] : least[0];
    minima[at / chunk] = least[0];
  }
}

#ifdef __AVX2__
// table[mask]: the places of the bits of mask, a byte each
struct Places {
  Places() {
    for (unsigned mask = 0; mask < 256; ++mask) {
      table[mask] = 0;
      for (unsigned bit = 0, found = 0; bit < 8; ++bit)
        if (mask >> bit & 1) table[mask] |= std::uint64_t{bit} << (8 * found++);
    }
  }
  std::uint64_t table[256];
};
#endif

int shared_letters(const std::uint8_t* own, const std::uint8_t* other) {
#ifdef __AVX2__
  const __m256i mine = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(own));
  const __m256i theirs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(other));
  const __m256i four = _mm256_sad_epu8(_mm256_min_epu8(mine, theirs), _mm256_setzero_si256());
  const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
  return _mm_cvtsi128_si32(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)));
#else
  std::uint8_t least[letter_counts];
  for (Count b = 0; b < letter_counts; ++b) least[b] = own[b] < other[b] ? own[b] : other[b];
  int total = 0;
  for (Count b = 0; b < letter_counts; ++b) total += least[b];
  return total;
#endif
}

}  // namespace

void bound(const Line* lines, Count count, int power, Count begin, Count end, float* sums, float* minima) {
  if (power == 2) bound_all<2>(lines, count, begin, end, sums, minima);
  else bound_all<1>(lines, count, begin, end, sums, minima);
}

Count gather(const float* sums, const float* minima, Count packed, float above, float upto, std::int32_t* rows) {
  Count found = 0;
#ifdef __AVX2__
  static const Places places;
  const __m256 low = _mm256_set1_ps(above), high = _mm256_set1_ps(upto);
#endif
  for (Count at = 0; at < packed; at += chunk) {
    if (minima[at / chunk] > upto) continue;
#ifdef __AVX2__
    for (Count i = at; i < at + chunk; i += 8) {
      const __m256 x = _mm256_loadu_ps(sums + i);
      const __m256 in = _mm256_and_ps(_mm256_cmp_ps(x, low, _CMP_GT_OQ), _mm256_cmp_ps(x, high, _CMP_LE_OQ));
      const auto mask = static_cast<unsigned>(_mm256_movemask_ps(in));
      const __m256i eight = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(places.table[mask])));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(rows + found),
                          _mm256_add_epi32(eight, _mm256_set1_epi32(static_cast<int>(i))));
      found += __builtin_popcount(mask);
    }
#else
    for (Count i = at; i < at + chunk; ++i) {
      rows[found] = static_cast<std::int32_t>(i);
      found += (sums[i] > above) & (sums[i] <= upto);
    }
#endif
  }
  return found;
}

void add_letters(const Letters& letters, int power, const std::int32_t* rows, Count count, float* lower) {
  const Letters l = letters;  // a copy, which the writes below cannot change
  for (Count j = 0; j < count; ++j) {
    const StoredText held = l.held[rows[j]];
    const LengthRule rule = l.rules[held.length + 1];
    const int shared = shared_letters(l.own, l.counts + held.text * letter_counts);
    const float apart = rule.constant + static_cast<float>(rule.longer - shared) * rule.factor;
    lower[j] += l.weights[held.segment * l.stride] * (power == 2 ? apart * apart : apart);
  }
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
