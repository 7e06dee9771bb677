// The walk of 32 queries over a part, compiled once per instruction set; index/codes/codes.hpp says what it is for.
//
//   bound(node) = bound(parent) + costs[node.entry]     a byte or word a query, which stays at its most
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "index/codes/walk.hpp"

namespace nearwise::coded::NEARWISE_INSTRUCTIONS {
namespace {

constexpr Count stretch = 12;  // features added between two looks at the bound

#ifdef __AVX2__

const std::uint8_t* bytes_of(const std::uint16_t* memory) { return reinterpret_cast<const std::uint8_t*>(memory); }
std::uint8_t* bytes_of(std::uint16_t* memory) { return reinterpret_cast<std::uint8_t*>(memory); }

__m256i at(const void* memory) { return _mm256_loadu_si256(static_cast<const __m256i*>(memory)); }

struct Bytes {
  __m256i all;
  static Bytes load(const std::uint16_t* m, Count line) { return {at(bytes_of(m) + line * lanes)}; }
  void store(std::uint16_t* m, Count line) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes_of(m) + line * lanes), all);
  }
  Bytes plus(const std::uint16_t* m, Count line) const {
    return {_mm256_adds_epu8(all, at(bytes_of(m) + line * lanes))};
  }
  std::uint32_t within(const Bytes& limit) const {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(all, limit.all), all)));
  }
};

struct Words {
  __m256i low, high;
  static Words load(const std::uint16_t* m, Count line) {
    return {at(m + line * lanes), at(m + line * lanes + lanes / 2)};
  }
  void store(std::uint16_t* m, Count line) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(m + line * lanes), low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(m + line * lanes + lanes / 2), high);
  }
  Words plus(const std::uint16_t* m, Count line) const {
    const Words other = load(m, line);
    return {_mm256_adds_epu16(low, other.low), _mm256_adds_epu16(high, other.high)};
  }
  std::uint32_t within(const Words& limit) const {
    const __m256i a = _mm256_cmpeq_epi16(_mm256_min_epu16(low, limit.low), low);
    const __m256i b = _mm256_cmpeq_epi16(_mm256_min_epu16(high, limit.high), high);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);  // packs works half by half
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(packed));
  }
};

#else

template <class Unit>
struct Units {
  Unit all[lanes];
  static const Unit* line_of(const std::uint16_t* m, Count line) { return reinterpret_cast<const Unit*>(m) + line * lanes; }
  static Units load(const std::uint16_t* m, Count line) {
    Units out;
    for (Count i = 0; i < lanes; ++i) out.all[i] = line_of(m, line)[i];
    return out;
  }
  void store(std::uint16_t* m, Count line) const {
    Unit* to = reinterpret_cast<Unit*>(m) + line * lanes;
    for (Count i = 0; i < lanes; ++i) to[i] = all[i];
  }
  Units plus(const std::uint16_t* m, Count line) const {
    const Unit* other = line_of(m, line);
    Units out;
    for (Count i = 0; i < lanes; ++i) {
      const Unit sum = static_cast<Unit>(all[i] + other[i]);
      out.all[i] = sum < other[i] ? static_cast<Unit>(~Unit{0}) : sum;
    }
    return out;
  }
  std::uint32_t within(const Units& limit) const {
    std::uint8_t in[lanes], any = 0;
    for (Count i = 0; i < lanes; ++i) in[i] = all[i] <= limit.all[i];
    for (Count i = 0; i < lanes; ++i) any |= in[i];
    if (any == 0) return 0;
    std::uint32_t mask = 0;
    for (Count i = 0; i < lanes; ++i) mask |= static_cast<std::uint32_t>(in[i]) << i;
    return mask;
  }
};
using Bytes = Units<std::uint8_t>;
using Words = Units<std::uint16_t>;

#endif

// The rows of a leaf: every row adds what its remaining features cost.
template <class Lanes>
void scan_leaf(const Walk& w, const Node& node, const Lanes& bound, Lanes& limits) {
  for (Count row = node.begin; row < node.end; ++row) {
    const std::uint16_t* entry = w.entries + row * w.width;
    Lanes total = bound;
    std::uint32_t alive = 0;
    for (Count f = node.from;;) {
      const Count stop = f + stretch < w.width ? f + stretch : w.width;
      for (; f < stop; ++f) total = total.plus(w.costs, entry[f]);
      alive = total.within(limits);
      if (alive == 0 || f >= w.width) break;
    }
    if (alive == 0) continue;
    w.hit(w.context, row, alive);
    limits = Lanes::load(w.limits, 0);
  }
}

template <class Lanes>
void walk_nodes(const Walk& w) {
  Lanes limits = Lanes::load(w.limits, 0);
  for (Count at = w.first; at < w.last;) {
    const Node& node = w.nodes[at];
    const Lanes bound = Lanes::load(w.stack, node.level).plus(w.costs, node.entry);
    if (bound.within(limits) == 0) {
      at = node.after;
    } else if (node.begin == node.end) {
      bound.store(w.stack, node.level + 1);
      ++at;
    } else {
      scan_leaf(w, node, bound, limits);
      at = node.after;
    }
  }
}

template <class Unit>
void spread_units(const Spread& s, Unit* costs) {
  // a few entries at a time, so that what is written stays in the first-level cache
  constexpr Count block = 64;
  for (Count first = 0; first < s.entries; first += block) {
    const Count end = first + block < s.entries ? first + block : s.entries;
    for (Count lane = 0; lane < s.used; ++lane)
      for (Count entry = first; entry < end; ++entry)
        costs[entry * lanes + lane] = static_cast<Unit>(s.units[lane * s.width + entry]);
  }
}

}  // namespace

void walk(const Walk& w) { w.wide ? walk_nodes<Words>(w) : walk_nodes<Bytes>(w); }

void spread_bytes(const Spread& spread, std::uint8_t* costs) { spread_units(spread, costs); }
void spread_words(const Spread& spread, std::uint16_t* costs) { spread_units(spread, costs); }

double quantise(const Prices& p, std::uint16_t* units) {
  double least = p.coefficient * p.terms[0];
  for (Count code = 0; code < p.values; ++code) {
    const double cost = p.coefficient * p.terms[code];
    least = cost < least ? cost : least;
  }
  if (!(least < 1e300)) least = 0;
  for (Count code = 0; code < p.values; ++code) {
    // what is not a number (0 * infinity) bounds nothing and becomes 0
    const double wanted = (p.coefficient * p.terms[code] - least) * p.unit;
    const double capped = wanted >= p.most ? p.most : wanted;
    units[code] = static_cast<std::uint16_t>(static_cast<std::int32_t>(capped > 0.0 ? capped : 0.0));
  }
  return least;
}

}  // namespace nearwise::coded::NEARWISE_INSTRUCTIONS
