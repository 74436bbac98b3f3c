// SPDX-License-Identifier: Apache-2.0
#include "capstan/auth/credentials.h"

#include <algorithm>

#include "capstan/base64.h"
#include "capstan/file.h"
#include "capstan/log.h"
#include "capstan/mutex.h"
#include "capstan/text.h"

namespace capstan::auth {
namespace {

class StaticCredentials final : public Credentials {
 public:
  StaticCredentials(std::string authorization, std::string describe)
      : credential_(std::make_shared<const Credential>(
            Credential{.authorization = std::move(authorization)})),
        describe_(std::move(describe)) {}

  Expected<CredentialPtr> Current(std::stop_token, Clock::TimePoint) override {
    if (auto usable = Check(); !usable) return Err(std::move(usable.error()));
    return credential_;
  }
  void OnUnauthorized(const CredentialPtr&) override {}
  Expected<void> Check() override {
    if (IsHeaderValue(credential_->authorization)) return {};
    return Err(ErrorReason::kInvalidArgument,
               describe_ +
                   " contains a line break or another character that no token has; "
                   "write it on one line, without spaces around it");
  }
  std::string Describe() const override { return describe_; }

 private:
  const CredentialPtr credential_;
  const std::string describe_;
};

// The kubelet replaces a token at 80% of its life, which is usually an hour. The values are
// client-go's.
constexpr auto kPeriod = std::chrono::seconds(50);
constexpr auto kPeriodAfterError = std::chrono::seconds(10);

Expected<std::string> ReadToken(const std::string& path) {
  auto text = ReadFile(path);
  if (!text) return Err(text.error().Wrap("failed to read the token file"));
  std::string token(Trim(*text, " \t\r\n"));
  if (token.empty()) {
    return Err(ErrorReason::kInvalidArgument, "token file " + path + " is empty");
  }
  if (!IsHeaderValue(token) || token.find(' ') != std::string::npos) {
    return Err(ErrorReason::kInvalidArgument, "token file " + path + " does not contain a token");
  }
  return token;
}

class TokenFile final : public Credentials {
 public:
  TokenFile(std::string path, Clock& clock, const std::string& first)
      : path_(std::move(path)), clock_(clock), read_again_(clock.Now()) {
    if (first.empty()) return;
    credential_ =
        std::make_shared<const Credential>(Credential{.authorization = BearerAuthorization(first)});
  }

  Expected<CredentialPtr> Current(std::stop_token, Clock::TimePoint) override {
    Expected<std::string> token;
    CredentialPtr current;
    {
      MutexLock lock(mu_);
      const auto now = clock_.Now();
      if (credential_ && now < read_again_) return credential_;
      token = ReadToken(path_);
      read_again_ = now + (token ? kPeriod : kPeriodAfterError);
      if (!token && !credential_) return Err(token.error());
      if (token && (!credential_ || credential_->authorization != BearerAuthorization(*token))) {
        credential_ = std::make_shared<const Credential>(
            Credential{.authorization = BearerAuthorization(*token)});
      }
      current = credential_;
    }
    if (!token) {
      WarningS("Failed to read the token, keeping the old one", "err", token.error());
    }
    return current;
  }
  void OnUnauthorized(const CredentialPtr& refused) override {
    MutexLock lock(mu_);
    if (refused == credential_) read_again_ = clock_.Now();
  }
  Expected<void> Check() override {
    auto current = Credentials::Current({});
    if (!current) return Err(std::move(current.error()));
    return {};
  }
  std::string Describe() const override { return "the token in the file " + path_; }

 private:
  const std::string path_;
  Clock& clock_;
  Mutex mu_;
  CredentialPtr credential_ CAPSTAN_GUARDED_BY(mu_);  // null: none was read yet
  Clock::TimePoint read_again_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace

std::unique_ptr<Credentials> NewStaticCredentials(std::string authorization, std::string describe) {
  return std::make_unique<StaticCredentials>(std::move(authorization), std::move(describe));
}

std::unique_ptr<Credentials> NewTokenFile(std::string path, Clock& clock,
                                          const std::string& first) {
  return std::make_unique<TokenFile>(std::move(path), clock, first);
}

std::string BearerAuthorization(std::string_view token) { return "Bearer " + std::string(token); }

std::string BasicAuthorization(std::string_view username, std::string_view password) {
  return "Basic " + Base64Encode(std::string(username) + ":" + std::string(password));
}

bool IsHeaderValue(std::string_view value) {
  if (!value.empty() && (value.front() == ' ' || value.back() == ' ')) return false;
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < '\x7f'; });
}

}  // namespace capstan::auth
