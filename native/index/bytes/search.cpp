// The search: propose by bytes, measure by 16 bits, decide in double precision.
//
// In the whole numbers of a band let T be the sum that the bytes of case and query give, and s the true sum times the
// gain (squared). Bytes are within e = e(x) + e(q) of the numbers, so with r for what rounding the weights of symbols
// may change:
//   squares   s >= (sqrt(T) - e)^2 - r
//   moduli    s >= T - e - r
// Cases whose bytes look nearest are measured in single precision by numbers of 16 bits, which are within f(x) of the
// true ones: with u = 2^-24 and D = u (|x| + |q|) + f(x) the root of the sum (the sum, for moduli) is off by at most D, but
// for a relative (d + 8) u. The k-th smallest of the largest sums that
// the measurements allow is the bound; a case is kept while the smallest sum that its bytes or its measurement allow
// does not exceed it, ties included. So every case that belongs to the answer is kept. A query too far from a band to
// have bytes there is held against the band as a whole, which is at least as far as its nearest edge. Where columns stand
// in for others, what they may have left out is added to the largest sum.
#include <algorithm>
#include <cmath>
#include <memory>

#include "index/bytes/bytes.hpp"
#include "machine/instructions.hpp"
#include "machine/parallel.hpp"
#include "machine/vectors.hpp"

namespace nearwise {
namespace {

constexpr double careful = 1 + 1e-9;      // room for what double precision rounds on the way
constexpr Count chunk_groups = 16;        // groups of queries that share a block of panels
constexpr Count block_bytes = 128 << 10;  // panels that stay in the second-level cache
constexpr Count height = chunk_groups * coarse_height;
constexpr int bias = 32768;
constexpr double single = 1.001 / (1 << 24);

struct Fresh {  // a case of the current band
  std::int32_t value;
  std::int32_t packed;
};

struct Candidate {
  double low, high;  // the true sum lies between
  Count packed;
};

typedef float Four __attribute__((vector_size(16)));
typedef std::int16_t FourShort __attribute__((vector_size(8)));

Four widened(const std::int16_t* x) { return __builtin_convertvector(load<FourShort>(x), Four); }

float added_squares(const std::int16_t* x, const float* q, Count stride) {
  Four sum{};
  for (Count j = 0; j < stride; j += 4) {
    const Four gap = widened(x + j) - load<Four>(q + j);
    sum += gap * gap;
  }
  return sum[0] + sum[1] + sum[2] + sum[3];
}

float added_moduli(const std::int16_t* x, const float* q, Count stride) {
  Four sum{};
  for (Count j = 0; j < stride; j += 4) {
    const Four gap = widened(x + j) - load<Four>(q + j);
    sum += gap < 0 ? -gap : gap;
  }
  return sum[0] + sum[1] + sum[2] + sum[3];
}

}  // namespace

// The search of one thread over a chunk of queries.
class CoarseSearch final : public CoarseListener {
 public:
  CoarseSearch(const Coarse& coarse, const Ask& ask, const Answer& answer)
      : coarse_(coarse), c_(coarse.columns_), ask_(ask), answer_(answer), d_(static_cast<Count>(coarse.numbers_.size())),
        s_(static_cast<Count>(coarse.symbols_.size())), together_(coarse.form_.together), groups_(coarse.groups()), least_room_(2 * ask.k + 24),
        relative_((d_ + 8) * single), fresh_(height),
        lists_(height), bound_(height), rooms_(height), served_(height), kept_(height), nearest_edge_(height), error_(height),
        lengths_(height), rows_(height * coarse.stride_),
        bytes_(chunk_groups * groups_ * coarse_height), codes_(chunk_groups * s_ * coarse_height), weights_(s_),
        constants_(height), scaled_(d_), whole_(groups_ * together_), ranking_(c_, ask, answer) {
    for (std::vector<Fresh>& list : fresh_) list.reserve(static_cast<std::size_t>(least_room_ + coarse_width));
  }

  void run(Count first, Count queries) {
    first_ = first;
    last_ = std::min(ask_.m, first + queries);
    for (Count slot = 0; slot < last_ - first_; ++slot) {
      lists_[slot].clear();
      bound_[slot] = ask_.known_reach(first_ + slot);
      nearest_edge_[slot] = infinity;
      kept_[slot] = 0;
    }
    for (const Coarse::Band& band : coarse_.bands_) run_band(band);
    for (Count query = first_; query < last_; ++query) rank(query);
  }

  void found(int row, Count panel, std::uint32_t mask, const std::int16_t* values) override {
    const Count slot = group_ * coarse_height + row;
    if (!served_[slot]) return;  // a limit below all values does not exist
    std::vector<Fresh>& list = fresh_[slot];
    const Count first = (block_from_ + panel) * coarse_width;
    if (first + coarse_width > band_->cases) mask &= (1u << (band_->cases - first)) - 1;
    kept_[slot] += __builtin_popcount(mask);
    for (; mask != 0; mask &= mask - 1) {
      const int lane = __builtin_ctz(mask);
      const Count packed = band_->first_case + first + lane;
      if (ask_.leaves_out(coarse_.order_[packed], first_ + slot)) continue;
      list.push_back({values[lane] + bias, static_cast<std::int32_t>(packed)});
    }
    if (static_cast<Count>(list.size()) < rooms_[slot]) return;
    tighten(slot);
    limits[row] = limit(slot);
  }

 private:
  bool squares() const { return c_.power == 2; }
  double unit() const { return squares() ? band_->gain * band_->gain : band_->gain; }

  // The largest value that a case within the bound of this query can have.
  std::int16_t limit(Count slot) const {
    const double e = error_[slot], bound = bound_[slot] * unit() * careful + rounding_;
    const double value = squares() ? (std::sqrt(bound) + e) * (std::sqrt(bound) + e) / 2 + 1 : bound + e;
    return static_cast<std::int16_t>(value >= 65535 ? 32767 : static_cast<int>(value) - bias);
  }

  // Measures the cases of this band whose bytes look nearest and drops those that cannot belong to the answer any more.
  void tighten(Count slot) {
    std::vector<Fresh>& list = fresh_[slot];
    const auto few = list.begin() + static_cast<std::ptrdiff_t>(std::min(ask_.k, static_cast<Count>(list.size())));
    std::nth_element(list.begin(), few - 1, list.end(), [](const Fresh& x, const Fresh& y) { return x.value < y.value; });
    measure(slot, list.data(), few - list.begin());
    const int most = limit(slot) + bias;
    auto kept = list.begin();
    for (auto each = few; each != list.end(); ++each)
      if (each->value <= most) *kept++ = *each;
    list.erase(kept, list.end());
    rooms_[slot] = std::max(least_room_, 2 * static_cast<Count>(list.size()));
  }

  // Measures some cases of this band and drops what was measured and is too far.
  void measure(Count slot, const Fresh* some, std::ptrdiff_t count) {
    std::vector<Candidate>& list = lists_[slot];
    for (std::ptrdiff_t at = 0; at < count; ++at) {  // rows lie far apart: they are fetched before they are needed
      const std::int16_t* row = coarse_.rows_.data() + some[at].packed * coarse_.stride_;
      for (Count j = 0; j < coarse_.stride_; j += 32) __builtin_prefetch(row + j);
    }
    for (std::ptrdiff_t at = 0; at < count; ++at) list.push_back(measured(slot, some[at].packed));
    if (static_cast<Count>(list.size()) < ask_.k) return;
    const auto kth = list.begin() + static_cast<std::ptrdiff_t>(ask_.k - 1);
    std::nth_element(list.begin(), kth, list.end(), [](const Candidate& x, const Candidate& y) { return x.high < y.high; });
    bound_[slot] = std::min(bound_[slot], kth->high * (1 + 4 * ask_.tolerance));
    std::erase_if(list, [&](const Candidate& each) { return each.low > bound_[slot]; });
  }

  // What 16 bits say of a case of this band.
  Candidate measured(Count slot, Count packed) const {
    const std::int16_t* row = coarse_.rows_.data() + packed * coarse_.stride_;
    const float* query = rows_.data() + slot * coarse_.stride_;
    const double slack = single * (band_->reach + lengths_[slot]) * band_->fine + band_->fine_error * careful + 1e-18;
    const double per_fine = 1 / band_->fine;
    double low, high;
    if (squares()) {
      const double root = std::sqrt(static_cast<double>(added_squares(row, query, coarse_.stride_)));
      low = std::max(0.0, root * (1 - relative_) - slack) * per_fine, high = (root * (1 + relative_) + slack) * per_fine;
      low *= low, high *= high;
    } else {
      const double sum = added_moduli(row, query, coarse_.stride_);
      low = (sum * (1 - relative_) - slack) * per_fine, high = (sum * (1 + relative_) + slack) * per_fine;
    }
    const double symbols = s_ > 0 ? unequal(first_ + slot, packed) : 0.0;
    if (!c_.role.empty()) high += left_out(c_, ask_, coarse_.order_[packed], first_ + slot);
    return {(low + symbols) / careful, (high + symbols) * careful, packed};
  }

  // The weights of the symbols in which a case of this band differs from a query.
  double unequal(Count query, Count packed) const {
    const double* q = ask_.queries + query * c_.p;
    const Count at = packed - band_->first_case, panel = band_->first_panel + at / coarse_width;
    const std::int16_t* codes = coarse_.codes_.data() + panel * s_ * coarse_width + at % coarse_width;
    double sum = 0.0;
    for (Count j = 0; j < s_; ++j) {
      const Count f = coarse_.symbols_[j];
      const double code = codes[j * coarse_width];
      const bool same = q[f] != q[f] ? code == -1 && c_.both_missing[f] == 0.0 : code == q[f];
      if (!same) sum += c_.coefficients[band_->segment * c_.p + f];
    }
    return sum;
  }

  void run_band(const Coarse::Band& band) {
    band_ = &band;
    const Count groups = (last_ - first_ + coarse_height - 1) / coarse_height;
    pack_symbols();
    for (Count slot = 0; slot < groups * coarse_height; ++slot) pack_query(slot);
    const Count step = std::max<Count>(1, block_bytes / std::max<Count>(1, (groups_ * together_ + 2 * s_) * coarse_width));
    for (Count from = 0; from < band.panels; from += step)
      for (Count group = 0; group < groups; ++group) run_block(from, std::min(step, band.panels - from), group);
    for (Count slot = 0; slot < last_ - first_; ++slot) {
      measure(slot, fresh_[slot].data(), static_cast<std::ptrdiff_t>(fresh_[slot].size()));
      fresh_[slot].clear();
    }
  }

  void pack_symbols() {
    rounding_ = 0.0;
    for (Count j = 0; j < s_; ++j) {
      const double wanted = c_.coefficients[band_->segment * c_.p + coarse_.symbols_[j]] * unit() / (squares() ? 2 : 1);
      weights_[j] = static_cast<std::uint16_t>(std::nearbyint(wanted));
      rounding_ += std::abs(wanted - weights_[j]) * (squares() ? 2 : 1);
    }
  }

  void pack_query(Count slot) {
    const Count query = first_ + slot, group = slot / coarse_height, row = slot % coarse_height;
    served_[slot] = query < last_;
    if (!served_[slot]) return;
    rooms_[slot] = least_room_;
    const double* q = ask_.queries + query * c_.p;
    const double length = lengths_[slot] = scale(q, band_->segment);
    if (!(length <= band_->reach * farther)) {
      served_[slot] = false;
      const double gap = length - band_->reach, edge = squares() ? gap * gap : gap;
      // an infinite query may be at any distance that has a number, one with a missing number at 0
      nearest_edge_[slot] = std::min(nearest_edge_[slot], gap >= 0 ? std::min(edge / careful, 1e300) : 0.0);
      return;
    }
    const int offset = coarse_.offset_;
    double error = 0.0;
    Count square = 0, total = 0;
    for (Count j = 0; j < d_; ++j) {
      rows_[slot * coarse_.stride_ + j] = static_cast<float>(scaled_[j] * band_->fine);
      const double wanted = scaled_[j] * band_->gain;
      const double rounded = std::clamp<double>(std::nearbyint(wanted), -offset, offset);
      whole_[j] = static_cast<int>(rounded);
      error += squares() ? (wanted - rounded) * (wanted - rounded) : std::abs(wanted - rounded);
      square += whole_[j] * whole_[j];
      total += whole_[j];
    }
    error_[slot] = ((squares() ? std::sqrt(error) : error) + band_->error) * careful;
    // squares: start + constant - sum of (x + offset) q is half of |x|^2 + |q|^2 - 2xq; halves lose up to 1, hence the 1
    // moduli: |x - q| is twice the larger, less x and q
    const Count moduli = -total - offset * groups_ * together_;
    constants_[slot] = static_cast<std::uint16_t>((squares() ? square / 2 + 1 + offset * total : moduli) - bias);
    for (Count at = 0; at < groups_; ++at) {
      std::uint32_t word = 0;
      for (Count byte = 0; byte < 4; ++byte) {
        const int whole = whole_[at * together_ + byte % together_], value = squares() ? -whole : whole + offset;
        word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(value)) << (8 * byte);
      }
      bytes_[(group * groups_ + at) * coarse_height + row] = word;
    }
    for (Count j = 0; j < s_; ++j) {
      const Count f = coarse_.symbols_[j];
      const bool own_kind = c_.both_missing[f] == 0.0;  // a missing symbol equals a missing one
      const double code = q[f] != q[f] ? (own_kind ? -1 : -2) : (q[f] < 32000 ? q[f] : 32000);
      codes_[(group * s_ + j) * coarse_height + row] = static_cast<std::int16_t>(code);
    }
  }

  // Fills scaled_ with the query as a segment measures it and gives its length.
  double scale(const double* q, Count segment) {
    double length = 0.0;
    for (Count j = 0; j < d_; ++j) {
      scaled_[j] = (q[coarse_.numbers_[j]] - coarse_.centre_[j]) * coarse_.factors_[segment * d_ + j];
      length += squares() ? scaled_[j] * scaled_[j] : std::abs(scaled_[j]);
    }
    return squares() ? std::sqrt(length) : length;
  }

  void run_block(Count from, Count panels, Count group) {
    block_from_ = from;
    group_ = group;
    bool any = false;
    for (int row = 0; row < coarse_height; ++row) {
      const Count slot = group * coarse_height + row;
      limits[row] = served_[slot] ? limit(slot) : -bias;
      any = any || served_[slot];
    }
    if (!any) return;
    const Count panel = band_->first_panel + from;
    CoarseBlock block{};
    block.bytes = coarse_.bytes_.data() + panel * groups_ * together_ * coarse_width;
    block.codes = coarse_.codes_.data() + panel * s_ * coarse_width;
    block.start = coarse_.start_.data() + panel * coarse_width;
    block.panels = panels;
    block.groups = groups_;
    block.s = s_;
    block.query_bytes = bytes_.data() + group * groups_ * coarse_height;
    block.query_codes = codes_.data() + group * s_ * coarse_height;
    block.weights = weights_.data();
    block.constants = constants_.data() + group * coarse_height;
    block.moduli = !squares();
    NEARWISE_CHOSEN(propose_coarse)(block, *this);
  }

  void rank(Count query) {
    const Count slot = query - first_;
    if (nearest_edge_[slot] < infinity && nearest_edge_[slot] <= bound_[slot]) {
      answer_.proposed[query] = -1;
      return;
    }
    answer_.proposed[query] = kept_[slot];
    ranking_.clear();
    for (const Candidate& each : lists_[slot]) ranking_.add(coarse_.order_[each.packed]);
    ranking_.rank(query);
  }

  const Coarse& coarse_;
  const Columns& c_;
  const Ask& ask_;
  const Answer& answer_;
  const Count d_, s_, together_, groups_, least_room_;
  const double relative_;
  std::vector<std::vector<Fresh>> fresh_;
  std::vector<std::vector<Candidate>> lists_;
  std::vector<double> bound_;
  std::vector<Count> rooms_;
  std::vector<char> served_;
  std::vector<Count> kept_;
  std::vector<double> nearest_edge_, error_, lengths_;
  std::vector<float> rows_;
  std::vector<std::uint32_t> bytes_;
  std::vector<std::int16_t> codes_;
  std::vector<std::uint16_t> weights_, constants_;
  std::vector<double> scaled_;
  std::vector<int> whole_;
  Ranking ranking_;
  const Coarse::Band* band_ = nullptr;
  double rounding_ = 0.0;
  Count first_ = 0, last_ = 0, block_from_ = 0, group_ = 0;
};

void Coarse::nearest(const Ask& ask, const Answer& answer) const {
  const Count queries = chunk_height(ask.m, ask.threads, height, coarse_height);
  in_parallel((ask.m + queries - 1) / queries, ask.threads, [&] {
    return [search = std::make_unique<CoarseSearch>(*this, ask, answer), queries](Count chunk) {
      search->run(chunk * queries, queries);
    };
  });
}

}  // namespace nearwise
