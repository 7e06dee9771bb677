// The k nearest cases of every query under its own form, and the group that ties with the k-th.
//
// The largest sum that can still tie with the k-th so far limits the sums of the cases that follow. Every query is worked
// out by one thread in one order, so results do not depend on the number of threads.
#include "index/forms/forms.hpp"

#include <algorithm>
#include <memory>

#include "machine/parallel.hpp"

namespace nearwise {
namespace {

class FormSearch {
 public:
  FormSearch(const FormCases& cases, const FormQueries& queries, const Nearest& nearest)
      : c_(cases), q_(queries), nearest_(nearest), row_(static_cast<std::size_t>(cases.n)),
        gaps_(static_cast<std::size_t>(cases.p * form_tile)), taken_(static_cast<std::size_t>(cases.r * (cases.p + 1))),
        there_(static_cast<std::size_t>(cases.p)) {
    heap_.reserve(static_cast<std::size_t>(std::min(cases.n, queries.k)));
  }

  void run(Count query) {
    const Count n = c_.n, k = q_.k, excluded = q_.exclude[query];
    const double *values = q_.values + query * c_.p, *form = q_.forms + query * c_.r * c_.p;
    double* row = row_.data();
    list_taken(form);
    heap_.clear();
    double limit = infinity;
    for (Count begin = 0; begin < n; begin += form_tile) {
      const Count end = std::min(begin + form_tile, n);
      sums_(c_, values, form, begin, end, limit, taken_.data(), gaps_.data(), there_.data(), row + begin);
      for (Count i = begin; i < end; ++i) {
        row[i] = row[i] != row[i] ? infinity : row[i];  // what is not a number ranks with infinity
        if (row[i] > limit || i == excluded) continue;
        keep_smallest(heap_, {row[i], i}, k);
        if (static_cast<Count>(heap_.size()) == k) limit = Tie(heap_.front().sum, q_.tolerance).high;
      }
    }
    std::sort_heap(heap_.begin(), heap_.end());
    nearest_.list(query, k, heap_);
    if (heap_.empty()) return;
    const Tie tie(heap_.back().sum, q_.tolerance);
    for (Count i = 0; i < n; ++i)
      if (!(row[i] > tie.high || i == excluded)) nearest_.count(query, tie, row[i], q_.payload, i);
  }

 private:
  void list_taken(const double* form) {
    for (Count at = 0; at < c_.r; ++at) {
      Count* taken = taken_.data() + at * (c_.p + 1);
      taken[c_.p] = 0;
      for (Count f = 0; f < c_.p; ++f)
        if (form[at * c_.p + f] != 0.0) taken[taken[c_.p]++] = f;
    }
  }

  const FormCases& c_;
  const FormQueries& q_;
  const Nearest& nearest_;
  decltype(&NEARWISE_CHOSEN(form_sums)) sums_ = NEARWISE_CHOSEN(form_sums);
  std::vector<double> row_, gaps_;
  std::vector<Count> taken_;
  std::vector<std::uint8_t> there_;
  std::vector<Ranked<Count>> heap_;  // the k nearest so far, the farthest of them on top
};

}  // namespace

void search_forms(const FormCases& cases, const FormQueries& queries, const Nearest& nearest) {
  in_parallel(queries.m, queries.threads, [&] {
    return [search = std::make_unique<FormSearch>(cases, queries, nearest)](Count query) { search->run(query); };
  });
}

}  // namespace nearwise
