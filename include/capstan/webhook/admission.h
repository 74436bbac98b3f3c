// SPDX-License-Identifier: Apache-2.0
// AdmissionRequest is what the API server asks a webhook before it stores a change, and
// AdmissionResponse is the answer. A handler makes it with Allowed, Denied, Errored or Patched:
//
//   server.Register(
//       "/check-names", [](AdmissionContext&, const webhook::AdmissionRequest& request) {
//         return request.name.starts_with("team-") ? webhook::Allowed()
//                                                  : webhook::Denied("the name needs a team");
//       });
//
// WebhookFor (builder.h) makes handlers for the objects of a declared kind. Plain values.
//
// Mirrors controller-runtime's pkg/webhook/admission and k8s.io/api/admission/v1. Differs: only v1,
// because every supported API server has it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/group_version.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::webhook {

enum class Operation { kCreate, kUpdate, kDelete, kConnect };
// Returns "CREATE", "UPDATE", "DELETE" or "CONNECT".
CAPSTAN_EXPORT std::string_view ToString(Operation operation);

// UserInfo is who sent the request to the API server. Mirrors authentication/v1.UserInfo.
struct CAPSTAN_EXPORT UserInfo {
  std::string username = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
};

// Objects and options are JSON text. FromJson<Foo> and Unstructured::FromJson read an object.
struct CAPSTAN_EXPORT AdmissionRequest {
  std::string uid = {};  // of this request
  runtime::GroupVersionKind kind = {};
  runtime::GroupVersionResource resource = {};
  std::string sub_resource = {};  // such as "status"; empty: the object itself
  // What the client sent, if the API server converted it for this webhook (matchPolicy Equivalent).
  std::optional<runtime::GroupVersionKind> request_kind = {};
  std::optional<runtime::GroupVersionResource> request_resource = {};
  std::string request_sub_resource = {};
  std::string name = {};  // empty at a create with generateName
  std::string namespace_ = {};
  Operation operation = Operation::kCreate;
  UserInfo user_info = {};
  std::string object = {};      // empty at a delete
  std::string old_object = {};  // at an update and a delete; else empty
  bool dry_run = false;         // the webhook must have no side effects
  std::string options = {};     // such as a CreateOptions; empty: none
};

// Mirrors admission.Response. Of the Status it has the code, the reason and the message.
struct CAPSTAN_EXPORT AdmissionResponse {
  bool allowed = false;
  int code = 200;
  std::string reason = {};   // a StatusReason, such as "Forbidden"
  std::string message = {};  // what the user reads
  std::string patch = {};    // operations of RFC 6902 as JSON; empty or "[]": no change
  std::map<std::string, std::string> audit_annotations = {};  // names without a prefix
  std::vector<std::string> warnings = {};                     // kubectl prints each as a line
};

// Allows the request.
CAPSTAN_EXPORT AdmissionResponse Allowed(std::string message = {});
// Denies the request with 403 Forbidden.
CAPSTAN_EXPORT AdmissionResponse Denied(std::string message);
// Denies the request because it could not be handled. `code` is an HTTP code.
CAPSTAN_EXPORT AdmissionResponse Errored(int code, const Error& error);
// Denies the request. An error with a reason of Kubernetes (kInvalid, kConflict, ...) keeps its
// reason and its code. Any other error is a 403 Forbidden.
CAPSTAN_EXPORT AdmissionResponse DeniedBy(const Error& error);
// Allows the request with a change. `patch` is a list of operations of RFC 6902.
CAPSTAN_EXPORT AdmissionResponse Patched(std::string patch, std::string message = {});
// Allows the request and changes `original` into `current`; both are JSON objects. Texts that are
// none are an error with code 500.
CAPSTAN_EXPORT AdmissionResponse PatchResponseFromRaw(std::string_view original,
                                                      std::string_view current);

// AdmissionContext belongs to one request. It has the limits for calls to the API server, and
// collects what the response has beside the decision. For one thread.
class CAPSTAN_EXPORT AdmissionContext {
 public:
  AdmissionContext(rest::CallOptions call, const AdmissionRequest& request)
      : call_(std::move(call)), request_(request) {}

  // Ends a little before the API server stops waiting, or when it leaves.
  const rest::CallOptions& call() const { return call_; }
  const AdmissionRequest& request() const { return request_; }
  // Adds a line for the user. At most about 256 characters are shown.
  void Warn(std::string warning) { warnings_.push_back(std::move(warning)); }
  // Adds a value to the API server's audit log. The API server prefixes `key` with the webhook.
  void Audit(const std::string& key, std::string value) { audit_[key] = std::move(value); }

  // Returns `response` with the warnings and audit annotations.
  AdmissionResponse Complete(AdmissionResponse response) &&;

 private:
  const rest::CallOptions call_;
  const AdmissionRequest& request_;
  std::vector<std::string> warnings_;
  std::map<std::string, std::string> audit_;
};

// AdmissionHandler answers the requests of one path. Several threads call it at the same time. An
// exception is an answer with code 500.
using AdmissionHandler =
    std::function<AdmissionResponse(AdmissionContext& context, const AdmissionRequest& request)>;

}  // namespace capstan::webhook
