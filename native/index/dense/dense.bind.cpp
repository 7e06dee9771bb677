// Dense for Python: checks what comes in, keeps the columns alive, releases the GIL and searches.
#include "index/dense/dense.hpp"
#include "layout/columns.bind.hpp"

namespace nearwise {
namespace {

void take_case_weights(Columns& c, const Array& by_case) {
  c.by_case = shaped<double>(by_case, "by_case", {c.n, c.p});
  require(c.g == 1 && c.role.empty(), "by_case needs one segment, and columns that stand for themselves.");
  require_weights(c.by_case, c.n * c.p, "by_case");
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
void take_mapping(Columns& c, const std::vector<Array>& tables, const Array& units) {
  Mapping& map = c.mapping;
  require(c.power == 2 && c.g == 1 && !c.role.empty() && !c.by_case, "a mapping needs power 2, one segment and roles.");
  require(static_cast<Count>(tables.size()) == c.p, "tables must be one a column.");
  map.units = copied<double>(units, "units", {c.p});
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

std::unique_ptr<Held<Dense>> make(std::vector<Array> columns, const Array& is_symbol, const Array& segment,
                                  const Array& coefficients, const Array& one_missing, const Array& both_missing,
                                  double power, const Maybe& joined, const Maybe& role, const Maybe& slack,
                                  const Maybe& by_case, bool by_query, const std::optional<std::vector<Array>>& tables,
                                  const Maybe& units, const std::optional<std::vector<Array>>& levels) {
  Columns c = columns_from(
      {columns, is_symbol, segment, coefficients, one_missing, both_missing, power, joined, role, slack});
  require(!by_query || (c.g == 1 && c.role.empty() && c.joined.empty() && !by_case),
          "by_query needs one segment, and columns that stand for themselves.");
  require(!tables == !units, "tables and units come together.");
  auto self = std::make_unique<Held<Dense>>();
  std::vector<Array>& held = self->columns = std::move(columns);
  if (by_case) take_case_weights(c, *by_case), held.push_back(*by_case);
  if (levels) take_levels(c, *levels), held.insert(held.end(), levels->begin(), levels->end());
  if (tables) take_mapping(c, *tables, *units), held.insert(held.end(), tables->begin(), tables->end());
  self->index = without_gil([&] { return std::make_unique<Dense>(std::move(c), by_query); });
  return self;
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
void take_extras(Ask& ask, const Columns& c, const Maybe& by_query, const Maybe& blur, const Maybe& levels) {
  if (levels) {
    require(!c.levels.empty(), "levels are asked of an index without levels.");
    ask.levels = shaped<std::int32_t>(*levels, "levels", {ask.m, c.p});
  }
  if (by_query) {
    ask.by_query = shaped<double>(*by_query, "by_query", {ask.m, c.p});
    require_weights(ask.by_query, ask.m * c.p, "by_query");
  }
  if (blur) {
    ask.blur = shaped<double>(*blur, "blur", {ask.m});
    require_lengths(ask.blur, ask.m, "blur");
  }
}

auto nearest(const Held<Dense>& self, const Array& queries, const Array& exclude, Count k, double tolerance,
             const Array& group_codes, const Array& group_values, Count n_groups, int form, Count threads,
             const Maybe& slack, const Maybe& by_query, const Maybe& blur, const Maybe& levels) {
  const Columns& c = self.index->columns();
  check_form(*self.index, form);
  require((self.index->weighed() == Weighed::by_query) == by_query.has_value(), "by_query must be as the index was made for.");
  Ask ask = asked(c, queries, {exclude, k, tolerance, group_codes, group_values, n_groups, threads}, slack);
  take_extras(ask, c, by_query, blur, levels);
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

}  // namespace

void bind_dense(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<Held<Dense>>(module, "DenseIndex", "Numbers and symbols, packed for search by proposal and decision.")
      .def(nb::new_(&make), "columns"_a, "is_symbol"_a, "segment"_a, "coefficients"_a, "one_missing"_a,
           "both_missing"_a, "power"_a, "joined"_a = nb::none(), "role"_a = nb::none(), "slack"_a = nb::none(),
           "by_case"_a = nb::none(), "by_query"_a = false, "tables"_a = nb::none(), "units"_a = nb::none(),
           "levels"_a = nb::none())
      .def_prop_ro("has_holes", [](const Held<Dense>& self) { return self.index->has_holes(); })
      .def_prop_ro("is_usable", [](const Held<Dense>& self) { return self.index->is_usable(); })
      .def("nearest", &nearest, "queries"_a, "exclude"_a, "k"_a, "tolerance"_a, "group_codes"_a, "group_values"_a,
           "n_groups"_a, "form"_a, "threads"_a = 1, "slack"_a = nb::none(), "by_query"_a = nb::none(),
           "blur"_a = nb::none(), "levels"_a = nb::none());
}

}  // namespace nearwise
