// Many weight vectors over the same cases: one thread works on one weight vector, so each needs no more than a packed
// copy of the cases and the lists of its neighbours.
#include "evaluate.hpp"

#include <cmath>
#include <memory>

#include "parallel.hpp"

namespace nearwise {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Worker {
 public:
  Worker(const Trial& trial, Count k, double tolerance)
      : trial_(trial), k_(k), tolerance_(tolerance), n_(trial.columns.n), classes_(static_cast<Count>(trial.priors.size())),
        folds_(trial.columns.g), values_(trial.case_weights), exclude_(n_, -1), sums_(n_ * k), kernel_(n_ * k),
        tie_sums_(n_ * classes_), indices_(n_ * k), inside_(n_), tied_(n_), proposed_(n_), winners_(n_ * k) {
    if (trial.leave_one_out)
      for (Count i = 0; i < n_; ++i) exclude_[i] = i;
  }

  bool run(const double* weights, double* right) {
    Columns columns = trial_.columns;
    for (Count fold = 0; fold < folds_; ++fold)
      for (Count f = 0; f < columns.p; ++f) columns.coefficients[fold * columns.p + f] = weights[f] * trial_.scales[f];
    const Dense dense(std::move(columns));
    if (!dense.is_usable()) return false;
    std::fill(inside_.begin(), inside_.end(), 0);
    std::fill(tied_.begin(), tied_.end(), 0);
    std::fill(tie_sums_.begin(), tie_sums_.end(), 0.0);
    Ask ask{};
    ask.queries = trial_.queries.data();
    ask.exclude = exclude_.data();
    ask.skip_segment = trial_.leave_one_out ? nullptr : trial_.columns.segment.data();
    ask.group_codes = trial_.codes.data();
    ask.group_values = values_.data();
    ask.m = n_;
    ask.k = k_;
    ask.v = 1;
    ask.n_groups = classes_;
    ask.threads = 1;
    ask.tolerance = tolerance_;
    const Form form = trial_.columns.power == 1 ? Form::moduli : dense.has_holes() ? Form::squares : Form::product;
    dense.nearest(ask, form, {sums_.data(), indices_.data(), inside_.data(), tied_.data(), tie_sums_.data(), proposed_.data()});
    for (Count i = 0; i < n_; ++i)
      if (proposed_[i] < 0) return false;
    weigh();
    every_k({sums_.data(), indices_.data(), kernel_.data(), tied_.data(), tie_sums_.data(), n_, k_, tolerance_, true},
            {trial_.codes.data(), trial_.case_weights.data(), trial_.priors.data(), n_, classes_}, winners_.data(), 1);
    for (Count i = 0; i < n_; ++i)
      for (Count j = 0; j < k_; ++j)
        if (winners_[i * k_ + j] == trial_.codes[i])
          right[trial_.columns.segment[i] * k_ + j] += trial_.case_weights[i];
    return true;
  }

 private:
  // What a vote counts: 1, or 1/d, where cases at distance 0 alone vote.
  void weigh() {
    for (Count i = 0; i < n_; ++i) {
      const double* sums = sums_.data() + i * k_;
      double* kernel = kernel_.data() + i * k_;
      const bool same = sums[0] == 0.0;
      for (Count j = 0; j < k_; ++j) {
        const double distance = trial_.columns.power == 2 ? std::sqrt(sums[j]) : sums[j];
        if (!trial_.by_distance) kernel[j] = 1.0;
        else if (same) kernel[j] = sums[j] == 0.0 ? 1.0 : 0.0;
        else kernel[j] = 1.0 / distance;
        if (!std::isfinite(sums[j])) kernel[j] = 0.0;
        if (kernel[j] == infinity) kernel[j] = std::numeric_limits<double>::max();
      }
    }
  }

  const Trial& trial_;
  const Count k_;
  const double tolerance_;
  const Count n_, classes_, folds_;
  std::vector<double> values_;
  std::vector<Count> exclude_;
  std::vector<double> sums_, kernel_, tie_sums_;
  std::vector<Count> indices_, inside_, tied_, proposed_;
  std::vector<std::int32_t> winners_;
};

}  // namespace

void evaluate(const Trial& trial, const double* weights, Count w, Count k, double tolerance, Count threads, double* right,
              std::uint8_t* unserved) {
  const Count p = trial.columns.p, cells = trial.columns.g * k;
  in_parallel(w, threads, [&] {
    return [&, one = std::make_unique<Worker>(trial, k, tolerance)](Count at) {
      unserved[at] = !one->run(weights + at * p, right + at * cells);
    };
  });
}

}  // namespace nearwise
