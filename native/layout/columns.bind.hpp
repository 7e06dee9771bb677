// Columns from Python, and what an index that points into them keeps alive.
#pragma once

#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>
#include <string>

#include "binding/search.hpp"
#include "layout/columns.hpp"
#include "selection/ranking.hpp"

namespace nearwise {

using Maybe = std::optional<Array>;

inline void require_joined(const std::uint8_t* joined, const std::uint8_t* is_symbol, Count p) {
  for (Count f = 0; f < p; ++f)
    require(!joined[f] || (f > 0 && !is_symbol[f] && !is_symbol[f - 1]), "only numbers can be joined.");
}

inline void require_lengths(const double* lengths, Count count, const std::string& name) {
  require_all(count, name + " must be from 0 to 1e100", [&](Count i) { return lengths[i] >= 0 && lengths[i] < 1e100; });
}

// The n cases: numbers as they are, symbols as codes, and what a missing value differs by.
inline void take_columns(Columns& c, Given& given) {
  c.power = given.value<double>("power");
  require_power(c.power);
  const std::vector<Array> columns = given.arrays("columns");
  require(!columns.empty(), "columns must hold at least one feature.");
  c.p = static_cast<Count>(columns.size());
  c.is_symbol = given.copy<std::uint8_t>("is_symbol", {c.p});
  c.one_missing = given.copy<double>("one_missing", {c.p});
  c.both_missing = given.copy<double>("both_missing", {c.p});
  for (Count f = 0; f < c.p; ++f) {
    const Array& column = columns[f];
    c.values.push_back(c.is_symbol[f] ? nullptr : data_of<double>(column, "a column of numbers", 1));
    c.codes.push_back(c.is_symbol[f] ? data_of<std::int32_t>(column, "a column of symbols", 1) : nullptr);
    require(size_of(column, 0) == c.n, "columns must have shape " + shape_text({c.n}) + ".");
    for (Count i = 0; c.is_symbol[f] && i < c.n; ++i)
      require(c.codes[f][i] < (1 << 30), "codes of symbols must be below 2**30, or negative.");
  }
}

// Columns that are one feature, those that only propose or decide, and what may be left out.
inline void take_roles(Columns& c, const Given& given) {
  if (given.has("joined")) {
    c.joined = given.copy<std::uint8_t>("joined", {c.p});
    require_joined(c.joined.data(), c.is_symbol.data(), c.p);
  }
  if (given.has("role")) c.role = given.copy<std::uint8_t>("role", {c.p});
  for (Count f = 0; !c.role.empty() && f < c.p; ++f) {
    require(c.role[f] <= proposes && (c.role[f] != proposes || !c.is_symbol[f]), "role is not in 0 .. 2.");
    require(c.joined.empty() || !c.joined[f] || c.role[f] == c.role[f - 1], "joined columns must have the same role.");
  }
  if (!given.has("slack")) return;
  require(c.power == 2, "slack needs power 2.");
  c.slack = given.copy<double>("slack", {c.n});
  require_lengths(c.slack.data(), c.n, "slack");
}

// The cases of an index of columns.
inline Columns columns_from(Given& given) {
  Columns c;
  if (given.has("segment")) {
    c.segment = given.array<std::int32_t>("segment", {told_cases(c.n)});
  } else {
    const auto columns = given.value<std::vector<Array>>("columns");
    c.n = case_count(columns.empty() ? 0 : columns[0].size());
  }
  take_columns(c, given);
  c.coefficients = given.copy<double>("coefficients", {told(c.g), c.p});
  require_weights(c.coefficients.data(), c.g * c.p, "coefficients");
  require(c.segment || c.g == 1, "segment must be there where coefficients have more than one row.");
  if (c.segment) require_between(c.segment, c.n, 0, c.g, "segment must be in 0 .. g - 1");
  take_roles(c, given);
  return c;
}

// (m, p) queries of an index of columns, and (m,) what may be left out of them.
inline Ask asked(const Columns& c, Given& given) {
  Ask ask{};
  ask.queries = given.array<double>("queries", {told(ask.m), c.p});
  static_cast<Wanted&>(ask) = wanted("nearest", given, ask.m, c.n);
  for (Count f = 0; f < c.p; ++f)
    for (Count j = 0; c.is_symbol[f] && j < ask.m; ++j) {
      const double q = ask.queries[j * c.p + f];
      require(q != q || (q >= 0 && q < (1 << 30)), "queries hold a code of a symbol beyond 0 .. 2**30.");
    }
  ask.slack = given.maybe<double>("slack", {ask.m});
  if (ask.slack) require_lengths(ask.slack, ask.m, "slack");
  return ask;
}

}  // namespace nearwise
