// TextIndex for Python: checks what comes in, releases the GIL and calls the kernel.
#include <algorithm>
#include <memory>

#include "binding/search.hpp"
#include "index/two_stage/two_stage.hpp"

namespace nearwise {
namespace {

void check(bool condition, const std::string& rule) { require(condition, "TextIndex: " + rule + "."); }

void check_lengths(const std::int16_t* lengths, Count size, Count width) {
  const Count most = std::min<Count>(width, most_letters);
  require_between(lengths, size, -1, most + 1, "TextIndex: lengths must be at most " + std::to_string(most) +
                                                   ", or -1 where a text is missing");
}

// The letters before a text must be 0, as a column without a letter changes nothing.
void check_letters(const TextCases& c) {
  require_all(c.d * c.width, "TextIndex: letters must be 0 before a text and codes from 1 in it", [&](Count i) {
    const Count held = std::max<Count>(0, c.lengths[i / c.width]);
    return (i % c.width >= c.width - held) == (c.letters[i] != 0);
  });
}

void check_places(const TextCases& c) {
  double before = -1.0;
  for (Count t = 0; t < c.t; ++t) {
    const double place = c.text_terms[4 * t];
    check(place > before && place >= static_cast<double>(t) && place <= static_cast<double>(c.p + t) &&
              place == static_cast<double>(static_cast<Count>(place)),
          "the places of texts must be whole numbers, ascend and lie among the features");
    before = place;
  }
}

std::unique_ptr<TextStages> make(Given& given) {
  TextCases c{};
  c.columns = given.array<double>("columns", {told(c.p), told_cases(c.n)});
  c.coefficients = given.copy<double>("coefficients", {told(c.g), c.p});
  c.letters = given.copy<std::uint8_t>("letters", {told(c.d), told(c.width)});
  c.text_of = given.array<std::int32_t>("text_of", {told(c.t), c.n});
  c.is_symbol = given.copy<std::uint8_t>("is_symbol", {c.p});
  c.segment = given.array<std::int32_t>("segment", {c.n});
  c.one_missing = given.copy<double>("one_missing", {c.p});
  c.both_missing = given.copy<double>("both_missing", {c.p});
  c.counts = given.copy<std::uint8_t>("counts", {c.d, letter_counts});
  c.lengths = given.array<std::int16_t>("lengths", {c.d});
  c.text_terms = given.copy<double>("text_terms", {c.t, 4});
  c.text_coefficients = given.copy<double>("text_coefficients", {c.g, c.t});
  c.power = given.value<int>("power");
  check(c.power == 1 || c.power == 2, "power must be 1 or 2, got " + std::to_string(c.power));
  check(c.t >= 1 && c.d >= 1 && c.g >= 1, "there must be at least one text and one row of coefficients");
  check(c.n <= Count{1} << 30, "at most 2**30 cases, got " + std::to_string(c.n));
  require_weights(c.coefficients.data(), c.g * c.p, "TextIndex: coefficients");
  require_weights(c.text_coefficients.data(), c.g * c.t, "TextIndex: text_coefficients");
  require_between(c.segment, c.n, 0, c.g, "TextIndex: segment must be in 0 .. g - 1");
  require_between(c.text_of, c.t * c.n, 0, c.d, "TextIndex: text_of must be in 0 .. d - 1");
  check_lengths(c.lengths, c.d, c.width);
  check_letters(c);
  check_places(c);
  return without_gil([&] { return std::make_unique<TextStages>(std::move(c)); });
}

auto nearest(const TextStages& index, Given& given) {
  TextQueries q{};
  q.values = given.array<double>("queries", {told(q.m), index.p()});
  static_cast<Wanted&>(q) = wanted("TextIndex", given, q.m, index.n());
  require_excluded(q, index.n());
  q.letters = given.array<std::uint8_t>("letters", {q.m, index.t(), told(q.width)});
  q.counts = given.array<std::uint8_t>("counts", {q.m, index.t(), letter_counts});
  q.lengths = given.array<std::int16_t>("lengths", {q.m, index.t()});
  check_lengths(q.lengths, q.m * index.t(), q.width);
  NearestArrays found(q);
  without_gil([&] { index.nearest(q, found.pointers()); });
  return found.to_python();
}

}  // namespace

void bind_two_stage(nb::module_& module) {
  nb::class_<TextStages>(module, "TextIndex", "Cases with texts, which are compared only where they can still matter.")
      .def(nb::new_(called("columns is_symbol segment coefficients one_missing both_missing power letters counts lengths "
                           "text_of text_terms text_coefficients", &make)))
      .def("nearest", called("queries letters counts lengths exclude k tolerance group_codes group_values n_groups "
                             "| threads", &nearest),
           "The k nearest cases of every query, exactly, and the group that ties with the k-th.");
}

}  // namespace nearwise
