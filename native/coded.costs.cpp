// Costs of a part, rounded to whole units so that they add up to a lower bound.
#include "coded.costs.hpp"

#include <algorithm>
#include <cstring>

#include "instructions.hpp"

namespace nearwise::coded {
namespace {

constexpr double unit_roundoff = 0x1p-53;
constexpr Count most_rounded = 128;  // beyond, half a unit each would take too much of the byte

std::uint8_t whole_units(double units) {
  // what is not a number (0 * infinity) bounds nothing
  return units >= 255 ? std::uint8_t{255} : units > 0 ? static_cast<std::uint8_t>(units) : std::uint8_t{0};
}

std::uint8_t units_of_limit(const Lane& lane) {
  constexpr double rounding = 1e-9;  // far more than the products of a scale and a cost below 256 are off
  if (lane.limit.value() == infinity) return 255;
  return whole_units(lane.limit.value() * lane.scale + lane.excess + rounding);
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
  down_ = 1.0 - (4.0 * static_cast<double>(part.width) + 64.0) * unit_roundoff;
  for (Count a = 0; a < used_; ++a) choose_scale(queries_[a]);
  double least[lanes] = {};
  for (const Step& step : part.steps) step.is_table ? fill_table(step, least) : fill_overlap(step, least);
  for (Count a = 0; a < lanes; ++a) {
    // a lane without a query stands at 255, beyond its limit of 0
    floor_[a] = a < used_ ? whole_units(least[a] * queries_[a].scale * down_) : std::uint8_t{255};
    limits_[a] = a < used_ ? units_of_limit(queries_[a]) : std::uint8_t{0};
  }
}

bool Costs::are_coarse(const Lane* queries, Count used) const {
  constexpr std::uint8_t coarse = 64;
  Count count = 0;
  for (Count a = 0; a < used; ++a)
    if (limits_[a] < coarse && queries[a].limit.value() > 0) ++count;
  return 4 * count > used;
}

void Costs::lower_limit(Count lane, const Lane& query) { limits_[lane] = units_of_limit(query); }

// As fine as a byte allows: the limit stands near 255, and what lies beyond needs no telling apart. Costs of overlap
// are rounded to the nearest unit, half a unit too high at most; the limit is raised by what all of them may exceed.
void Costs::choose_scale(Lane& lane) const {
  double most = lane.limit.value();
  if (most == infinity) {
    most = 0;
    for (const Step& step : part_->steps) most += step.coefficient * (step.is_table ? 2.0 : 1.0);
  }
  const double room = part_->width <= most_rounded ? 254.0 - 0.5 * static_cast<double>(part_->width) : 254.0;
  lane.scale = std::min(room / most, 1e300);
  lane.excess = 0;
}

// The costs of one feature, beyond the least that any value costs, which every row costs.
void Costs::fill_overlap(const Step& step, double* least) {
  std::uint8_t other[lanes] = {};
  for (Count a = 0; a < used_; ++a) {
    Lane& lane = queries_[a];
    if (lane.codes[step.feature] < 0) {
      least[a] += step.coefficient;
      continue;
    }
    const double units = step.coefficient * lane.scale * down_;
    other[a] = whole_units(part_->width <= most_rounded ? units + 0.5 : units);
    if (units < 255) lane.excess += std::max(0.0, other[a] - units);
  }
  for (Count e = 0; e < step.entries; ++e) std::memcpy(costs_.data() + (step.entry + e) * lanes, other, lanes);
  for (Count a = 0; a < used_; ++a) {
    const std::int32_t code = queries_[a].codes[step.feature];
    if (code >= 0) costs_[static_cast<std::size_t>(entry_of(step, code) * lanes + a)] = 0;
  }
}

void Costs::fill_table(const Step& step, double* least) {
  const auto quantise = NEARWISE_CHOSEN(quantise);
  const auto spread = NEARWISE_CHOSEN(spread);
  for (Count a = 0; a < used_; ++a) {
    std::uint8_t* units = units_.data() + a * most_values_;
    least[a] += quantise({queries_[a].rows[step.feature], step.values, step.coefficient, queries_[a].scale * down_}, units);
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

}  // namespace nearwise::coded
