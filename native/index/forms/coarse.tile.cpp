// Sums of one query over panels of cases under its quadratic form, in single precision, compiled once per instruction set.
//
// Differences are taken where a row first asks for them, and a group of panels is left as soon as no case of it can be
// near: the first rows of a form take few features.
#include "index/forms/coarse.hpp"
#include "machine/floats.hpp"

namespace nearwise::NEARWISE_INSTRUCTIONS {
namespace {

constexpr int together = 4 / parts > 0 ? 4 / parts : 1;  // panels at a time, so that sums do not wait for one another
constexpr int vectors = together * parts;

static_assert(vectors * lanes_of_floats <= coarse_cases);

using Feature = CoarseForm::Feature;

Floats chosen(Ints which, Floats yes, Floats no) { return (Floats)(((Ints)yes & which) | ((Ints)no & ~which)); }

// The differences of one feature from the cases of a group of panels; the last of them stands for those that are not there.
void take(const Feature& f, const float* column, Count stride, int last, Floats* u) {
  const Floats value = all(f.value), one = all(f.one);
  for (int v = 0; v < vectors; ++v) {
    const Floats x = load<Floats>(column + (v / parts < last ? v / parts : last) * stride + (v % parts) * lanes_of_floats);
    if (f.kind == Feature::number)
      u[v] = x - value;
    else if (f.kind == Feature::symbol)
      u[v] = chosen(x != value, all(f.unit), Floats{});
    else
      u[v] = one;
    if (f.has_missing) u[v] = chosen(x != x, f.kind == Feature::unknown ? all(f.both) : one, u[v]);
  }
}

bool any_within(const Floats* sums, Floats limit) {
  unsigned near = 0;
  for (int panel = 0; panel < together; ++panel) near |= within(sums + panel * parts, limit);
  return near != 0;
}

}  // namespace

void propose_by_form(const CoarseForm& form, Count first, Count last, float limit, std::uint32_t* masks) {
  float* scratch = form.differences;
  const Floats most = all(limit);
  for (Count begin = first; begin < last; begin += together) {
    const int left = last - begin < together ? static_cast<int>(last - begin) : together;
    Floats sums[vectors] = {};
    int feature = 0, term = 0;
    bool near = true;
    for (Count row = 0; row < form.n_rows && near; ++row) {
      for (; feature < form.rows[row].features; ++feature) {
        Floats u[vectors];
        const Feature& f = form.features[feature];
        take(f, f.column + begin * form.stride, form.stride, left - 1, u);
        for (int v = 0; v < vectors; ++v) store(scratch + (feature * vectors + v) * lanes_of_floats, u[v]);
      }
      Floats mapped[vectors] = {};
      for (; term < form.rows[row].terms; ++term) {
        const Floats factor = all(form.terms[term].factor);
        const float* u = scratch + form.terms[term].feature * vectors * lanes_of_floats;
        for (int v = 0; v < vectors; ++v)
          mapped[v] = multiply_add(factor, load<Floats>(u + v * lanes_of_floats), mapped[v]);
      }
      for (int v = 0; v < vectors; ++v) sums[v] = multiply_add(mapped[v], mapped[v], sums[v]);
      near = any_within(sums, most);
    }
    for (int panel = 0; panel < left; ++panel)
      masks[begin + panel - first] = near ? within(sums + panel * parts, most) : 0;
  }
}

}  // namespace nearwise::NEARWISE_INSTRUCTIONS
