// From the candidates of a query to its answer: the nearest cases in order, what ties with the last, the levels.
#include <algorithm>

#include "index/codes/lane.hpp"

namespace nearwise::coded {

void rank_candidates(const Index& index, const Lane& lane, std::vector<Ranked>& ranked) {
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

void rank(const Index& index, const Lane& lane, std::vector<Ranked>& ranked) {
  rank_candidates(index, lane, ranked);
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.sum < b.sum || (a.sum == b.sum && a.pattern < b.pattern);
  });
}

// The cases of some patterns, ascending, the first `most` of them.
void cases_in_order(const Index& index, const Lane& lane, const Ranked* from, const Ranked* to, Count most,
                    std::vector<std::int32_t>& cases) {
  cases.clear();
  for (const Ranked* r = from; r < to; ++r) {
    Count taken = 0;
    for (Count at = index.offsets[r->pattern]; at < index.offsets[r->pattern + 1] && taken < most; ++at) {
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

void add_case(const Tally& t, Count i, double sign, double* out) {
  for (Count j = 0; j < t.v; ++j) out[t.codes[i] * t.v + j] += sign * t.values[i * t.v + j];
}

// Adds the numbers of all cases of some patterns. Fractions are added in the order of the cases, as NumPy does.
void add_up(const Index& index, const Tally& t, const Lane& lane, const Ranked* from, const Ranked* to, Sheet& sheet,
            double* out) {
  if (!t.whole) {
    cases_in_order(index, lane, from, to, index.n, sheet.cases);
    for (std::int32_t i : sheet.cases) add_case(t, i, 1.0, out);
    return;
  }
  for (const Ranked* r = from; r < to; ++r) {
    if (t.offsets.empty()) {
      for (Count at = index.offsets[r->pattern]; at < index.offsets[r->pattern + 1]; ++at)
        add_case(t, index.members[at], 1.0, out);
    } else {
      for (Count e = t.offsets[r->pattern]; e < t.offsets[r->pattern + 1]; ++e)
        for (Count j = 0; j < t.v; ++j) out[t.groups_of[e] * t.v + j] += t.sums[e * t.v + j];
    }
    if (r->pattern == lane.left_pattern) add_case(t, lane.left_out, -1.0, out);
  }
}

const Ranked* first_beyond(const Ranked* from, const Ranked* to, double sum) {
  return std::upper_bound(from, to, sum, [](double wanted, const Ranked& r) { return wanted < r.sum; });
}

Count count_cases(const Index& index, const Lane& lane, const Ranked* from, const Ranked* to) {
  Count count = 0;
  for (const Ranked* r = from; r < to; ++r) count += cases_of(index, r->pattern, lane);
  return count;
}

}  // namespace

void write_nearest(const Index& index, const Queries& queries, const Tally& t, const Lane& lane, Sheet& sheet,
                   const Found& found) {
  rank(index, lane, sheet.ranked);
  double* sums = found.sums + lane.query * queries.k;
  Count* indices = found.indices + lane.query * queries.k;
  const Ranked *begin = sheet.ranked.data(), *end = begin + sheet.ranked.size();
  Count filled = 0;
  for (const Ranked* at = begin; at < end && filled < queries.k;) {
    const Ranked* next = first_beyond(at, end, at->sum);
    cases_in_order(index, lane, at, next, queries.k - filled, sheet.cases);
    for (std::int32_t i : sheet.cases) sums[filled] = at->sum, indices[filled++] = i;
    at = next;
  }
  if (filled == 0) return;
  const double kth = sums[filled - 1], margin = kth == infinity ? 0.0 : queries.tie * kth;
  const Ranked* tied = std::lower_bound(begin, end, kth - margin, [](const Ranked& r, double sum) { return r.sum < sum; });
  const Ranked* beyond = first_beyond(tied, end, kth + margin);
  found.inside[lane.query] = count_cases(index, lane, begin, tied);
  found.tied[lane.query] = count_cases(index, lane, tied, beyond);
  add_up(index, t, lane, tied, beyond, sheet, found.payload + lane.query * t.groups * t.v);
}

void write_levels(const Index& index, const Queries& queries, const Tally& t, const Lane& lane, Sheet& sheet,
                  const Found& found) {
  rank(index, lane, sheet.ranked);
  const Ranked *at = sheet.ranked.data(), *end = at + sheet.ranked.size();
  for (Count level = 0; level < queries.k && at < end; ++level) {
    const Ranked* next = first_beyond(at, end, tie_end(at->sum, queries.tie));
    const Count place = lane.query * queries.k + level;
    found.sums[place] = at->sum;
    found.indices[place] = count_cases(index, lane, at, next);
    add_up(index, t, lane, at, next, sheet, found.payload + place * t.groups * t.v);
    at = next;
  }
}

}  // namespace nearwise::coded
