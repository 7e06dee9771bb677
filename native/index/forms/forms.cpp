// The k nearest cases of every query under its own form, and the group that ties with the k-th.
//
// The largest sum that can still tie with the k-th so far limits the sums of the cases that follow. Single precision
// proposes the cases that may be within it, double precision decides; where it cannot, or proposes too many, the sums of
// all cases are worked out. Every query is worked out by one thread in one order, so results do not depend on the number of
// threads.
#include "index/forms/forms.hpp"

#include <algorithm>
#include <memory>

#include "machine/parallel.hpp"

namespace nearwise {
namespace {

constexpr Count panels_at_once = 64;

Count lowest_bit(std::uint32_t mask) {
  Count at = 0;
  while (!(mask >> at & 1)) ++at;
  return at;
}

class FormSearch {
 public:
  FormSearch(const FormCases& cases, const FormQueries& queries, const Nearest& nearest)
      : c_(cases), q_(queries), nearest_(nearest),
        gaps_(static_cast<std::size_t>(cases.p * form_tile)), taken_(static_cast<std::size_t>(cases.r * (cases.p + 1))),
        there_(static_cast<std::size_t>(cases.p)) {
    heap_.reserve(static_cast<std::size_t>(std::min(cases.n, queries.k)));
  }

  void run(Count query) {
    const double *values = q_.values + query * c_.p, *form = q_.forms + query * c_.r * c_.p;
    list_taken(form);
    if (!coarse_.prepare(c_, values, form, taken_.data()) || !look_at_proposals(query, values, form))
      look_at_all(query, values, form);
  }

 private:
  // False where too many are proposed.
  bool look_at_proposals(Count query, const double* values, const double* form) {
    const Count panels = c_.coarse->count, most = c_.n / 8 + 1024;
    heap_.clear();
    near_.clear();
    double limit = infinity;
    Count step = 4, looked = 0;  // nobody is far before some were seen
    for (Count first = 0; first < panels; first += step, step = std::min(2 * step, panels_at_once)) {
      const Count last = std::min(first + step, panels);
      propose_(coarse_.form(), first, last, coarse_.limit(limit), masks_);
      for (Count panel = first; panel < last; ++panel)
        for (std::uint32_t mask = masks_[panel - first]; mask != 0; mask &= mask - 1) {
          const Count i = panel * panel_width + lowest_bit(mask);
          if (i >= c_.n || i == q_.exclude[query]) continue;
          if (++looked > most) return false;
          const double sum = sum_of(values, form, i);
          if (sum > limit) continue;
          near_.push_back({sum, i});
          keep_smallest(heap_, {sum, i}, q_.k);
          if (static_cast<Count>(heap_.size()) == q_.k) limit = Tie(heap_.front().sum, q_.tolerance).high;
        }
    }
    finish(query, [&](const Tie& tie) {
      for (const auto& [sum, i] : near_)
        if (!(sum > tie.high)) nearest_.count(query, tie, sum, q_.payload, i);
    });
    return true;
  }

  // The sum of one case, added up in the order of `form_sums`.
  double sum_of(const double* values, const double* form, Count i) const {
    double sum = 0.0;
    for (Count row = 0; row < c_.r; ++row) {
      const Count* taken = taken_.data() + row * (c_.p + 1);
      double mapped = 0.0;
      for (Count at = 0; at < taken[c_.p]; ++at)
        mapped += form[row * c_.p + taken[at]] * gap(values[taken[at]], taken[at], i);
      sum += mapped * mapped;
    }
    return sum != sum ? infinity : sum;
  }
  double gap(double q, Count f, Count i) const {
    const double x = c_.columns[f * c_.n + i], scale = c_.scales[f];
    if (q != q) return (x != x ? c_.both_missing[f] : c_.one_missing[f]) * scale;
    if (x != x) return c_.one_missing[f] * scale;
    return c_.is_symbol[f] ? (x != q ? scale : 0.0) : (x - q) * scale;
  }

  void look_at_all(Count query, const double* values, const double* form) {
    const Count n = c_.n, k = q_.k, excluded = q_.exclude[query];
    row_.resize(static_cast<std::size_t>(n));
    double* row = row_.data();
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
    finish(query, [&](const Tie& tie) {
      for (Count i = 0; i < n; ++i)
        if (!(row[i] > tie.high || i == excluded)) nearest_.count(query, tie, row[i], q_.payload, i);
    });
  }

  // Lists the k nearest; `count` counts those that tie with the last of them.
  template <class Counting>
  void finish(Count query, Counting count) {
    std::sort_heap(heap_.begin(), heap_.end());
    nearest_.list(query, q_.k, heap_);
    if (!heap_.empty()) count(Tie(heap_.back().sum, q_.tolerance));
  }

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
  decltype(&NEARWISE_CHOSEN(propose_by_form)) propose_ = NEARWISE_CHOSEN(propose_by_form);
  CoarseQuery coarse_;
  std::uint32_t masks_[panels_at_once];
  std::vector<double> row_, gaps_;
  std::vector<Count> taken_;
  std::vector<std::uint8_t> there_;
  std::vector<Ranked<Count>> heap_;  // the k nearest so far, the farthest of them on top
  std::vector<Ranked<Count>> near_;  // those that were within the limit when they were looked at
};

}  // namespace

void search_forms(const FormCases& cases, const FormQueries& queries, const Nearest& nearest) {
  in_parallel(queries.m, queries.threads, [&] {
    return [search = std::make_unique<FormSearch>(cases, queries, nearest)](Count query) { search->run(query); };
  });
}

}  // namespace nearwise
