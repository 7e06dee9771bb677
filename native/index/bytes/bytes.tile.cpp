// The tile of bytes: six queries against 32 cases at a time, compared with the limits at once.
#include "index/bytes/bytes.hpp"
#include "machine/vectors.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

#ifdef __AVX2__

// Adds the products, or the moduli of the differences, of two neighbouring bytes to each of 16 sums.
template <bool moduli>
__m256i add_pair(__m256i sum, __m256i x, __m256i q) {
  if constexpr (moduli) {
    const __m256i gap = _mm256_or_si256(_mm256_subs_epu8(x, q), _mm256_subs_epu8(q, x));
    return _mm256_add_epi16(sum, _mm256_maddubs_epi16(gap, _mm256_set1_epi8(1)));
  } else {
    return _mm256_add_epi16(sum, _mm256_maddubs_epi16(x, q));
  }
}

template <bool moduli>
void run(const CoarseBlock& b, CoarseListener& listener) {
  for (Count panel = 0; panel < b.panels; ++panel) {
    const std::uint8_t* x = b.bytes + panel * b.pairs * 2 * coarse_width;
    const std::int16_t* codes = b.codes + panel * b.s * coarse_width;
    __m256i sums[coarse_height][2];
    const __m256i low = load<__m256i>(b.start + panel * coarse_width);
    const __m256i high = load<__m256i>(b.start + panel * coarse_width + 16);
#pragma GCC unroll 6
    for (int r = 0; r < coarse_height; ++r) {
      const __m256i constant = _mm256_set1_epi16(static_cast<short>(b.constants[r]));
      sums[r][0] = _mm256_add_epi16(low, constant);
      sums[r][1] = _mm256_add_epi16(high, constant);
    }
    for (Count pair = 0; pair < b.pairs; ++pair) {
      const __m256i first = load<__m256i>(x + pair * 64), second = load<__m256i>(x + pair * 64 + 32);
#pragma GCC unroll 6
      for (int r = 0; r < coarse_height; ++r) {
        const __m256i q = _mm256_set1_epi32(static_cast<int>(b.query_bytes[pair * coarse_height + r]));
        sums[r][0] = add_pair<moduli>(sums[r][0], first, q);
        sums[r][1] = add_pair<moduli>(sums[r][1], second, q);
      }
    }
    for (Count f = 0; f < b.s; ++f) {
      const __m256i first = load<__m256i>(codes + f * coarse_width), second = load<__m256i>(codes + f * coarse_width + 16);
      const __m256i weight = _mm256_set1_epi16(static_cast<short>(b.weights[f]));
#pragma GCC unroll 6
      for (int r = 0; r < coarse_height; ++r) {
        const __m256i q = _mm256_set1_epi16(b.query_codes[f * coarse_height + r]);
        sums[r][0] = _mm256_add_epi16(sums[r][0], _mm256_andnot_si256(_mm256_cmpeq_epi16(first, q), weight));
        sums[r][1] = _mm256_add_epi16(sums[r][1], _mm256_andnot_si256(_mm256_cmpeq_epi16(second, q), weight));
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < coarse_height; ++r) {
      const __m256i limit = _mm256_set1_epi16(listener.limits[r]);
      const __m256i above = _mm256_cmpgt_epi16(sums[r][0], limit), beyond = _mm256_cmpgt_epi16(sums[r][1], limit);
      if (__builtin_expect(_mm256_movemask_epi8(_mm256_and_si256(above, beyond)) != -1, 0)) {
        const __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(above, beyond), 0xd8);
        std::int16_t values[coarse_width];
        __builtin_memcpy(values, &sums[r][0], sizeof values);
        listener.found(r, panel, ~static_cast<std::uint32_t>(_mm256_movemask_epi8(both)), values);
      }
    }
  }
}

#else

template <bool moduli>
void run(const CoarseBlock& b, CoarseListener& listener) {
  for (Count panel = 0; panel < b.panels; ++panel) {
    const std::uint8_t* x = b.bytes + panel * b.pairs * 2 * coarse_width;
    const std::int16_t* codes = b.codes + panel * b.s * coarse_width;
    for (int r = 0; r < coarse_height; ++r) {
      std::uint16_t sums[coarse_width];
      for (int i = 0; i < coarse_width; ++i)
        sums[i] = static_cast<std::uint16_t>(b.start[panel * coarse_width + i] + b.constants[r]);
      for (Count pair = 0; pair < b.pairs; ++pair) {
        const std::uint32_t both = b.query_bytes[pair * coarse_height + r];
        const int q0 = moduli ? static_cast<int>(both & 255) : static_cast<std::int8_t>(both & 255);
        const int q1 = moduli ? static_cast<int>(both >> 8 & 255) : static_cast<std::int8_t>(both >> 8 & 255);
        const std::uint8_t* at = x + pair * 2 * coarse_width;
        for (int i = 0; i < coarse_width; ++i) {
          const int x0 = at[2 * i], x1 = at[2 * i + 1];
          const int term = moduli ? (x0 > q0 ? x0 - q0 : q0 - x0) + (x1 > q1 ? x1 - q1 : q1 - x1) : x0 * q0 + x1 * q1;
          sums[i] = static_cast<std::uint16_t>(sums[i] + term);
        }
      }
      for (Count f = 0; f < b.s; ++f)
        for (int i = 0; i < coarse_width; ++i)
          if (codes[f * coarse_width + i] != b.query_codes[f * coarse_height + r])
            sums[i] = static_cast<std::uint16_t>(sums[i] + b.weights[f]);
      std::int16_t values[coarse_width];
      std::uint32_t mask = 0;
      for (int i = 0; i < coarse_width; ++i) {
        values[i] = static_cast<std::int16_t>(sums[i]);
        mask |= static_cast<std::uint32_t>(values[i] <= listener.limits[r]) << i;
      }
      if (mask != 0) listener.found(r, panel, mask, values);
    }
  }
}

#endif

}  // namespace

void propose_coarse(const CoarseBlock& b, CoarseListener& listener) {
  if (b.moduli) run<true>(b, listener);
  else run<false>(b, listener);
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
