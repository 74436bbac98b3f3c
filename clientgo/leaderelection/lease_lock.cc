// SPDX-License-Identifier: Apache-2.0
#include "clientgo/leaderelection/lease_lock.h"

#include <glog/logging.h>

#include <utility>
#include <vector>

namespace clientgo::leaderelection {

LeaseLock::LeaseLock(rest::Client& client, runtime::ObjectKey key, std::string managed_by)
    : client_(client), key_(std::move(key)), managed_by_(std::move(managed_by)) {}

util::Expected<LeaseLock::LeasePtr> LeaseLock::Get(const rest::CallOptions& call) {
  return Remember(client_.Get(call, api::Lease::Type(), key_), "get");
}

util::Expected<LeaseLock::LeasePtr> LeaseLock::Create(const rest::CallOptions& call,
                                                      const api::LeaseSpec& spec) {
  std::vector<std::pair<std::string, std::string>> labels;
  if (!managed_by_.empty()) labels.emplace_back("app.kubernetes.io/managed-by", managed_by_);
  return Remember(client_.Create(call, api::Lease::Type(), key_.namespace_,
                                 api::CreateJson(key_, labels, spec)),
                  "create");
}

util::Expected<LeaseLock::LeasePtr> LeaseLock::Update(const rest::CallOptions& call,
                                                      const api::LeaseSpec& spec) {
  CHECK(lease_) << "Update before any Get or Create";
  return Remember(client_.Update(call, api::Lease::Type(), key_, api::UpdateJson(*lease_, spec)),
                  "update");
}

util::Expected<LeaseLock::LeasePtr> LeaseLock::Remember(util::Expected<runtime::ObjectPtr> answer,
                                                        const char* verb) {
  if (!answer) {
    return util::Err(
        answer.error().Wrap("failed to " + std::string(verb) + " Lease " + Describe()));
  }
  lease_ = std::static_pointer_cast<const api::Lease>(std::move(*answer));
  return lease_;
}

}  // namespace clientgo::leaderelection
