// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/parallel.h"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "clientgo/util/mutex.h"
#include "clientgo/util/thread.h"

namespace cmd::capstan::demo {

using clientgo::util::Expected;

constexpr int kWriters = 4;

Expected<void> ForEach(
    const std::stop_token& stop, int count,
    const std::function<Expected<void>(const std::stop_token& stop, int number)>& write) {
  std::atomic<int> next{0};
  clientgo::util::Mutex mu;
  Expected<void> first_error;
  clientgo::util::LinkedStopSource group(stop);
  const auto work = [&](const std::stop_token&) {
    for (int i = next++; i < count && !group.token().stop_requested(); i = next++) {
      auto one = write(group.token(), i);
      if (one) continue;
      const clientgo::util::MutexLock lock(mu);
      if (first_error) first_error = std::move(one);
      group.RequestStop();
      return;
    }
  };
  {
    std::vector<std::jthread> writers;
    writers.reserve(kWriters);
    for (int i = 0; i < kWriters; ++i) {
      writers.push_back(clientgo::util::StartThread("demo-writer", work));
    }
  }
  return first_error;
}

}  // namespace cmd::capstan::demo
