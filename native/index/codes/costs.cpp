// Costs of a part, rounded to whole units so that they add up to a lower bound.
#include "index/codes/costs.hpp"

#include <algorithm>
#include <cstring>

#include "machine/instructions.hpp"

namespace nearwise::coded {
namespace {

constexpr double unit_roundoff = 0x1p-53;
constexpr Count narrow_width = 24;    // up to so many features a byte tells sums apart well enough
constexpr Count most_rounded = 8192;  // beyond, half a unit each would take too much of two bytes

std::uint16_t whole_units(double units, double most) {
  // what is not a number (0 * infinity) bounds nothing
  return static_cast<std::uint16_t>(units >= most ? most : units > 0 ? units : 0.0);
}

}  // namespace

Costs::Costs(const Index& index) {
  Count entries = 1;
  for (const Part& part : index.parts) {
    entries = std::max(entries, part.n_entries);
    for (const Step& step : part.steps)
      if (step.is_table) most_values_ = std::max(most_values_, Count{step.values});
  }
  units_.resize(static_cast<std::size_t>(most_values_ * lanes));
  costs_.resize(static_cast<std::size_t>(entries * lanes));  // entry 0 stays at 0
}

void Costs::prepare(const Part& part, Lane* queries, Count used) {
  part_ = &part, queries_ = queries, used_ = used;
  wide_ = part.width > narrow_width;
  most_ = wide_ ? 65535.0 : 255.0;
  down_ = 1.0 - (4.0 * static_cast<double>(part.width) + 64.0) * unit_roundoff;
  for (Count a = 0; a < used_; ++a) choose_scale(queries_[a]);
  double least[lanes] = {};
  for (const Step& step : part.steps) step.is_table ? fill_table(step, least) : fill_overlap(step, least);
  for (Count a = 0; a < lanes; ++a) {
    // a lane without a query stands at the most, beyond its limit of 0
    set(floor_, a, a < used_ ? whole_units(least[a] * queries_[a].scale * down_, most_) : static_cast<std::uint16_t>(most_));
    set(limits_, a, a < used_ ? units_of_limit(queries_[a]) : std::uint16_t{0});
  }
}

bool Costs::are_coarse(const Lane* queries, Count used) const {
  Count count = 0;
  for (Count a = 0; a < used; ++a)
    if (units_of_limit(queries[a]) < 0.25 * most_ && queries[a].limit.value() > 0) ++count;
  return 4 * count > used;
}

void Costs::lower_limit(Count lane, const Lane& query) { set(limits_, lane, units_of_limit(query)); }

std::uint16_t Costs::units_of_limit(const Lane& lane) const {
  constexpr double rounding = 1e-6;  // far more than the products of a scale and a cost are off
  if (lane.limit.value() == infinity) return static_cast<std::uint16_t>(most_);
  return whole_units(lane.limit.value() * lane.scale + lane.excess + rounding, most_);
}

// Bytes may be read and written where words are kept, so one memory serves both.
void Costs::set(std::uint16_t* words, Count place, std::uint16_t units) const {
  if (wide_) words[place] = units;
  else reinterpret_cast<std::uint8_t*>(words)[place] = static_cast<std::uint8_t>(units);
}

// As fine as possible: the limit stands near the most, and what lies beyond needs no telling apart. Costs of overlap
// are rounded to the nearest unit, half a unit too high at most; the limit is raised by what all of them may exceed.
void Costs::choose_scale(Lane& lane) const {
  double sum = lane.limit.value();
  if (sum == infinity) {
    sum = 0;
    for (const Step& step : part_->steps) sum += step.coefficient * (step.is_table ? 2.0 : 1.0);
  }
  const double room = most_ - 1 - (part_->width <= most_rounded ? 0.5 * static_cast<double>(part_->width) : 0.0);
  lane.scale = std::min(room / sum, 1e300);
  lane.excess = 0;
}

// The costs of one feature, beyond the least that any value costs, which every row costs.
void Costs::fill_overlap(const Step& step, double* least) {
  std::uint16_t other[lanes] = {};
  for (Count a = 0; a < used_; ++a) {
    Lane& lane = queries_[a];
    if (lane.codes[step.feature] < 0) {
      least[a] += step.coefficient;
      continue;
    }
    const double units = step.coefficient * lane.scale * down_;
    const std::uint16_t rounded = whole_units(part_->width <= most_rounded ? units + 0.5 : units, most_);
    if (units < most_) lane.excess += std::max(0.0, rounded - units);
    set(other, a, rounded);
  }
  const Count bytes = lanes * (wide_ ? 2 : 1);
  auto* costs = reinterpret_cast<std::uint8_t*>(costs_.data());
  for (Count e = 0; e < step.entries; ++e) std::memcpy(costs + (step.entry + e) * bytes, other, static_cast<std::size_t>(bytes));
  for (Count a = 0; a < used_; ++a) {
    const std::int32_t code = queries_[a].codes[step.feature];
    if (code >= 0) set(costs_.data(), entry_of(step, code) * lanes + a, 0);
  }
}

void Costs::fill_table(const Step& step, double* least) {
  const auto quantise = NEARWISE_CHOSEN(quantise);
  for (Count a = 0; a < used_; ++a) {
    std::uint16_t* units = units_.data() + a * most_values_;
    const Lane& lane = queries_[a];
    least[a] += quantise({lane.rows[step.feature], step.values, step.coefficient, lane.scale * down_, most_}, units);
    if (step.entries == step.values) continue;
    // codes that share an entry cost the least of theirs; entries ascend with codes, so this can be done in place
    Count entry = -1;
    for (std::int32_t code = 0; code < step.values; ++code) {
      const Count of = entry_of(step, code) - step.entry;
      units[of] = of == entry ? std::min(units[of], units[code]) : units[code];
      entry = of;
    }
  }
  const Spread all{units_.data(), most_values_, used_, step.entries};
  if (wide_) {
    NEARWISE_CHOSEN(spread_words)(all, costs_.data() + step.entry * lanes);
  } else {
    auto* costs = reinterpret_cast<std::uint8_t*>(costs_.data());
    NEARWISE_CHOSEN(spread_bytes)(all, costs + step.entry * lanes);
  }
}

}  // namespace nearwise::coded
