// Chunks of work over threads of our own, joined before the call returns.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "machine/numbers.hpp"

namespace nearwise {

// How many queries make a chunk: at most so many, and few enough that every thread has some, in whole groups.
inline Count chunk_height(Count queries, Count threads, Count most, Count group) {
  const Count share = (queries + threads - 1) / std::max<Count>(1, threads);
  return std::clamp((share + group - 1) / group * group, group, most);
}

// Makes one worker a thread with make() and hands it chunks 0 .. chunks - 1 as worker(chunk), in no order. A worker that
// finds, after a chunk, that there is no more to be done takes none. Returns how many were taken; they are the first. An
// exception (out of memory) is told to the caller once every thread has stopped.
template <class Make, class More>
Count in_parallel(Count chunks, Count threads, Make make, More more) {
  const Count workers = std::max<Count>(1, std::min(threads, chunks));
  std::atomic<Count> next{0};
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(workers));
  auto work = [&](Count at) {
    try {
      auto worker = make();
      for (Count chunk = next++; chunk < chunks; chunk = more() ? next++ : chunks) worker(chunk);
    } catch (...) {
      failures[static_cast<std::size_t>(at)] = std::current_exception();
      next = chunks;
    }
  };
  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<std::size_t>(workers));
  try {
    for (Count at = 1; at < workers; ++at) helpers.emplace_back(work, at);
  } catch (const std::system_error&) {
    // the system gives no more threads: those that started and this one do all chunks
  }
  work(0);
  for (std::thread& helper : helpers) helper.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return std::min(chunks, next.load());
}

template <class Make>
void in_parallel(Count chunks, Count threads, Make make) {
  in_parallel(chunks, threads, make, [] { return true; });
}

// The same for m rows in blocks of so many: worker(first, last), of which the last is not in it.
template <class Make>
void blocks_in_parallel(Count m, Count block, Count threads, Make make) {
  in_parallel((m + block - 1) / block, threads, [&] {
    return [worker = make(), m, block](Count at) mutable { worker(at * block, std::min(m, (at + 1) * block)); };
  });
}

// Row by row: worker(row).
template <class Make>
void rows_in_parallel(Count m, Count block, Count threads, Make make) {
  blocks_in_parallel(m, block, threads, [&] {
    return [worker = make()](Count first, Count last) mutable {
      for (Count row = first; row < last; ++row) worker(row);
    };
  });
}

}  // namespace nearwise
