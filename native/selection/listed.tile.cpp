// The nearest cases of a row of sums, compiled once per instruction set.
#include <math.h>

#include "machine/vectors.hpp"
#include "selection/listed.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

typedef double Doubles __attribute__((vector_size(32)));
typedef std::int64_t Longs __attribute__((vector_size(32)));

bool any(Longs mask) {
#ifdef __AVX2__
  return _mm256_movemask_pd((__m256d)mask) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

}  // namespace

Count smallest(const double* sums, Count n, Count k, double* best, Count* index) {
  Count filled = 0;
  double worst = HUGE_VAL;
  auto consider = [&](Count i) {
    const double s = sums[i];
    if (!(s < worst)) return;
    Count at = filled < k ? filled++ : k - 1;
    for (; at > 0 && best[at - 1] > s; --at) best[at] = best[at - 1], index[at] = index[at - 1];
    best[at] = s;
    index[at] = i;
    if (filled == k) worst = best[k - 1];
  };
  Count i = 0;
  for (; i + 4 <= n; i += 4)
    if (any(load<Doubles>(sums + i) < Doubles{worst, worst, worst, worst}))
      for (Count j = i; j < i + 4; ++j) consider(j);
  for (; i < n; ++i) consider(i);
  return filled;
}

Count between(const double* sums, Count n, double low, double high, Count* found) {
  Count count = 0, i = 0;
  const Doubles highs{high, high, high, high};
  for (; i + 4 <= n; i += 4)
    if (any(load<Doubles>(sums + i) <= highs))
      for (Count j = i; j < i + 4; ++j)
        if (sums[j] >= low && sums[j] <= high) found[count++] = j;
  for (; i < n; ++i)
    if (sums[i] >= low && sums[i] <= high) found[count++] = i;
  return count;
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
