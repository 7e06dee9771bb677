// What a part costs the queries of a batch: lower bounds in bytes, or in words where there are many features, each query
// in units of its own scale.
#pragma once

#include <vector>

#include "index/codes/codes.hpp"
#include "index/codes/lane.hpp"

namespace nearwise::coded {

class Costs {
 public:
  explicit Costs(const Index& index);

  // Makes the costs of all entries, as fine as the limits of the queries allow.
  void prepare(const Part& part, Lane* queries, Count used);

  // Whether limits have fallen so far since then that finer costs would pass over more.
  bool are_coarse(const Lane* queries, Count used) const;

  void lower_limit(Count lane, const Lane& query);

  bool are_wide() const { return wide_; }                      // words, not bytes
  const std::uint16_t* data() const { return costs_.data(); }  // [entries, lanes]
  const std::uint16_t* floor() const { return floor_; }        // [lanes] what every row costs
  const std::uint16_t* limits() const { return limits_; }      // [lanes]

 private:
  void fill_overlap(const Step& step, double* least);
  void fill_table(const Step& step, double* least);
  void choose_scale(Lane& lane) const;
  void set(std::uint16_t* words, Count place, std::uint16_t units) const;
  std::uint16_t units_of_limit(const Lane& lane) const;

  const Part* part_ = nullptr;
  Lane* queries_ = nullptr;
  Count used_ = 0, most_values_ = 0;
  bool wide_ = false;
  double most_ = 255;
  double down_ = 1;  // sums of non-negative numbers in two orders differ by less than 1 - down_
  std::vector<std::uint16_t> costs_;
  std::vector<std::uint16_t> units_;  // [lanes, most_values_] the costs of one feature, before they are spread
  std::uint16_t floor_[lanes] = {}, limits_[lanes] = {};
};

}  // namespace nearwise::coded
