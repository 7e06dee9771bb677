// What the borders of all trials check.
#pragma once

#include "binding/given.hpp"
#include "statistics/trials/classified.hpp"

namespace nearwise {

// How many neighbours are asked, at most.
inline Count trial_neighbours(const Given& given) {
  const Count k = given.value<Count>("k");
  require(k >= 1 && k <= 1 << 20, "k must be in 1 .. 2**20.");
  return k;
}

inline Classified classified_from(Given& given) {
  Classified c{};
  c.folds = given.array<std::int32_t>("folds", {told_cases(c.n)});
  c.codes = given.array<std::int32_t>("codes", {c.n});
  c.weights = given.array<double>("case_weights", {c.n});
  c.priors = given.array<double>("priors", {told(c.classes)});
  c.n_folds = given.value<Count>("n_folds", 1 << 20);
  c.power = given.value<double>("power");
  c.leave_one_out = given.value<bool>("leave_one_out");
  c.by_distance = given.value<bool>("by_distance");
  require(c.classes >= 1, "priors must hold at least one class.");
  require(c.n_folds >= 1 && c.n_folds <= 1 << 20, "n_folds must be in 1 .. 2**20.");
  require_between(c.codes, c.n, 0, c.classes, "codes must be in 0 .. classes - 1");
  require_between(c.folds, c.n, 0, c.n_folds, "folds must be in 0 .. n_folds - 1");
  return c;
}

}  // namespace nearwise
