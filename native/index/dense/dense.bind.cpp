// Dense for Python: checks what comes in, keeps the columns alive, releases the GIL and searches.
#include "index/dense/dense.hpp"
#include "layout/columns.bind.hpp"

namespace nearwise {
namespace {

void take_case_weights(Columns& c, Given& given) {
  c.by_case = given.array<double>("by_case", {c.n, c.p});
  require(c.g == 1 && c.role.empty(), "by_case needs one segment, and columns that stand for themselves.");
  require_weights(c.by_case, c.n * c.p, "by_case");
}

// One factor of every case, and what it multiplies.
void take_case_factors(Columns& c, Given& given) {
  c.case_factors = given.array<double>("case_factors", {c.n});
  c.shared = given.copy<double>("shared", {c.g, c.p});
  c.scales = given.copy<double>("scales", {c.p});
  require(c.role.empty() && !c.by_case, "case_factors need columns that stand for themselves, and no by_case.");
  require_weights(c.case_factors, c.n, "case_factors");
  require_weights(c.shared.data(), c.g * c.p, "shared");
  require_weights(c.scales.data(), c.p, "scales");
}

// Of some columns, the level of every case; an empty array for the others.
void take_levels(Columns& c, const std::vector<Array>& levels) {
  require(c.power == 1 && static_cast<Count>(levels.size()) == c.p, "levels must be one array for every column, with power 1.");
  for (Count f = 0; f < c.p; ++f) {
    const bool has = levels[f].size() > 0;
    require(!has || !c.is_symbol[f], "only numbers have levels.");
    c.levels.push_back(has ? shaped<std::int32_t>(levels[f], "levels", {c.n}) : nullptr);
  }
}

// Tables of new features for the columns that decide, empty for the others.
void take_mapping(Columns& c, const std::vector<Array>& tables, std::vector<double> units) {
  Mapping& map = c.mapping;
  require(c.power == 2 && c.g == 1 && !c.role.empty() && !c.weighs_cases(), "a mapping needs power 2, one segment and roles.");
  require(static_cast<Count>(tables.size()) == c.p, "tables must be one a column.");
  map.units = std::move(units);
  for (Count f = 0; f < c.p; ++f) {
    map.tables.push_back(data_of<double>(tables[f], "a table", 2));
    map.widths.push_back(size_of(tables[f], 1));
    require(c.role[f] != proposes_and_decides, "with a mapping a column proposes or decides, not both.");
    if (c.role[f] != decides) continue;
    const Count rows = size_of(tables[f], 0);
    require(map.count == 0 || map.count == rows, "tables must have the same number of rows.");
    map.count = rows;
    require(rows > 0 && map.widths[f] >= 1, "a table must not be empty.");
    if (c.is_symbol[f]) require_between(c.codes[f], c.n, 0, map.widths[f], "a code is beyond its table");
  }
  require(map.count > 0, "a mapping needs columns that decide.");
}

std::unique_ptr<Held<Dense>> make(Given& given) {
  Columns c = columns_from(given);
  const bool by_query = given.value<bool>("by_query", false);
  require(!by_query || (c.g == 1 && c.role.empty() && c.joined.empty() && !given.has("by_case") && !given.has("case_factors")),
          "by_query needs one segment, and columns that stand for themselves.");
  require(given.has("tables") == given.has("units"), "tables and units come together.");
  if (given.has("by_case")) take_case_weights(c, given);
  require(given.has("case_factors") == given.has("shared") && given.has("shared") == given.has("scales"),
          "case_factors, shared and scales come together.");
  if (given.has("case_factors")) take_case_factors(c, given);
  if (given.has("levels")) take_levels(c, given.arrays("levels"));
  if (given.has("tables")) take_mapping(c, given.arrays("tables"), given.copy<double>("units", {c.p}));
  const std::vector<std::int32_t> order = given.has("order") ? given.copy<std::int32_t>("order", {c.n}) : std::vector<std::int32_t>{};
  return held_with(given, without_gil([&] { return std::make_unique<Dense>(std::move(c), by_query, order.empty() ? nullptr : order.data()); }));
}

void check_form(const Dense& index, int form) {
  const double power = index.columns().power;
  require(form >= 0 && form <= 3 && (power == 2 ? form <= 1 : power == 1 ? form == 2 : form == 3),
          "form must be 0 or 1 with power 2, 2 with power 1, 3 with any other.");
  require(form != 0 || !index.has_holes(), "form 0 cannot serve missing numbers.");
  require(form != 0 || index.weighed() == Weighed::packed, "form 0 cannot serve weights of queries or cases.");
  require(index.is_usable(), "single precision cannot hold these cases.");
}

// What only this index can be asked: (m, p) weights of queries, (m,) lengths and (m, p) levels.
void take_extras(Ask& ask, const Columns& c, Given& given) {
  require(!given.has("levels") || !c.levels.empty(), "levels are asked of an index without levels.");
  ask.levels = given.maybe<std::int32_t>("levels", {ask.m, c.p});
  ask.by_query = given.maybe<double>("by_query", {ask.m, c.p});
  ask.blur = given.maybe<double>("blur", {ask.m});
  if (ask.by_query) require_weights(ask.by_query, ask.m * c.p, "by_query");
  if (ask.blur) require_lengths(ask.blur, ask.m, "blur");
}

auto nearest(const Held<Dense>& self, Given& given) {
  const Columns& c = self.index->columns();
  const int form = given.value<int>("form");
  check_form(*self.index, form);
  require((self.index->weighed() == Weighed::by_query) == given.has("by_query"), "by_query must be as the index was made for.");
  Ask ask = asked(c, given);
  take_extras(ask, c, given);
  for (Count j = 0; j < ask.m; ++j)
    for (Count f = 0; f < c.p; ++f) {
      const double q = ask.queries[j * c.p + f];
      require(form != 0 || q == q || c.is_symbol[f], "queries hold a missing number, which form 0 cannot serve.");
      require(c.mapping.count == 0 || !c.is_symbol[f] || (q == q && q < static_cast<double>(c.mapping.widths[f])),
              "queries hold a code that is beyond its table.");
    }
  NearestArrays found(ask);
  without_gil([&] { self.index->nearest(ask, static_cast<Form>(form), {found.pointers(), found.looked_at()}); });
  return found.to_python_with_effort();
}

auto order_of(const Held<Dense>& self) {
  const std::vector<Count>& order = self.index->order();
  return to_numpy(std::vector<std::int32_t>(order.begin(), order.end()));
}

}  // namespace

void bind_dense(nb::module_& module) {
  nb::class_<Held<Dense>>(module, "DenseIndex", "Numbers and symbols, packed for search by proposal and decision.")
      .def(nb::new_(called("columns is_symbol segment coefficients one_missing both_missing power | joined role slack "
                           "by_case by_query tables units levels order case_factors shared scales", &make)))
      .def("order", &order_of, "The packed cases.")
      .def_prop_ro("has_holes", [](const Held<Dense>& self) { return self.index->has_holes(); })
      .def_prop_ro("is_usable", [](const Held<Dense>& self) { return self.index->is_usable(); })
      .def("nearest", called("queries exclude k tolerance group_codes group_values n_groups form | threads slack by_query "
                             "blur levels reach", &nearest));
}

}  // namespace nearwise
