// The bytes of a file, read by several threads at once.
#pragma once

#include <cstdint>
#include <filesystem>

#include "machine/numbers.hpp"

namespace nearwise {

// The size of a file, -1 where it has none.
Count size_of_file(const std::filesystem::path& path);

// Fills n bytes from the file; false where it does not hold that many any more.
bool read_file(const std::filesystem::path& path, char* into, Count n, Count threads);

}  // namespace nearwise
