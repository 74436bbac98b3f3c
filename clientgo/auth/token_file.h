// SPDX-License-Identifier: Apache-2.0
// TokenFile: the bearer token in a file that somebody rotates. Read again at most 50 s after the
// last read, as the kubelet rotates it, and at once after the server refused the token. When it
// cannot be read, the token known before is kept. Thread-safe; a token never appears in a message.
// Mirrors client-go's transport.NewCachedFileTokenSource.
#pragma once

#include <optional>
#include <string>

#include "clientgo/auth/credentials.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::auth {

class TokenFile final : public Credentials {
 public:
  TokenFile(std::string path, util::Clock& clock);

  // An error only while no token was ever read.
  using Credentials::Current;
  util::Expected<CredentialPtr> Current(std::stop_token stop,
                                        util::Clock::TimePoint deadline) override;
  void OnUnauthorized(const CredentialPtr& refused) override;
  util::Expected<void> Check() override;
  std::string Describe() const override;

 private:
  // `unreadable`: why the file was not taken.
  util::Expected<CredentialPtr> ReadOrKeep(std::optional<util::Error>& unreadable);

  const std::string path_;
  util::Clock& clock_;
  util::Mutex mu_;
  CredentialPtr credential_ GUARDED_BY(mu_);  // null: none was read yet
  util::Clock::TimePoint read_again_ GUARDED_BY(mu_);
};

}  // namespace clientgo::auth
