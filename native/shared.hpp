// Chunks of work shared by threads that are joined before the call returns.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace nearwise {

// Every thread makes a worker of its own, `worker = make()`, and calls `worker(chunk)`; each chunk is done once. What a
// worker throws reaches the caller once all threads have stopped.
template <class Make>
void shared(std::int64_t chunks, std::int64_t threads, const Make& make) {
  const std::int64_t workers = std::max<std::int64_t>(1, std::min(threads, chunks));
  std::atomic<std::int64_t> next{0};
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(workers));
  auto work = [&](std::int64_t worker) {
    try {
      auto mine = make();
      for (std::int64_t chunk = next++; chunk < chunks; chunk = next++) mine(chunk);
    } catch (...) {
      failures[static_cast<std::size_t>(worker)] = std::current_exception();
      next = chunks;
    }
  };
  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<std::size_t>(workers));
  try {
    for (std::int64_t worker = 1; worker < workers; ++worker) helpers.emplace_back(work, worker);
  } catch (const std::system_error&) {
    // the system gives no more threads: those that started and this one do all chunks
  }
  work(0);
  for (std::thread& helper : helpers) helper.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace nearwise
