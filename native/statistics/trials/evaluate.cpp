// Many weight vectors over the same cases: one thread works on one weight vector, so each needs no more than a packed
// copy of the cases and the lists of its neighbours.
#include "statistics/trials/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "arithmetic/raised.hpp"
#include "index/bytes/bytes.hpp"
#include "machine/parallel.hpp"
#include "selection/listed.hpp"

namespace nearwise {
namespace {

constexpr Count enough_for_bytes = 500;  // cases
constexpr std::size_t memory = 4;          // weight vectors

class Worker {
 public:
  Worker(const Trial& trial, const TrialAsk& ask)
      : trial_(trial), first_(ask.first), k_(ask.k), m_(ask.last - ask.first), exclude_(m_, -1),
        listed_(m_, k_, trial.voters(), ask.tolerance), proposed_(m_), reach_(m_, infinity) {
    if (trial.leave_one_out)
      for (Count i = 0; i < m_; ++i) exclude_[i] = first_ + i;
  }

  bool run(const double* weights, double* right) {
    Columns columns = trial_.columns;
    for (Count f = 0; f < columns.p; ++f) columns.coefficients[f] = weights[f] * trial_.scales[f];
    look_around(columns);
    if (!search(columns)) return false;
    if (remembered_.size() < memory) remembered_.push_back(listed_.indices);
    else remembered_[next_++ % memory] = listed_.indices;
    listed_.vote(m_, trial_.power, trial_.by_distance);
    for (Count i = 0; i < m_; ++i)
      for (Count j = 0; j < k_; ++j)
        if (listed_.winners[i * k_ + j] == trial_.codes[first_ + i])
          right[trial_.folds[first_ + i] * k_ + j] += trial_.weights[first_ + i];
    return true;
  }

 private:
  // What is near under one weight vector is not far under the next: its sums say how far a search must look.
  void look_around(const Columns& columns) {
    std::fill(reach_.begin(), reach_.end(), infinity);
    for (const std::vector<Count>& near : remembered_)
      for (Count i = 0; i < m_; ++i) {
        double reach = 0.0;
        for (Count j = 0; j < k_ && reach < reach_[i]; ++j) {
          const Count other = near[i * k_ + j];
          reach = other < 0 ? infinity : std::max(reach, at_most(columns, first_ + i, other));
        }
        reach_[i] = std::min(reach_[i], reach);
      }
  }

  // No less than the sum of two cases, however its parts are added up. In four sums at once, which do not wait for each
  // other.
  double at_most(const Columns& c, Count i, Count j) const {
    const double *x = trial_.queries.data() + i * c.p, *q = trial_.queries.data() + j * c.p;
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    Count f = 0;
    if (trial_.is_plain) {
      for (; f + 4 <= c.p; f += 4)
        for (int lane = 0; lane < 4; ++lane) {
          const double gap = std::abs(x[f + lane] - q[f + lane]);
          sums[lane] += weighted(c.coefficients[f + lane], raised_to(gap, c.power));
        }
    }
    for (; f < c.p; ++f) {
      double raw = c.is_symbol[f] ? (x[f] != q[f] ? 1.0 : 0.0) : std::abs(x[f] - q[f]);
      if (x[f] != x[f] || q[f] != q[f]) raw = std::max(c.one_missing[f], c.both_missing[f]);
      sums[0] += weighted(c.coefficients[f], raised_to(raw, c.power));
    }
    return (sums[0] + sums[1] + sums[2] + sums[3]) * (1 + 1e-9);
  }

  // The neighbours, by bytes where there are enough cases to pay for packing them, else in single precision.
  bool search(const Columns& columns) {
    const Answer answer{listed_.nearest(), proposed_.data()};
    const bool squares = columns.power == 2, moduli = columns.power == 1;
    if (columns.n >= enough_for_bytes && (squares || moduli)) {
      const Coarse coarse(columns);
      if (coarse.is_usable() && served([&] { coarse.nearest(ask(), answer); })) return true;
    }
    const Dense dense(columns);
    const Form form = moduli ? Form::moduli : !squares ? Form::powers : dense.has_holes() ? Form::squares : Form::product;
    return dense.is_usable() && served([&] { dense.nearest(ask(), form, answer); });
  }

  // Whether a search answers all queries.
  template <class Work>
  bool served(const Work& work) {
    std::fill(listed_.inside.begin(), listed_.inside.end(), 0);
    std::fill(listed_.tied.begin(), listed_.tied.end(), 0);
    std::fill(listed_.tie_sums.begin(), listed_.tie_sums.end(), 0.0);
    work();
    return std::all_of(proposed_.begin(), proposed_.end(), [](Count each) { return each >= 0; });
  }

  Ask ask() const {
    Ask ask{};
    ask.queries = trial_.queries.data() + first_ * trial_.columns.p;
    ask.exclude = exclude_.data();
    ask.case_folds = trial_.leave_one_out ? nullptr : trial_.folds;
    ask.query_folds = trial_.folds + first_;
    ask.payload = {trial_.codes, trial_.weights, listed_.voters.n_groups, 1};
    ask.reach = reach_.data();
    ask.m = m_;
    ask.k = k_;
    ask.threads = 1;
    ask.tolerance = listed_.tolerance;
    return ask;
  }

  const Trial& trial_;
  const Count first_, k_, m_;
  std::vector<Count> exclude_;
  Listed listed_;
  std::vector<Count> proposed_;
  std::vector<double> reach_;
  std::vector<std::vector<Count>> remembered_;  // the neighbours under the last weight vectors
  std::size_t next_ = 0;
};

}  // namespace

void evaluate(const Trial& trial, const TrialAsk& ask, double* right, std::uint8_t* unserved) {
  const Count p = trial.columns.p, cells = trial.n_folds * ask.k;
  in_parallel(ask.w, ask.threads, [&] {
    return [&, one = std::make_unique<Worker>(trial, ask)](Count at) {
      unserved[at] = !one->run(ask.weights + at * p, right + at * cells);
    };
  });
}

}  // namespace nearwise
