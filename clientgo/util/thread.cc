// SPDX-License-Identifier: Apache-2.0
#include "clientgo/util/thread.h"

#include <pthread.h>

#include <utility>

namespace clientgo::util {

std::jthread StartThread(std::string name, std::function<void(std::stop_token)> run) {
  constexpr std::size_t kNameMax = 15;
  if (name.size() > kNameMax) name.resize(kNameMax);
  return std::jthread([name = std::move(name), run = std::move(run)](std::stop_token stop) {
    pthread_setname_np(pthread_self(), name.c_str());
    run(std::move(stop));
  });
}

}  // namespace clientgo::util
