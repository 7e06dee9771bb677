// Memory for whole columns that starts without values. On Linux a large piece is a mapping of its own that asks for huge
// pages: touching new memory page by page would cost as much as a radix sort of it, and what is freed goes back to the
// system at once.
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
  explicit Scratch(std::size_t size) : data_(static_cast<T*>(taken(size * sizeof(T))), {size * sizeof(T)}) {}

  T* data() const { return data_.get(); }
  T& operator[](std::size_t at) const { return data_.get()[at]; }

 private:
  static constexpr std::size_t page = std::size_t{1} << 21, large = 2 * page;

  static std::size_t in_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

  static void* taken(std::size_t bytes) {
#ifdef __linux__
    if (bytes >= large) {  // a page more than is needed, of which what lies outside of whole pages is given back
      const std::size_t whole = in_pages(bytes);
      void* found = mmap(nullptr, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (found == MAP_FAILED) throw std::bad_alloc();
      char* start = static_cast<char*>(found);
      const std::size_t skip = (page - reinterpret_cast<std::size_t>(start) % page) % page;
      if (skip > 0) munmap(start, skip);
      munmap(start + skip + whole, page - skip);
      madvise(start + skip, whole, MADV_HUGEPAGE);  // a wish: without it everything works, more slowly
      return start + skip;
    }
#endif
    void* found = std::malloc(bytes > 0 ? bytes : 1);
    if (found == nullptr) throw std::bad_alloc();
    return found;
  }

  struct Free {
    std::size_t bytes;
    void operator()(T* memory) const {
#ifdef __linux__
      if (bytes >= large) {
        munmap(memory, in_pages(bytes));
        return;
      }
#endif
      std::free(memory);
    }
  };
  std::unique_ptr<T, Free> data_;
};

}  // namespace nearwise
