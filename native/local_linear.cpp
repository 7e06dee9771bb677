#include "local_linear.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "instructions.hpp"
#include "parallel.hpp"

namespace nearwise {
namespace {

Count padded(Count width) { return (width + 3) / 4 * 4; }

// Solves (A + ridge I) x = b for a positive semi-definite A [d, stride], of which the upper half is given.
class Cholesky {
 public:
  void solve(const std::vector<double>& a, Count d, double ridge, const std::vector<double>& b, std::vector<double>& x) {
    const Count stride = padded(d);
    upper_ = a;
    x = b;
    for (Count t = 0; t < d; ++t) {
      double* row = upper_.data() + t * stride;
      row[t] = std::sqrt(std::max(row[t] + ridge, ridge * 1e-12));
      for (Count j = t + 1; j < d; ++j) row[j] /= row[t];
      NEARWISE_CHOSEN(take_row)(upper_.data(), t, d, stride);
      x[t] /= row[t];
      for (Count j = t + 1; j < d; ++j) x[j] -= row[j] * x[t];
    }
    for (Count t = d; t-- > 0;) {
      const double* row = upper_.data() + t * stride;
      for (Count i = t + 1; i < d; ++i) x[t] -= row[i] * x[i];
      x[t] /= row[t];
    }
  }

 private:
  std::vector<double> upper_;
};

// The working space of one thread.
class Worker {
 public:
  explicit Worker(const Neighbourhoods& all) : n_(all) {}

  void answer(Count query, double* answers) {
    for (Count at = 0; at < n_.n_sizes; ++at) {
      const Count k = n_.sizes[at];
      if (!weigh(query, k)) continue;
      centre(query, k);
      const bool dual = n_.d > k;
      dual ? products_of_cases(k) : products_of_columns(k);
      for (Count r = 0; r < n_.n_ridges; ++r) {
        const double ridge = n_.ridges[r] / static_cast<double>(k);
        double* out = answers + ((query * n_.n_sizes + at) * n_.n_ridges + r) * n_.n_groups;
        cholesky_.solve(gram_, dual ? k : n_.d, ridge, right_, solved_);
        for (Count j = 0; j < k; ++j) {
          const Count i = n_.indices[query * n_.listed + j];
          out[n_.codes[i]] += share(j, dual) * n_.amounts[i];
        }
      }
    }
  }

 private:
  // Weights that add up to 1; where all neighbours are as far as the one after them, they count alike.
  bool weigh(Count query, Count k) {
    const double* distances = n_.distances + query * n_.listed;
    const double reach = distances[k];
    double total = 0.0, cases = 0.0;
    weights_.resize(static_cast<std::size_t>(k));
    for (Count j = 0; j < k; ++j) {
      const double own = n_.case_weights[n_.indices[query * n_.listed + j]];
      weights_[j] = own * (reach > 0 ? std::max(0.0, 1.0 - distances[j] / reach) : 1.0);
      total += weights_[j];
      cases += own;
    }
    if (!(cases > 0)) return false;
    for (Count j = 0; j < k; ++j)
      weights_[j] = total > 0 ? weights_[j] / total : n_.case_weights[n_.indices[query * n_.listed + j]] / cases;
    return true;
  }

  // rows_ [k, stride] of sqrt(w)(z - z-bar), and the query less z-bar; both padded with zeros.
  void centre(Count query, Count k) {
    const Count d = n_.d, stride = padded(d);
    mean_.assign(static_cast<std::size_t>(d), 0.0);
    rows_.assign(static_cast<std::size_t>(padded(k) * stride), 0.0);
    for (Count j = 0; j < k; ++j) {
      const double* z = n_.design + n_.indices[query * n_.listed + j] * d;
      for (Count f = 0; f < d; ++f) mean_[f] += weights_[j] * z[f];
    }
    for (Count j = 0; j < k; ++j) {
      const double* z = n_.design + n_.indices[query * n_.listed + j] * d;
      const double root = std::sqrt(weights_[j]);
      for (Count f = 0; f < d; ++f) rows_[j * stride + f] = root * (z[f] - mean_[f]);
    }
    gap_.assign(static_cast<std::size_t>(stride), 0.0);
    for (Count f = 0; f < d; ++f) gap_[f] = n_.asked[query * d + f] - mean_[f];
  }

  void products_of_columns(Count k) {
    const Count stride = padded(n_.d);
    gram_.assign(static_cast<std::size_t>(stride * stride), 0.0);
    NEARWISE_CHOSEN(add_products)(rows_.data(), padded(k), stride, gram_.data());
    right_ = gap_;
  }

  void products_of_cases(Count k) {
    const Count d = n_.d, stride = padded(d), turned = padded(k);
    turned_.assign(static_cast<std::size_t>(stride * turned), 0.0);
    for (Count j = 0; j < k; ++j)
      for (Count f = 0; f < d; ++f) turned_[f * turned + j] = rows_[j * stride + f];
    gram_.assign(static_cast<std::size_t>(turned * turned), 0.0);
    NEARWISE_CHOSEN(add_products)(turned_.data(), stride, turned, gram_.data());
    right_.assign(static_cast<std::size_t>(turned), 0.0);
    for (Count f = 0; f < d; ++f) NEARWISE_CHOSEN(add_scaled)(right_.data(), turned_.data() + f * turned, turned, gap_[f]);
  }

  double share(Count j, bool dual) const {
    const double root = std::sqrt(weights_[j]);
    if (dual) return weights_[j] + root * solved_[j];
    double sum = 0.0;
    for (Count f = 0; f < n_.d; ++f) sum += rows_[j * padded(n_.d) + f] * solved_[f];
    return weights_[j] + root * sum;
  }

  const Neighbourhoods& n_;
  Cholesky cholesky_;
  std::vector<double> weights_, mean_, rows_, turned_, gap_, gram_, right_, solved_;
};

}  // namespace

void local_linear(const Neighbourhoods& all, double* answers, Count threads) {
  constexpr Count height = 16;
  in_parallel((all.m + height - 1) / height, threads, [&] {
    return [worker = std::make_unique<Worker>(all), &all, answers](Count chunk) {
      for (Count query = chunk * height; query < std::min(all.m, (chunk + 1) * height); ++query)
        worker->answer(query, answers);
    };
  });
}

}  // namespace nearwise
