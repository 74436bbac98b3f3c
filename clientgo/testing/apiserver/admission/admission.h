// SPDX-License-Identifier: Apache-2.0
// Admission is the admission of one request by webhooks and policies. Registry calls Mutate and
// Validate while it executes a write. They do not block: a webhook whose answer is not known yet is
// added to the pending calls, and the write fails without an effect. The owner makes the calls
// elsewhere, adds the answers, and executes the write from its beginning. An answer counts only for
// a request with the same content, so a write whose object has changed meanwhile calls its webhooks
// again, as GuaranteedUpdate does in kube-apiserver. The last attempt does everything without a
// pause.
//
// Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go.
// Differs: all requests have the limit kRequestTimeout, whatever their query parameter timeout is.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/clock.h"
#include "clientgo/testing/apiserver/admission/admission_review.h"
#include "clientgo/testing/apiserver/admission/conversion.h"
#include "clientgo/testing/apiserver/admission/expression_run.h"
#include "clientgo/testing/apiserver/admission/policies.h"
#include "clientgo/testing/apiserver/admission/webhook_call.h"
#include "clientgo/testing/apiserver/admission/webhooks.h"
#include "clientgo/testing/apiserver/authentication/user_info.h"
#include "clientgo/testing/apiserver/decoding/custom_resources.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

class Admission {
 public:
  static constexpr std::chrono::seconds kRequestTimeout{60};

  struct Parts {
    const Webhooks& webhooks;
    const Storage& storage;
    const AdmissionPolicies* policies = nullptr;  // null, with the next one: there are none
    const CustomResources* resources = nullptr;
    std::shared_ptr<const cel::AccessChecker> access = {};  // what the user may do
    std::function<bool()> access_pending = {};  // reports whether its answers do not count yet
    Conversions* conversions = nullptr;  // of the request; null: it needs no webhook for them
    UserInfo user = {};
    bool dry_run = false;
    std::unique_ptr<runtime::JsonDocument> options = {};  // of the request; an object
    NewObjectFields fields = {};                          // the same in each attempt
  };
  explicit Admission(Parts parts);

  // Begins an attempt. Forgets pending calls and warnings.
  void Begin();
  // Lets the mutating webhooks change the object. Returns whether they did. `object` is null for a
  // DELETE. attributes.object is set here.
  Result<bool> Mutate(AdmissionAttributes attributes, runtime::JsonDocument* object);
  // Lets the policies, and then the validating webhooks, reject the request.
  Result<void> Validate(const AdmissionAttributes& attributes);

  // Reports whether the attempt failed because answers are missing.
  bool pending() const { return !calls_.empty(); }
  // Returns the calls. They refer to this object.
  std::vector<HookCall> TakeCalls() { return std::move(calls_); }

  const NewObjectFields& fields() const { return parts_.fields; }
  // Returns the warnings of the webhooks, each once and within kube-apiserver's limits.
  std::vector<std::string> Warnings() const;

 private:
  using Hook = std::shared_ptr<const Webhook>;

  // Returns the namespace; an empty object if it does not exist.
  const runtime::JsonValue& NamespaceOf(const AdmissionAttributes& attributes);
  const Resource* Match(const MatchResources& match, const AdmissionAttributes& attributes);
  AdmissionInput InputOf(const AdmissionAttributes& attributes) const;
  // The objects of a request in the version in which a webhook gets them, if it is another one.
  struct Seen {
    AdmissionAttributes attributes;
    Document object = {};
    Document old_object = {};
  };
  Result<Seen> See(const Resource& version, const AdmissionAttributes& attributes);
  // Returns the request as the webhook gets it; nullopt: the request does not call it.
  Result<std::optional<Seen>> SeeIfCalled(const Webhook& webhook,
                                          const AdmissionAttributes& attributes);
  Result<void> CheckConditions(const Webhook& webhook, const AdmissionAttributes& attributes,
                               bool& matches) const;
  Result<void> ApplyPolicies(const AdmissionAttributes& attributes);
  bool AwaitsAccess() const { return parts_.access_pending && parts_.access_pending(); }
  // Returns the answer for this request, or null if the call is pending.
  const AdmissionResult* Find(const Hook& webhook, const AdmissionAttributes& attributes);
  // Returns whether the webhook changed the object. An error if it rejects the request.
  Result<bool> MutateWith(const Hook& webhook, Seen& seen, runtime::JsonDocument* object);

  const Parts parts_;
  const Clock::TimePoint deadline_;
  std::map<std::string, AdmissionResult> answers_;  // by webhook and request
  std::vector<HookCall> calls_;
  std::vector<std::string> warnings_;
  std::unique_ptr<runtime::JsonDocument> namespace_;  // of this attempt
};

}  // namespace capstan::testing::apiserver
