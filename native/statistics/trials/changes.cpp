// One step of a stepwise search: every weight vector that differs from a base in one feature.
//
// For one query the sums without a feature are found by halving: what is outside of a range of features is added once
// and shared by all of the range, so b bases with c changes cost n * (c + p log p) instead of n * c * p. Nothing is ever
// taken away from a sum, so no digits cancel: sums differ from those in the order of features by rounding alone.
#include "statistics/trials/changes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "machine/instructions.hpp"
#include "machine/parallel.hpp"
#include "selection/listed.hpp"

namespace nearwise {
namespace {

class Query {
 public:
  Query(const ChangeCases& cases, const ChangeAsk& ask)
      : cases_(cases), ask_(ask), n_(cases.n), by_base_(ask.b), changed_sums_(n_), start_(n_),
        listed_(ask.c, ask.k, cases.voters(), ask.tolerance), by_feature_(cases.p) {
    for (Count change = 0; change < ask.c; ++change) by_base_[ask.base_of[change]].push_back(change);
  }

  void run(Count row, std::uint8_t* right) {
    const Count k = ask_.k;
    row_ = row;
    at_ = ask_.rows[row];
    std::fill(start_.begin(), start_.end(), 0.0);
    cases_.leave_out(at_, start_.data());  // they stay infinite whatever is added
    for (Count base = 0; base < ask_.b; ++base) one_base(base);
    listed_.vote(ask_.c, cases_.power, cases_.by_distance);
    for (Count change = 0; change < ask_.c; ++change)
      for (Count j = 0; j < k; ++j)
        right[(change * ask_.r + row) * k + j] = std::isfinite(listed_.sums[change * k]) &&  // nobody to ask: wrong
                                                 listed_.winners[change * k + j] == cases_.codes[at_];
  }

 private:
  Term term(Count f, double weight, std::int32_t block) const {
    const Count given = block >= 0 ? block : ask_.own_block[f];
    const double coefficient = weight * cases_.scales[f];
    const int power = cases_.power == 2 ? 2 : 1;
    if (given >= 0) return {Term::block, ask_.blocks[given] + row_ * n_, 0.0, coefficient, 0.0, 0.0, power, false};
    const double* x = cases_.columns + f * n_;
    const auto kind = cases_.is_symbol[f] ? Term::symbol : Term::number;
    return {kind, x, x[at_], coefficient, cases_.one_missing[f], cases_.both_missing[f], power, cases_.has_holes[f] != 0};
  }

  bool counts(Count f) const { return weights_[f] > 0 && cases_.scales[f] > 0; }

  void one_base(Count base) {
    weights_ = ask_.bases + base * cases_.p;
    for (auto& changes : by_feature_) changes.clear();
    for (Count change : by_base_[base]) by_feature_[ask_.features[change]].push_back(change);
    std::vector<double> sums = start_;
    halved_.clear();
    for (Count f = 0; f < cases_.p; ++f) {
      if (!counts(f)) continue;
      if (by_feature_[f].empty()) add(f, sums);
      else halved_.push_back(f);
    }
    halve(0, static_cast<Count>(halved_.size()), sums);
    for (Count f : halved_) add(f, sums);
    for (Count f = 0; f < cases_.p; ++f)
      if (!counts(f)) leaf(f, sums);
  }

  void add(Count f, std::vector<double>& sums) const {
    NEARWISE_CHOSEN(add_term)(term(f, weights_[f], -1), sums.data(), n_, sums.data());
  }

  // sums: over all features that count, except those of halved_[low .. high)
  void halve(Count low, Count high, const std::vector<double>& sums) {
    if (high <= low) return;
    if (high - low == 1) return leaf(halved_[low], sums);
    const Count middle = low + (high - low) / 2;
    std::vector<double> with = sums;
    for (Count at = middle; at < high; ++at) add(halved_[at], with);
    halve(low, middle, with);
    with = sums;
    for (Count at = low; at < middle; ++at) add(halved_[at], with);
    halve(middle, high, with);
  }

  // Every change of feature f; sums are those of the base without it.
  void leaf(Count f, const std::vector<double>& sums) {
    for (Count change : by_feature_[f]) {
      const double* total = sums.data();
      if (ask_.values[change] > 0 && cases_.scales[f] > 0) {
        NEARWISE_CHOSEN(add_term)(term(f, ask_.values[change], ask_.block_of[change]), total, n_, changed_sums_.data());
        total = changed_sums_.data();
      }
      listed_.list(change, total);
    }
  }

  const ChangeCases& cases_;
  const ChangeAsk& ask_;
  const Count n_;
  Count row_ = 0, at_ = 0;
  const double* weights_ = nullptr;
  std::vector<std::vector<Count>> by_base_;
  std::vector<double> changed_sums_, start_;
  std::vector<Count> halved_;
  Listed listed_;
  std::vector<std::vector<Count>> by_feature_;
};

}  // namespace

void classify_changes(const ChangeCases& cases, const ChangeAsk& ask, std::uint8_t* right) {
  in_parallel(ask.r, ask.threads, [&] {
    return [right, query = std::make_unique<Query>(cases, ask)](Count row) { query->run(row, right); };
  });
}

}  // namespace nearwise
