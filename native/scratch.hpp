// Memory for whole columns that starts without values. On Linux a large piece asks for huge pages: touching new memory
// page by page would cost as much as a radix sort of it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace nearwise {

template <class T>
class Scratch {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit Scratch(std::size_t size) : data_(static_cast<T*>(taken(size * sizeof(T)))) {}

  T* data() const { return data_.get(); }
  T& operator[](std::size_t at) const { return data_.get()[at]; }

 private:
  static void* taken(std::size_t bytes) {
    constexpr std::size_t page = std::size_t{1} << 21;
#ifdef __linux__
    if (bytes >= 2 * page) {
      const std::size_t whole = (bytes + page - 1) / page * page;
      void* found = std::aligned_alloc(page, whole);
      if (found == nullptr) throw std::bad_alloc();
      madvise(found, whole, MADV_HUGEPAGE);  // a wish: without it everything works, more slowly
      return found;
    }
#endif
    void* found = std::malloc(bytes > 0 ? bytes : 1);
    if (found == nullptr) throw std::bad_alloc();
    return found;
  }

  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> data_;
};

}  // namespace nearwise
