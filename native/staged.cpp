// The k nearest cases where some features are texts, which are compared by edits only where they can still matter.
//
//   1. row[i] = sum over numbers and symbols, for all cases: at most the whole sum
//   2. the cases with the smallest rows are compared in full, which bounds the k-th sum from above
//   3. every other case whose row is within reach: its texts share so many letters at most, which bounds their edits;
//      edits are counted, eight texts at a time, for those still within reach
//
// Whole sums are added feature by feature in the order of the table. Edits are bounded by
//   edits >= longer length - shared letters
// since an alignment has at least as many columns as the longer text, and every column without an edit pairs equal letters.
#include "staged.hpp"

#include <math.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <system_error>
#include <thread>
#include <vector>

#include "staged.space.hpp"

namespace nearwise {

using namespace stages;

namespace {

constexpr Count run_length = 256;    // cases whose letters are compared at a time
constexpr double slack = 1e-11;      // relative; covers the rounding of bounds and sums
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double visited = -1.0;  // or left out

class Search {
 public:
  Search(const Cases& c, const Queries& q, const Texts& texts, const Powers* powers, const TextTile& tile,
         Workspace& space, Count query, double* row)
      : c_(c), q_(q), texts_(texts), powers_(powers), tile_(tile), space_(space), query_(query), row_(row) {
    space_.found.clear();
    space_.heap.clear();
    std::fill(space_.patterns.begin(), space_.patterns.end(), 0);
    for (Count t = 0; t < texts_.t; ++t) {
      const std::uint8_t* own = asked(t);
      if (own[length_at] == no_text) continue;
      for (int i = 0; i < own[length_at]; ++i)
        if (own[i] != 0) space_.patterns[static_cast<std::size_t>(256 * t + own[i])] |= std::uint64_t{1} << i;
    }
    in_front_ = texts_.terms[0] == static_cast<double>(c_.p);  // all numbers and symbols come before the texts
  }

  void run(const Nearest& nearest) {
    if (q_.exclude[query_] >= 0) row_[q_.exclude[query_]] = visited;
    first();
    double above = -0.5, start = reach_;
    for (const double part : {0.25, 0.5, 1.0}) {  // the nearest first: what they bring into reach spares the others
      const double upto = part == 1.0 ? infinity : part * start;
      if (!(upto > above)) continue;
      band(above, upto);
      above = upto;
    }
    write(nearest);
  }

 private:
  const std::uint8_t* asked(Count t) const { return texts_.asked + (query_ * texts_.t + t) * text_bytes; }
  const std::uint8_t* stored(Count t) const { return texts_.stored + t * c_.n * text_bytes; }
  double coefficient(Count i, Count t) const { return texts_.coefficients[segment(i) * texts_.t + t]; }
  double raised(double raw) const { return c_.power == 2 ? raw * raw : raw; }

  Count segment(Count i) const {
    if (c_.g == 1) return 0;
    return std::upper_bound(c_.segments + 1, c_.segments + c_.g, i) - (c_.segments + 1);
  }

  // What two texts with this many edits add to the sum, under the missing policy.
  double term(Count t, Count i, int own, int other, int edits) const {
    const double* rule = texts_.terms + 4 * t;
    if (own == no_text || other == no_text) return coefficient(i, t) * raised(own == other ? rule[3] : rule[2]);
    return coefficient(i, t) * powers_[rule[1] != 0.0].raised[std::max(own, other)][edits];
  }

  // No text with more edits is within reach, whichever case of the batch it belongs to.
  int most_edits(Count t, const Count* batch, Count count) const {
    double room = 0.0, longer = asked(t)[length_at];
    for (Count l = 0; l < count; ++l) {
      const double weight = coefficient(batch[l], t);
      if (!(weight > 0)) return text_letters;
      room = std::max(room, (reach_ - row_[batch[l]]) / weight);
      longer = std::max<double>(longer, stored(t)[batch[l] * text_bytes + length_at]);
    }
    const double edits = (c_.power == 2 ? sqrt(room) : room) * (texts_.terms[4 * t + 1] != 0.0 ? longer : 1.0);
    return edits < text_letters - 1 ? static_cast<int>(edits) + 1 : text_letters;  // false where it is not a number
  }

  // The first cases, by number and symbol alone.
  void first() {
    const Count most = std::min(c_.n, first_batch * std::min(c_.n, q_.k));
    space_.first.clear();
    double farthest = infinity;
    for (Count i = 0; i < c_.n; ++i) {
      if (row_[i] != row_[i]) row_[i] = infinity;  // 0 * infinity has no place in an order and ranks with infinity
      if (row_[i] > farthest || row_[i] < 0.0) continue;
      keep_smallest(space_.first, {row_[i], i, i}, most);
      if (static_cast<Count>(space_.first.size()) == most) farthest = space_.first.front().sum;
    }
    std::sort_heap(space_.first.begin(), space_.first.end());
    std::array<Count, lanes> batch;
    Count waiting = 0;
    for (const Neighbour& one : space_.first) {
      batch[static_cast<std::size_t>(waiting++)] = one.packed;
      if (waiting < lanes) continue;
      compare(batch.data(), waiting);
      waiting = 0;
    }
    compare(batch.data(), waiting);
    for (const Neighbour& one : space_.first) row_[one.packed] = visited;
  }

  // Compares the cases with above < row <= upto that are within reach.
  void band(double above, double upto) {
    std::array<Count, run_length> rows;
    std::array<Count, lanes> batch;
    Count waiting = 0;
    for (Count i = 0; i < c_.n;) {
      const double most = std::min(upto, reach_);
      Count count = 0;
      for (; i < c_.n && count < run_length; ++i) {
        rows[static_cast<std::size_t>(count)] = i;
        count += (row_[i] > above) & (row_[i] <= most);
      }
      const Count close = still_close(rows.data(), count);
      for (Count j = 0; j < close; ++j) {
        batch[static_cast<std::size_t>(waiting++)] = rows[static_cast<std::size_t>(j)];
        if (waiting < lanes) continue;
        compare(batch.data(), waiting);
        waiting = 0;
      }
    }
    compare(batch.data(), waiting);
  }

  // Moves to the front the cases that the shared letters leave within reach.
  Count still_close(Count* rows, Count count) const {
    std::array<double, run_length> lower;
    std::array<int, run_length> shared;
    for (Count j = 0; j < count; ++j) lower[static_cast<std::size_t>(j)] = row_[rows[j]];
    for (Count t = 0; t < texts_.t; ++t) {
      tile_.shared(asked(t), stored(t), rows, count, shared.data());
      const int own = asked(t)[length_at];
      const std::uint8_t* others = stored(t) + length_at;
      for (Count j = 0; j < count; ++j) {
        const int other = others[rows[j] * text_bytes];
        const int least = std::max(own, other) - shared[static_cast<std::size_t>(j)];
        lower[static_cast<std::size_t>(j)] += term(t, rows[j], own, other, least);
      }
    }
    Count close = 0;
    for (Count j = 0; j < count; ++j) {
      const double bound = lower[static_cast<std::size_t>(j)];
      rows[close] = rows[j];
      close += !(bound > reach_);
    }
    return close;
  }

  double number_or_symbol(Count f, Count i) const {
    const double x = c_.columns[f * c_.n + i], q = q_.values[query_ * c_.p + f];
    if (x != x || q != q) return x != x && q != q ? c_.both_missing[f] : c_.one_missing[f];
    return c_.is_symbol[f] ? (x != q ? 1.0 : 0.0) : fabs(q - x);
  }

  // Compares some cases in full, at most `lanes` of them.
  void compare(const Count* batch, Count count) {
    if (count == 0) return;
    std::array<bool, lanes> beyond{};
    for (Count t = 0; t < texts_.t; ++t) {
      if (asked(t)[length_at] == no_text) continue;
      static constexpr std::uint8_t blank[text_bytes] = {};
      std::array<const std::uint8_t*, lanes> texts;
      for (Count l = 0; l < lanes; ++l) {
        const std::uint8_t* text = l < count ? stored(t) + batch[l] * text_bytes : blank;
        texts[static_cast<std::size_t>(l)] = text[length_at] == no_text ? blank : text;
      }
      const int most = most_edits(t, batch, count);
      int* edits = space_.edits[static_cast<std::size_t>(t)].data();
      tile_.edits(space_.patterns.data() + 256 * t, asked(t)[length_at], texts.data(), most, edits);
      for (Count l = 0; l < count; ++l)
        beyond[static_cast<std::size_t>(l)] |= edits[l] > most && stored(t)[batch[l] * text_bytes + length_at] != no_text;
    }
    for (Count l = 0; l < count; ++l) {
      if (beyond[static_cast<std::size_t>(l)]) continue;
      const double sum = whole(batch[l], l);
      const Neighbour one{sum != sum ? infinity : sum, c_.index[batch[l]], batch[l]};
      if (one.sum > reach_) continue;
      space_.found.push_back(one);
      keep_smallest(space_.heap, one, q_.k);
      if (static_cast<Count>(space_.heap.size()) == q_.k) {
        const double kth = space_.heap.front().sum;
        reach_ = kth == infinity ? infinity : kth * (1 + q_.tolerance) * (1 + slack);
      }
    }
  }

  double whole(Count i, Count lane) const {
    const double* weights = c_.coefficients + segment(i) * c_.p;
    double sum = in_front_ ? row_[i] : 0.0;
    Count f = in_front_ ? c_.p : 0;
    for (Count t = 0; t <= texts_.t; ++t) {
      // terms[4 t] counts all features before text t, t of which are texts
      const Count until = t == texts_.t ? c_.p : static_cast<Count>(texts_.terms[4 * t]) - t;
      for (; f < until; ++f) sum += weights[f] * raised(number_or_symbol(f, i));
      if (t == texts_.t) break;
      const int edits = space_.edits[static_cast<std::size_t>(t)][static_cast<std::size_t>(lane)];
      sum += term(t, i, asked(t)[length_at], stored(t)[i * text_bytes + length_at], edits);
    }
    return sum;
  }

  void write(const Nearest& nearest) const {
    std::vector<Neighbour>& heap = space_.heap;
    std::sort_heap(heap.begin(), heap.end());
    for (Count j = 0; j < q_.k; ++j) {
      const bool exists = j < static_cast<Count>(heap.size());
      nearest.sums[query_ * q_.k + j] = exists ? heap[static_cast<std::size_t>(j)].sum : infinity;
      nearest.indices[query_ * q_.k + j] = exists ? heap[static_cast<std::size_t>(j)].index : -1;
    }
    if (heap.empty()) return;
    const double kth = heap.back().sum, margin = kth == infinity ? 0.0 : q_.tolerance * kth;
    std::vector<Neighbour>& found = space_.found;
    std::erase_if(found, [&](const Neighbour& one) { return one.sum > kth + margin; });
    // added up in the order of the cases, as the scan does
    std::sort(found.begin(), found.end(), [](const Neighbour& a, const Neighbour& b) { return a.packed < b.packed; });
    double* tie_sums = nearest.tie_sums + query_ * c_.n_groups * c_.v;
    for (const Neighbour& one : found) {
      if (one.sum < kth - margin) {
        ++nearest.inside[query_];
        continue;
      }
      ++nearest.tied[query_];
      for (Count j = 0; j < c_.v; ++j)
        tie_sums[c_.group_codes[one.packed] * c_.v + j] += c_.group_values[one.packed * c_.v + j];
    }
  }

  const Cases& c_;
  const Queries& q_;
  const Texts& texts_;
  const Powers* powers_;  // [2] of counts, of shares of the longer length
  const TextTile& tile_;
  Workspace& space_;
  Count query_;
  double* row_;
  double reach_ = infinity;  // no case beyond it is wanted
  bool in_front_;
};

}  // namespace

void staged(const Cases& cases, const Queries& queries, const Texts& texts, Count threads, Tile tile,
            const TextTile& text_tile, const Nearest& nearest) {
  const Count blocks = (queries.m + block_length - 1) / block_length;
  const Count workers = std::max<Count>(1, std::min(threads, blocks));
  std::vector<Workspace> spaces;
  spaces.reserve(static_cast<std::size_t>(workers));
  for (Count worker = 0; worker < workers; ++worker) spaces.emplace_back(cases.n, queries.k, texts.t);

  const std::vector<Powers> powers{Powers(cases.power, false), Powers(cases.power, true)};
  std::atomic<Count> next{0};
  auto work = [&](Workspace& space) {
    for (Count block = next++; block < blocks; block = next++) {
      const Count first = block * block_length, last = std::min(first + block_length, queries.m);
      for (Count begin = 0; begin < cases.n; begin += tile_length)
        for (Count query = first; query < last; ++query)
          tile(cases, queries.values + query * cases.p, begin, std::min(begin + tile_length, cases.n),
               space.rows.data() + (query - first) * cases.n);
      for (Count query = first; query < last; ++query)
        Search(cases, queries, texts, powers.data(), text_tile, space, query, space.rows.data() + (query - first) * cases.n)
            .run(nearest);
    }
  };
  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<std::size_t>(workers));
  try {
    for (Count worker = 1; worker < workers; ++worker)
      helpers.emplace_back(work, std::ref(spaces[static_cast<std::size_t>(worker)]));
  } catch (const std::system_error&) {
    // the system gives no more threads: those that started and this one do all blocks
  }
  work(spaces[0]);
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace nearwise
