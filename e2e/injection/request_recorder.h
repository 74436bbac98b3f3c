// SPDX-License-Identifier: Apache-2.0
// RequestRecorder counts a client's requests and can reject them in place of the server. Both also
// work with a real API server. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/transport/http_transport.h"

namespace capstan::injection {

class RequestRecorder {
 public:
  // Returns a transport that records its requests. It may outlive this object.
  std::unique_ptr<transport::HttpTransport> Wrap(
      std::unique_ptr<transport::HttpTransport> transport);

  // Counts the requests whose target (path and query) contains all of `parts`.
  std::uint64_t Count(const std::string& method, const std::vector<std::string>& parts) const;
  // Returns how many of these requests the server answered with 409 Conflict.
  std::uint64_t CountConflicts(const std::string& method,
                               const std::vector<std::string>& parts) const;
  void Reset();
  // Rejects later requests whose target contains `part` with this Status.
  void Refuse(const std::string& part, int code, const std::string& message);
  void AcceptAll();

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
    Mutex mu;
    Requests requests CAPSTAN_GUARDED_BY(mu);
    Requests conflicts CAPSTAN_GUARDED_BY(mu);
    std::vector<Refusal> refusals CAPSTAN_GUARDED_BY(mu);
  };
};

}  // namespace capstan::injection
