// StagedIndex for Python: checks what comes in, releases the GIL and calls the kernel.
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>

#include "binding/search.hpp"
#include "index/two_stage/two_stage.hpp"
#include "machine/instructions.hpp"

namespace nearwise {
namespace {

void check(bool condition, const std::string& rule) { require(condition, "StagedIndex: " + rule + "."); }

void check_lengths(const std::int16_t* lengths, Count size, Count width) {
  const Count most = std::min<Count>(width, most_letters);
  require_between(lengths, size, -1, most + 1, "StagedIndex: lengths must be at most " + std::to_string(most) +
                                                   ", or -1 where a text is missing");
}

// The letters before a text must be 0, as a column without a letter changes nothing.
void check_letters(const StagedCases& c) {
  require_all(c.d * c.width, "StagedIndex: letters must be 0 before a text and codes from 1 in it", [&](Count i) {
    const Count held = std::max<Count>(0, c.lengths[i / c.width]);
    return (i % c.width >= c.width - held) == (c.letters[i] != 0);
  });
}

void check_places(const StagedCases& c) {
  double before = -1.0;
  for (Count t = 0; t < c.t; ++t) {
    const double place = c.text_terms[4 * t];
    check(place > before && place >= static_cast<double>(t) && place <= static_cast<double>(c.p + t) &&
              place == static_cast<double>(static_cast<Count>(place)),
          "the places of texts must be whole numbers, ascend and lie among the features");
    before = place;
  }
}

std::unique_ptr<Staged> make(const Array& columns, const Array& is_symbol, const Array& segment,
                             const Array& coefficients, const Array& one_missing, const Array& both_missing, int power,
                             const Array& letters, const Array& counts, const Array& lengths, const Array& text_of,
                             const Array& text_terms, const Array& text_coefficients) {
  StagedCases c{};
  c.columns = data_of<double>(columns, "columns", 2);
  c.coefficients = data_of<double>(coefficients, "coefficients", 2);
  c.letters = data_of<std::uint8_t>(letters, "letters", 2);
  c.text_of = data_of<std::int32_t>(text_of, "text_of", 2);
  c.p = size_of(columns, 0);
  c.n = case_count(columns.shape(1));
  c.g = size_of(coefficients, 0);
  c.d = size_of(letters, 0);
  c.width = size_of(letters, 1);
  c.t = size_of(text_of, 0);
  c.power = power;
  check(power == 1 || power == 2, "power must be 1 or 2, got " + std::to_string(power));
  check(c.t >= 1 && c.d >= 1 && c.g >= 1, "there must be at least one text and one row of coefficients");
  check(c.n <= Count{1} << 30, "at most 2**30 cases, got " + std::to_string(c.n));
  shaped<double>(coefficients, "coefficients", {c.g, c.p});
  shaped<std::int32_t>(text_of, "text_of", {c.t, c.n});
  c.is_symbol = shaped<std::uint8_t>(is_symbol, "is_symbol", {c.p});
  c.segment = shaped<std::int32_t>(segment, "segment", {c.n});
  c.one_missing = shaped<double>(one_missing, "one_missing", {c.p});
  c.both_missing = shaped<double>(both_missing, "both_missing", {c.p});
  c.counts = shaped<std::uint8_t>(counts, "counts", {c.d, letter_counts});
  c.lengths = shaped<std::int16_t>(lengths, "lengths", {c.d});
  c.text_terms = shaped<double>(text_terms, "text_terms", {c.t, 4});
  c.text_coefficients = shaped<double>(text_coefficients, "text_coefficients", {c.g, c.t});
  require_weights(c.coefficients, c.g * c.p, "StagedIndex: coefficients");
  require_weights(c.text_coefficients, c.g * c.t, "StagedIndex: text_coefficients");
  require_between(c.segment, c.n, 0, c.g, "StagedIndex: segment must be in 0 .. g - 1");
  require_between(c.text_of, c.t * c.n, 0, c.d, "StagedIndex: text_of must be in 0 .. d - 1");
  check_lengths(c.lengths, c.d, c.width);
  check_letters(c);
  check_places(c);
  return without_gil([&] { return std::make_unique<Staged>(c); });
}

auto nearest(const Staged& staged, const Array& queries, const Array& letters, const Array& counts,
             const Array& lengths, const Array& exclude, Count k, double tolerance, const Array& group_codes,
             const Array& group_values, Count n_groups, Count threads) {
  StagedQueries q{};
  q.values = data_of<double>(queries, "queries", 2);
  q.letters = data_of<std::uint8_t>(letters, "letters", 3);
  q.width = size_of(letters, 2);
  const Count m = size_of(queries, 0), t = staged.t();
  static_cast<Wanted&>(q) =
      wanted("StagedIndex", {exclude, k, tolerance, group_codes, group_values, n_groups, threads}, m, staged.n());
  require_excluded(q, staged.n());
  shaped<double>(queries, "queries", {m, staged.p()});
  shaped<std::uint8_t>(letters, "letters", {m, t, q.width});
  q.counts = shaped<std::uint8_t>(counts, "counts", {m, t, letter_counts});
  q.lengths = shaped<std::int16_t>(lengths, "lengths", {m, t});
  check_lengths(q.lengths, m * t, q.width);
  NearestArrays found(q);
  without_gil([&] { staged.nearest(q, NEARWISE_CHOSEN(staged_tile), found.pointers()); });
  return found.to_python();
}

}  // namespace

void bind_two_stage(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Staged>(module, "StagedIndex", "Cases with texts, which are compared only where they can still matter.")
      .def(nb::new_(&make), "columns"_a, "is_symbol"_a, "segment"_a, "coefficients"_a, "one_missing"_a,
           "both_missing"_a, "power"_a, "letters"_a, "counts"_a, "lengths"_a, "text_of"_a, "text_terms"_a,
           "text_coefficients"_a)
      .def("nearest", &nearest, "queries"_a, "letters"_a, "counts"_a, "lengths"_a, "exclude"_a, "k"_a, "tolerance"_a,
           "group_codes"_a, "group_values"_a, "n_groups"_a, "threads"_a = 1,
           "The k nearest cases of every query, exactly, and the group that ties with the k-th.");
}

}  // namespace nearwise
