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
    for (const Part& part : index.parts) entries = std::max(entries, part.n_entries);
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
    for (const Part& part : index_.parts) look_around(part, lane);
    // those cases come again on the walk, so only their limit is kept
    lane.limit.start(queries_.k, queries_.tie, queries_.distinct, lane.limit.value());
  }

  // A first limit from the rows that agree with the query in the heaviest features.
  void look_around(const Part& part, Lane& lane) {
    const Count wanted = std::min<Count>(256, 4 + queries_.k);
    Count low = 0, high = part.rows;
    while (low < high) {
      const Count middle = low + (high - low) / 2;
      if (comes_before(part, middle, lane)) low = middle + 1;
      else high = middle;
    }
    const Count end = std::min(part.rows, low + wanted);
    for (Count row = std::max<Count>(0, low - wanted); row < end; ++row) {
      const Count count = cases_of(index_, part.first + row, lane);
      const double sum = exact_sum(part, row, lane);
      if (count > 0 && sum <= lane.limit.value()) lane.limit.add(sum, count);
    }
  }

  bool comes_before(const Part& part, Count row, const Lane& lane) const {
    const std::int32_t* codes = part.codes.data() + row * part.width;
    for (Count j = 0; j < part.width; ++j) {
      const std::int32_t asked = lane.codes[part.steps[part.heaviest[j]].feature];
      if (codes[j] != asked) return codes[j] < asked;
    }
    return false;
  }

  void visit(const Part& part) {
    std::memset(costs_.data(), 0, lanes);  // entry 0
    std::memset(limits_, 0, lanes);        // a lane without a query stands at 255, beyond its limit of 0
    std::memset(stack_.data(), 255, lanes);
    // sums of non-negative numbers in two orders differ by less than this
    const double down = 1.0 - (4.0 * static_cast<double>(part.width) + 64.0) * unit_roundoff;
    for (Count a = 0; a < used_; ++a) {
      choose_scale(part, all_[a]);
      limits_[a] = units_of_limit(all_[a]);
    }
    double floor[lanes] = {};
    for (const Step& step : part.steps) fill(step, down, floor);
    for (Count a = 0; a < used_; ++a) stack_[a] = whole_units(floor[a] * all_[a].scale * down);

    part_ = &part;
    Walk walk{part.nodes.data(), 0, 0, part.entries.data(), part.width, costs_.data(), stack_.data(), limits_,
              &Batch::hit, this};
    const auto run = chosen_instructions() == Instructions::avx2 ? avx2::walk : baseline::walk;
    const auto [first, last] = likely_nodes(part);
    const Count ends[3][2] = {{first, last}, {0, first}, {last, static_cast<Count>(part.nodes.size())}};
    for (const auto& range : ends) {
      walk.first = range[0], walk.last = range[1];
      run(walk);
    }
  }

  // The subtree of the first query's heaviest value: what is found there lowers the limit for the rest.
  std::pair<Count, Count> likely_nodes(const Part& part) const {
    if (part.nodes.size() < 2) return {0, 0};
    const Step& step = part.steps[part.heaviest[0]];
    for (Count at = 0; at < static_cast<Count>(part.nodes.size()); at = part.nodes[at].after)
      if (part.codes[part.nodes[at].begin * part.width] == all_[0].codes[step.feature]) return {at, part.nodes[at].after};
    return {0, 0};
  }

  // As fine as a byte allows: the limit stands near 255, and what lies beyond needs no telling apart.
  void choose_scale(const Part& part, Lane& lane) const {
    const double limit = lane.limit.value();
    if (limit != infinity) {
      lane.scale = std::min(254.0 / limit, 1e300);
      return;
    }
    double most = 0;
    for (const Step& step : part.steps) most += step.coefficient * 4.0;
    lane.scale = std::min(254.0 / most, 1e300);
  }

  static std::uint8_t units_of_limit(const Lane& lane) {
    return lane.limit.value() == infinity ? std::uint8_t{255} : whole_units(lane.limit.value() * lane.scale);
  }

  // The costs of one feature, beyond the least that any value costs, which is added to the floor.
  void fill(const Step& step, double down, double* floor) {
    std::uint8_t* costs = costs_.data() + Count{step.entry} * lanes;
    if (step.is_table) {
      if (step.entries < step.values) std::memset(costs, 255, static_cast<std::size_t>(step.entries * lanes));
      for (Count a = 0; a < used_; ++a) floor[a] += fill_table(step, all_[a], down, costs_.data() + a);
      return;
    }
    std::uint8_t other[lanes] = {};
    for (Count a = 0; a < used_; ++a) {
      const bool known = all_[a].codes[step.feature] >= 0;
      if (known) other[a] = whole_units(step.coefficient * all_[a].scale * down);
      else floor[a] += step.coefficient;
    }
    for (Count e = 0; e < step.entries; ++e) std::memcpy(costs + e * lanes, other, lanes);
    for (Count a = 0; a < used_; ++a) {
      const std::int32_t code = all_[a].codes[step.feature];
      if (code >= 0) costs_[Count{entry_of(step, code)} * lanes + a] = 0;
    }
  }

  double fill_table(const Step& step, const Lane& lane, double down, std::uint8_t* costs) const {
    const double* row = lane.rows[step.feature];
    double least = infinity;
    for (std::int32_t code = 0; code < step.values; ++code) least = std::min(least, row[code]);
    least *= step.coefficient;
    if (!(least < infinity)) least = 0;
    const double unit = lane.scale * down;
    for (std::int32_t code = 0; code < step.values; ++code) {
      const std::uint8_t units = whole_units((step.coefficient * row[code] - least) * unit);
      std::uint8_t& cost = costs[Count{entry_of(step, code)} * lanes];
      cost = step.entries < step.values ? std::min(cost, units) : units;
    }
    return least;
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
  std::uint8_t limits_[lanes] = {};
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
