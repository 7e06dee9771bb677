// The k nearest cases where some features are texts, which are compared by edits only where they can still matter.
//
//   1. single precision bounds the sum over numbers and symbols of all cases from below (build.cpp says why it holds)
//   2. the cases with the smallest bounds are compared in full, which bounds the k-th sum from above: the reach
//   3. for the others within reach, in bands of growing bounds: the letters that two texts share bound their edits; in the
//      order of the bound that results, edits are counted, eight texts at a time, until no case is within reach
//   4. sums are added in double precision, feature by feature in the order of the table, for those that are still left
//
// Edits are bounded by
//   edits >= longer length - shared letters
// since an alignment has at least as many columns as the longer text, and every column without an edit pairs equal letters.
#include "index/two_stage/two_stage.hpp"

#include <math.h>

#include <limits>
#include <memory>

#include "index/two_stage/space.hpp"
#include "machine/parallel.hpp"

namespace nearwise {

using namespace stages;

namespace {

constexpr double slack = 1e-11;  // relative; covers the rounding of sums in double precision
constexpr float visited = std::numeric_limits<float>::quiet_NaN();  // or left out, or padding: within no reach
constexpr int buckets = 64;
constexpr Count ahead = lanes;  // letters are fetched so long before they are compared, and what says where they are

// At least the bound, in single precision, of every case whose sum is at most `sum`. Terms and sums of such a bound are
// off by 2^-24 of their size a step, and by the smallest number where they vanish; they are cut where numbers end.
float widened(double sum, Count features) {
  const double steps = static_cast<double>(features + 16);
  const double wide = sum * (1 + steps / (1 << 23)) + steps * std::numeric_limits<float>::min();
  return wide < 1e15 ? static_cast<float>(wide) : std::numeric_limits<float>::infinity();
}

// At most the sum that has this bound in single precision.
double narrowed(float bound, Count features) {
  const double steps = static_cast<double>(features + 16);
  return std::max(0.0, bound * (1 - steps / (1 << 22)) - steps * std::numeric_limits<float>::min());
}

}  // namespace

class TextSearch {
 public:
  TextSearch(const TextStages& s, const TextQueries& q, Workspace& space, Count query, Count slot)
      : s_(s), c_(s.c_), q_(q), space_(space), query_(query), bounds_(space.bounds.data() + slot * s.packed_),
        minima_(space.minima.data() + slot * (s.packed_ / chunk)), k_(std::min(q.k, std::max<Count>(1, s.c_.n))) {
    space_.best.clear();
    ask();
  }

  void run(const Nearest& nearest) {
    for (Count a = 0, at = 0; a < s_.packed_; a += chunk, ++at)
      if (s_.case_of_[a + chunk - 1] < 0)  // only the last chunk of a segment has padding, at its end
        for (Count i = a; i < a + chunk; ++i)
          if (s_.case_of_[i] < 0) bounds_[i] = visited;
    if (q_.exclude[query_] >= 0) bounds_[s_.place_of_[q_.exclude[query_]]] = visited;
    first();
    float above = -1.0f;
    const float start = reach32_;
    for (const float part : {0.125f, 0.25f, 0.5f, 1.0f}) {  // what the nearest bring into reach spares the others
      const float upto = part == 1.0f ? start : part * start;
      if (!(upto > above)) continue;
      band(above, std::min(upto, reach32_));
      if (reach32_ <= upto) break;
      above = upto;
    }
    for (const std::int32_t text : space_.touched) space_.known[text] = unknown;
    space_.touched.clear();
    space_.best.write(query_, nearest);
  }

 private:
  double raised(double raw) const { return c_.power == 2 ? raw * raw : raw; }
  const StoredText& held(Count t, Count i) const { return s_.held_[t * s_.packed_ + i]; }

  // Where each letter stands in the texts of the query.
  void ask() {
    for (Count t = 0; t < c_.t; ++t) {
      const Count at = query_ * c_.t + t;
      const std::uint8_t* letters = q_.letters + at * q_.width;
      const int length = q_.lengths[at];
      const Count words = std::max<Count>(1, (length + 63) / 64);
      std::uint64_t* pattern = space_.words.data() + 256 * most_words * t;
      std::fill(pattern, pattern + 256 * words, 0);
      for (int i = 0; i < length; ++i)
        if (letters[i] != 0) pattern[letters[i] * words + i / 64] |= std::uint64_t{1} << (i % 64);
      Asked& own = space_.asked[t];
      own.pattern = {pattern, words, std::max(0, length)};
      own.counts = q_.counts + at * letter_counts;
      own.length = length;
      own.share = c_.text_terms[4 * t + 1] != 0.0;
      own.one = c_.text_terms[4 * t + 2];
      own.both = c_.text_terms[4 * t + 3];
      for (int other = -1; other <= c_.width; ++other) {
        const bool missing = length < 0 || other < 0;
        const int longer = std::max(length, other);
        const auto constant = static_cast<float>(missing ? std::min(1e7, raw(own, other, 0)) : 0.0);
        const float factor = missing || longer == 0 ? 0.0f : own.share ? 1.0f / static_cast<float>(longer) : 1.0f;
        own.rules[static_cast<std::size_t>(other + 1)] = {constant, factor, longer};
      }
    }
  }

  // The raw difference of two texts with this many edits, under the missing policy.
  static double raw(const Asked& own, int other, int edits) {
    if (own.length < 0 || other < 0) return own.length == other ? own.both : own.one;
    const int longer = std::max(own.length, other);
    return !own.share ? edits : longer == 0 ? 0.0 : static_cast<double>(edits) / longer;
  }

  // No text with more edits is within reach. Single precision is enough: one edit more than needed is allowed.
  int most_edits(Count t, const StoredText& other, float cheap) const {
    const Asked& own = space_.asked[t];
    const float room = static_cast<float>(reach_ - narrowed(cheap, c_.p)) * s_.text_inverses_[other.segment * c_.t + t];
    const int longer = own.share ? std::max(own.length, other.length) : 1;
    const float most = (c_.power == 2 ? sqrtf(room) : room) * static_cast<float>(longer);
    return most < most_letters - 1 ? static_cast<int>(most) + 1 : most_letters;  // false where it is not a number
  }

  // A few cases that are near by number and symbol alone. As many chunks hold at least one up to the limit each.
  void first() {
    const auto most = static_cast<std::size_t>(std::min(c_.n, first_batch * k_));
    std::vector<float>& minima = space_.nearest_chunks;
    minima.assign(minima_, minima_ + s_.packed_ / chunk);
    float limit = std::numeric_limits<float>::infinity();
    if (most < minima.size()) {
      std::nth_element(minima.begin(), minima.begin() + static_cast<Count>(most), minima.end());
      limit = minima[most];
    }
    auto count = static_cast<std::size_t>(
        NEARWISE_CHOSEN(gather)(bounds_, minima_, s_.packed_, -1.0f, limit, space_.rows.data()));
    Candidate* all = space_.candidates.data();
    for (std::size_t j = 0; j < count; ++j) {
      const std::int32_t at = space_.rows[j];
      all[j] = {bounds_[at], bounds_[at], at, 0};
    }
    const auto nearer = [](const Candidate& a, const Candidate& b) { return a.cheap < b.cheap; };
    if (count > most) {
      std::nth_element(all, all + most, all + count, nearer);
      count = most;
    }
    std::sort(all, all + count, nearer);
    for (std::size_t j = 0; j < count; ++j) bounds_[all[j].packed] = visited;
    visit(all, static_cast<Count>(count));
  }

  // Compares the cases with above < bound <= upto that are within reach, the nearest first.
  void band(float above, float upto) {
    const Count count = NEARWISE_CHOSEN(gather)(bounds_, minima_, s_.packed_, above, upto, space_.rows.data());
    std::array<Count, buckets> ends{};
    const Count close = lower_bounds(count, std::max(above, 0.0f), ends);
    Count start = 0;
    for (Count& end : ends) std::swap(start, end), start += end;  // from sizes to starts
    for (Count j = 0; j < close; ++j) {
      const Candidate& one = space_.candidates[static_cast<std::size_t>(j)];
      space_.sorted[static_cast<std::size_t>(ends[static_cast<std::size_t>(one.bucket)]++)] = one;
    }
    visit(space_.sorted.data(), close);
  }

  // Candidates from the first `count` rows: those that the shared letters leave within reach; returns how many.
  Count lower_bounds(Count count, float from, std::array<Count, buckets>& sizes) {
    constexpr Count run = 256;
    std::array<float, run> lower;
    const float reach = reach32_, scale = reach > from && reach < infinity ? buckets / (reach - from) : 0.0f;
    const float* bounds = bounds_;
    Candidate* close = space_.candidates.data();
    Count found = 0;
    for (Count begin = 0; begin < count; begin += run) {
      const auto length = static_cast<std::size_t>(std::min(run, count - begin));
      const std::int32_t* rows = space_.rows.data() + begin;
      for (std::size_t j = 0; j < length; ++j) lower[j] = bounds[rows[j]];
      for (Count t = 0; t < c_.t; ++t) {
        const Asked& own = space_.asked[t];
        NEARWISE_CHOSEN(add_letters)({own.counts, c_.counts.data(), &held(t, 0), own.rules.data(), s_.text_floats_.data() + t, c_.t},
                      c_.power, rows, static_cast<Count>(length), lower.data());
      }
      for (std::size_t j = 0; j < length; ++j) {
        const auto bucket = static_cast<int>(std::min(buckets - 1.0f, (lower[j] - from) * scale));
        close[found] = {lower[j], bounds[rows[j]], rows[j], bucket};
        const bool within = !(lower[j] > reach);
        sizes[static_cast<std::size_t>(bucket)] += within;
        found += within;
      }
    }
    return found;
  }

  void visit(const Candidate* candidates, Count count) {
    std::array<Candidate, lanes> batch;
    Count waiting = 0;
    for (Count j = 0; j < count; ++j) {
      if (j + 2 * ahead < count)
        for (Count t = 0; t < c_.t; ++t) {
          __builtin_prefetch(&held(t, candidates[j + 2 * ahead].packed));
          __builtin_prefetch(c_.letters.data() + held(t, candidates[j + ahead].packed).text * c_.width);
        }
      if (candidates[j].lower > reach32_) continue;
      batch[static_cast<std::size_t>(waiting++)] = candidates[j];
      if (waiting < lanes) continue;
      compare(batch.data(), waiting);
      waiting = 0;
    }
    compare(batch.data(), waiting);
  }

  // Compares some cases in full, at most `lanes` of them.
  void compare(const Candidate* batch, Count count) {
    if (count == 0) return;
    std::array<bool, lanes> beyond{};
    for (Count t = 0; t < c_.t; ++t)
      if (space_.asked[t].length >= 0) count_edits(t, batch, count, beyond);
    for (Count l = 0; l < count; ++l) {
      if (beyond[static_cast<std::size_t>(l)]) continue;
      const std::int32_t at = batch[l].packed;
      const double sum = whole(at, l);
      if (sum > reach_) continue;
      space_.best.offer(sum != sum ? infinity : sum, s_.case_of_[at]);
      reach_ = space_.best.limit * (1 + slack);
      reach32_ = widened(reach_, c_.p + c_.t);
    }
  }

  // Edits of text t, from memory where the same text was compared before.
  void count_edits(Count t, const Candidate* batch, Count count, std::array<bool, lanes>& beyond) {
    std::array<const std::uint8_t*, lanes> ends;
    std::array<int, lanes> lengths{}, most{}, counted;
    std::array<Count, lanes> of;
    ends.fill(c_.letters.data() + c_.width);
    std::array<int, lanes>& edits = space_.edits[static_cast<std::size_t>(t)];
    Count wanted = 0;
    for (Count l = 0; l < count; ++l) {
      const StoredText& other = held(t, batch[l].packed);
      const auto lane = static_cast<std::size_t>(l), slot = static_cast<std::size_t>(wanted);
      edits[lane] = 0;
      if (other.length < 0 || beyond[lane]) continue;
      most[slot] = most_edits(t, other, batch[l].cheap);
      if (const std::int16_t known = s_.repeats_ ? space_.known[other.text] : unknown; known != unknown) {
        edits[lane] = known < 0 ? -1 - known : known;
        beyond[lane] = edits[lane] > most[slot];
        if (known >= 0 || beyond[lane]) continue;
      }
      ends[slot] = c_.letters.data() + (other.text + 1) * c_.width;
      lengths[slot] = other.length;
      of[slot] = l;
      ++wanted;
    }
    if (wanted == 0) return;
    for (auto slot = static_cast<std::size_t>(wanted); slot < lanes; ++slot) {  // idle lanes repeat the first
      ends[slot] = ends[0];
      lengths[slot] = lengths[0];
      most[slot] = most[0];
    }
    NEARWISE_CHOSEN(count_edits)(space_.asked[t].pattern, ends.data(), lengths.data(), most.data(), counted.data());
    for (std::size_t slot = 0; slot < static_cast<std::size_t>(wanted); ++slot) {
      const auto lane = static_cast<std::size_t>(of[slot]);
      edits[lane] = counted[slot];
      beyond[lane] = counted[slot] > most[slot];
      if (s_.repeats_) remember(held(t, batch[of[slot]].packed).text, counted[slot], beyond[lane]);
    }
  }

  void remember(std::int32_t id, int edits, bool at_least) {
    if (space_.known[id] == unknown) space_.touched.push_back(id);
    space_.known[id] = static_cast<std::int16_t>(at_least ? -1 - edits : edits);
  }

  double whole(Count i, Count lane) const {
    const double* x = s_.rows_.data() + i * c_.p;
    const double* q = q_.values + query_ * c_.p;
    const double* weights = c_.coefficients.data() + held(0, i).segment * c_.p;
    double sum = 0.0;
    Count f = 0;
    for (Count t = 0; t <= c_.t; ++t) {
      // terms[4 t] counts all features before text t, t of which are texts
      const Count until = t == c_.t ? c_.p : static_cast<Count>(c_.text_terms[4 * t]) - t;
      for (; f < until; ++f) {
        double apart = c_.is_symbol[f] ? (x[f] != q[f] ? 1.0 : 0.0) : fabs(q[f] - x[f]);
        if (x[f] != x[f] || q[f] != q[f]) apart = x[f] != x[f] && q[f] != q[f] ? c_.both_missing[f] : c_.one_missing[f];
        sum += weights[f] == 0.0 ? 0.0 : weights[f] * raised(apart);
      }
      if (t == c_.t) break;
      const int edits = space_.edits[static_cast<std::size_t>(t)][static_cast<std::size_t>(lane)];
      const StoredText& other = held(t, i);
      sum += c_.text_coefficients[other.segment * c_.t + t] * raised(raw(space_.asked[t], other.length, edits));
    }
    return sum;
  }

  const TextStages& s_;
  const TextCases& c_;
  const TextQueries& q_;
  Workspace& space_;
  Count query_;
  float* bounds_;
  float* minima_;
  Count k_;
  double reach_ = infinity;  // no case beyond it is wanted
  float reach32_ = std::numeric_limits<float>::infinity();
};

void TextStages::nearest(const TextQueries& q, const Nearest& nearest) const {
  const auto bound = NEARWISE_CHOSEN(bound);
  blocks_in_parallel(q.m, block_length, q.threads, [&] {
    return [&, space = std::make_unique<Workspace>(c_, packed_, q)](Count first, Count last) {
      for (Count query = first; query < last; ++query) lines(q.values + query * c_.p, space->lines[query - first]);
      for (const Stretch& each : stretches_)
        for (Count slot = 0; slot < last - first; ++slot)
          bound(space->lines[slot].data() + each.segment * c_.p, c_.p, c_.power, each.begin, each.end,
                space->bounds.data() + slot * packed_, space->minima.data() + slot * (packed_ / chunk));
      for (Count query = first; query < last; ++query) TextSearch(*this, q, *space, query, query - first).run(nearest);
    };
  });
}

}  // namespace nearwise
