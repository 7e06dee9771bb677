// The walk of 32 queries over a part, compiled once per instruction set; coded.hpp says what it is for.
//
//   bound(node) = bound(parent) + costs[node.entry]     a byte a query, adding up to 255 at most
//
// Nothing here may be inline outside the anonymous namespace (scan.tile.cpp says why).
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "coded.walk.hpp"

namespace nearwise::coded::NEARWISE_INSTRUCTIONS {
namespace {

constexpr Count stretch = 12;  // features added between two looks at the bound

#ifdef __AVX2__

struct Bytes {
  __m256i value;
};

Bytes load(const std::uint8_t* from) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))}; }

void store(std::uint8_t* to, Bytes bytes) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes.value); }

Bytes plus(Bytes a, const std::uint8_t* b) { return {_mm256_adds_epu8(a.value, load(b).value)}; }

std::uint32_t alive(Bytes bound, Bytes limit) {
  const __m256i within = _mm256_cmpeq_epi8(_mm256_min_epu8(bound.value, limit.value), bound.value);
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(within));
}

#else

struct Bytes {
  std::uint8_t value[lanes];
};

Bytes load(const std::uint8_t* from) {
  Bytes out;
  for (Count i = 0; i < lanes; ++i) out.value[i] = from[i];
  return out;
}

void store(std::uint8_t* to, const Bytes& bytes) {
  for (Count i = 0; i < lanes; ++i) to[i] = bytes.value[i];
}

Bytes plus(const Bytes& a, const std::uint8_t* b) {
  Bytes out;
  for (Count i = 0; i < lanes; ++i) {
    const std::uint8_t sum = static_cast<std::uint8_t>(a.value[i] + b[i]);
    out.value[i] = sum < b[i] ? std::uint8_t{255} : sum;
  }
  return out;
}

std::uint32_t alive(const Bytes& bound, const Bytes& limit) {
  std::uint8_t within[lanes], any = 0;
  for (Count i = 0; i < lanes; ++i) within[i] = bound.value[i] <= limit.value[i];
  for (Count i = 0; i < lanes; ++i) any |= within[i];
  if (any == 0) return 0;
  std::uint32_t mask = 0;
  for (Count i = 0; i < lanes; ++i) mask |= static_cast<std::uint32_t>(within[i]) << i;
  return mask;
}

#endif

// The rows of a leaf: every row adds what its remaining features cost.
void scan_leaf(const Walk& w, const Node& node, Bytes bound, Bytes& limits) {
  for (Count row = node.begin; row < node.end; ++row) {
    const std::uint16_t* entry = w.entries + row * w.width;
    Bytes total = bound;
    std::uint32_t mask = 0;
    for (Count f = node.from;;) {
      const Count stop = f + stretch < w.width ? f + stretch : w.width;
      for (; f < stop; ++f) total = plus(total, w.costs + entry[f] * lanes);
      mask = alive(total, limits);
      if (mask == 0 || f >= w.width) break;
    }
    if (mask == 0) continue;
    w.hit(w.context, row, mask);
    limits = load(w.limits);
  }
}

}  // namespace

void walk(const Walk& w) {
  Bytes limits = load(w.limits);
  for (Count at = w.first; at < w.last;) {
    const Node& node = w.nodes[at];
    const Bytes bound = plus(load(w.stack + node.level * lanes), w.costs + node.entry * lanes);
    if (alive(bound, limits) == 0) {
      at = node.after;
    } else if (node.begin == node.end) {
      store(w.stack + (node.level + 1) * lanes, bound);
      ++at;
    } else {
      scan_leaf(w, node, bound, limits);
      at = node.after;
    }
  }
}

double quantise(const Prices& p, std::uint8_t* units) {
  double least = p.coefficient * p.terms[0];
  for (Count code = 0; code < p.values; ++code) {
    const double cost = p.coefficient * p.terms[code];
    least = cost < least ? cost : least;
  }
  if (!(least < 1e300)) least = 0;
  for (Count code = 0; code < p.values; ++code) {
    // what is not a number (0 * infinity) bounds nothing and becomes 0
    const double wanted = (p.coefficient * p.terms[code] - least) * p.unit;
    const double capped = wanted >= 255.0 ? 255.0 : wanted;
    units[code] = static_cast<std::uint8_t>(static_cast<std::int32_t>(capped > 0.0 ? capped : 0.0));
  }
  return least;
}

void spread(const std::uint8_t* units, Count width, Count used, Count entries, std::uint8_t* costs) {
  // a few entries at a time, so that what is written stays in the first-level cache
  constexpr Count block = 64;
  for (Count first = 0; first < entries; first += block) {
    const Count end = first + block < entries ? first + block : entries;
    for (Count lane = 0; lane < used; ++lane)
      for (Count entry = first; entry < end; ++entry) costs[entry * lanes + lane] = units[lane * width + entry];
  }
}

}  // namespace nearwise::coded::NEARWISE_INSTRUCTIONS
