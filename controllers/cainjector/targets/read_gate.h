// SPDX-License-Identifier: Apache-2.0
// ReadGate limits how many objects are read at once of kinds that are not cached whole:
// kReadersMax, and one of a namespace. A user of a namespace chooses what is in such an object, and
// JSON needs up to 15 times its bytes while it is parsed. A read lasts as long as the API server
// takes, so reads in one namespace must not keep those in another waiting. Thread-safe.
#pragma once

#include <cstddef>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/clientgo/util/mutex.h"

namespace capstan::controllers::cainjector {

class ReadGate {
 public:
  static constexpr std::size_t kReadersMax = 3;

  // Returns the one of this process.
  static ReadGate& Get();

  // Waits until the caller may read an object in the namespace, which is empty for other objects.
  // Returns false when `stop` was requested first. Otherwise the caller has to call Leave.
  bool Enter(const std::stop_token& stop, const std::string& ns);
  void Leave(std::string_view ns);

 private:
  clientgo::util::Mutex mu_;
  clientgo::util::CondVar left_;
  std::set<std::string, std::less<>> reading_ CAPSTAN_GUARDED_BY(mu_);  // namespaces
};

}  // namespace capstan::controllers::cainjector
