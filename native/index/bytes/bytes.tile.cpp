// The tile of bytes: six queries against 32 cases at a time, compared with the limits at once.
#include "index/bytes/bytes.hpp"
#include "machine/vectors.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

#ifdef __AVX512VNNI__

// Adds the products, or twice the larger, of four neighbouring bytes to each of 16 sums.
template <bool moduli>
__m512i add_group(__m512i sum, __m512i x, __m512i q) {
  if constexpr (moduli) return _mm512_dpbusd_epi32(sum, _mm512_max_epu8(x, q), _mm512_set1_epi8(2));
  else return _mm512_dpbusd_epi32(sum, x, q);
}

// The low halves of 32 sums.
__m512i lower_halves(__m512i low, __m512i high) {
  const __m512i lanes = _mm512_slli_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 2);
  const __m512i even = _mm512_or_si512(lanes, _mm512_add_epi32(_mm512_slli_epi32(lanes, 16), _mm512_set1_epi32(2 << 16)));
  return _mm512_permutex2var_epi16(low, even, high);
}

template <bool moduli>
void run(const CoarseBlock& b, CoarseListener& listener) {
  for (Count panel = 0; panel < b.panels; ++panel) {
    const std::uint8_t* x = b.bytes + panel * b.groups * 4 * coarse_width;
    __m512i sums[coarse_height][2];
#pragma GCC unroll 6
    for (int r = 0; r < coarse_height; ++r) sums[r][0] = sums[r][1] = _mm512_setzero_si512();
    for (Count group = 0; group < b.groups; ++group) {
      const __m512i first = load<__m512i>(x + group * 128), second = load<__m512i>(x + group * 128 + 64);
#pragma GCC unroll 6
      for (int r = 0; r < coarse_height; ++r) {
        const __m512i q = _mm512_set1_epi32(static_cast<int>(b.query_bytes[group * coarse_height + r]));
        sums[r][0] = add_group<moduli>(sums[r][0], first, q);
        sums[r][1] = add_group<moduli>(sums[r][1], second, q);
      }
    }
    const __m512i start = load<__m512i>(b.start + panel * coarse_width);
    __m512i values[coarse_height];
#pragma GCC unroll 6
    for (int r = 0; r < coarse_height; ++r)
      values[r] = _mm512_add_epi16(_mm512_add_epi16(start, _mm512_set1_epi16(static_cast<short>(b.constants[r]))),
                                   lower_halves(sums[r][0], sums[r][1]));
    const std::int16_t* codes = b.codes + panel * b.s * coarse_width;
    for (Count f = 0; f < b.s; ++f) {
      const __m512i own = load<__m512i>(codes + f * coarse_width);
      const __m512i weight = _mm512_set1_epi16(static_cast<short>(b.weights[f]));
#pragma GCC unroll 6
      for (int r = 0; r < coarse_height; ++r) {
        const __m512i q = _mm512_set1_epi16(b.query_codes[f * coarse_height + r]);
        values[r] = _mm512_mask_add_epi16(values[r], _mm512_cmpneq_epi16_mask(own, q), values[r], weight);
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < coarse_height; ++r) {
      const __mmask32 near = _mm512_cmple_epi16_mask(values[r], _mm512_set1_epi16(listener.limits[r]));
      if (__builtin_expect(near != 0, 0)) {
        std::int16_t told[coarse_width];
        store(told, values[r]);
        listener.found(r, panel, near, told);
      }
    }
  }
}

#elif defined(__AVX2__)

// Adds the products, or twice the larger, of two neighbouring bytes to each of 16 sums.
template <bool moduli>
__m256i add_group(__m256i sum, __m256i x, __m256i q) {
  if constexpr (moduli)
    return _mm256_add_epi16(sum, _mm256_maddubs_epi16(_mm256_max_epu8(x, q), _mm256_set1_epi8(2)));
  else return _mm256_add_epi16(sum, _mm256_maddubs_epi16(x, q));
}

template <bool moduli>
void run(const CoarseBlock& b, CoarseListener& listener) {
  for (Count panel = 0; panel < b.panels; ++panel) {
    const std::uint8_t* x = b.bytes + panel * b.groups * 2 * coarse_width;
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
    for (Count group = 0; group < b.groups; ++group) {
      const __m256i first = load<__m256i>(x + group * 64), second = load<__m256i>(x + group * 64 + 32);
#pragma GCC unroll 6
      for (int r = 0; r < coarse_height; ++r) {
        const __m256i q = _mm256_set1_epi32(static_cast<int>(b.query_bytes[group * coarse_height + r]));
        sums[r][0] = add_group<moduli>(sums[r][0], first, q);
        sums[r][1] = add_group<moduli>(sums[r][1], second, q);
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
    const std::uint8_t* x = b.bytes + panel * b.groups * 2 * coarse_width;
    const std::int16_t* codes = b.codes + panel * b.s * coarse_width;
    for (int r = 0; r < coarse_height; ++r) {
      std::uint16_t sums[coarse_width];
      for (int i = 0; i < coarse_width; ++i)
        sums[i] = static_cast<std::uint16_t>(b.start[panel * coarse_width + i] + b.constants[r]);
      for (Count group = 0; group < b.groups; ++group) {
        const std::uint32_t both = b.query_bytes[group * coarse_height + r];
        const int q0 = moduli ? static_cast<int>(both & 255) : static_cast<std::int8_t>(both & 255);
        const int q1 = moduli ? static_cast<int>(both >> 8 & 255) : static_cast<std::int8_t>(both >> 8 & 255);
        const std::uint8_t* at = x + group * 2 * coarse_width;
        for (int i = 0; i < coarse_width; ++i) {
          const int x0 = at[2 * i], x1 = at[2 * i + 1];
          const int term = moduli ? 2 * ((x0 > q0 ? x0 : q0) + (x1 > q1 ? x1 : q1)) : x0 * q0 + x1 * q1;
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

#ifdef __AVX512VNNI__
extern const CoarseForm coarse_form{4, 127};
#else
extern const CoarseForm coarse_form{2, 90};  // a pair of products of 180 and 90 fits 16 bits
#endif

void propose_coarse(const CoarseBlock& b, CoarseListener& listener) {
  if (b.moduli) run<true>(b, listener);
  else run<false>(b, listener);
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
