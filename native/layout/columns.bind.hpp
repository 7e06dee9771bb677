// Columns from Python, and what an index that points into them keeps alive.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

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

// Numbers as they are, symbols as codes.
inline void take_columns(Columns& c, const std::vector<Array>& columns) {
  for (Count f = 0; f < c.p; ++f) {
    const Array& column = columns[f];
    c.values.push_back(c.is_symbol[f] ? nullptr : data_of<double>(column, "a column of numbers", 1));
    c.codes.push_back(c.is_symbol[f] ? data_of<std::int32_t>(column, "a column of symbols", 1) : nullptr);
    require(size_of(column, 0) == c.n, "columns must have shape " + shape_text({c.n}) + ".");
    for (Count i = 0; c.is_symbol[f] && i < c.n; ++i)
      require(c.codes[f][i] < (1 << 30), "codes of symbols must be below 2**30, or negative.");
  }
}

// What Python hands over for an index of columns.
struct ColumnArrays {
  const std::vector<Array>& columns;
  const Array &is_symbol, &segment, &coefficients, &one_missing, &both_missing;
  double power;
  const Maybe &joined, &role, &slack;
};

// Columns that are one feature, those that only propose or decide, and what may be left out.
inline void take_roles(Columns& c, const ColumnArrays& from) {
  if (from.joined) {
    c.joined = copied<std::uint8_t>(*from.joined, "joined", {c.p});
    require_joined(c.joined.data(), c.is_symbol.data(), c.p);
  }
  if (from.role) c.role = copied<std::uint8_t>(*from.role, "role", {c.p});
  for (Count f = 0; from.role && f < c.p; ++f) {
    require(c.role[f] <= proposes && (c.role[f] != proposes || !c.is_symbol[f]), "role is not in 0 .. 2.");
    require(c.joined.empty() || !c.joined[f] || c.role[f] == c.role[f - 1], "joined columns must have the same role.");
  }
  if (!from.slack) return;
  require(c.power == 2, "slack needs power 2.");
  c.slack = copied<double>(*from.slack, "slack", {c.n});
  require_lengths(c.slack.data(), c.n, "slack");
}

inline Columns columns_from(const ColumnArrays& from) {
  require_power(from.power);
  require(!from.columns.empty(), "columns must hold at least one feature.");
  Columns c;
  data_of<std::int32_t>(from.segment, "segment", 1);
  data_of<double>(from.coefficients, "coefficients", 2);
  c.p = static_cast<Count>(from.columns.size());
  c.n = case_count(from.segment.shape(0));
  c.g = size_of(from.coefficients, 0);
  c.power = from.power;
  c.is_symbol = copied<std::uint8_t>(from.is_symbol, "is_symbol", {c.p});
  c.segment = copied<std::int32_t>(from.segment, "segment", {c.n});
  c.coefficients = copied<double>(from.coefficients, "coefficients", {c.g, c.p});
  c.one_missing = copied<double>(from.one_missing, "one_missing", {c.p});
  c.both_missing = copied<double>(from.both_missing, "both_missing", {c.p});
  take_columns(c, from.columns);
  require_weights(c.coefficients.data(), c.g * c.p, "coefficients");
  require_between(c.segment.data(), c.n, 0, c.g, "segment must be in 0 .. g - 1");
  take_roles(c, from);
  return c;
}

// (m, p) queries of an index of columns, and (m,) what may be left out of them.
inline Ask asked(const Columns& c, const Array& queries, const Question& question, const Maybe& slack) {
  Ask ask{};
  ask.queries = data_of<double>(queries, "queries", 2);
  shaped<double>(queries, "queries", {size_of(queries, 0), c.p});
  static_cast<Wanted&>(ask) = wanted("nearest", question, size_of(queries, 0), c.n);
  for (Count f = 0; f < c.p; ++f)
    for (Count j = 0; c.is_symbol[f] && j < ask.m; ++j) {
      const double q = ask.queries[j * c.p + f];
      require(q != q || (q >= 0 && q < (1 << 30)), "queries hold a code of a symbol beyond 0 .. 2**30.");
    }
  if (slack) {
    ask.slack = shaped<double>(*slack, "slack", {ask.m});
    require_lengths(ask.slack, ask.m, "slack");
  }
  return ask;
}

// An index of a kind, with the columns that it points into.
template <class Kind>
struct Held {
  std::vector<Array> columns;
  std::unique_ptr<Kind> index;
};

}  // namespace nearwise
