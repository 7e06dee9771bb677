// From the candidates of a query to its answer: the nearest cases in order, what ties with the last, the levels.
#include <algorithm>

#include "index/codes/lane.hpp"

namespace nearwise::coded {

void rank_candidates(const Index& index, const Lane& lane, std::vector<RankedPattern>& ranked) {
  constexpr Count most = 64;
  Pair pairs[most];
  double sums[most];
  ranked.clear();
  const auto& all = lane.candidates;  // those of a part stand together, and parts in order
  auto part = index.parts.begin();
  for (std::size_t at = 0; at < all.size();) {
    while (all[at] >= part->first + part->rows) ++part;
    Count count = 0;
    for (; count < most && at + count < all.size() && all[at + count] < part->first + part->rows; ++count)
      pairs[count] = {all[at + count] - part->first, &lane};
    exact_sums(*part, pairs, count, sums);
    for (Count j = 0; j < count; ++j)
      if (sums[j] <= lane.limit.value()) ranked.push_back({sums[j], all[at + j]});
    at += static_cast<std::size_t>(count);
  }
}

namespace {

void rank(const Index& index, const Lane& lane, std::vector<RankedPattern>& ranked) {
  rank_candidates(index, lane, ranked);
  std::sort(ranked.begin(), ranked.end());
}

// The cases of some patterns, ascending, the first `most` of them.
void cases_in_order(const Index& index, const Lane& lane, const RankedPattern* from, const RankedPattern* to, Count most,
                    std::vector<std::int32_t>& cases) {
  cases.clear();
  for (const RankedPattern* r = from; r < to; ++r) {
    Count taken = 0;
    for (Count at = index.offsets[r->index]; at < index.offsets[r->index + 1] && taken < most; ++at) {
      if (index.members[at] == lane.left_out) continue;
      cases.push_back(index.members[at]);
      ++taken;
    }
  }
  if (to - from == 1) return;
  const Count kept = std::min(most, static_cast<Count>(cases.size()));
  std::partial_sort(cases.begin(), cases.begin() + kept, cases.end());
  cases.resize(static_cast<std::size_t>(kept));
}

// Adds the numbers of all cases of some patterns. Fractions are added in the order of the cases, as NumPy does.
void add_up(const Index& index, const Tally& t, const Lane& lane, const RankedPattern* from, const RankedPattern* to,
            Sheet& sheet, double* out) {
  if (!t.whole) {
    cases_in_order(index, lane, from, to, index.n, sheet.cases);
    for (std::int32_t i : sheet.cases) t.payload.add(i, out);
    return;
  }
  const Count v = t.payload.v;
  for (const RankedPattern* r = from; r < to; ++r) {
    if (t.offsets.empty()) {
      for (Count at = index.offsets[r->index]; at < index.offsets[r->index + 1]; ++at)
        t.payload.add(index.members[at], out);
    } else {
      for (Count e = t.offsets[r->index]; e < t.offsets[r->index + 1]; ++e)
        for (Count j = 0; j < v; ++j) out[t.groups_of[e] * v + j] += t.sums[e * v + j];
    }
    if (r->index == lane.left_pattern) t.payload.add(lane.left_out, out, -1.0);
  }
}

const RankedPattern* first_beyond(const RankedPattern* from, const RankedPattern* to, double sum) {
  return std::upper_bound(from, to, sum, [](double wanted, const RankedPattern& r) { return wanted < r.sum; });
}

Count count_cases(const Index& index, const Lane& lane, const RankedPattern* from, const RankedPattern* to) {
  Count count = 0;
  for (const RankedPattern* r = from; r < to; ++r) count += cases_of(index, r->index, lane);
  return count;
}

}  // namespace

void write_nearest(const Index& index, const Queries& queries, const Tally& t, const Lane& lane, Sheet& sheet,
                   const Nearest& found) {
  rank(index, lane, sheet.ranked);
  double* sums = found.sums + lane.query * queries.k;
  Count* indices = found.indices + lane.query * queries.k;
  const RankedPattern *begin = sheet.ranked.data(), *end = begin + sheet.ranked.size();
  Count filled = 0;
  for (const RankedPattern* at = begin; at < end && filled < queries.k;) {
    const RankedPattern* next = first_beyond(at, end, at->sum);
    cases_in_order(index, lane, at, next, queries.k - filled, sheet.cases);
    for (std::int32_t i : sheet.cases) sums[filled] = at->sum, indices[filled++] = i;
    at = next;
  }
  if (filled == 0) return;
  const Tie tie(sums[filled - 1], queries.tolerance);
  const auto nearer = [](const RankedPattern& r, double sum) { return r.sum < sum; };
  const RankedPattern* tied = std::lower_bound(begin, end, tie.low, nearer);
  const RankedPattern* beyond = first_beyond(tied, end, tie.high);
  found.inside[lane.query] = count_cases(index, lane, begin, tied);
  found.tied[lane.query] = count_cases(index, lane, tied, beyond);
  add_up(index, t, lane, tied, beyond, sheet, found.tie_sums + lane.query * t.payload.size());
}

void write_levels(const Index& index, const Queries& queries, const Tally& t, const Lane& lane, Sheet& sheet,
                  const Nearest& found) {
  rank(index, lane, sheet.ranked);
  const RankedPattern *at = sheet.ranked.data(), *end = at + sheet.ranked.size();
  std::fill_n(found.indices + lane.query * queries.k, queries.k, 0);
  for (Count level = 0; level < queries.k && at < end; ++level) {
    const RankedPattern* next = first_beyond(at, end, Tie(at->sum, queries.tolerance).high);
    const Count place = lane.query * queries.k + level;
    found.sums[place] = at->sum;
    found.indices[place] = count_cases(index, lane, at, next);
    add_up(index, t, lane, at, next, sheet, found.tie_sums + place * t.payload.size());
    at = next;
  }
}

}  // namespace nearwise::coded
