// The coarse tile: six queries against thirty-two cases at a time in numbers of sixteen bits, twice as many as in single
// precision and with cheaper operations.
//
//   sum of |x - q| = 2 * (sum of max(x, q)) - (sum of x) - (sum of q)
//
// Numbers are from 0, and none of these sums exceeds 65535.
#include "machine/vectors.hpp"
#include "statistics/contrasts/contrast.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

#ifdef __AVX2__
constexpr int wide = 16;
#else
constexpr int wide = 8;  // what SSE2 and NEON hold: GCC compares wider vectors one by one and keeps them in memory
#endif
constexpr int parts = panel_width / wide;  // vectors of a panel
typedef std::uint16_t Shorts __attribute__((vector_size(2 * wide)));
typedef std::uint32_t Words __attribute__((vector_size(2 * wide)));
struct Panel {
  Shorts at[parts];
};

// The same number twice in a word: broadcasting words is cheaper.
Shorts twins(std::uint32_t x) { return (Shorts)(x + Words{}); }

Shorts larger(Shorts x, Shorts y) {
#ifdef __AVX2__
  return (Shorts)_mm256_max_epu16((__m256i)x, (__m256i)y);
#else
  return x > y ? x : y;
#endif
}

// Which of the sums do not exceed a + b; a + b stays at 65535 where it is more.
unsigned within(Shorts sums, Shorts a, Shorts b) {
#ifdef __AVX2__
  const __m256i most = _mm256_adds_epu16((__m256i)a, (__m256i)b);
  const __m256i equal = _mm256_cmpeq_epi16(_mm256_max_epu16((__m256i)sums, most), most);
  const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(equal, _mm256_setzero_si256()), 0xd8);
  return static_cast<unsigned>(_mm256_movemask_epi8(bytes)) & 0xffffu;
#else
  const Shorts sum = a + b, most = sum | (Shorts)(sum < a);
  const Words bits = (Words)((Shorts)(sums <= most) & Shorts{1, 2, 4, 8, 16, 32, 64, 128});
  const std::uint32_t all = bits[0] | bits[1] | bits[2] | bits[3];
  return (all | all >> 16) & 0xffu;
#endif
}

// Half of (limit + sum of q), rounded up, as the comparison wants it.
std::uint16_t half_limit(float limit, std::uint32_t total) {
  const float half = (limit + static_cast<float>(total)) / 2 + 1;
  return half >= 65535.0f ? 65535 : half > 0 ? static_cast<std::uint16_t>(half) : 0;
}

void tell(const ShortBlock& b, FloatListener& listener, int row, Count panel, unsigned mask, Panel sums) {
  float values[panel_width];
  std::uint16_t own[panel_width];
  __builtin_memcpy(own, sums.at, sizeof own);
  unsigned told = 0;
  for (; mask != 0; mask &= mask - 1) {
    const int lane = __builtin_ctz(mask);
    const Count total = static_cast<Count>(b.totals[panel * panel_width + lane]) + b.query_totals[row];
    values[lane] = static_cast<float>(2 * static_cast<Count>(own[lane]) - total);
    if (values[lane] <= listener.limits[row]) told |= 1u << lane;
  }
  if (told != 0) listener.found(row, panel, told, values);
}

}  // namespace

void propose_short(const ShortBlock& b, FloatListener& listener) {
  for (Count panel = 0; panel < b.panels; panel += 2) {
    const std::uint16_t* first = b.values + panel * b.p * panel_width;
    const std::uint16_t* second = panel + 1 < b.panels ? first + b.p * panel_width : first;
    Panel sums[group_height][2] = {};
    for (Count f = 0; f < b.p; ++f) {
      Shorts low[parts], high[parts];
#pragma GCC unroll 2
      for (int part = 0; part < parts; ++part) {
        low[part] = load<Shorts>(first + f * panel_width + part * wide);
        high[part] = load<Shorts>(second + f * panel_width + part * wide);
      }
#pragma GCC unroll 6
      for (int r = 0; r < group_height; ++r) {
        const Shorts asked = twins(b.queries[f * group_height + r]);
#pragma GCC unroll 2
        for (int part = 0; part < parts; ++part) {
          sums[r][0].at[part] = sums[r][0].at[part] + larger(low[part], asked);
          sums[r][1].at[part] = sums[r][1].at[part] + larger(high[part], asked);
        }
      }
    }
    const std::uint16_t* low = b.halves + panel * panel_width;
    const std::uint16_t* high = b.halves + (panel + (second != first)) * panel_width;
#pragma GCC unroll 6
    for (int r = 0; r < group_height; ++r) {
      const std::uint32_t half = half_limit(listener.limits[r], b.query_totals[r]);
      const Shorts limit = twins(half | half << 16);
      unsigned near_low = 0, near_high = 0;
#pragma GCC unroll 2
      for (int part = 0; part < parts; ++part) {
        near_low |= within(sums[r][0].at[part], load<Shorts>(low + part * wide), limit) << (part * wide);
        if (second != first)
          near_high |= within(sums[r][1].at[part], load<Shorts>(high + part * wide), limit) << (part * wide);
      }
      if (__builtin_expect(near_low != 0, 0)) tell(b, listener, r, panel, near_low, sums[r][0]);
      if (__builtin_expect(near_high != 0, 0)) tell(b, listener, r, panel + 1, near_high, sums[r][1]);
    }
  }
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
