// Functions of the C library for whole arrays, and the matrix product in one order: NumPy and BLAS have their own for some
// processors, which differ in the last bit.
#include <cmath>

#include "arithmetic/product.hpp"
#include "binding/arrays.hpp"

namespace nearwise {
namespace {

using Doubles = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Doubles2 = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

template <class Function>
Doubles of_each(const Array& values, const Function& function) {
  const double* x = data_of<double>(values, "values", 1, "float64");
  const std::size_t n = values.shape(0);
  Scratch<double> out(n);
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < n; ++i) out[i] = function(x[i]);
  }
  return to_numpy<double, 1>(std::move(out), {n});
}

Doubles2 product_array(const Array& a, const Array& b, bool is_turned) {
  Factors f{};
  f.a = data_of<double>(a, "a", 2, "float64");
  f.b = data_of<double>(b, "b", 2, "float64");
  f.m = static_cast<Count>(a.shape(is_turned ? 1 : 0));
  f.n = static_cast<Count>(a.shape(is_turned ? 0 : 1));
  f.k = static_cast<Count>(b.shape(1));
  f.row = is_turned ? 1 : f.n;
  f.column = is_turned ? f.m : 1;
  require_shape(b, "b", {f.n, f.k});
  require(f.k == 0 || f.m < (Count{1} << 60) / f.k, "the product must have fewer than 2**60 entries.");
  Scratch<double> out(static_cast<std::size_t>(f.m * f.k));
  {
    nb::gil_scoped_release release;
    NEARWISE_CHOSEN(product)(f, out.data());
  }
  return to_numpy<double, 2>(std::move(out), {static_cast<std::size_t>(f.m), static_cast<std::size_t>(f.k)});
}

}  // namespace

void bind_arithmetic(nb::module_& module) {
  using namespace nanobind::literals;
  module.def(
      "power", [](const Array& values, double exponent) {
        return of_each(values, [exponent](double x) { return std::pow(x, exponent); });
      },
      "values"_a, "exponent"_a, "pow of the C library.");
  module.def("exp", [](const Array& values) { return of_each(values, [](double x) { return std::exp(x); }); },
             "values"_a, "exp of the C library.");
  module.def("log", [](const Array& values) { return of_each(values, [](double x) { return std::log(x); }); },
             "values"_a, "log of the C library.");
  module.def("log2", [](const Array& values) { return of_each(values, [](double x) { return std::log2(x); }); },
             "values"_a, "log2 of the C library.");
  module.def("sin", [](const Array& values) { return of_each(values, [](double x) { return std::sin(x); }); },
             "values"_a, "sin of the C library.");
  module.def("cos", [](const Array& values) { return of_each(values, [](double x) { return std::cos(x); }); },
             "values"_a, "cos of the C library.");
  module.def("product", &product_array, "a"_a, "b"_a, "is_turned"_a = false, "The matrix product, added up in order.");
}

}  // namespace nearwise
