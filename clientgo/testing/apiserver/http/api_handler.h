// SPDX-License-Identifier: Apache-2.0
// ApiHandler turns an HTTP request into a verb, and its result into a response: access, faults, the
// request log, and routing. Mirrors the handler chain of
// k8s.io/apiserver/pkg/server/config.go.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capstan/httpserver/server.h"
#include "capstan/testing/apiserver/faults.h"
#include "clientgo/testing/apiserver/admission/webhook_calls.h"
#include "clientgo/testing/apiserver/authentication/authenticator.h"
#include "clientgo/testing/apiserver/authorization/access.h"
#include "clientgo/testing/apiserver/authorization/escalation.h"
#include "clientgo/testing/apiserver/decoding/custom_resources.h"
#include "clientgo/testing/apiserver/http/negotiation.h"
#include "clientgo/testing/apiserver/http/request_info.h"
#include "clientgo/testing/apiserver/http/watcher.h"
#include "clientgo/testing/apiserver/registry/flow_control.h"
#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/storage/list.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/resources.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

class ApiHandler {
 public:
  struct Parts {
    Storage& storage;
    Registry& registry;
    Watchers& watchers;
    Faults& faults;
    RequestLog& log;
    const Authenticator& authenticator;
    const Authorizer& authorizer;
    const FlowControl& flow_control;
    const ServiceAccountTokens& service_accounts;
    const CustomResources& resources;
    const Webhooks& webhooks;
    const AdmissionPolicies& policies;
    WebhookCalls& webhook_calls;
    bool watch_list = true;
    bool protobuf = true;
    std::function<void(std::chrono::milliseconds, std::function<void()>)> run_after;
  };
  explicit ApiHandler(Parts parts) : parts_(std::move(parts)) {}

  void Handle(httpserver::Request request, std::shared_ptr<httpserver::Exchange> exchange);

 private:
  // Call is one request in progress.
  struct Call {
    httpserver::Request request;
    std::shared_ptr<httpserver::Exchange> exchange;
    RequestInfo info = {};
    bool is_resource = false;
    RequestMatch match = {};
    UserInfo user = {};
    std::shared_ptr<Authorizer> authorizer = {};     // of this request
    bool prepared = false;                           // its body is decoded
    std::vector<std::string> repeats = {};           // the repeated keys of a YAML body
    std::shared_ptr<Conversions> conversions = {};   // null: no conversion webhook is called
    std::optional<EscalationCheck> escalation = {};  // of a write of a role or binding
    std::shared_ptr<Admission> admission = {};       // null: no webhook or policy is concerned
    std::optional<Page> page = {};                   // the objects of a deletecollection
    std::size_t deleted = 0;                         // of these
    bool withhold_bookmarks = false;
  };

  // Finds out who makes the call and whether they may, and serves it. Repeats that when the
  // webhooks that decide have answered.
  void Authorize(Call& call);
  // Serves a call that is allowed.
  void Route(Call& call);
  // Returns the calls that the authorizer of the call needs.
  static std::vector<HookCall> TakeReviews(const Call& call);
  // Rejects a call that is not allowed.
  void Refuse(const Call& call, const Status& status) const;
  void HandleResource(Call call);
  // Serves the call. Repeats that when the webhooks that it needs have answered.
  void Execute(Call& call);
  void Serve(Call& call);
  void Get(Call& call);
  void List(Call& call);
  void Watch(Call& call);
  void Write(Call& call);
  void Patch(Call& call, const WriteRequest& write);
  void Scale(Call& call);
  void Evict(Call& call);
  void Bind(Call& call);
  // Answers a review, or a request for a token.
  void Answer(Call& call, const WriteRequest& write);
  void Delete(Call& call);
  void DeleteCollection(Call& call);

  // Return null when no webhook or policy is concerned.
  std::shared_ptr<Conversions> NewConversions(const Call& call) const;
  std::shared_ptr<Admission> NewAdmission(const Call& call) const;
  // Reports whether the attempt failed because a webhook is to be called first.
  static bool IsPending(const Call& call);
  // Returns the warnings about the version and those of webhooks, and adds others.
  static httpserver::Headers WarningsOf(const Call& call,
                                        const std::vector<std::string>& others = {});
  static WriteRequest NewWriteRequest(const Call& call);
  void Reply(const Call& call, int code, std::string body,
             const std::vector<std::string>& warnings = {}) const;
  Result<Negotiated> NegotiateFor(const Call& call, Answering answering) const;
  void Respond(const Call& call, int code, std::string json,
               std::vector<std::pair<std::string, std::string>> headers) const;
  void Fail(const Call& call, const Status& status) const;
  void ReplyObject(const Call& call, int code, const Object& object,
                   const std::vector<std::string>& warnings = {}) const;
  void ReplyWritten(const Call& call, const Result<Written>& written) const;

  Parts parts_;
};

}  // namespace capstan::testing::apiserver
