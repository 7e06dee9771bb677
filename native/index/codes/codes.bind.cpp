// Coded search for Python: an index that is built once, and a search over it that runs in pieces of time.
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <string>

#include "binding/search.hpp"
#include "index/codes/codes.hpp"

namespace nearwise {
namespace {

constexpr Count most = (Count{1} << 31) - 2;

// Every step-th code; the sentence is made only where it is needed, as there can be millions of codes.
struct Codes {
  const std::int32_t* first;
  Count count, step;
};
void require_codes(const Codes& codes, std::int32_t low, Count high, const char* what, Count feature = -1) {
  for (Count i = 0; i < codes.count; ++i) {
    const std::int32_t code = codes.first[i * codes.step];
    if (code >= low && code < high) continue;
    const std::string where = feature < 0 ? "" : " of feature " + std::to_string(feature);
    require(false, std::string("coded: ") + what + where + " must be in " + std::to_string(low) + " .. " +
                       std::to_string(high - 1) + ", it is " + std::to_string(code) + ".");
  }
}

struct CodedIndex {
  std::shared_ptr<const coded::Index> index;

  CodedIndex(const Array& codes, const Array& values, const Array& is_table, const Array& part,
             const Array& coefficients, Count leaf) {
    coded::Stored s{};
    s.codes = data_of<std::int32_t>(codes, "codes", 2);
    s.values = data_of<std::int32_t>(values, "values", 1);
    s.coefficients = data_of<double>(coefficients, "coefficients", 2);
    s.p = size_of(codes, 0);
    s.n = case_count(codes.shape(1));
    s.g = size_of(coefficients, 0);
    s.leaf = leaf;
    require(s.g <= most, "coded: at most 2**31 - 2 parts.");
    require(s.p < coded::most_entries - 1, "coded: at most 65,533 features, got " + std::to_string(s.p) + ".");
    require(leaf >= 1, "coded: leaf must be at least 1, got " + std::to_string(leaf) + ".");
    shaped<std::int32_t>(values, "values", {s.p});
    s.is_table = shaped<std::uint8_t>(is_table, "is_table", {s.p});
    s.part = shaped<std::int32_t>(part, "part", {s.n});
    shaped<double>(coefficients, "coefficients", {s.g, s.p});
    for (Count f = 0; f < s.p; ++f) {
      require(s.values[f] >= 1, "coded: values must be at least 1, it is not at " + std::to_string(f) + ".");
      require_codes({s.codes + f * s.n, s.n, 1}, 0, s.values[f], "codes", f);
    }
    require_codes({s.part, s.n, 1}, 0, s.g, "part");
    require_weights(s.coefficients, s.g * s.p, "coded: coefficients");
    index = without_gil([&] { return std::make_shared<const coded::Index>(coded::build(s)); });
  }

  Count nodes() const {
    std::size_t count = 0;
    for (const coded::Part& part : index->parts) count += part.nodes.size();
    return static_cast<Count>(count);
  }
};

// One question over many queries. It holds what it was given, so that the arrays outlive it.
class CodedSearch {
 public:
  CodedSearch(const CodedIndex& index, const Array& codes, const Array& rows, const std::vector<Array>& tables,
              const Array& leave_out, const Array& group_codes, const Array& group_values, Count n_groups, Count k,
              double tie, bool distinct)
      : index_(index.index), held_{codes, rows, leave_out, group_codes, group_values} {
    held_.insert(held_.end(), tables.begin(), tables.end());
    const coded::Index& i = *index_;
    q_.codes = data_of<std::int32_t>(codes, "codes", 2);
    q_.m = size_of(codes, 0);
    q_.k = k, q_.tie = tie, q_.distinct = distinct;
    require(k >= 1 && k <= most, "coded: k must be in 1 .. 2**31, got " + std::to_string(k) + ".");
    require(tie >= 0 && tie < 1, "coded: tie must be in 0 .. 1, got " + std::to_string(tie) + ".");
    shaped<std::int32_t>(codes, "codes", {q_.m, i.p});
    q_.rows = shaped<std::int32_t>(rows, "rows", {q_.m, i.p});
    q_.leave_out = shaped<Count>(leave_out, "leave_out", {q_.m});
    require(static_cast<Count>(tables.size()) == i.p, "coded: there must be one table a feature, an empty one for overlap.");
    for (Count f = 0; f < i.p; ++f) check_feature(f, tables[f]);
    require_between(q_.leave_out, q_.m, -1, i.n, "coded: leave_out must be -1 or a case below n = " + std::to_string(i.n));
    const Payload payload = payload_from("coded", group_codes, group_values, n_groups, i.n);
    tally_ = coded::tally(i, payload);
    order_ = coded::coherent_order(i, q_.codes, q_.m);
    const auto m = static_cast<std::size_t>(q_.m), places = m * static_cast<std::size_t>(k);
    sums_.assign(places, HUGE_VAL);
    indices_.assign(places, distinct ? 0 : -1);
    inside_.assign(m, 0);
    tied_.assign(m, 0);
    payload_.assign((distinct ? places : m) * static_cast<std::size_t>(payload.size()), 0.0);
  }

  // Works for about so many seconds; returns how many queries are answered in all.
  Count run(Count threads, double seconds) {
    require(threads >= 1, "coded: threads must be at least 1, got " + std::to_string(threads) + ".");
    coded::Queries rest = q_;
    rest.order = order_.data() + done_;
    rest.count = q_.m - done_;
    if (rest.count == 0) return done_;
    const Nearest found{sums_.data(), indices_.data(), inside_.data(), tied_.data(), payload_.data()};
    return done_ += without_gil([&] { return coded::search(*index_, rest, tally_, {threads, seconds}, found); });
  }

  auto result() {
    require(done_ == q_.m, "coded: the search is not finished.");
    done_ = 0, q_.m = 0;  // the arrays are handed over
    return std::make_tuple(to_numpy(std::move(sums_)), to_numpy(std::move(indices_)), to_numpy(std::move(inside_)),
                           to_numpy(std::move(tied_)), to_numpy(std::move(payload_)));
  }

 private:
  void check_feature(Count f, const Array& table) {
    const coded::Index& i = *index_;
    const std::string name = "tables[" + std::to_string(f) + "]";
    const double* data = data_of<double>(table, name.c_str(), 2);
    const auto height = size_of(table, 0);
    q_.tables.push_back(data);
    require_codes({q_.codes + f, q_.m, i.p}, -1, i.values[f], "query codes", f);
    if (!i.is_table[f]) return;
    shaped<double>(table, name.c_str(), {height, i.values[f]});
    require_codes({q_.rows + f, q_.m, i.p}, 0, height, "rows", f);
  }

  std::shared_ptr<const coded::Index> index_;
  std::vector<Array> held_;
  coded::Queries q_{};
  coded::Tally tally_{};
  std::vector<Count> order_;
  Count done_ = 0;
  std::vector<double> sums_, payload_;
  std::vector<Count> indices_, inside_, tied_;
};

}  // namespace

void bind_codes(nb::module_& module) {
  using namespace nanobind::literals;
  nb::class_<CodedIndex>(module, "CodedIndex", "Coded cases, deduplicated, sorted and branched. Immutable.")
      .def(nb::init<const Array&, const Array&, const Array&, const Array&, const Array&, Count>(), "codes"_a, "values"_a,
           "is_table"_a, "part"_a, "coefficients"_a, "leaf"_a)
      .def_prop_ro("patterns", [](const CodedIndex& self) { return self.index->patterns; })
      .def_prop_ro("nodes", &CodedIndex::nodes);
  nb::class_<CodedSearch>(module, "CodedSearch", "One question to an index, answered in pieces of time.")
      .def(nb::init<const CodedIndex&, const Array&, const Array&, const std::vector<Array>&, const Array&, const Array&,
                    const Array&, Count, Count, double, bool>(),
           "index"_a, "codes"_a, "rows"_a, "tables"_a, "leave_out"_a, "group_codes"_a, "group_values"_a, "n_groups"_a, "k"_a,
           "tie"_a, "distinct"_a)
      .def("run", &CodedSearch::run, "threads"_a, "seconds"_a)
      .def("result", &CodedSearch::result);
}

}  // namespace nearwise
