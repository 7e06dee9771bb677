#include "cases/file.hpp"

#include <atomic>
#include <fstream>
#include <system_error>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "machine/parallel.hpp"

namespace nearwise {
namespace {

constexpr Count piece = Count{1} << 23;

// Asks for large pages, of which a few hundred are set up and not tens of thousands.
void with_large_pages([[maybe_unused]] char* memory, [[maybe_unused]] Count n) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto first = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) & ~(page - 1);
  const auto last = (reinterpret_cast<std::uintptr_t>(memory) + static_cast<std::uintptr_t>(n)) & ~(page - 1);
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);  // a wish that may fail
#endif
}

}  // namespace

Count size_of_file(const std::filesystem::path& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  return failed ? -1 : static_cast<Count>(size);
}

bool read_file(const std::filesystem::path& path, char* into, Count n, Count threads) {
  with_large_pages(into, n);
  std::atomic<bool> whole{true};
  const auto make = [&] {
    return [&, file = std::ifstream(path, std::ios::binary)](Count first, Count last) mutable {
      file.seekg(first);
      file.read(into + first, last - first);
      if (!file || file.gcount() != last - first) whole = false;
    };
  };
  blocks_in_parallel(n, piece, threads, make);
  return whole;
}

}  // namespace nearwise
