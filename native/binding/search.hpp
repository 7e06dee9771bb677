// What every search for neighbours is asked with, checked once, and the arrays that it answers with.
#pragma once

#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "binding/given.hpp"
#include "selection/nearest.hpp"

namespace nearwise {

// As it comes from Python: exclude (m,), group_codes (n,), group_values (n, v).
struct Question {
  Array exclude;
  Count k;
  double tolerance;
  Array group_codes, group_values;
  Count n_groups, threads;
};

constexpr Count most_wanted = Count{1} << 31;  // keeps every product of sizes within 64 bits

// `who` is the kernel, which comes first in its sentences.
inline Payload payload_from(const std::string& who, const Array& codes, const Array& values, Count n_groups, Count n) {
  require(n_groups >= 0 && n_groups <= most_wanted,
          who + ": n_groups must be in 0 .. 2**31, got " + std::to_string(n_groups) + ".");
  data_of<double>(values, "group_values", 2);
  const Count v = size_of(values, 1);
  const auto* added = shaped<double>(values, "group_values", {n, v});
  const Payload out{shaped<std::int32_t>(codes, "group_codes", {n}), added, n_groups, v};
  require_between(out.codes, n, 0, n_groups, who + ": group_codes must be in 0 .. n_groups - 1");
  return out;
}

inline Wanted wanted(const std::string& who, const Question& q, Count m, Count n) {
  require(q.k >= 1 && q.k <= most_wanted, who + ": k must be in 1 .. 2**31, got " + std::to_string(q.k) + ".");
  require(q.threads >= 1, who + ": threads must be at least 1, got " + std::to_string(q.threads) + ".");
  require(q.tolerance >= 0 && q.tolerance < 1,
          who + ": tolerance must be in 0 .. 1, got " + std::to_string(q.tolerance) + ".");
  return {shaped<Count>(q.exclude, "exclude", {m}), payload_from(who, q.group_codes, q.group_values, q.n_groups, n), m, q.k,
          q.threads, q.tolerance};
}

inline Wanted wanted(const std::string& who, Given& given, Count m, Count n) {
  Wanted out = wanted(who, {given.array("exclude"), given.value<Count>("k"), given.value<double>("tolerance"),
                            given.array("group_codes"), given.array("group_values"), given.value<Count>("n_groups"),
                            given.value<Count>("threads", 1)}, m, n);
  out.reach = given.maybe<double>("reach", {m});
  if (out.reach) require_all(m, who + ": reach must not be negative", [&](Count j) { return out.reach[j] >= 0; });
  return out;
}

// Where a case that is left out is looked up, not only compared with.
inline void require_excluded(const Wanted& wanted, Count n) {
  require_between(wanted.exclude, wanted.m, -1, n, "exclude must be -1 or a position below n");
}

// Neighbours before they are handed to NumPy.
class NearestArrays {
 public:
  // `levels`: how many ties have sums of their own for a query
  explicit NearestArrays(const Wanted& w, Count levels = 1)
      : m_(w.m), k_(w.k), groups_(levels * w.payload.n_groups), v_(w.payload.v), sums_(m_ * k_, infinity),
        tie_sums_(m_ * groups_ * v_), indices_(m_ * k_, -1), inside_(m_), tied_(m_), looked_at_(m_) {}
  Nearest pointers() { return {sums_.data(), indices_.data(), inside_.data(), tied_.data(), tie_sums_.data()}; }
  Count* looked_at() { return looked_at_.data(); }  // [m] how many cases each search looked at
  auto to_python() {
    return std::make_tuple(to_numpy(std::move(sums_), {m_, k_}), to_numpy(std::move(indices_), {m_, k_}),
                           to_numpy(std::move(inside_)), to_numpy(std::move(tied_)),
                           to_numpy(std::move(tie_sums_), {m_, groups_, v_}));
  }
  auto to_python_with_effort() {
    return std::tuple_cat(to_python(), std::make_tuple(to_numpy(std::move(looked_at_))));
  }

 private:
  Count m_, k_, groups_, v_;
  std::vector<double> sums_, tie_sums_;
  std::vector<Count> indices_, inside_, tied_, looked_at_;
};

}  // namespace nearwise
