#include "cases/moments.hpp"

#include <limits>

namespace nearwise {
namespace {

constexpr Count million = 1'000'000, day_seconds = 86'400;
constexpr Count exact = Count{1} << 53;

struct Moment {
  Moments sort;
  double since;
};

// Reads a text from its front.
class Letters {
 public:
  explicit Letters(std::string_view text) : text_(text) {}

  bool is_done() const { return text_.empty(); }
  bool takes(char letter) {
    if (text_.empty() || text_.front() != letter) return false;
    text_.remove_prefix(1);
    return true;
  }

  // A number of so many digits that is at least low and at most high; -1 where there is none.
  int number(std::size_t digits, int low, int high) {
    if (text_.size() < digits) return -1;
    int found = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const int digit = text_[i] - '0';
      if (digit < 0 || digit > 9) return -1;
      found = 10 * found + digit;
    }
    text_.remove_prefix(digits);
    return found >= low && found <= high ? found : -1;
  }

  // Up to six digits behind a point, in millionths.
  Count millionths() {
    Count found = 0, unit = million;
    for (; unit > 1 && !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; text_.remove_prefix(1)) {
      unit /= 10;
      found += unit * (text_.front() - '0');
    }
    return unit < million ? found : -1;
  }

 private:
  std::string_view text_;
};

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int last_day(int year, int month) {
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

// Days since 1970. Years begin in March here, so that a leap day is the last of its year.
Count days_of(int year, int month, int day) {
  const int from_march = (month + 9) % 12, years = month < 3 ? year - 1 : year;
  const int of_year = (153 * from_march + 2) / 5 + day - 1;
  return Count{365} * years + years / 4 - years / 100 + years / 400 + of_year - 719'468;
}

// Seconds that a zone is ahead of Greenwich, at the end of a text.
std::optional<Count> ahead(Letters& text) {
  if (text.takes('Z')) return 0;
  const bool is_behind = text.takes('-');
  if (!is_behind && !text.takes('+')) return std::nullopt;
  const int hours = text.number(2, 0, 23);
  if (hours < 0) return std::nullopt;
  text.takes(':');
  const int minutes = text.number(2, 0, 59);
  if (minutes < 0) return std::nullopt;
  return (is_behind ? -60 : 60) * (Count{60} * hours + minutes);
}

// As Python divides microseconds by a million: rounded once.
std::optional<double> in_seconds(Count seconds, Count millionths) {
  if (millionths == 0) return static_cast<double>(seconds);
  const Count all = seconds * million + millionths;
  if (all > exact || all < -exact) return std::nullopt;
  return static_cast<double>(all) / 1e6;
}

std::optional<Moment> moment_of(std::string_view whole) {
  Letters text(whole);
  const int year = text.number(4, 1000, 9999);
  if (year < 0 || !text.takes('-')) return std::nullopt;
  const int month = text.number(2, 1, 12);
  if (month < 0 || !text.takes('-')) return std::nullopt;
  const int day = text.number(2, 1, last_day(year, month));
  if (day < 0) return std::nullopt;
  const Count days = days_of(year, month, day);
  if (text.is_done()) return Moment{Moments::dates, static_cast<double>(days)};
  if (!text.takes('T') && !text.takes(' ')) return std::nullopt;
  const int hours = text.number(2, 0, 23);
  if (hours < 0 || !text.takes(':')) return std::nullopt;
  const int minutes = text.number(2, 0, 59);
  if (minutes < 0) return std::nullopt;
  Count seconds = days * day_seconds + 3600 * hours + 60 * minutes, millionths = 0;
  if (text.takes(':')) {
    const int rest = text.number(2, 0, 59);
    if (rest < 0) return std::nullopt;
    seconds += rest;
    if (text.takes('.')) millionths = text.millionths();
    if (millionths < 0) return std::nullopt;
  }
  Moments sort = Moments::times;
  if (!text.is_done()) {
    const std::optional<Count> zone = ahead(text);
    if (!zone || !text.is_done()) return std::nullopt;
    seconds -= *zone;
    sort = Moments::zoned_times;
  }
  const std::optional<double> since = in_seconds(seconds, millionths);
  if (!since) return std::nullopt;
  return Moment{sort, *since};
}

}  // namespace

std::optional<ReadMoments> moments(const ArrowTexts& texts) {
  ReadMoments found;
  std::optional<Moments> sort;
  const auto take = [&](std::string_view text) {
    const std::optional<Moment> read = moment_of(text);
    if (!read || (sort && *sort != read->sort)) return false;
    sort = read->sort;
    found.since.push_back(read->since);
    return true;
  };
  const auto gap = [&] {
    found.since.push_back(std::numeric_limits<double>::quiet_NaN());
    return true;
  };
  if (!texts.each(take, gap) || !sort) return std::nullopt;
  found.sort = *sort;
  return found;
}

}  // namespace nearwise
