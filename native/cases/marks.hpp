// Where the letters stand that take separated text apart: a bit for each of 64 bytes.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nearwise {

constexpr int block_letters = 64;

struct Marks {
  std::uint64_t quotes = 0, ends = 0, returns = 0, separators = 0, crosses = 0, nuls = 0;
};

#if defined(__SSE2__)

inline Marks marks_of(const std::uint8_t* letters, std::uint8_t separator) {
  Marks found;
  for (int part = 0; part < block_letters / 16; ++part) {
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(letters + 16 * part));
    const auto where = [&](__m128i bytes, char letter) {
      const int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(letter)));
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(bits)) << (16 * part);
    };
    found.quotes |= where(sixteen, '"');
    found.ends |= where(sixteen, '\n');
    found.returns |= where(sixteen, '\r');
    found.separators |= where(sixteen, static_cast<char>(separator));
    found.crosses |= where(_mm_or_si128(sixteen, _mm_set1_epi8(0x20)), 'x');
    found.nuls |= where(sixteen, '\0');
  }
  return found;
}

#else

inline Marks marks_of(const std::uint8_t* letters, std::uint8_t separator) {
  Marks found;
  for (int i = 0; i < block_letters; ++i) {
    const std::uint8_t letter = letters[i];
    found.quotes |= static_cast<std::uint64_t>(letter == '"') << i;
    found.ends |= static_cast<std::uint64_t>(letter == '\n') << i;
    found.returns |= static_cast<std::uint64_t>(letter == '\r') << i;
    found.separators |= static_cast<std::uint64_t>(letter == separator) << i;
    found.crosses |= static_cast<std::uint64_t>((letter | 0x20) == 'x') << i;
    found.nuls |= static_cast<std::uint64_t>(letter == 0) << i;
  }
  return found;
}

#endif

}  // namespace nearwise
