// Cuts that pay for their description: of blocks low .. high - 1 the cut of least class entropy is taken if
//   gain > log2(N - 1) + log2(3^k - 2) - (k H - k1 H1 - k2 H2)
// with all terms times N, and both sides are cut further. Blocks are runs of values between boundary points. One pass over
// the blocks moves their cases from the right to the left; sums of k log2 k are whole numbers, so nothing drifts.
#include "statistics/counts/mdl.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "machine/scratch.hpp"

namespace nearwise {
namespace {

struct Part {
  std::int32_t label, cases;
};

struct Blocks {
  Scratch<std::uint32_t> entry;  // [b] the first entry of each block
  Scratch<std::uint32_t> at;     // [b + 1] where its parts begin
  Scratch<Part> parts;           // the cases of each class that occurs in it; at most one an entry
  Count n = 0;

  explicit Blocks(std::size_t entries) : entry(entries), at(entries + 1), parts(entries) {}
};

Blocks blocks_of(const Ordered& e) {
  Blocks out(static_cast<std::size_t>(e.n));
  std::vector<std::uint32_t> place(static_cast<std::size_t>(e.c));  // the part of each class, where it is of this block
  std::uint32_t size = 0;
  std::int32_t before = -1;  // the class of the block before, where it is of one class
  for (Count i = 0; i < e.n;) {
    Count end = i + 1;
    bool pure = true;
    while (end < e.n && e.values[end] == e.values[i]) pure &= e.classes[end++] == e.classes[i];
    if (!pure || before != e.classes[i]) {
      out.entry[out.n] = static_cast<std::uint32_t>(i);
      out.at[out.n++] = size;
    }
    const std::uint32_t first = out.at[out.n - 1];
    for (Count j = i; j < end; ++j) {
      std::uint32_t& part = place[e.classes[j]];
      if (part < first || part >= size || out.parts[part].label != e.classes[j]) {
        part = size++;
        out.parts[part] = {e.classes[j], 0};
      }
      out.parts[part].cases += static_cast<std::int32_t>(e.cases ? e.cases[j] : 1);
    }
    before = pure ? e.classes[i] : -1;
    i = end;
  }
  out.at[out.n] = size;
  return out;
}

struct Cut {
  Count out, block, n_left, left, right;  // left and right: the sums of k log2 k over classes
  std::int32_t k_left, k_right;
};

struct Sides {
  Count left, right;            // the cases of one class
  Count term_left, term_right;  // their k log2 k
};

class Cutter {
 public:
  Cutter(const Blocks& blocks, const Units& units, std::int32_t c) : blocks_(blocks), units_(units), sides_(c) {}

  // The block before which to cut, or -1.
  Count best(Count low, Count high) {
    std::fill(sides_.begin(), sides_.end(), Sides{0, 0, 0, 0});
    Count n = 0;
    for (std::size_t p = blocks_.at[low]; p < blocks_.at[high]; ++p) {
      sides_[blocks_.parts[p].label].right += blocks_.parts[p].cases;
      n += blocks_.parts[p].cases;
    }
    Cut now{0, 0, 0, 0, 0, 0, 0};
    for (Sides& each : sides_) {
      each.term_right = term(each.right);
      now.right += each.term_right;
      now.k_right += each.right > 0;
    }
    const Count whole = term(n) - now.right;
    const std::int32_t k = now.k_right;
    const Count margin = 4 * (static_cast<Count>(sides_.size()) + 1);
    Count least = 0;
    equals_.clear();
    for (Count b = low; b + 1 < high; ++b) {
      for (std::size_t p = blocks_.at[b]; p < blocks_.at[b + 1]; ++p) move(blocks_.parts[p], now);
      now.out = term(now.n_left) - now.left + term(n - now.n_left) - now.right;
      now.block = b + 1;
      if (equals_.empty() || now.out < least - margin) {
        equals_.assign(1, now);
        least = now.out;
      } else if (now.out <= least + margin) {
        equals_.push_back(now);
        least = std::min(least, now.out);
      }
    }
    const Cut& cut = *std::find_if(equals_.begin(), equals_.end(), [&](const Cut& x) { return x.out <= least + margin; });
    return pays(cut, n, whole, k) ? cut.block : -1;
  }

 private:
  Count term(Count k) const {
    if (k < units_.size) return units_.table[k];
    const double x = static_cast<double>(k);
    return static_cast<Count>(std::llrint(x * std::log2(x) * units_.scale));
  }

  void move(const Part& part, Cut& now) {
    Sides& side = sides_[part.label];
    now.k_left += side.left == 0;
    side.left += part.cases;
    side.right -= part.cases;
    now.k_right -= side.right == 0;
    const Count term_left = term(side.left), term_right = term(side.right);
    now.left += term_left - std::exchange(side.term_left, term_left);
    now.right += term_right - std::exchange(side.term_right, term_right);
    now.n_left += part.cases;
  }

  bool pays(const Cut& cut, Count n, Count whole, std::int32_t k) const {
    const Count n_right = n - cut.n_left;
    const Count bits_left = term(cut.n_left) - cut.left, bits_right = term(n_right) - cut.right;
    const double inside = k * (static_cast<double>(whole) / units_.scale) / static_cast<double>(n);
    double sides = cut.k_left * (static_cast<double>(bits_left) / units_.scale) / static_cast<double>(cut.n_left);
    sides = sides + cut.k_right * (static_cast<double>(bits_right) / units_.scale) / static_cast<double>(n_right);
    const double choice = static_cast<double>(term(n - 1)) / units_.scale / static_cast<double>(n - 1);
    const double gain = static_cast<double>(whole - cut.out) / units_.scale;
    return gain > choice + (units_.alphabet[k] - (inside - sides));
  }

  const Blocks& blocks_;
  const Units& units_;
  std::vector<Sides> sides_;  // [c]
  std::vector<Cut> equals_;   // cuts that are as good as the best so far, but for rounding
};

}  // namespace

std::vector<Count> mdl_cuts(const Ordered& entries, const Units& units) {
  const Blocks blocks = blocks_of(entries);
  Cutter cutter(blocks, units, entries.c);
  std::vector<Count> found;
  std::vector<std::pair<Count, Count>> waiting{{0, blocks.n}};
  while (!waiting.empty()) {
    const auto [low, high] = waiting.back();
    waiting.pop_back();
    if (high - low < 2) continue;
    const Count cut = cutter.best(low, high);
    if (cut < 0) continue;
    found.push_back(blocks.entry[cut]);
    waiting.emplace_back(low, cut);
    waiting.emplace_back(cut, high);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace nearwise
