// SPDX-License-Identifier: Apache-2.0
// TokenSource: the bearer token to send now. A token file is read again at most 50 s after the last
// read, as the kubelet rotates it, and at once after the server refused the token. When it cannot
// be read, the token known before is kept. Thread-safe; a token never appears in a message.
// Mirrors client-go's transport.NewCachedFileTokenSource.
#pragma once

#include <optional>
#include <string>

#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::rest {

class TokenSource {
 public:
  // An explicit token wins over the file; both empty: there is no token.
  TokenSource(std::string token, std::string path, util::Clock& clock);

  // Empty: send none. An error only while no token was ever read.
  util::Expected<std::string> Token();
  // The server answered 401: the next Token() reads the file.
  void OnUnauthorized();

 private:
  const std::string path_;
  util::Clock& clock_;
  util::Mutex mu_;
  std::string token_ GUARDED_BY(mu_);
  util::Clock::TimePoint read_again_ GUARDED_BY(mu_);
};

}  // namespace clientgo::rest
