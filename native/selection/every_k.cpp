// The winning class for k = 1, 2, ... from one list of neighbours.
//
// For each k the cases nearer than the k-th vote; the t cases that tie with it share the r places that remain, r/t each
// (fair), or the first k cases vote (not fair). Votes are added up once along the list, so a row costs K * classes.
// A tied vote goes to the class of the nearest case; or, where the next is asked, to what one neighbour more decides, and to
// the larger prior where that ties too.
#include "selection/every_k.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "machine/numbers.hpp"
#include "machine/parallel.hpp"

namespace nearwise {
namespace {

constexpr Count rows_a_chunk = 256;

// Most votes, then the class of the nearest case, then the larger prior, then the order of classes.
std::int32_t winner(const std::vector<double>& votes, const std::vector<double>& near, const double* priors, Count g,
                    double tolerance) {
  const double most = *std::max_element(votes.begin(), votes.end()) * (1 - tolerance);
  double nearest = infinity;
  for (Count c = 0; c < g; ++c)
    if (votes[c] >= most) nearest = std::min(nearest, near[c]);
  const double limit = nearest + tolerance * (std::isfinite(nearest) ? nearest : 0.0);
  std::int32_t best = -1;
  for (Count c = 0; c < g; ++c)
    if (votes[c] >= most && near[c] <= limit && (best < 0 || priors[c] > priors[best])) best = static_cast<std::int32_t>(c);
  return best;
}

// Whether one class alone has the most votes.
bool is_clear(const std::vector<double>& votes, double tolerance) {
  const double most = *std::max_element(votes.begin(), votes.end()) * (1 - tolerance);
  return std::count_if(votes.begin(), votes.end(), [&](double v) { return v >= most; }) == 1;
}

// A tied vote takes the winner of the vote of one neighbour more, where that is clear; a clear winner never changes, so
// the row can be gone through in place.
void ask_next(std::int32_t* winners, const std::vector<char>& clear, Count K) {
  for (Count k = 0; k + 1 < K; ++k)
    if (!clear[k] && clear[k + 1]) winners[k] = winners[k + 1];
}

void of_rows(const Lists& lists, const Voters& voters, std::int32_t* winners, Count from, Count to) {
  const Count K = lists.k, g = voters.n_groups;
  std::vector<double> counted(static_cast<std::size_t>((K + 1) * g)), plain(counted.size()), votes(g), near(g), first(g);
  std::vector<char> clear(static_cast<std::size_t>(K));
  const auto settle = [&](Count row, Count k) {
    if (lists.ask_next) {
      std::fill(near.begin(), near.end(), infinity);  // a tie is not for the nearest case to settle
      clear[k - 1] = is_clear(votes, lists.tolerance);
    }
    winners[row * K + k - 1] = winner(votes, near, voters.priors, g, lists.tolerance);
  };
  for (Count row = from; row < to; ++row) {
    const double* sums = lists.sums + row * K;
    const double* kernel = lists.kernel + row * K;
    const Count* cases = lists.indices + row * K;
    Count filled = 0;
    while (filled < K && std::isfinite(sums[filled])) ++filled;
    // counted[j], plain[j]: the votes of the first j cases, weighted by distance and not
    for (Count j = 0; j < filled; ++j) {
      const Count at = cases[j];
      for (Count c = 0; c < g; ++c) {
        counted[(j + 1) * g + c] = counted[j * g + c];
        plain[(j + 1) * g + c] = plain[j * g + c];
      }
      counted[(j + 1) * g + voters.codes[at]] += kernel[j] * voters.weights[at];
      plain[(j + 1) * g + voters.codes[at]] += voters.weights[at];
    }
    std::fill(first.begin(), first.end(), infinity);  // where each class votes first
    for (Count j = filled; j-- > 0;)
      if (voters.weights[cases[j]] > 0) first[voters.codes[cases[j]]] = static_cast<double>(j);
    for (Count k = 1; k <= K; ++k) {
      const Count places = std::min(k, filled);
      if (places == 0) {
        std::fill(votes.begin(), votes.end(), 0.0);
        std::fill(near.begin(), near.end(), infinity);
        settle(row, k);
        continue;
      }
      const double last = sums[places - 1], margin = lists.tolerance * last;
      Count inside = places, listed = places;
      double share = 0.0;
      const double* group = nullptr;
      if (lists.fair) {
        // most often nothing ties with the k-th place
        if (places == 1 || sums[places - 2] < last - margin) inside = places - 1;
        else inside = std::lower_bound(sums, sums + places, last - margin) - sums;
        if (places < filled && sums[places] <= last + margin)
          listed = std::upper_bound(sums + places, sums + filled, last + margin) - sums;
        const bool beyond = listed >= filled;  // the tie group may go on behind the list
        const double tied = static_cast<double>(beyond ? lists.tied[row] : listed - inside);
        share = static_cast<double>(places - inside) / tied;
        group = beyond ? lists.tie_sums + row * g : nullptr;
      }
      double total = 0.0;
      for (Count c = 0; c < g; ++c) {
        const double tie = !lists.fair ? 0.0 : group ? group[c] : plain[listed * g + c] - plain[inside * g + c];
        votes[c] = counted[inside * g + c] + kernel[places - 1] * share * tie;
        near[c] = first[c] < inside ? sums[static_cast<Count>(first[c])] : tie * share > 0 ? last : infinity;
        total = std::max(total, votes[c]);
      }
      if (!(total > 0))  // a kernel that gives every vote 0 leaves no answer
        for (Count c = 0; c < g; ++c) {
          const double tie = !lists.fair ? 0.0 : group ? group[c] : plain[listed * g + c] - plain[inside * g + c];
          votes[c] = plain[inside * g + c] + share * tie;
        }
      settle(row, k);
    }
    if (lists.ask_next) ask_next(winners + row * K, clear, K);
  }
}

}  // namespace

void every_k(const Lists& lists, const Voters& voters, std::int32_t* winners, Count threads) {
  in_parallel((lists.m + rows_a_chunk - 1) / rows_a_chunk, threads, [&] {
    return [&](Count chunk) {
      const Count first = chunk * rows_a_chunk;
      of_rows(lists, voters, winners, first, std::min(lists.m, first + rows_a_chunk));
    };
  });
}

}  // namespace nearwise
