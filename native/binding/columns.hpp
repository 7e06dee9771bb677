// What the borders of the proposing indexes share: columns and questions from Python, answers back to it.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "binding/arrays.hpp"
#include "selection/ranking.hpp"

namespace nearwise {

template <class T>
std::vector<T> copied(const Array& array, const char* name, std::size_t ndim, const char* type) {
  const T* from = data_of<T>(array, name, ndim, type);
  return std::vector<T>(from, from + array.size());
}

using Maybe = std::optional<Array>;

// Columns that are one feature, those that only propose or decide, and what may be left out.
inline void take_roles(Columns& c, const Maybe& joined, const Maybe& role, const Maybe& slack) {
  if (joined) {
    c.joined = copied<std::uint8_t>(*joined, "joined", 1, "uint8");
    require_shape(*joined, "joined", {c.p});
    for (Count f = 0; f < c.p; ++f)
      require(!c.joined[f] || (f > 0 && !c.is_symbol[f] && !c.is_symbol[f - 1]), "only numbers can be joined.");
  }
  if (role) {
    c.role = copied<std::uint8_t>(*role, "role", 1, "uint8");
    require_shape(*role, "role", {c.p});
    for (Count f = 0; f < c.p; ++f) {
      require(c.role[f] <= proposes && (c.role[f] != proposes || !c.is_symbol[f]), "role is not in 0 .. 2.");
      require(c.joined.empty() || !c.joined[f] || c.role[f] == c.role[f - 1], "joined columns must have the same role.");
    }
  }
  if (slack) {
    require(c.power == 2, "slack needs power 2.");
    c.slack = copied<double>(*slack, "slack", 1, "float64");
    require_shape(*slack, "slack", {c.n});
    for (double each : c.slack) require(each >= 0 && each < 1e100, "slack must be from 0 to 1e100.");
  }
}

// Numbers as they are, symbols as codes.
inline void take_columns(Columns& c, const std::vector<Array>& columns) {
  for (Count f = 0; f < c.p; ++f) {
    const Array& column = columns[f];
    c.values.push_back(c.is_symbol[f] ? nullptr : data_of<double>(column, "a column of numbers", 1, "float64"));
    c.codes.push_back(c.is_symbol[f] ? data_of<std::int32_t>(column, "a column of symbols", 1, "int32") : nullptr);
    require_shape(column, "columns", {c.n});
    for (Count i = 0; c.is_symbol[f] && i < c.n; ++i)
      require(c.codes[f][i] < (1 << 30), "codes of symbols must be below 2**30, or negative.");
  }
}

inline Columns columns_from(const std::vector<Array>& columns, const Array& is_symbol, const Array& segment,
                            const Array& coefficients, const Array& one_missing, const Array& both_missing, double power) {
  require(power >= 1 && power < 1e6, "power must be from 1 to 1e6, got " + std::to_string(power) + ".");
  require(!columns.empty(), "columns must hold at least one feature.");
  Columns c;
  c.p = static_cast<Count>(columns.size());
  c.is_symbol = copied<std::uint8_t>(is_symbol, "is_symbol", 1, "uint8");
  c.segment = copied<std::int32_t>(segment, "segment", 1, "int32");
  c.coefficients = copied<double>(coefficients, "coefficients", 2, "float64");
  c.one_missing = copied<double>(one_missing, "one_missing", 1, "float64");
  c.both_missing = copied<double>(both_missing, "both_missing", 1, "float64");
  c.n = case_count(c.segment.size());
  c.g = static_cast<Count>(coefficients.shape(0));
  c.power = power;
  require_shape(is_symbol, "is_symbol", {c.p});
  require_shape(coefficients, "coefficients", {c.g, c.p});
  require_shape(one_missing, "one_missing", {c.p});
  require_shape(both_missing, "both_missing", {c.p});
  take_columns(c, columns);
  for (double each : c.coefficients) require(std::isfinite(each) && each >= 0, "coefficients must be finite, not negative.");
  for (std::int32_t each : c.segment) require(each >= 0 && each < c.g, "segment must be in 0 .. g - 1.");
  return c;
}

// A question, and the arrays that its answer is written into.
struct Questions {
  Ask ask{};
  std::vector<double> sums, tie_sums;
  std::vector<Count> indices, inside, tied, proposed;

  Questions(const Columns& c, const Array& queries, const Array& exclude, Count k, double tolerance,
            const Array& group_codes, const Array& group_values, Count n_groups, Count threads, const Maybe& slack) {
    constexpr Count most = Count{1} << 31;
    require(k >= 1 && k <= most, "k must be in 1 .. 2**31, got " + std::to_string(k) + ".");
    require(n_groups >= 0 && n_groups <= most, "n_groups must be in 0 .. 2**31.");
    require(threads >= 1, "threads must be at least 1, got " + std::to_string(threads) + ".");
    require(tolerance >= 0 && tolerance < 1, "tolerance must be in 0 .. 1.");
    ask.queries = data_of<double>(queries, "queries", 2, "float64");
    ask.exclude = data_of<Count>(exclude, "exclude", 1, "int64");
    ask.group_codes = data_of<std::int32_t>(group_codes, "group_codes", 1, "int32");
    ask.group_values = data_of<double>(group_values, "group_values", 2, "float64");
    ask.m = static_cast<Count>(queries.shape(0));
    ask.v = static_cast<Count>(group_values.shape(1));
    ask.k = k;
    ask.n_groups = n_groups;
    ask.threads = threads;
    ask.tolerance = tolerance;
    require_shape(queries, "queries", {ask.m, c.p});
    require_shape(exclude, "exclude", {ask.m});
    require_shape(group_codes, "group_codes", {c.n});
    require_shape(group_values, "group_values", {c.n, ask.v});
    for (Count i = 0; i < c.n; ++i)
      require(ask.group_codes[i] >= 0 && ask.group_codes[i] < n_groups, "group_codes must be in 0 .. n_groups - 1.");
    for (Count f = 0; f < c.p; ++f)
      for (Count j = 0; c.is_symbol[f] && j < ask.m; ++j) {
        const double q = ask.queries[j * c.p + f];
        require(q != q || (q >= 0 && q < (1 << 30)), "queries hold a code of a symbol beyond 0 .. 2**30.");
      }
    if (slack) {
      ask.slack = data_of<double>(*slack, "slack", 1, "float64");
      require_shape(*slack, "slack", {ask.m});
      for (Count j = 0; j < ask.m; ++j) require(ask.slack[j] >= 0 && ask.slack[j] < 1e100, "slack must be from 0 to 1e100.");
    }
    const auto m = static_cast<std::size_t>(ask.m), width = static_cast<std::size_t>(k);
    sums.resize(m * width);
    indices.resize(m * width);
    tie_sums.resize(m * static_cast<std::size_t>(n_groups * ask.v));
    inside.resize(m);
    tied.resize(m);
    proposed.resize(m);
  }

  Answer answer() {
    return {sums.data(), indices.data(), inside.data(), tied.data(), tie_sums.data(), proposed.data()};
  }

  auto to_python() {
    const auto m = static_cast<std::size_t>(ask.m), width = static_cast<std::size_t>(ask.k);
    const auto groups = static_cast<std::size_t>(ask.n_groups), v = static_cast<std::size_t>(ask.v);
    return std::make_tuple(
        to_numpy<double, 2>(std::move(sums), {m, width}), to_numpy<Count, 2>(std::move(indices), {m, width}),
        to_numpy<Count, 1>(std::move(inside), {m}), to_numpy<Count, 1>(std::move(tied), {m}),
        to_numpy<double, 3>(std::move(tie_sums), {m, groups, v}), to_numpy<Count, 1>(std::move(proposed), {m}));
  }
};

// An index of a kind, with the columns that it points into.
template <class Kind>
struct Held {
  std::vector<Array> columns;
  std::unique_ptr<Kind> index;
};

// `make` gets the columns, and the arrays that are kept alive, to add its own.
template <class Kind, class Make>
void make_held(Held<Kind>* self, std::vector<Array> columns, const Array& is_symbol, const Array& segment,
               const Array& coefficients, const Array& one_missing, const Array& both_missing, double power,
               const Maybe& joined, const Maybe& role, const Maybe& slack, const Make& make) {
  new (self) Held<Kind>();
  try {
    Columns c = columns_from(columns, is_symbol, segment, coefficients, one_missing, both_missing, power);
    take_roles(c, joined, role, slack);
    self->columns = std::move(columns);
    self->index = make(std::move(c), self->columns);
  } catch (...) {
    self->~Held<Kind>();
    throw;
  }
}

template <class Kind>
void make_held(Held<Kind>* self, std::vector<Array> columns, const Array& is_symbol, const Array& segment,
               const Array& coefficients, const Array& one_missing, const Array& both_missing, double power,
               const Maybe& joined, const Maybe& role, const Maybe& slack) {
  make_held(self, std::move(columns), is_symbol, segment, coefficients, one_missing, both_missing, power, joined, role,
            slack, [](Columns c, std::vector<Array>&) {
              require(c.power == 1 || c.power == 2, "power must be 1 or 2, got " + std::to_string(c.power) + ".");
              nb::gil_scoped_release release;
              return std::make_unique<Kind>(std::move(c));
            });
}

}  // namespace nearwise
