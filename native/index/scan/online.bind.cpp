// online_sums for Python: the sums of one query over the first cases of a table that grows.
//
// Online methods ask for the nearest of the cases seen so far under weights that change with every case, so there is
// nothing to build: one pass of the scan's tile over the cases stored so far, written into an array that is used again.
#include <algorithm>
#include <string>

#include "binding/arrays.hpp"
#include "index/scan/scan.hpp"
#include "machine/instructions.hpp"

namespace nearwise {
namespace {

constexpr Count tile_length = 1024;  // 8 KiB of each column and of the sums

using Sums = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void online_sums(const Array& columns, const Array& is_symbol, const Array& coefficients, const Array& one_missing,
                 const Array& both_missing, double power, const Array& query, Count stored, Sums sums) {
  require(power >= 1 && power < 1e6, "online_sums: power must be from 1 to 1e6, got " + std::to_string(power) + ".");
  Cases c{};
  c.columns = data_of<double>(columns, "columns", 2, "float64");
  c.is_symbol = data_of<std::uint8_t>(is_symbol, "is_symbol", 1, "uint8");
  c.coefficients = data_of<double>(coefficients, "coefficients", 1, "float64");
  c.one_missing = data_of<double>(one_missing, "one_missing", 1, "float64");
  c.both_missing = data_of<double>(both_missing, "both_missing", 1, "float64");
  const double* asked = data_of<double>(query, "query", 1, "float64");
  c.p = static_cast<Count>(columns.shape(0));
  c.n = case_count(columns.shape(1));
  c.g = 1;
  c.power = power;
  require_shape(is_symbol, "is_symbol", {c.p});
  require_shape(coefficients, "coefficients", {c.p});
  require_shape(one_missing, "one_missing", {c.p});
  require_shape(both_missing, "both_missing", {c.p});
  require_shape(query, "query", {c.p});
  require(stored >= 0 && stored <= c.n, "online_sums: stored must be in 0 .. n, got " + std::to_string(stored) + ".");
  require(static_cast<Count>(sums.shape(0)) == c.n, "sums must have one entry per case.");
  const Count segments[2] = {0, c.n};
  c.segments = segments;
  double* out = sums.data();
  nb::gil_scoped_release release;
  const Tile tile = NEARWISE_CHOSEN(tile);
  for (Count begin = 0; begin < stored; begin += tile_length)
    tile(c, asked, begin, std::min(begin + tile_length, stored), out);
}

}  // namespace

void bind_online(nb::module_& module) {
  using namespace nanobind::literals;
  module.def("online_sums", &online_sums, "columns"_a, "is_symbol"_a, "coefficients"_a, "one_missing"_a,
             "both_missing"_a, "power"_a, "query"_a, "stored"_a, "sums"_a,
             "Writes into sums[0 .. stored) the sums of one query over the first cases.");
}

}  // namespace nearwise
