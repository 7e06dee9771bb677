// StagedIndex for Python: checks what comes in, releases the GIL and calls the kernel.
#include <cmath>
#include <memory>

#include "binding/search.hpp"
#include "index/two_stage/two_stage.hpp"
#include "machine/instructions.hpp"

namespace nearwise {
namespace {

const Border border{"StagedIndex"};

Count size_of(const Array& array, std::size_t axis) { return static_cast<Count>(array.shape(axis)); }

void check_weights(const double* weights, Count size, const char* name) {
  border.check_none(first_wrong(size, [&](Count i) { return !(std::isfinite(weights[i]) && weights[i] >= 0); }),
                    std::string(name) + " must be finite and not negative");
}

void check_lengths(const std::int16_t* lengths, Count size, Count width, const char* name) {
  const Count most = std::min<Count>(width, most_letters);
  border.check_none(first_wrong(size, [&](Count i) { return lengths[i] < -1 || lengths[i] > most; }),
                    std::string(name) + " must be at most " + std::to_string(most) + ", or -1 where a text is missing");
}

// The letters before a text must be 0, as a column without a letter changes nothing.
void check_letters(const StagedCases& c) {
  border.check_none(first_wrong(c.d * c.width,
                                [&](Count i) {
                                  const Count held = std::max<Count>(0, c.lengths[i / c.width]);
                                  return (i % c.width >= c.width - held) != (c.letters[i] != 0);
                                }),
                    "letters must be 0 before a text and codes from 1 in it");
}

void check_places(const StagedCases& c) {
  double before = -1.0;
  for (Count t = 0; t < c.t; ++t) {
    const double place = c.text_terms[4 * t];
    border.check(place > before && place >= static_cast<double>(t) && place <= static_cast<double>(c.p + t) &&
                     place == static_cast<double>(static_cast<Count>(place)),
                 "the places of texts must be whole numbers, ascend and lie among the features");
    before = place;
  }
}

std::unique_ptr<Staged> built(const Array& columns, const Array& is_symbol, const Array& segment,
                              const Array& coefficients, const Array& one_missing, const Array& both_missing, int power,
                              const Array& letters, const Array& counts, const Array& lengths, const Array& text_of,
                              const Array& text_terms, const Array& text_coefficients) {
  StagedCases c{};
  c.columns = data_of<double>(columns, "columns", 2, "float64");
  c.is_symbol = data_of<std::uint8_t>(is_symbol, "is_symbol", 1, "uint8");
  c.segment = data_of<std::int32_t>(segment, "segment", 1, "int32");
  c.coefficients = data_of<double>(coefficients, "coefficients", 2, "float64");
  c.one_missing = data_of<double>(one_missing, "one_missing", 1, "float64");
  c.both_missing = data_of<double>(both_missing, "both_missing", 1, "float64");
  c.letters = data_of<std::uint8_t>(letters, "letters", 2, "uint8");
  c.counts = data_of<std::uint8_t>(counts, "counts", 2, "uint8");
  c.lengths = data_of<std::int16_t>(lengths, "lengths", 1, "int16");
  c.text_of = data_of<std::int32_t>(text_of, "text_of", 2, "int32");
  c.text_terms = data_of<double>(text_terms, "text_terms", 2, "float64");
  c.text_coefficients = data_of<double>(text_coefficients, "text_coefficients", 2, "float64");
  c.p = size_of(columns, 0);
  c.n = case_count(columns.shape(1));
  c.g = size_of(coefficients, 0);
  c.d = size_of(letters, 0);
  c.width = size_of(letters, 1);
  c.t = size_of(text_of, 0);
  c.power = power;
  border.check(power == 1 || power == 2, "power must be 1 or 2, got " + std::to_string(power));
  border.check(c.t >= 1 && c.d >= 1 && c.g >= 1, "there must be at least one text and one row of coefficients");
  border.check(c.n <= Count{1} << 30, "at most 2**30 cases, got " + std::to_string(c.n));
  require_shape(is_symbol, "is_symbol", {c.p});
  require_shape(segment, "segment", {c.n});
  require_shape(coefficients, "coefficients", {c.g, c.p});
  require_shape(one_missing, "one_missing", {c.p});
  require_shape(both_missing, "both_missing", {c.p});
  require_shape(counts, "counts", {c.d, letter_counts});
  require_shape(lengths, "lengths", {c.d});
  require_shape(text_of, "text_of", {c.t, c.n});
  require_shape(text_terms, "text_terms", {c.t, 4});
  require_shape(text_coefficients, "text_coefficients", {c.g, c.t});
  check_weights(c.coefficients, c.g * c.p, "coefficients");
  check_weights(c.text_coefficients, c.g * c.t, "text_coefficients");
  border.check_none(first_wrong(c.n, [&](Count i) { return c.segment[i] < 0 || c.segment[i] >= c.g; }),
                    "segment must be in 0 .. g - 1");
  border.check_none(first_wrong(c.t * c.n, [&](Count i) { return c.text_of[i] < 0 || c.text_of[i] >= c.d; }),
                    "text_of must be in 0 .. d - 1");
  check_lengths(c.lengths, c.d, c.width, "lengths");
  check_letters(c);
  check_places(c);
  nb::gil_scoped_release release;
  return std::make_unique<Staged>(c);
}

NearestTuple nearest(const Staged& staged, const Array& queries, const Array& letters, const Array& counts,
                     const Array& lengths, const Array& exclude, Count k, double tolerance, const Array& group_codes,
                     const Array& group_values, Count n_groups, Count threads) {
  border.check_search(k, n_groups, tolerance, threads);
  StagedQueries q{};
  q.values = data_of<double>(queries, "queries", 2, "float64");
  q.letters = data_of<std::uint8_t>(letters, "letters", 3, "uint8");
  q.counts = data_of<std::uint8_t>(counts, "counts", 3, "uint8");
  q.lengths = data_of<std::int16_t>(lengths, "lengths", 2, "int16");
  q.m = size_of(queries, 0);
  q.width = size_of(letters, 2);
  q.k = k;
  q.n_groups = n_groups;
  q.threads = threads;
  q.tolerance = tolerance;
  require_shape(queries, "queries", {q.m, staged.p()});
  require_shape(letters, "letters", {q.m, staged.t(), q.width});
  require_shape(counts, "counts", {q.m, staged.t(), letter_counts});
  require_shape(lengths, "lengths", {q.m, staged.t()});
  check_lengths(q.lengths, q.m * staged.t(), q.width, "lengths");
  std::tie(q.group_codes, q.group_values) = border.groups(group_codes, group_values, staged.n(), n_groups);
  q.v = size_of(group_values, 1);
  q.exclude = border.excluded(exclude, q.m, staged.n());
  NearestArrays found(q.m, k, n_groups, q.v);
  {
    nb::gil_scoped_release release;
    staged.nearest(q, NEARWISE_CHOSEN(staged_tile), found.pointers());
  }
  return found.to_python();
}

}  // namespace

void bind_staged(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Staged>(module, "StagedIndex", "Cases with texts, which are compared only where they can still matter.")
      .def(
          "__init__",
          [](Staged* self, const Array& columns, const Array& is_symbol, const Array& segment, const Array& coefficients,
             const Array& one_missing, const Array& both_missing, int power, const Array& letters, const Array& counts,
             const Array& lengths, const Array& text_of, const Array& text_terms, const Array& text_coefficients) {
            new (self) Staged(std::move(*built(columns, is_symbol, segment, coefficients, one_missing, both_missing, power,
                                               letters, counts, lengths, text_of, text_terms, text_coefficients)));
          },
          "columns"_a, "is_symbol"_a, "segment"_a, "coefficients"_a, "one_missing"_a, "both_missing"_a, "power"_a,
          "letters"_a, "counts"_a, "lengths"_a, "text_of"_a, "text_terms"_a, "text_coefficients"_a)
      .def("nearest", &nearest, "queries"_a, "letters"_a, "counts"_a, "lengths"_a, "exclude"_a, "k"_a, "tolerance"_a,
           "group_codes"_a, "group_values"_a, "n_groups"_a, "threads"_a = 1,
           "The k nearest cases of every query, exactly, and the group that ties with the k-th.");
}

}  // namespace nearwise
