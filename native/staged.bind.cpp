// staged for Python: checks what comes in, releases the GIL and calls the kernel.
#include "staged.hpp"

#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "border.hpp"
#include "instructions.hpp"

namespace nearwise {
namespace {

// The position of the first entry that is wrong, or -1. The sentence is made only then: a string for every entry would
// cost more than the search.
template <class Wrong>
Count first_wrong(Count count, Wrong wrong) {
  for (Count i = 0; i < count; ++i)
    if (wrong(i)) return i;
  return -1;
}

void require_none(Count at, const std::string& rule) {
  require(at < 0, "staged: " + rule + "; it is not at " + std::to_string(at) + ".");
}

bool is_length(std::uint8_t length) { return length <= text_letters || length == no_text; }

void check_packing(const Cases& c, const Queries& q, const Texts& x) {
  require(c.segments[0] == 0 && c.segments[c.g] == c.n,
          "staged: segments must start at 0 and end at n = " + std::to_string(c.n) + ".");
  require_none(first_wrong(c.g, [&](Count a) { return c.segments[a] > c.segments[a + 1]; }), "segments must not decrease");
  require_none(first_wrong(c.n, [&](Count i) { return c.index[i] < 0; }), "index must not be negative");
  require_none(first_wrong(c.n, [&](Count i) { return c.group_codes[i] < 0 || c.group_codes[i] >= c.n_groups; }),
               "group_codes must be in 0 .. n_groups - 1");
  require_none(first_wrong(q.m, [&](Count i) { return q.exclude[i] < -1 || q.exclude[i] >= c.n; }),
               "exclude must be -1 or a packed position below n");
  require_none(first_wrong(x.t * c.n, [&](Count i) { return !is_length(x.stored[i * text_bytes + length_at]); }),
               "the length in stored_texts must be at most 64, or 255 where a text is missing");
  require_none(first_wrong(x.t * q.m, [&](Count i) { return !is_length(x.asked[i * text_bytes + length_at]); }),
               "the length in query_texts must be at most 64, or 255 where a text is missing");
}

void check_places(const Texts& x, Count p) {
  double before = -1.0;
  for (Count t = 0; t < x.t; ++t) {
    const double place = x.terms[4 * t];
    require(place > before && place >= static_cast<double>(t) && place <= static_cast<double>(p + t) &&
                place == static_cast<double>(static_cast<Count>(place)),
            "staged: the places of texts must be whole numbers, ascend and lie among the features.");
    before = place;
  }
}

using Doubles2 = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Doubles3 = nb::ndarray<nb::numpy, double, nb::ndim<3>>;
using Counts1 = nb::ndarray<nb::numpy, Count, nb::ndim<1>>;
using Counts2 = nb::ndarray<nb::numpy, Count, nb::ndim<2>>;

std::tuple<Doubles2, Counts2, Counts1, Counts1, Doubles3> staged_arrays(
    const Array& columns, const Array& is_symbol, const Array& segments, const Array& coefficients,
    const Array& one_missing, const Array& both_missing, int power, const Array& queries, const Array& exclude,
    const Array& index, Count k, double tolerance, const Array& group_codes, const Array& group_values, Count n_groups,
    Count threads, const Array& stored_texts, const Array& query_texts, const Array& text_terms,
    const Array& text_coefficients) {
  constexpr Count most = Count{1} << 31;  // keeps every product of sizes below within 64 bits
  require(power == 1 || power == 2, "staged: power must be 1 or 2, got " + std::to_string(power) + ".");
  require(k >= 1 && k <= most, "staged: k must be in 1 .. 2**31, got " + std::to_string(k) + ".");
  require(n_groups >= 0 && n_groups <= most, "staged: n_groups must be in 0 .. 2**31, got " + std::to_string(n_groups) + ".");
  require(threads >= 1, "staged: threads must be at least 1, got " + std::to_string(threads) + ".");
  require(tolerance >= 0 && tolerance < 1, "staged: tolerance must be in 0 .. 1, got " + std::to_string(tolerance) + ".");

  Cases c{};
  Queries q{};
  Texts x{};
  c.columns = data_of<double>(columns, "columns", 2, "float64");
  c.is_symbol = data_of<std::uint8_t>(is_symbol, "is_symbol", 1, "uint8");
  c.segments = data_of<Count>(segments, "segments", 1, "int64");
  c.coefficients = data_of<double>(coefficients, "coefficients", 2, "float64");
  c.one_missing = data_of<double>(one_missing, "one_missing", 1, "float64");
  c.both_missing = data_of<double>(both_missing, "both_missing", 1, "float64");
  c.index = data_of<Count>(index, "index", 1, "int64");
  c.group_codes = data_of<std::int32_t>(group_codes, "group_codes", 1, "int32");
  c.group_values = data_of<double>(group_values, "group_values", 2, "float64");
  q.values = data_of<double>(queries, "queries", 2, "float64");
  q.exclude = data_of<Count>(exclude, "exclude", 1, "int64");
  x.stored = data_of<std::uint8_t>(stored_texts, "stored_texts", 3, "uint8");
  x.asked = data_of<std::uint8_t>(query_texts, "query_texts", 3, "uint8");
  x.terms = data_of<double>(text_terms, "text_terms", 2, "float64");
  x.coefficients = data_of<double>(text_coefficients, "text_coefficients", 2, "float64");

  c.p = static_cast<Count>(columns.shape(0));
  c.n = static_cast<Count>(columns.shape(1));
  c.g = static_cast<Count>(coefficients.shape(0));
  c.v = static_cast<Count>(group_values.shape(1));
  c.n_groups = n_groups;
  c.power = power;
  q.m = static_cast<Count>(queries.shape(0));
  q.k = k;
  q.tolerance = tolerance;
  x.t = static_cast<Count>(stored_texts.shape(0));
  require(c.g >= 1, "staged: coefficients must have at least one row.");
  require(x.t >= 1, "staged: there must be at least one text.");
  require_shape(is_symbol, "is_symbol", {c.p});
  require_shape(segments, "segments", {c.g + 1});
  require_shape(coefficients, "coefficients", {c.g, c.p});
  require_shape(one_missing, "one_missing", {c.p});
  require_shape(both_missing, "both_missing", {c.p});
  require_shape(queries, "queries", {q.m, c.p});
  require_shape(exclude, "exclude", {q.m});
  require_shape(index, "index", {c.n});
  require_shape(group_codes, "group_codes", {c.n});
  require_shape(group_values, "group_values", {c.n, c.v});
  require_shape(stored_texts, "stored_texts", {x.t, c.n, text_bytes});
  require_shape(query_texts, "query_texts", {q.m, x.t, text_bytes});
  require_shape(text_terms, "text_terms", {x.t, 4});
  require_shape(text_coefficients, "text_coefficients", {c.g, x.t});
  check_packing(c, q, x);
  check_places(x, c.p);

  const auto m = static_cast<std::size_t>(q.m), width = static_cast<std::size_t>(k);
  const auto groups = static_cast<std::size_t>(n_groups), v = static_cast<std::size_t>(c.v);
  std::vector<double> sums(m * width), tie_sums(m * groups * v);
  std::vector<Count> indices(m * width), inside(m), tied(m);
  {
    nb::gil_scoped_release release;
    staged(c, q, x, threads, NEARWISE_CHOSEN(tile), NEARWISE_CHOSEN(text_tile),
           {sums.data(), indices.data(), inside.data(), tied.data(), tie_sums.data()});
  }
  return {to_numpy<double, 2>(std::move(sums), {m, width}), to_numpy<Count, 2>(std::move(indices), {m, width}),
          to_numpy<Count, 1>(std::move(inside), {m}), to_numpy<Count, 1>(std::move(tied), {m}),
          to_numpy<double, 3>(std::move(tie_sums), {m, groups, v})};
}

}  // namespace

void bind_staged(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("staged", &staged_arrays, "columns"_a, "is_symbol"_a, "segments"_a, "coefficients"_a, "one_missing"_a,
             "both_missing"_a, "power"_a, "queries"_a, "exclude"_a, "index"_a, "k"_a, "tolerance"_a, "group_codes"_a,
             "group_values"_a, "n_groups"_a, "threads"_a, "stored_texts"_a, "query_texts"_a, "text_terms"_a,
             "text_coefficients"_a, "What scan gives, with texts that are compared only where they can still matter.");
}

}  // namespace nearwise
