// Coded search for Python: an index that is built once, and a search over it that runs in pieces of time.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include "binding/arrays.hpp"
#include "index/codes/codes.hpp"

namespace nearwise {
namespace {

constexpr Count most = (Count{1} << 31) - 2;

// Every step-th code; the sentence is made only where it is needed, as there can be millions of codes.
struct Codes {
  const std::int32_t* first;
  Count count, step;
};
void require_between(const Codes& codes, std::int32_t low, Count high, const char* what, Count feature = -1) {
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
    s.codes = data_of<std::int32_t>(codes, "codes", 2, "int32");
    s.values = data_of<std::int32_t>(values, "values", 1, "int32");
    s.is_table = data_of<std::uint8_t>(is_table, "is_table", 1, "uint8");
    s.part = data_of<std::int32_t>(part, "part", 1, "int32");
    s.coefficients = data_of<double>(coefficients, "coefficients", 2, "float64");
    s.p = static_cast<Count>(codes.shape(0));
    s.n = case_count(codes.shape(1));
    s.g = static_cast<Count>(coefficients.shape(0));
    s.leaf = leaf;
    require(s.g <= most, "coded: at most 2**31 - 2 parts.");
    require(s.p < coded::most_entries - 1, "coded: at most 65,533 features, got " + std::to_string(s.p) + ".");
    require(leaf >= 1, "coded: leaf must be at least 1, got " + std::to_string(leaf) + ".");
    require_shape(values, "values", {s.p});
    require_shape(is_table, "is_table", {s.p});
    require_shape(part, "part", {s.n});
    require_shape(coefficients, "coefficients", {s.g, s.p});
    for (Count f = 0; f < s.p; ++f) {
      require(s.values[f] >= 1, "coded: values must be at least 1, it is not at " + std::to_string(f) + ".");
      require_between({s.codes + f * s.n, s.n, 1}, 0, s.values[f], "codes", f);
    }
    require_between({s.part, s.n, 1}, 0, s.g, "part");
    const bool weights = std::all_of(s.coefficients, s.coefficients + s.g * s.p,
                                     [](double c) { return c >= 0 && c < HUGE_VAL; });
    require(weights, "coded: coefficients must be finite and not negative.");
    nb::gil_scoped_release release;
    index = std::make_shared<const coded::Index>(coded::build(s));
  }

  Count nodes() const {
    std::size_t count = 0;
    for (const coded::Part& part : index->parts) count += part.nodes.size();
    return static_cast<Count>(count);
  }
};

using Doubles = nb::ndarray<nb::numpy, double>;
using Counts = nb::ndarray<nb::numpy, Count>;

// One question over many queries. It holds what it was given, so that the arrays outlive it.
class CodedSearch {
 public:
  CodedSearch(const CodedIndex& index, const Array& codes, const Array& rows, const std::vector<Array>& tables,
              const Array& leave_out, const Array& group_codes, const Array& group_values, Count n_groups, Count k,
              double tie, bool distinct)
      : index_(index.index), held_{codes, rows, leave_out, group_codes, group_values} {
    held_.insert(held_.end(), tables.begin(), tables.end());
    const coded::Index& i = *index_;
    q_.codes = data_of<std::int32_t>(codes, "codes", 2, "int32");
    q_.rows = data_of<std::int32_t>(rows, "rows", 2, "int32");
    q_.leave_out = data_of<Count>(leave_out, "leave_out", 1, "int64");
    q_.m = static_cast<Count>(codes.shape(0));
    q_.k = k, q_.tie = tie, q_.distinct = distinct;
    require(k >= 1 && k <= most, "coded: k must be in 1 .. 2**31, got " + std::to_string(k) + ".");
    require(tie >= 0 && tie < 1, "coded: tie must be in 0 .. 1, got " + std::to_string(tie) + ".");
    require(n_groups >= 0 && n_groups <= most, "coded: n_groups must be in 0 .. 2**31, got " + std::to_string(n_groups) + ".");
    require_shape(codes, "codes", {q_.m, i.p});
    require_shape(rows, "rows", {q_.m, i.p});
    require_shape(leave_out, "leave_out", {q_.m});
    require(static_cast<Count>(tables.size()) == i.p, "coded: there must be one table a feature, an empty one for overlap.");
    for (Count f = 0; f < i.p; ++f) check_feature(f, tables[f]);
    const bool fits = std::all_of(q_.leave_out, q_.leave_out + q_.m, [&](Count case_) { return case_ >= -1 && case_ < i.n; });
    require(fits, "coded: leave_out must be -1 or a case below n = " + std::to_string(i.n) + ".");
    const auto* group_data = data_of<std::int32_t>(group_codes, "group_codes", 1, "int32");
    const auto* value_data = data_of<double>(group_values, "group_values", 2, "float64");
    const auto v = static_cast<Count>(group_values.shape(1));
    require_shape(group_codes, "group_codes", {i.n});
    require_shape(group_values, "group_values", {i.n, v});
    require_between({group_data, i.n, 1}, 0, n_groups, "group_codes");
    tally_ = coded::tally(i, group_data, value_data, n_groups, v);
    order_ = coded::coherent_order(i, q_.codes, q_.m);
    const auto m = static_cast<std::size_t>(q_.m), places = m * static_cast<std::size_t>(k);
    sums_.assign(places, HUGE_VAL);
    indices_.assign(places, distinct ? 0 : -1);
    inside_.assign(m, 0);
    tied_.assign(m, 0);
    payload_.assign((distinct ? places : m) * static_cast<std::size_t>(n_groups * v), 0.0);
  }

  // Works for about so many seconds; returns how many queries are answered in all.
  Count run(Count threads, double seconds) {
    require(threads >= 1, "coded: threads must be at least 1, got " + std::to_string(threads) + ".");
    coded::Queries rest = q_;
    rest.order = order_.data() + done_;
    rest.count = q_.m - done_;
    if (rest.count == 0) return done_;
    const coded::Found found{sums_.data(), indices_.data(), inside_.data(), tied_.data(), payload_.data()};
    Count answered = 0;
    {
      nb::gil_scoped_release release;
      answered = coded::search(*index_, rest, tally_, {threads, seconds}, found);
    }
    return done_ += answered;
  }

  std::tuple<Doubles, Counts, Counts, Counts, Doubles> result() {
    require(done_ == q_.m, "coded: the search is not finished.");
    done_ = 0, q_.m = 0;  // the arrays are handed over
    return {flat(std::move(sums_)), flat(std::move(indices_)), flat(std::move(inside_)), flat(std::move(tied_)),
            flat(std::move(payload_))};
  }

 private:
  template <class T>
  static nb::ndarray<nb::numpy, T> flat(std::vector<T>&& values) {
    const std::size_t shape[1] = {values.size()};
    return nb::ndarray<nb::numpy, T>(to_numpy<T, 1>(std::move(values), shape));
  }

  void check_feature(Count f, const Array& table) {
    const coded::Index& i = *index_;
    const std::string name = "tables[" + std::to_string(f) + "]";
    const double* data = data_of<double>(table, name.c_str(), 2, "float64");
    const auto height = static_cast<Count>(table.shape(0));
    q_.tables.push_back(data);
    require_between({q_.codes + f, q_.m, i.p}, -1, i.values[f], "query codes", f);
    if (!i.is_table[f]) return;
    require_shape(table, name.c_str(), {height, i.values[f]});
    require_between({q_.rows + f, q_.m, i.p}, 0, height, "rows", f);
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

void bind_coded(nb::module_& module) {
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
