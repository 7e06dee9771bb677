// Sums of numbers, and of products of up to three numbers, without any rounding.
#pragma once

#include "machine/numbers.hpp"

namespace nearwise {

// What is added up: for every case the product of its factors, into the sum of its group. A case with a missing factor
// (NaN) or a negative group is left out.
struct Factors {
  const double* columns[3];    // [n] each
  int k;                       // how many factors, 1 to 3
  const std::int32_t* groups;  // [n], or null where there is one group
  Count n, n_groups;
};

// A sum is a whole number of limbs of 32 bits: limb l counts 2^(32 (base + l)). A limb has a sign and room for what 2^30
// cases add. A factor's lowest bit, or that of a product, is one of so many places from the first limb's on.
struct Span {
  Count base, limbs, places;
};

constexpr Count most_added = Count{1} << 30;

enum class Addable { yes, infinite, outside };

// Which limbs the products of these factors reach; none where all are 0 or missing.
Addable span_of(const Factors& factors, Span& span);

// sums [n_groups, limbs], which are 0 before.
void exact_sums(const Factors& factors, Span span, Count* sums);

}  // namespace nearwise
