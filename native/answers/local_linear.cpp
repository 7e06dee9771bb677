#include "answers/local_linear.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "machine/instructions.hpp"
#include "machine/parallel.hpp"

namespace nearwise {
namespace {

using Numbers = std::vector<double>;

Count padded(Count width) { return (width + 3) / 4 * 4; }

void clear(Numbers& numbers, Count size) { numbers.assign(static_cast<std::size_t>(size), 0.0); }

// Solves (A + ridge I) x = b for a positive semi-definite A [d, stride], of which the upper half is given.
class Cholesky {
 public:
  void solve(const Numbers& a, Count d, double ridge, const Numbers& b, Numbers& x) {
    const Count stride = padded(d);
    upper_ = a;
    x = b;
    for (Count first = 0; first < d; first += 4) {
      const Count count = std::min<Count>(4, d - first);
      for (Count t = first; t < first + count; ++t) {
        double* row = upper_.data() + t * stride;
        row[t] = std::sqrt(std::max(row[t] + ridge, ridge * 1e-12));
        for (Count j = t + 1; j < d; ++j) row[j] /= row[t];
        NEARWISE_CHOSEN(take_rows)(upper_.data(), t, 1, t + 1, first + count, stride);
        x[t] /= row[t];
        for (Count j = t + 1; j < d; ++j) x[j] -= row[j] * x[t];
      }
      NEARWISE_CHOSEN(take_rows)(upper_.data(), first, count, first + count, d, stride);
    }
    for (Count t = d; t-- > 0;) {
      const double* row = upper_.data() + t * stride;
      for (Count i = t + 1; i < d; ++i) x[t] -= row[i] * x[i];
      x[t] /= row[t];
    }
  }

 private:
  Numbers upper_;
};

// The columns of the design as they are computed with: flags first, then numbers, each group padded with empty columns.
struct Columns {
  explicit Columns(const Neighbourhoods& all) {
    for (Count f = 0; f < all.d; ++f) (all.is_flag[f] ? flags : numbers).push_back(f);
    n_flags = padded(static_cast<Count>(flags.size()));
    n_numbers = padded(static_cast<Count>(numbers.size()));
  }

  Count width() const { return n_flags + n_numbers; }

  std::vector<Count> flags, numbers;  // columns of the design
  Count n_flags, n_numbers;
};

// Which flags of each case are set, listed for all cases where they are asked for often enough.
class SetFlags {
 public:
  SetFlags(const Neighbourhoods& all, const Columns& columns) : all_(all), columns_(columns) {
    if (columns.flags.empty() || all.m * all.listed < all.n) return;
    ends_.push_back(0);
    for (Count i = 0; i < all.n; ++i) {
      append(i, listed_);
      ends_.push_back(listed_.size());
    }
  }

  // The flags of case i, in scratch where they are not listed.
  std::pair<const std::int32_t*, const std::int32_t*> of(Count i, std::vector<std::int32_t>& scratch) const {
    if (!ends_.empty()) return {listed_.data() + ends_[i], listed_.data() + ends_[i + 1]};
    scratch.clear();
    append(i, scratch);
    return {scratch.data(), scratch.data() + scratch.size()};
  }

 private:
  void append(Count i, std::vector<std::int32_t>& out) const {
    const double* z = all_.design + i * all_.d;
    for (std::size_t b = 0; b < columns_.flags.size(); ++b)
      if (z[columns_.flags[b]] != 0.0) out.push_back(static_cast<std::int32_t>(b));
  }

  const Neighbourhoods& all_;
  const Columns& columns_;
  std::vector<std::int32_t> listed_;
  std::vector<std::size_t> ends_;
};

// The working space of one thread.
class Worker {
 public:
  Worker(const Neighbourhoods& all, const Columns& columns, const SetFlags& set)
      : n_(all), columns_(columns), set_(set) {}

  void answer(Count query, double* answers) {
    for (Count at = 0; at < n_.n_sizes; ++at) {
      const Count k = n_.sizes[at];
      if (!weigh(query, k)) continue;
      const bool dual = n_.d > k;
      dual ? products_of_cases(query, k) : products_of_columns(query, k);
      for (Count r = 0; r < n_.n_ridges; ++r) {
        const double ridge = n_.ridges[r] / static_cast<double>(k);
        double* out = answers + ((query * n_.n_sizes + at) * n_.n_ridges + r) * n_.n_groups;
        cholesky_.solve(gram_, dual ? k : columns_.width(), ridge, right_, solved_);
        if (!dual) constant_ = dot(middle_.data(), solved_.data(), columns_.n_flags);
        for (Count j = 0; j < k; ++j) {
          const Count i = n_.indices[query * n_.listed + j];
          out[n_.codes[i]] += share(i, j, dual) * n_.amounts[i];
        }
      }
    }
  }

 private:
  static double dot(const double* a, const double* b, Count size) { return std::inner_product(a, a + size, b, 0.0); }

  // Weights that add up to 1; where all neighbours are as far as the one after them, they count alike.
  bool weigh(Count query, Count k) {
    const double* distances = n_.distances + query * n_.listed;
    const double reach = distances[k];
    double total = 0.0, cases = 0.0;
    weights_.resize(static_cast<std::size_t>(k));
    roots_.resize(static_cast<std::size_t>(k));
    for (Count j = 0; j < k; ++j) {
      const double own = n_.case_weights[n_.indices[query * n_.listed + j]];
      weights_[j] = own * (reach > 0 ? std::max(0.0, 1.0 - distances[j] / reach) : 1.0);
      total += weights_[j];
      cases += own;
    }
    if (!(cases > 0)) return false;
    for (Count j = 0; j < k; ++j) {
      weights_[j] = total > 0 ? weights_[j] / total : n_.case_weights[n_.indices[query * n_.listed + j]] / cases;
      roots_[j] = std::sqrt(weights_[j]);
    }
    return true;
  }

  // rows_ [k, stride] of sqrt(w)(z - z-bar) over these columns, z-bar itself, and the query less z-bar.
  void centre(Count query, Count k, const std::vector<Count>& columns, Count stride, double* middle, double* gap) {
    const Count width = static_cast<Count>(columns.size());
    clear(rows_, k * stride);
    for (Count j = 0; j < k; ++j) {
      const double* z = n_.design + n_.indices[query * n_.listed + j] * n_.d;
      double* row = rows_.data() + j * stride;
      for (Count f = 0; f < width; ++f) row[f] = z[columns[f]];
      for (Count f = 0; f < width; ++f) middle[f] += weights_[j] * row[f];
    }
    for (Count j = 0; j < k; ++j) {
      double* row = rows_.data() + j * stride;
      for (Count f = 0; f < width; ++f) row[f] = roots_[j] * (row[f] - middle[f]);
    }
    for (Count f = 0; f < width; ++f) gap[f] = n_.asked[query * n_.d + columns[f]] - middle[f];
  }

  // gram_ [flags and numbers, the same]: flags by those that are set, numbers by the centred rows.
  void products_of_columns(Count query, Count k) {
    const Count width = columns_.width(), flags = columns_.n_flags, numbers = columns_.n_numbers;
    clear(middle_, width);
    clear(right_, width);
    clear(gram_, width * width);
    centre(query, k, columns_.numbers, numbers, middle_.data() + flags, right_.data() + flags);
    NEARWISE_CHOSEN(add_products)(rows_.data(), k, numbers, gram_.data() + flags * width + flags, width);
    if (columns_.flags.empty()) return;
    for (Count j = 0; j < k; ++j) {
      const auto [begin, end] = set_.of(n_.indices[query * n_.listed + j], scratch_);
      for (auto b = begin; b != end; ++b) {
        double* row = gram_.data() + *b * width;
        middle_[*b] += weights_[j];
        for (auto c = b; c != end; ++c) row[*c] += weights_[j];
        NEARWISE_CHOSEN(add_scaled)(row + flags, rows_.data() + j * numbers, numbers, roots_[j]);
      }
    }
    for (std::size_t b = 0; b < columns_.flags.size(); ++b) {
      double* row = gram_.data() + static_cast<Count>(b) * width;
      for (std::size_t c = b; c < columns_.flags.size(); ++c) row[c] -= middle_[b] * middle_[c];
      right_[b] = n_.asked[query * n_.d + columns_.flags[b]] - middle_[b];
    }
  }

  // gram_ [neighbours, neighbours] over all columns.
  void products_of_cases(Count query, Count k) {
    const Count d = n_.d, turned = padded(k);
    everything_.resize(static_cast<std::size_t>(d));
    std::iota(everything_.begin(), everything_.end(), Count{0});
    clear(middle_, d);
    clear(gap_, d);
    centre(query, k, everything_, d, middle_.data(), gap_.data());
    clear(turned_, d * turned);
    for (Count j = 0; j < k; ++j)
      for (Count f = 0; f < d; ++f) turned_[f * turned + j] = rows_[j * d + f];
    clear(gram_, turned * turned);
    NEARWISE_CHOSEN(add_products)(turned_.data(), d, turned, gram_.data(), turned);
    clear(right_, turned);
    for (Count f = 0; f < d; ++f) NEARWISE_CHOSEN(add_scaled)(right_.data(), turned_.data() + f * turned, turned, gap_[f]);
  }

  // l of neighbour j, which is case i.
  double share(Count i, Count j, bool dual) {
    if (dual) return weights_[j] + roots_[j] * solved_[j];
    const Count flags = columns_.n_flags, numbers = columns_.n_numbers;
    const double by_numbers = dot(rows_.data() + j * numbers, solved_.data() + flags, numbers);
    double by_flags = -constant_;
    if (!columns_.flags.empty()) {
      const auto [begin, end] = set_.of(i, scratch_);
      for (auto b = begin; b != end; ++b) by_flags += solved_[*b];
    }
    return weights_[j] + roots_[j] * by_numbers + weights_[j] * by_flags;
  }

  const Neighbourhoods& n_;
  const Columns& columns_;
  const SetFlags& set_;
  Cholesky cholesky_;
  Numbers weights_, roots_, middle_, rows_, turned_, gap_, gram_, right_, solved_;
  std::vector<Count> everything_;
  std::vector<std::int32_t> scratch_;
  double constant_ = 0.0;  // of the flags' means under the slopes
};

}  // namespace

void local_linear(const Neighbourhoods& all, double* answers, Count threads) {
  const Columns columns(all);
  const SetFlags set(all, columns);
  rows_in_parallel(all.m, 16, threads, [&] {
    return [worker = std::make_unique<Worker>(all, columns, set), answers](Count query) { worker->answer(query, answers); };
  });
}

}  // namespace nearwise
