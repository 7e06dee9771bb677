// The search: batches of 32 queries, each over all parts.
#include "coded.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "coded.lane.hpp"
#include "instructions.hpp"

namespace nearwise::coded {
namespace {

constexpr double unit_roundoff = 0x1p-53;
constexpr Count most_rounded = 128;  // beyond, half a unit each would take too much of the byte
constexpr std::size_t few_candidates = 256;
constexpr std::size_t many_candidates = std::size_t{1} << 18;  // memory that is worth giving back after a batch

std::uint8_t whole_units(double units) {
  // what is not a number (0 * infinity) bounds nothing
  return units >= 255 ? std::uint8_t{255} : units > 0 ? static_cast<std::uint8_t>(units) : std::uint8_t{0};
}

class Batch {
 public:
  Batch(const Index& index, const Queries& queries, const Tally& tally, const Found& found)
      : index_(index), queries_(queries), tally_(tally), found_(found), all_(lanes) {
    Count entries = 1;
    for (const Part& part : index.parts) {
      entries = std::max(entries, part.n_entries);
      for (const Step& step : part.steps)
        if (step.is_table) most_values_ = std::max(most_values_, Count{step.values});
    }
    hints_.resize(index.parts.size());
    units_.resize(static_cast<std::size_t>(most_values_ * lanes));
    costs_.resize(static_cast<std::size_t>(entries * lanes));
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
    lane.left_out = queries_.leave_out[query];
    lane.left_pattern = lane.left_out < 0 ? -1 : index_.pattern[lane.left_out];
    const std::int32_t* rows = queries_.rows + query * index_.p;
    for (Count f = 0; f < index_.p; ++f)
      lane.rows[f] = index_.is_table[f] ? queries_.tables[f] + Count{rows[f]} * index_.values[f] : nullptr;
    lane.candidates.clear();
    lane.full = few_candidates;
    lane.limit.start(queries_.k, queries_.tie, queries_.distinct, infinity);
    for (std::size_t a = 0; a < index_.parts.size(); ++a) look_around(index_.parts[a], lane, hints_[a]);
    // those cases come again on the walk, so only their limit is kept
    lane.limit.start(queries_.k, queries_.tie, queries_.distinct, lane.limit.value());
  }

  // A first limit from the rows that agree with the query in the heaviest features.
  void look_around(const Part& part, Lane& lane, Count& hint) {
    const Count wanted = std::min<Count>(256, 2 + queries_.k);
    asked_.resize(static_cast<std::size_t>(part.width));
    for (const Step& step : part.steps) asked_[step.position] = lane.codes[step.feature];
    hint = place_of_asked(part, hint);
    const Count end = std::min(part.rows, hint + wanted);
    for (Count row = std::max<Count>(0, hint - wanted); row < end; ++row) {
      const Count count = cases_of(index_, part.first + row, lane);
      const double sum = exact_sum(part, row, lane);
      if (count > 0 && sum <= lane.limit.value()) lane.limit.add(sum, count);
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

  // All rows of a part: first those that share the heaviest value of the first query, as what is found there lowers the
  // limits for the rest; then the others in growing stretches, with finer costs where the limits have fallen far.
  void visit(const Part& part) {
    part_ = &part;
    prepare();
    const Count subtrees = static_cast<Count>(part.roots.size()) - 1;
    const Count likely = likely_subtree();
    if (likely < subtrees) walk_over(likely, likely + 1);
    Count stretch = 1024;
    for (Count at = 0; at < subtrees;) {
      const Count stop = at < likely ? std::min(likely, subtrees) : subtrees;
      if (at == likely) {
        ++at;
        continue;
      }
      Count end = at + 1;
      while (end < stop && part.nodes[part.roots[end]].begin - part.nodes[part.roots[at]].begin < stretch) ++end;
      if (are_coarse()) prepare();
      walk_over(at, end);
      at = end;
      stretch *= 2;
    }
  }

  void walk_over(Count from, Count to) {
    const auto run = chosen_instructions() == Instructions::avx2 ? avx2::walk : baseline::walk;
    run({part_->nodes.data(), part_->roots[from], part_->roots[to], part_->entries.data(), part_->width, costs_.data(),
         stack_.data(), limits_, &Batch::hit, this});
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

  bool are_coarse() const {
    constexpr std::uint8_t coarse = 96;
    for (Count a = 0; a < used_; ++a)
      if (limits_[a] < coarse && all_[a].limit.value() * all_[a].scale > 0) return true;
    return false;
  }

  // The costs of the part for these queries, each in units of its own scale.
  void prepare() {
    std::memset(costs_.data(), 0, lanes);  // entry 0
    std::memset(limits_, 0, lanes);        // a lane without a query stands at 255, beyond its limit of 0
    std::memset(stack_.data(), 255, lanes);
    // sums of non-negative numbers in two orders differ by less than this
    const double down = 1.0 - (4.0 * static_cast<double>(part_->width) + 64.0) * unit_roundoff;
    for (Count a = 0; a < used_; ++a) choose_scale(all_[a]);
    double floor[lanes] = {};
    for (const Step& step : part_->steps) step.is_table ? fill_table(step, down, floor) : fill_overlap(step, down, floor);
    for (Count a = 0; a < used_; ++a) {
      stack_[a] = whole_units(floor[a] * all_[a].scale * down);
      limits_[a] = units_of_limit(all_[a]);
    }
  }

  // As fine as a byte allows: the limit stands near 255, and what lies beyond needs no telling apart. Costs of overlap
  // are rounded to the nearest unit, half a unit too high at most; the limit is raised by what all of them may exceed.
  void choose_scale(Lane& lane) const {
    double most = lane.limit.value();
    if (most == infinity) {
      most = 0;
      for (const Step& step : part_->steps) most += step.coefficient * (step.is_table ? 2.0 : 1.0);
    }
    const double room = part_->width <= most_rounded ? 254.0 - 0.5 * static_cast<double>(part_->width) : 254.0;
    lane.scale = std::min(room / most, 1e300);
    lane.excess = 0;
  }

  static std::uint8_t units_of_limit(const Lane& lane) {
    constexpr double rounding = 1e-9;  // far more than the products of a scale and a cost below 256 are off
    if (lane.limit.value() == infinity) return 255;
    return whole_units(lane.limit.value() * lane.scale + lane.excess + rounding);
  }

  // The costs of one feature, beyond the least that any value costs, which is added to the floor.
  void fill_overlap(const Step& step, double down, double* floor) {
    std::uint8_t other[lanes] = {};
    for (Count a = 0; a < used_; ++a) {
      Lane& lane = all_[a];
      if (lane.codes[step.feature] < 0) {
        floor[a] += step.coefficient;
        continue;
      }
      const double units = step.coefficient * lane.scale * down;
      other[a] = whole_units(part_->width <= most_rounded ? units + 0.5 : units);
      if (units < 255) lane.excess += std::max(0.0, other[a] - units);
    }
    for (Count e = 0; e < step.entries; ++e) std::memcpy(costs_.data() + (step.entry + e) * lanes, other, lanes);
    for (Count a = 0; a < used_; ++a) {
      const std::int32_t code = all_[a].codes[step.feature];
      if (code >= 0) costs_[static_cast<std::size_t>(entry_of(step, code) * lanes + a)] = 0;
    }
  }

  void fill_table(const Step& step, double down, double* floor) {
    const auto quantise = chosen_instructions() == Instructions::avx2 ? avx2::quantise : baseline::quantise;
    const auto spread = chosen_instructions() == Instructions::avx2 ? avx2::spread : baseline::spread;
    for (Count a = 0; a < used_; ++a) {
      std::uint8_t* units = units_.data() + a * most_values_;
      floor[a] += quantise({all_[a].rows[step.feature], step.values, step.coefficient, all_[a].scale * down}, units);
      if (step.entries == step.values) continue;
      // codes that share an entry cost the least of theirs; entries ascend with codes, so this can be done in place
      Count entry = -1;
      for (std::int32_t code = 0; code < step.values; ++code) {
        const Count of = entry_of(step, code) - step.entry;
        units[of] = of == entry ? std::min(units[of], units[code]) : units[code];
        entry = of;
      }
    }
    spread(units_.data(), most_values_, used_, step.entries, costs_.data() + Count{step.entry} * lanes);
  }

  static void hit(void* context, Count row, std::uint32_t alive) { static_cast<Batch*>(context)->offer(row, alive); }

  void offer(Count row, std::uint32_t alive) {
    const Count pattern = part_->first + row;
    for (Count a = 0; alive != 0; ++a, alive >>= 1) {
      if ((alive & 1) == 0) continue;
      Lane& lane = all_[a];
      const Count count = cases_of(index_, pattern, lane);
      const double sum = exact_sum(*part_, row, lane);
      if (count == 0 || sum > lane.limit.value()) continue;
      lane.candidates.push_back(static_cast<std::int32_t>(pattern));
      lane.limit.add(sum, count);
      limits_[a] = units_of_limit(lane);
      if (lane.candidates.size() >= lane.full) drop(lane);
    }
  }

  void drop(Lane& lane) {
    std::erase_if(lane.candidates, [&](std::int32_t pattern) {
      const Part& part = part_of(index_, pattern);
      return exact_sum(part, pattern - part.first, lane) > lane.limit.value();
    });
    lane.full = std::max(few_candidates, 2 * lane.candidates.size());
  }

  const Index& index_;
  const Queries& queries_;
  const Tally& tally_;
  const Found& found_;
  const Part* part_ = nullptr;
  Count used_ = 0;
  std::vector<Lane> all_;
  std::vector<std::uint8_t> costs_, stack_;
  Count most_values_ = 0;
  std::vector<std::uint8_t> units_;  // [lanes, most_values_] the costs of one feature, before they are spread
  std::uint8_t limits_[lanes] = {};
  std::vector<Count> hints_;         // [parts] where the last query stands among the rows
  std::vector<std::int32_t> asked_;  // the codes of a query in the order of a part
  Sheet sheet_;
};

}  // namespace

Count search(const Index& index, const Queries& queries, const Tally& tally, const Effort& effort, const Found& found) {
  const Count share = (queries.count + effort.threads - 1) / effort.threads;
  const Count size = std::clamp<Count>(share, 1, lanes);  // a few queries are spread over the threads
  const Count batches = (queries.count + size - 1) / size;
  const Count workers = std::max<Count>(1, std::min(effort.threads, batches));
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };

  std::atomic<Count> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  auto work = [&] {
    try {
      Batch batch(index, queries, tally, found);
      do {
        const Count number = next++;
        if (number >= batches) break;
        batch.answer(number * size, std::min(queries.count, (number + 1) * size));
      } while (spent() < effort.seconds);
    } catch (...) {
      const std::lock_guard<std::mutex> hold(guard);
      failure = std::current_exception();
      next = batches;
    }
  };
  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<std::size_t>(workers));
  try {
    for (Count worker = 1; worker < workers; ++worker) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // the system gives no more threads: those that started and this one do all batches
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
  return std::min(queries.count, next.load() * size);
}

}  // namespace nearwise::coded
