// Functions of the C library for whole arrays, and the matrix product in one order: NumPy and BLAS have their own for some
// processors, which differ in the last bit.
#include <cmath>

#include "arithmetic/product.hpp"
#include "binding/arrays.hpp"

namespace nearwise {
namespace {

template <class Function>
auto of_each(const Array& values, const Function& function) {
  const double* x = data_of<double>(values, "values", 1);
  const Count n = size_of(values, 0);
  Scratch<double> out(static_cast<std::size_t>(n));
  without_gil([&] {
    for (Count i = 0; i < n; ++i) out[i] = function(x[i]);
  });
  return to_numpy(std::move(out), {n});
}

template <class Kernel>
auto added_up(const Array& a, const Array& b, bool is_turned, Kernel kernel) {
  Factors f{};
  f.a = data_of<double>(a, "a", 2);
  f.b = data_of<double>(b, "b", 2);
  f.m = static_cast<Count>(a.shape(is_turned ? 1 : 0));
  f.n = static_cast<Count>(a.shape(is_turned ? 0 : 1));
  f.k = size_of(b, 1);
  f.row = is_turned ? 1 : f.n;
  f.column = is_turned ? f.m : 1;
  shaped<double>(b, "b", {f.n, f.k});
  require(f.k == 0 || f.m < (Count{1} << 60) / f.k, "the result must have fewer than 2**60 entries.");
  Scratch<double> out(static_cast<std::size_t>(f.m * f.k));
  without_gil([&] { kernel(f, out.data()); });
  return to_numpy(std::move(out), {f.m, f.k});
}

auto product_array(const Array& a, const Array& b, bool is_turned) {
  return added_up(a, b, is_turned, NEARWISE_CHOSEN(product));
}

auto squared_gaps_array(const Array& a, const Array& b) { return added_up(a, b, false, NEARWISE_CHOSEN(squared_gaps)); }

}  // namespace

void bind_arithmetic(nb::module_& module) {
  using namespace nanobind::literals;
  module.def(
      "power", [](const Array& values, double exponent) {
        return of_each(values, [exponent](double x) { return std::pow(x, exponent); });
      },
      "values"_a, "exponent"_a, "pow of the C library.");
#define NEARWISE_OF_EACH(name)                                                                                  \
  module.def(#name, [](const Array& values) { return of_each(values, [](double x) { return std::name(x); }); }, \
             "values"_a, #name " of the C library.");
  NEARWISE_OF_EACH(exp)
  NEARWISE_OF_EACH(log)
  NEARWISE_OF_EACH(log2)
  NEARWISE_OF_EACH(sin)
  NEARWISE_OF_EACH(cos)
  module.def("product", &product_array, "a"_a, "b"_a, "is_turned"_a = false, "The matrix product, added up in order.");
  module.def("squared_gaps", &squared_gaps_array, "a"_a, "b"_a, "(m, k) squared lengths of the gaps of vectors.");
}

}  // namespace nearwise
