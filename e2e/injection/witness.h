// SPDX-License-Identifier: Apache-2.0
// Witness: a transport that counts what a client asks of its server, and refuses in the server's
// place, so that both can be had on an API server that is not ours. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "clientgo/transport/http_transport.h"
#include "clientgo/util/mutex.h"

namespace injection {

class Witness {
 public:
  // What goes through it is witnessed, also after this object is gone.
  std::unique_ptr<clientgo::transport::HttpTransport> Watch(
      std::unique_ptr<clientgo::transport::HttpTransport> transport);

  // Requests whose target (path and query) has all of `parts`.
  std::uint64_t Count(const std::string& method, const std::vector<std::string>& parts) const;
  // Returns how many of these requests the server answered with 409 Conflict.
  std::uint64_t CountConflicts(const std::string& method,
                               const std::vector<std::string>& parts) const;
  void Reset();
  // From now on requests with `part` in their target are answered with this Status.
  void Refuse(const std::string& part, int code, const std::string& message);
  void RefuseNoMore();

 private:
  struct State;
  class Transport;
  std::shared_ptr<State> state_ = std::make_shared<State>();

  struct Refusal {
    std::string part;
    int code = 0;
    std::string message;
  };
  using Requests = std::vector<std::pair<std::string, std::string>>;  // method, target
  static std::uint64_t CountIn(const Requests& requests, const std::string& method,
                               const std::vector<std::string>& parts);
  struct State {
    clientgo::util::Mutex mu;
    Requests requests GUARDED_BY(mu);
    Requests conflicts GUARDED_BY(mu);
    std::vector<Refusal> refusals GUARDED_BY(mu);
  };
};

}  // namespace injection
