// SPDX-License-Identifier: Apache-2.0
// ReadGate limits how many objects of kinds that are not cached whole are read at once: one in each
// namespace, and kReadersMax in all. A user of a namespace chooses what is in such an object, and
// JSON needs up to 15 times its bytes while it is parsed. A read lasts as long as the API server
// takes, and must not delay reads in another namespace. Thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "capstan/mutex.h"

namespace capstan::cainjector {

class ReadGate {
 public:
  static constexpr std::size_t kReadersMax = 3;

  // Returns the one of this process.
  static ReadGate& Get();

  // Turn is the right to read one object. It ends with its destructor. The gate outlives it.
  class Turn {
   public:
    Turn(ReadGate& gate, std::string ns) : gate_(&gate), ns_(std::move(ns)) {}
    Turn(Turn&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)), ns_(std::move(other.ns_)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (gate_ != nullptr) gate_->Leave(ns_);
    }

   private:
    ReadGate* gate_;
    std::string ns_;
  };

  // Waits until the caller may read an object of the namespace `ns`, which is empty for objects
  // without a namespace. Returns std::nullopt if `stop` was requested first.
  std::optional<Turn> Enter(const std::stop_token& stop, const std::string& ns);

 private:
  void Leave(const std::string& ns);

  Mutex mu_;
  CondVar left_;
  std::set<std::string> reading_ CAPSTAN_GUARDED_BY(mu_);  // namespaces
};

}  // namespace capstan::cainjector
