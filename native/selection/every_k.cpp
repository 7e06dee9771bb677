// The winning class for k = 1, 2, ... from one list of neighbours.
//
// For each k the cases nearer than the k-th vote; the t cases that tie with it share the r places that remain, r/t each
// (fair), or the first k cases vote (not fair). Votes are added up once along the list, so a row costs K * classes.
// A tied vote goes to the class of the nearest case; or, where the next is asked, to what one neighbour more decides, and to
// the larger prior where that ties too.
#include "selection/every_k.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "machine/parallel.hpp"
#include "selection/winner.hpp"

namespace nearwise {
namespace {

constexpr Count rows_a_chunk = 256;

// Whether one class alone has the most votes.
bool is_clear(const std::vector<double>& votes, double tolerance) {
  const double most = *std::max_element(votes.begin(), votes.end()) * (1 - tolerance);
  return std::count_if(votes.begin(), votes.end(), [&](double v) { return v >= most; }) == 1;
}

// The votes of one row after the other.
class Votes {
 public:
  Votes(const Lists& lists, const Voters& voters)
      : lists_(lists), voters_(voters), g_(voters.n_groups), counted_(static_cast<std::size_t>((lists.k + 1) * g_)),
        plain_(counted_.size()), votes_(g_), near_(g_), first_(g_), clear_(static_cast<std::size_t>(lists.k)) {}

  void run(Count row, std::int32_t* winners) {
    add_up(row);
    for (Count k = 1; k <= lists_.k; ++k) {
      count(row, std::min(k, filled_));
      if (lists_.ask_next) {
        std::fill(near_.begin(), near_.end(), infinity);  // a tie is not for the nearest case to settle
        clear_[k - 1] = is_clear(votes_, lists_.tolerance);
      }
      winners[k - 1] = winner(votes_, near_, voters_.priors, lists_.tolerance);
    }
    // A tied vote takes the winner of the vote of one neighbour more, where that is clear; a clear winner never changes, so
    // the row can be gone through in place.
    for (Count k = 0; lists_.ask_next && k + 1 < lists_.k; ++k)
      if (!clear_[k] && clear_[k + 1]) winners[k] = winners[k + 1];
  }

 private:
  // counted_[j], plain_[j]: the votes of the first j cases, weighted by distance and not; first_: where each class begins
  void add_up(Count row) {
    const Count* cases = lists_.indices + row * lists_.k;
    sums_ = lists_.sums + row * lists_.k;
    kernel_ = lists_.kernel + row * lists_.k;
    for (filled_ = 0; filled_ < lists_.k && std::isfinite(sums_[filled_]);) ++filled_;
    double *counted = counted_.data(), *plain = plain_.data();
    for (Count j = 0; j < filled_; ++j, counted += g_, plain += g_) {
      const Count at = cases[j];
      for (Count c = 0; c < g_; ++c) {  // few as a rule: a call to copy them would cost more
        counted[g_ + c] = counted[c];
        plain[g_ + c] = plain[c];
      }
      counted[g_ + voters_.codes[at]] += kernel_[j] * voters_.weights[at];
      plain[g_ + voters_.codes[at]] += voters_.weights[at];
    }
    std::fill(first_.begin(), first_.end(), infinity);
    for (Count j = filled_; j-- > 0;)
      if (voters_.weights[cases[j]] > 0) first_[voters_.codes[cases[j]]] = static_cast<double>(j);
  }

  // votes_ of so many places, and near_: the sum of the nearest case of each class.
  void count(Count row, Count places) {
    if (places == 0) {
      std::fill(votes_.begin(), votes_.end(), 0.0);
      std::fill(near_.begin(), near_.end(), infinity);
      return;
    }
    const double last = sums_[places - 1];
    const Tie tie(last, lists_.tolerance);
    Count inside = places, listed = places;
    double share = 0.0;
    const double* group = nullptr;
    if (lists_.fair) {
      // most often nothing ties with the k-th place
      if (places == 1 || sums_[places - 2] < tie.low) inside = places - 1;
      else inside = std::lower_bound(sums_, sums_ + places, tie.low) - sums_;
      if (places < filled_ && sums_[places] <= tie.high)
        listed = std::upper_bound(sums_ + places, sums_ + filled_, tie.high) - sums_;
      const bool beyond = listed >= filled_;  // the tie group may go on behind the list
      const double tied = static_cast<double>(beyond ? lists_.tied[row] : listed - inside);
      share = static_cast<double>(places - inside) / tied;
      group = beyond ? lists_.tie_sums + row * g_ : nullptr;
    }
    const double *counted = counted_.data() + inside * g_, *plain = plain_.data() + inside * g_;
    const double* beyond_it = plain_.data() + listed * g_;
    const auto tie_of = [&](Count c) { return !lists_.fair ? 0.0 : group ? group[c] : beyond_it[c] - plain[c]; };
    double total = 0.0;
    for (Count c = 0; c < g_; ++c) {
      const double own = tie_of(c);
      votes_[c] = counted[c] + kernel_[places - 1] * share * own;
      near_[c] = first_[c] < inside ? sums_[static_cast<Count>(first_[c])] : own * share > 0 ? last : infinity;
      total = std::max(total, votes_[c]);
    }
    if (!(total > 0))  // a kernel that gives every vote 0 leaves no answer
      for (Count c = 0; c < g_; ++c) votes_[c] = plain[c] + share * tie_of(c);
  }

  const Lists& lists_;
  const Voters& voters_;
  const Count g_;
  Count filled_ = 0;
  const double *sums_ = nullptr, *kernel_ = nullptr;
  std::vector<double> counted_, plain_, votes_, near_, first_;
  std::vector<char> clear_;
};

}  // namespace

void every_k(const Lists& lists, const Voters& voters, std::int32_t* winners, Count threads) {
  rows_in_parallel(lists.m, rows_a_chunk, threads, [&] {
    return [&, winners, votes = Votes(lists, voters)](Count row) mutable { votes.run(row, winners + row * lists.k); };
  });
}

void weigh(const double* sums, Count m, Count k, double power, bool by_distance, double* kernel) {
  for (Count i = 0; i < m; ++i, sums += k, kernel += k) {
    const bool same = sums[0] == 0.0;
    for (Count j = 0; j < k; ++j) {
      const double distance = power == 1 ? sums[j] : power == 2 ? std::sqrt(sums[j]) : std::pow(sums[j], 1.0 / power);
      if (!by_distance) kernel[j] = 1.0;
      else if (same) kernel[j] = sums[j] == 0.0 ? 1.0 : 0.0;
      else kernel[j] = std::min(1.0 / distance, std::numeric_limits<double>::max());
      if (!std::isfinite(sums[j])) kernel[j] = 0.0;
    }
  }
}

}  // namespace nearwise
