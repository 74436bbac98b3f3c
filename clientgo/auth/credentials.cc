// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/credentials.h"

#include <algorithm>
#include <utility>

#include "clientgo/util/base64.h"

namespace clientgo::auth {
namespace {

class StaticCredentials final : public Credentials {
 public:
  StaticCredentials(std::string authorization, std::string describe)
      : credential_(std::make_shared<const Credential>(
            Credential{.authorization = std::move(authorization)})),
        describe_(std::move(describe)) {}

  util::Expected<CredentialPtr> Current(std::stop_token, util::Clock::TimePoint) override {
    if (auto usable = Check(); !usable) return util::Err(std::move(usable.error()));
    return credential_;
  }
  void OnUnauthorized(const CredentialPtr&) override {}
  util::Expected<void> Check() override {
    if (IsHeaderValue(credential_->authorization)) return {};
    return util::Err(util::ErrorReason::kInvalidArgument,
                     describe_ +
                         " holds a line break or another character that no token has; "
                         "write it on one line, without spaces around it");
  }
  std::string Describe() const override { return describe_; }

 private:
  const CredentialPtr credential_;
  const std::string describe_;
};

}  // namespace

std::unique_ptr<Credentials> NewStaticCredentials(std::string authorization, std::string describe) {
  return std::make_unique<StaticCredentials>(std::move(authorization), std::move(describe));
}

std::string BearerAuthorization(std::string_view token) { return "Bearer " + std::string(token); }

std::string BasicAuthorization(std::string_view username, std::string_view password) {
  std::string both(username);
  both += ':';
  both += password;
  return "Basic " + util::Base64Encode(both);
}

bool IsHeaderValue(std::string_view value) {
  if (!value.empty() && (value.front() == ' ' || value.back() == ' ')) return false;
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < '\x7f'; });
}

}  // namespace clientgo::auth
