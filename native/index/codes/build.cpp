// From cases to parts: equal cases become one pattern, patterns are sorted and branched.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "index/codes/codes.hpp"
#include "layout/order.hpp"

namespace nearwise::coded {
namespace {

// Costs of all entries should stay in the second-level cache: 32 bytes an entry.
constexpr Count room_for_entries = 14000;
constexpr Count overlap_entries = 256;  // more tell few symbols apart that these do not

// The steps of a part: features that weigh something, and the order in which rows hold them.
void choose_steps(const Stored& s, Count part, Part& out) {
  const double* coefficients = s.coefficients + part * s.p;
  for (Count f = 0; f < s.p; ++f)
    if (coefficients[f] != 0)
      out.steps.push_back({static_cast<std::int32_t>(f), 0, coefficients[f], {0.0, coefficients[f]}, s.values[f], 0, 0,
                           s.is_table[f] != 0});
  out.width = static_cast<Count>(out.steps.size());
  out.heaviest.resize(out.steps.size());
  std::iota(out.heaviest.begin(), out.heaviest.end(), 0);
  std::stable_sort(out.heaviest.begin(), out.heaviest.end(), [&](std::int32_t a, std::int32_t b) {
    return out.steps[a].coefficient > out.steps[b].coefficient;
  });
  const Count share = std::max<Count>(1, most_entries / std::max<Count>(1, out.width) - 1);
  const Count table_entries = std::min(share, std::max<Count>(overlap_entries, room_for_entries / std::max<Count>(1, out.width)));
  for (Count position = 0; position < out.width; ++position) {
    Step& step = out.steps[out.heaviest[position]];
    step.position = static_cast<std::int32_t>(position);
    step.entry = static_cast<std::int32_t>(out.n_entries);
    const Count most = step.is_table ? table_entries : std::min(share, overlap_entries);
    step.entries = static_cast<std::int32_t>(std::min<Count>(step.values, most));
    out.n_entries += step.entries;
  }
}

// Stable, so that equal cases stay in the order of their index.
void sort_by(const std::int32_t* codes, Count values, std::vector<std::int32_t>& cases, std::vector<std::int32_t>& spare) {
  if (values > 4 * static_cast<Count>(cases.size()) + 1024) {
    std::stable_sort(cases.begin(), cases.end(), [&](std::int32_t a, std::int32_t b) { return codes[a] < codes[b]; });
    return;
  }
  std::vector<Count> starts(static_cast<std::size_t>(values) + 1, 0);
  for (std::int32_t i : cases) ++starts[codes[i] + 1];
  for (Count v = 0; v < values; ++v) starts[v + 1] += starts[v];
  spare.resize(cases.size());
  for (std::int32_t i : cases) spare[starts[codes[i]]++] = i;
  cases.swap(spare);
}

// The cases of a part, sorted: by the order that is given, which add_patterns holds against them, or found.
void sort_cases(const Stored& s, const Part& part, Count first, std::vector<std::int32_t>& cases, std::vector<std::int32_t>& spare) {
  if (s.order) {
    const std::int32_t own = s.part[cases.front()];
    std::copy_n(s.order + first, cases.size(), cases.begin());
    for (std::int32_t i : cases)
      require_order(i >= 0 && i < s.n && s.part[i] == own, "order must hold the cases of one part after those of another.");
    return;
  }
  for (Count position = part.width; position-- > 0;) {
    const Step& step = part.steps[part.heaviest[position]];
    sort_by(s.codes + step.feature * s.n, step.values, cases, spare);
  }
}

// The codes of cases in the order of a part, some cases at a time and feature by feature, so that a column stays near.
class Rows {
 public:
  Rows(const Stored& s, const Part& part, const std::vector<std::int32_t>& cases)
      : s_(s), part_(part), cases_(cases), together_(std::max<Count>(1, room / std::max<Count>(1, part.width))),
        codes_(static_cast<std::size_t>(together_ * part.width)) {}

  const std::int32_t* of(Count at) {
    if (at % together_ == 0) read(at);
    return codes_.data() + at % together_ * part_.width;
  }

 private:
  static constexpr Count room = 8192;  // codes

  void read(Count first) {
    const Count count = std::min(together_, static_cast<Count>(cases_.size()) - first);
    for (const Step& step : part_.steps)
      for (Count at = 0; at < count; ++at)
        codes_[at * part_.width + step.position] = s_.codes[step.feature * s_.n + cases_[first + at]];
  }

  const Stored& s_;
  const Part& part_;
  const std::vector<std::int32_t>& cases_;
  const Count together_;
  std::vector<std::int32_t> codes_;  // [together, width]
};

void add_patterns(const Stored& s, const std::vector<std::int32_t>& cases, Part& part, Index& index) {
  part.first = index.patterns;
  Rows rows(s, part, cases);
  for (Count at = 0; at < static_cast<Count>(cases.size()); ++at) {
    const std::int32_t i = cases[at], *row = rows.of(at), *end = row + part.width;
    const auto last = part.rows > 0 ? part.codes.end() - part.width : part.codes.begin();
    const bool is_new = part.rows == 0 || !std::equal(row, end, last);
    if (s.order && part.rows > 0)
      require_order(is_new ? std::lexicographical_compare(last, part.codes.end(), row, end)
                           : index.members.back() < i, "order is not that of these codes.");
    if (is_new) {
      part.codes.insert(part.codes.end(), row, end);
      for (Count j = 0; j < part.width; ++j)
        part.entries.push_back(static_cast<std::uint16_t>(entry_of(part.steps[part.heaviest[j]], row[j])));
      ++part.rows;
      index.offsets.push_back(static_cast<Count>(index.members.size()));
    }
    index.members.push_back(i);
    index.pattern[i] = static_cast<std::int32_t>(part.first + part.rows - 1);
  }
  index.patterns += part.rows;
}

struct Range {
  Count begin, end, level;  // rows that agree in the features before level
};

Count run_end(const Part& part, const Range& range, Count row) {
  const std::int32_t code = part.codes[row * part.width + range.level];
  while (row < range.end && part.codes[row * part.width + range.level] == code) ++row;
  return row;
}

// Branching pays where it leaves out more than it costs: where children have more than one row on average.
bool is_leaf(const Part& part, const Range& range, Count leaf) {
  const Count rows = range.end - range.begin;
  if (rows <= leaf || range.level >= std::min(part.width, most_levels)) return true;
  Count children = 0;
  for (Count row = range.begin; row < range.end; row = run_end(part, range, row)) ++children;
  return leaf > 1 && 2 * children > rows;
}

void add_children(Part& part, const Range& range, Count leaf) {
  for (Count row = range.begin; row < range.end;) {
    const Count end = run_end(part, range, row);
    const Range child{row, end, range.level + 1};
    const bool scanned = is_leaf(part, child, leaf);
    const std::size_t own = part.nodes.size();
    part.nodes.push_back({0, static_cast<std::int32_t>(row), static_cast<std::int32_t>(scanned ? end : row),
                          static_cast<std::uint16_t>(range.level), static_cast<std::uint16_t>(range.level + 1),
                          part.entries[row * part.width + range.level]});
    if (!scanned) add_children(part, child, leaf);  // at most most_levels deep
    part.nodes[own].after = static_cast<std::uint32_t>(part.nodes.size());
    row = end;
  }
}

void branch(Part& part, Count leaf) {
  constexpr Count stretch = 1024;  // a scan is cut into leaves, between which costs can be made finer
  const Range all{0, part.rows, 0};
  if (is_leaf(part, all, leaf)) {
    for (Count row = 0; row < part.rows; row += stretch)
      part.nodes.push_back({static_cast<std::uint32_t>(part.nodes.size() + 1), static_cast<std::int32_t>(row),
                            static_cast<std::int32_t>(std::min(part.rows, row + stretch)), 0, 0, 0});
  } else {
    add_children(part, all, leaf);
  }
  for (std::size_t at = 0; at < part.nodes.size(); at = part.nodes[at].after)
    part.roots.push_back(static_cast<std::uint32_t>(at));
  part.roots.push_back(static_cast<std::uint32_t>(part.nodes.size()));
}

}  // namespace

Index build(const Stored& s) {
  Index index;
  index.n = s.n;
  index.p = s.p;
  index.values.assign(s.values, s.values + s.p);
  index.is_table.assign(s.is_table, s.is_table + s.p);
  index.pattern.resize(static_cast<std::size_t>(s.n));
  index.members.reserve(static_cast<std::size_t>(s.n));
  std::vector<std::vector<std::int32_t>> cases(static_cast<std::size_t>(s.g));
  for (Count i = 0; i < s.n; ++i) cases[s.part[i]].push_back(static_cast<std::int32_t>(i));
  std::vector<std::int32_t> spare;
  for (Count a = 0; a < s.g; ++a) {
    if (cases[a].empty()) continue;
    Part part;
    choose_steps(s, a, part);
    sort_cases(s, part, static_cast<Count>(index.members.size()), cases[a], spare);
    add_patterns(s, cases[a], part, index);
    branch(part, s.leaf);
    index.parts.push_back(std::move(part));
  }
  index.offsets.push_back(s.n);
  return index;
}

std::vector<Count> coherent_order(const Index& index, const std::int32_t* codes, Count m) {
  std::vector<std::pair<std::uint64_t, Count>> keyed(static_cast<std::size_t>(m));  // by key, then by query
  for (Count j = 0; j < m; ++j) keyed[j] = {0, j};
  int bits = 0;  // as many of the heaviest features as a key holds
  for (Count position = 0; !index.parts.empty() && position < index.parts.front().width; ++position) {
    const Part& part = index.parts.front();
    const Step& step = part.steps[part.heaviest[position]];
    const int wide = std::bit_width(static_cast<std::uint32_t>(step.values) + 1);
    if ((bits += wide) > 64) break;
    for (auto& [key, query] : keyed)
      key = key << wide | static_cast<std::uint32_t>(codes[query * index.p + step.feature] + 1);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<Count> order;
  order.reserve(keyed.size());
  for (const auto& [key, query] : keyed) order.push_back(query);
  return order;
}

Tally tally(const Index& index, const Payload& payload) {
  Tally out{payload, true, {}, {}, {}};
  const double* values = payload.values;
  const Count v = payload.v;
  double size = 0;
  for (Count i = 0; i < index.n * v; ++i) {
    size += std::fabs(values[i]);
    if (values[i] != std::floor(values[i])) out.whole = false;
  }
  if (!(size < 9e15)) out.whole = false;  // beyond 2^53 whole numbers round, and infinities do not subtract
  if (!out.whole || 4 * index.patterns > index.n) return out;
  std::vector<std::int32_t> place(static_cast<std::size_t>(payload.n_groups), -1);  // of a group among the entries of a pattern
  for (Count r = 0; r < index.patterns; ++r) {
    const std::size_t start = out.groups_of.size();
    out.offsets.push_back(static_cast<Count>(start));
    for (Count at = index.offsets[r]; at < index.offsets[r + 1]; ++at) {
      const std::int32_t i = index.members[at], group = payload.codes[i];
      if (place[group] < 0) {
        place[group] = static_cast<std::int32_t>(out.groups_of.size());
        out.groups_of.push_back(group);
        out.sums.resize(out.sums.size() + static_cast<std::size_t>(v), 0.0);
      }
      for (Count j = 0; j < v; ++j) out.sums[place[group] * v + j] += values[i * v + j];
    }
    for (std::size_t e = start; e < out.groups_of.size(); ++e) place[out.groups_of[e]] = -1;
  }
  out.offsets.push_back(static_cast<Count>(out.groups_of.size()));
  return out;
}

}  // namespace nearwise::coded
