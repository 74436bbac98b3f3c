// SPDX-License-Identifier: Apache-2.0
// ApiHandler turns an HTTP request into a verb, and its result into a response: authentication,
// faults, the request log, and routing. Mirrors the handler chain of
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
#include "clientgo/testing/apiserver/admission/authenticator.h"
#include "clientgo/testing/apiserver/admission/webhook_calls.h"
#include "clientgo/testing/apiserver/decoding/custom_resources.h"
#include "clientgo/testing/apiserver/http/negotiation.h"
#include "clientgo/testing/apiserver/http/watcher.h"
#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/storage/list.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/resources.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// RequestInfo is the resource and verb of a request, from its method and path. Mirrors
// k8s.io/apiserver/pkg/endpoints/request.
struct RequestInfo {
  std::string verb = {};  // get list watch create update patch delete deletecollection
  std::string group = {};
  std::string version = {};
  std::string plural = {};
  std::string namespace_ = {};
  std::string name = {};
  std::string subresource = {};
  const Resource* resource = nullptr;  // null: unknown
};

class ApiHandler {
 public:
  struct Parts {
    Storage& storage;
    Registry& registry;
    Watchers& watchers;
    Faults& faults;
    RequestLog& log;
    const Authenticator& authenticator;
    const CustomResources& resources;
    const Webhooks& webhooks;
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
    RequestMatch match = {};
    UserInfo user = {};
    std::shared_ptr<Admission> admission = {};  // null: no webhook is called
    std::optional<Page> page = {};              // the objects of a deletecollection
    std::size_t deleted = 0;                    // of these
    bool withhold_bookmarks = false;
  };

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
  void Delete(Call& call);
  void DeleteCollection(Call& call);

  // Returns the user of the request, or 401 or 403.
  Result<UserInfo> Authenticate(const Call& call) const;
  // Returns null when no webhook is concerned.
  std::shared_ptr<Admission> NewAdmission(const Call& call) const;
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
