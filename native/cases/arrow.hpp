// Texts of a column that another package parsed, taken over without a copy by Arrow's C interface.
//
// https://arrow.apache.org/docs/format/CStreamInterface.html
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "machine/numbers.hpp"

// As the interface writes them down, and so without a namespace.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace nearwise {

// The chunks of a column of texts; what they hold lives as long as this.
class ArrowTexts {
 public:
  // Takes the stream over. Throws std::invalid_argument where it does not hold texts.
  explicit ArrowTexts(ArrowArrayStream* stream);
  ~ArrowTexts();
  ArrowTexts(const ArrowTexts&) = delete;
  ArrowTexts& operator=(const ArrowTexts&) = delete;

  Count size() const { return size_; }

  // take(text) for every text in order, gap() for every missing one; stops where one of them returns false.
  template <class Take, class Gap>
  bool each(const Take& take, const Gap& gap) const {
    for (const ArrowArray& chunk : chunks_) {
      const bool all = layout_ == Layout::views   ? each_of(chunk, Views(chunk), take, gap)
                       : layout_ == Layout::small ? each_of(chunk, Offsets<std::int32_t>(chunk), take, gap)
                                                  : each_of(chunk, Offsets<std::int64_t>(chunk), take, gap);
      if (!all) return false;
    }
    return true;
  }

 private:
  enum class Layout { small, large, views };

  template <class Offset>
  struct Offsets {
    explicit Offsets(const ArrowArray& chunk)
        : ends(static_cast<const Offset*>(chunk.buffers[1])), letters(static_cast<const char*>(chunk.buffers[2])) {}
    std::string_view operator[](std::int64_t i) const {
      return {letters + ends[i], static_cast<std::size_t>(ends[i + 1] - ends[i])};
    }
    const Offset* ends;
    const char* letters;
  };

  // 16 bytes: the length, and the text itself where it has at most 12 letters, else its first four, a buffer and a place.
  struct Views {
    explicit Views(const ArrowArray& chunk)
        : views(static_cast<const char*>(chunk.buffers[1])),
          letters(reinterpret_cast<const char* const*>(chunk.buffers + 2)) {}
    std::string_view operator[](std::int64_t i) const {
      const char* view = views + 16 * i;
      std::int32_t told[4];
      std::memcpy(told, view, sizeof told);
      const auto length = static_cast<std::size_t>(told[0]);
      return {length <= 12 ? view + 4 : letters[told[2]] + told[3], length};
    }
    const char* views;
    const char* const* letters;
  };

  template <class Texts, class Take, class Gap>
  static bool each_of(const ArrowArray& chunk, const Texts& texts, const Take& take, const Gap& gap) {
    const auto* known = static_cast<const std::uint8_t*>(chunk.buffers[0]);
    for (std::int64_t i = chunk.offset; i < chunk.offset + chunk.length; ++i) {
      const bool is_known = known == nullptr || ((known[i / 8] >> (i % 8)) & 1) != 0;
      if (!(is_known ? take(texts[i]) : gap())) return false;
    }
    return true;
  }

  ArrowArrayStream stream_;
  std::vector<ArrowArray> chunks_;
  Layout layout_ = Layout::small;
  Count size_ = 0;
};

}  // namespace nearwise
