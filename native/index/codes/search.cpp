// The search: batches of 32 queries, each over all parts.
#include "index/codes/codes.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>

#include "index/codes/costs.hpp"
#include "index/codes/lane.hpp"
#include "machine/instructions.hpp"
#include "machine/parallel.hpp"

namespace nearwise::coded {
namespace {

constexpr std::size_t few_candidates = 64;
constexpr std::size_t many_candidates = std::size_t{1} << 18;  // memory that is worth giving back after a batch

class Batch {
 public:
  Batch(const Index& index, const Queries& queries, const Tally& tally, const Nearest& found)
      : index_(index), queries_(queries), tally_(tally), found_(found), all_(lanes), costs_(index) {
    hints_.resize(index.parts.size());
    stack_.resize(static_cast<std::size_t>((most_levels + 1) * lanes));
    for (Lane& lane : all_) lane.rows.resize(static_cast<std::size_t>(index.p));
  }

  void answer(Count first, Count last) {
    used_ = last - first;
    for (Count a = 0; a < used_; ++a) open(all_[a], queries_.order[first + a]);
    for (const Part& part : index_.parts) visit(part);
    for (Count a = 0; a < used_; ++a) {
      Lane& lane = all_[a];
      (queries_.distinct ? write_levels : write_nearest)(index_, queries_, tally_, lane, sheet_, found_);
      if (lane.candidates.capacity() > many_candidates) std::vector<std::int32_t>().swap(lane.candidates);
    }
  }

 private:
  void open(Lane& lane, Count query) {
    lane.query = query;
    lane.codes = queries_.codes + query * index_.p;
    lane.left_out = queries_.exclude[query];
    lane.left_pattern = lane.left_out < 0 ? -1 : index_.pattern[lane.left_out];
    const std::int32_t* rows = queries_.rows + query * index_.p;
    for (Count f = 0; f < index_.p; ++f)
      lane.rows[f] = index_.is_table[f] ? queries_.tables[f] + Count{rows[f]} * index_.values[f] : nullptr;
    lane.candidates.clear();
    lane.full = few_candidates;
    lane.limit.start(queries_.k, queries_.tolerance, queries_.distinct, queries_.known_reach(query));
    for (std::size_t a = 0; a < index_.parts.size(); ++a) look_around(index_.parts[a], lane, hints_[a]);
    // those cases come again on the walk, so only their limit is kept
    lane.limit.start(queries_.k, queries_.tolerance, queries_.distinct, lane.limit.value());
  }

  // A first limit from the rows that agree with the query in the heaviest features.
  void look_around(const Part& part, Lane& lane, Count& hint) {
    const Count wanted = std::min<Count>(256, 2 + queries_.k);
    asked_.resize(static_cast<std::size_t>(part.width));
    for (const Step& step : part.steps) asked_[step.position] = lane.codes[step.feature];
    hint = place_of_asked(part, hint);
    const Count end = std::min(part.rows, hint + wanted);
    for (Count row = std::max<Count>(0, hint - wanted); row < end;) {
      Pair pairs[16];
      double sums[16];
      Count count = 0;
      for (; count < 16 && row < end; ++row) pairs[count++] = {row, &lane};
      exact_sums(part, pairs, count, sums);
      for (Count j = 0; j < count; ++j) {
        const Count cases = cases_of(index_, part.first + pairs[j].row, lane);
        if (cases > 0 && sums[j] <= lane.limit.value()) lane.limit.add(sums[j], cases);
      }
    }
  }

  // The first row that does not come before what is asked; queries are sorted, so it is not far from the last place.
  Count place_of_asked(const Part& part, Count hint) const {
    const auto comes_before = [&](Count row) {
      const std::int32_t* codes = part.codes.data() + row * part.width;
      for (Count j = 0; j < part.width; ++j)
        if (codes[j] != asked_[j]) return codes[j] < asked_[j];
      return false;
    };
    Count low = 0, high = part.rows;
    for (Count reach = 4, at = hint; at < part.rows; reach *= 4) {
      if (comes_before(at)) {
        low = at + 1;
        at = low + reach;
      } else {
        high = at;
        break;
      }
    }
    while (low < high) {
      const Count middle = low + (high - low) / 2;
      if (comes_before(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // All rows of a part, beginning with those that share the heaviest value of the first query: queries are sorted, so
  // those of the others come next, and what is found there lowers the limits for the rest. In growing stretches, so
  // that costs are made finer where limits have fallen far.
  void visit(const Part& part) {
    part_ = &part;
    costs_.prepare(part, all_.data(), used_);
    const Count likely = likely_subtree(), subtrees = static_cast<Count>(part.roots.size()) - 1;
    Count stretch = 1024;
    for (const auto& [from, to] : {std::pair{likely, subtrees}, std::pair{Count{0}, likely}}) {
      for (Count at = from; at < to; stretch *= 2) {
        Count end = at + 1;
        while (end < to && part.nodes[part.roots[end]].begin - part.nodes[part.roots[at]].begin < stretch) ++end;
        if (costs_.are_coarse(all_.data(), used_)) costs_.prepare(part, all_.data(), used_);
        walk_over(at, end);
        at = end;
      }
    }
  }

  void walk_over(Count from, Count to) {
    const auto run = NEARWISE_CHOSEN(walk);
    std::copy_n(costs_.floor(), lanes, stack_.data());
    run({part_->nodes.data(), part_->roots[from], part_->roots[to], part_->entries.data(), part_->width,
         costs_.are_wide(), costs_.data(), stack_.data(), costs_.limits(), &Batch::hit, this});
  }

  Count likely_subtree() const {
    const auto subtrees = static_cast<Count>(part_->roots.size()) - 1;
    if (part_->width == 0) return subtrees;
    const std::int32_t asked = all_[0].codes[part_->steps[part_->heaviest[0]].feature];
    const auto at = std::lower_bound(part_->roots.begin(), part_->roots.end() - 1, asked, [&](std::uint32_t node, std::int32_t code) {
      return part_->codes[part_->nodes[node].begin * part_->width] < code;
    });
    return at - part_->roots.begin();
  }

  static void hit(void* context, Count row, std::uint32_t alive) { static_cast<Batch*>(context)->offer(row, alive); }

  void offer(Count row, std::uint32_t alive) {
    Pair pairs[lanes];
    double sums[lanes];
    Count count = 0;
    for (; alive != 0; alive &= alive - 1) pairs[count++] = {row, &all_[std::countr_zero(alive)]};
    exact_sums(*part_, pairs, count, sums);
    const Count pattern = part_->first + row;
    for (Count j = 0; j < count; ++j) {
      const Count a = pairs[j].lane - all_.data();
      Lane& lane = all_[a];
      const Count cases = cases_of(index_, pattern, lane);
      if (cases == 0 || sums[j] > lane.limit.value()) continue;
      lane.candidates.push_back(static_cast<std::int32_t>(pattern));
      lane.limit.add(sums[j], cases);
      costs_.lower_limit(a, lane);
      if (lane.candidates.size() >= lane.full) drop(lane);
    }
  }

  void drop(Lane& lane) {
    rank_candidates(index_, lane, sheet_.ranked);
    lane.candidates.clear();
    for (const RankedPattern& r : sheet_.ranked) lane.candidates.push_back(r.index);
    lane.full = std::max(few_candidates, 2 * lane.candidates.size());
  }

  const Index& index_;
  const Queries& queries_;
  const Tally& tally_;
  const Nearest& found_;
  const Part* part_ = nullptr;
  Count used_ = 0;
  std::vector<Lane> all_;
  Costs costs_;
  std::vector<std::uint16_t> stack_;
  std::vector<Count> hints_;         // [parts] where the last query stands among the rows
  std::vector<std::int32_t> asked_;  // the codes of a query in the order of a part
  Sheet sheet_;
};

}  // namespace

Count search(const Index& index, const Queries& queries, const Tally& tally, const Effort& effort, const Nearest& found) {
  const Count size = chunk_height(queries.count, effort.threads, lanes, 1);
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const auto make = [&] {
    return [&, batch = std::make_unique<Batch>(index, queries, tally, found)](Count number) {
      batch->answer(number * size, std::min(queries.count, (number + 1) * size));
    };
  };
  const Count batches = (queries.count + size - 1) / size;
  return std::min(queries.count, size * in_parallel(batches, effort.threads, make, [&] { return spent() < effort.seconds; }));
}

}  // namespace nearwise::coded
