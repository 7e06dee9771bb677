// Coded search for Python: an index that is built once, and a search over it that runs in pieces of time.
#include <memory>
#include <optional>
#include <string>

#include "binding/search.hpp"
#include "index/codes/codes.hpp"

namespace nearwise {
namespace {

// `count` codes, step by step.
void require_codes(const std::int32_t* codes, Count count, Count step, Count low, Count high, const std::string& what) {
  const std::string range = std::to_string(low) + " .. " + std::to_string(high - 1);
  require_all(count, "coded: " + what + " must be in " + range,
              [&](Count i) { return codes[i * step] >= low && codes[i * step] < high; });
}

std::string of_feature(Count f) { return " of feature " + std::to_string(f); }

struct CodesIndex {
  std::shared_ptr<const coded::Index> index;

  Count nodes() const {
    std::size_t count = 0;
    for (const coded::Part& part : index->parts) count += part.nodes.size();
    return static_cast<Count>(count);
  }
};

std::unique_ptr<CodesIndex> make(Given& given) {
  coded::Stored s{};
  s.codes = given.array<std::int32_t>("codes", {told(s.p), told_cases(s.n)});
  s.coefficients = given.array<double>("coefficients", {told(s.g), s.p});
  s.values = given.array<std::int32_t>("values", {s.p});
  s.is_table = given.array<std::uint8_t>("is_table", {s.p});
  s.part = given.array<std::int32_t>("part", {s.n});
  s.leaf = given.value<Count>("leaf");
  s.order = given.maybe<std::int32_t>("order", {s.n});
  require(s.g <= most_cases, "coded: at most 2**31 - 2 parts.");
  require(s.p < coded::most_entries - 1, "coded: at most 65,533 features, got " + std::to_string(s.p) + ".");
  require(s.leaf >= 1, "coded: leaf must be at least 1, got " + std::to_string(s.leaf) + ".");
  for (Count f = 0; f < s.p; ++f) {
    require(s.values[f] >= 1, "coded: values must be at least 1, it is not at " + std::to_string(f) + ".");
    require_codes(s.codes + f * s.n, s.n, 1, 0, s.values[f], "codes" + of_feature(f));
  }
  require_codes(s.part, s.n, 1, 0, s.g, "part");
  require_weights(s.coefficients, s.g * s.p, "coded: coefficients");
  return std::make_unique<CodesIndex>(
      CodesIndex{without_gil([&] { return std::make_shared<const coded::Index>(coded::build(s)); })});
}

// One question over many queries. It holds what it was given, so that the arrays outlive it.
class CodesSearch {
 public:
  explicit CodesSearch(Given& given) : index_(given.value<CodesIndex>("index").index) {
    const coded::Index& i = *index_;
    q_.codes = given.array<std::int32_t>("codes", {told(q_.m), i.p});
    static_cast<Wanted&>(q_) = wanted("coded", given, q_.m, i.n);
    q_.rows = given.array<std::int32_t>("rows", {q_.m, i.p});
    q_.distinct = given.value<bool>("distinct");
    require_excluded(q_, i.n);
    const std::vector<Array> tables = given.arrays("tables");
    require(static_cast<Count>(tables.size()) == i.p, "coded: there must be one table a feature, an empty one for overlap.");
    for (Count f = 0; f < i.p; ++f) check_feature(f, tables[f]);
    held_ = given.held();
    tally_ = coded::tally(i, q_.payload);
    order_ = coded::coherent_order(i, q_.codes, q_.m);
    found_.emplace(q_, q_.distinct ? q_.k : 1);
  }

  // Works for about so many seconds; returns how many queries are answered in all.
  Count run(Count threads, double seconds) {
    require(threads >= 1, "coded: threads must be at least 1, got " + std::to_string(threads) + ".");
    coded::Queries rest = q_;
    rest.order = order_.data() + done_;
    rest.count = q_.m - done_;
    if (rest.count == 0) return done_;
    return done_ += without_gil([&] { return coded::search(*index_, rest, tally_, {threads, seconds}, found_->pointers()); });
  }

  auto result() {
    require(done_ == q_.m, "coded: the search is not finished.");
    done_ = 0, q_.m = 0;  // the arrays are handed over
    return found_->to_python();
  }

 private:
  void check_feature(Count f, const Array& table) {
    const coded::Index& i = *index_;
    const std::string name = "tables[" + std::to_string(f) + "]";
    q_.tables.push_back(data_of<double>(table, name.c_str(), 2));
    const Count height = size_of(table, 0);
    require_codes(q_.codes + f, q_.m, i.p, -1, i.values[f], "query codes" + of_feature(f));
    if (!i.is_table[f]) return;
    shaped<double>(table, name.c_str(), {height, i.values[f]});
    require_codes(q_.rows + f, q_.m, i.p, 0, height, "rows" + of_feature(f));
  }

  std::shared_ptr<const coded::Index> index_;
  std::vector<Array> held_;
  coded::Queries q_{};
  coded::Tally tally_{};
  std::vector<Count> order_;
  Count done_ = 0;
  std::optional<NearestArrays> found_;
};

}  // namespace

void bind_codes(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<CodesIndex>(module, "CodesIndex", "Coded cases, deduplicated, sorted and branched. Immutable.")
      .def(nb::new_(called("codes values is_table part coefficients leaf | order", &make)))
      .def("order", [](const CodesIndex& self) { return to_numpy(std::vector(self.index->members)); },
                   "The cases as they are sorted.")
      .def_prop_ro("patterns", [](const CodesIndex& self) { return self.index->patterns; })
      .def_prop_ro("nodes", &CodesIndex::nodes);
  nb::class_<CodesSearch>(module, "CodesSearch", "One question to an index, answered in pieces of time.")
      .def(nb::new_(called("index codes rows tables exclude group_codes group_values n_groups k tolerance distinct "
                           "| reach",
                           +[](Given& given) { return std::make_unique<CodesSearch>(given); })))
      .def("run", &CodesSearch::run, "threads"_a, "seconds"_a)
      .def("result", &CodesSearch::result);
}

}  // namespace nearwise
