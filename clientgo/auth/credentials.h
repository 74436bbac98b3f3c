// SPDX-License-Identifier: Apache-2.0
// Credentials: what the next request shows to the server, and who is told when the server did not
// take it. All that rest::Client knows about tokens, token files, passwords and plugins.
//
// Thread-safe. Secrets appear in no message: Describe() names where they come from instead.
// Mirrors the round trippers of client-go's transport package. Differs: one interface asked before
// each request instead of a chain of wrappers.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/transport/config.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"

namespace clientgo::auth {

// Immutable; a new one for every change.
struct Credential {
  std::string authorization = {};  // the header's value; empty: send none
  std::shared_ptr<const transport::ClientCertificate> certificate = {};
};
using CredentialPtr = std::shared_ptr<const Credential>;

class Credentials {
 public:
  virtual ~Credentials() = default;
  // What to send now; never null. A plugin may have to run first: `stop` (kCanceled) and `deadline`
  // (kDeadlineExceeded) end the wait.
  virtual util::Expected<CredentialPtr> Current(std::stop_token stop,
                                                util::Clock::TimePoint deadline) = 0;
  util::Expected<CredentialPtr> Current(std::stop_token stop) {
    return Current(std::move(stop), util::Clock::TimePoint::max());
  }
  // The server answered 401 to a request with `refused`. Nothing happens when that is no longer
  // the current one: requests that were on their way together tell the same thing.
  virtual void OnUnauthorized(const CredentialPtr& refused) = 0;
  // What would make every request fail and can be told at start: a file that cannot be read, a
  // command that is not installed. Runs no plugin.
  virtual util::Expected<void> Check() = 0;
  // The certificate known now, without waiting; see transport::Config::get_client_certificate.
  virtual std::shared_ptr<const transport::ClientCertificate> Certificate() { return nullptr; }
  // "the token in /var/run/...", "exec plugin aws": where a refused credential came from.
  virtual std::string Describe() const = 0;
};

// Credentials that never change: a token, a password, none. `authorization` is the header's value.
std::unique_ptr<Credentials> NewStaticCredentials(std::string authorization, std::string describe);
std::string BearerAuthorization(std::string_view token);
std::string BasicAuthorization(std::string_view username, std::string_view password);

// Whether `value` can be a header's value as it is: nothing that ends the line or starts another.
bool IsHeaderValue(std::string_view value);

}  // namespace clientgo::auth
