// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/admission.h"

#include "capstan/webhook/json_patch.h"
#include "controllers/runtime/webhook/admission_review.h"

namespace capstan::webhook {

namespace {

constexpr int kOk = 200;
constexpr int kForbidden = 403;

// Returns the code that the API server sends with a reason of Kubernetes.
int CodeOf(const Error& error) {
  if (error.http_code != 0) return error.http_code;
  if (error.reason == ErrorReason::kAlreadyExists) return 409;
  if (error.reason == ErrorReason::kExpired) return 410;
  for (int code = 400; code <= 504; ++code) {
    if (ReasonFromHttpCode(code) == error.reason) return code;
  }
  return kInternalError;
}

}  // namespace

std::string_view ToString(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "CREATE";
    case Operation::kUpdate:
      return "UPDATE";
    case Operation::kDelete:
      return "DELETE";
    case Operation::kConnect:
      break;
  }
  return "CONNECT";
}

AdmissionResponse Allowed(std::string message) {
  return {.allowed = true, .code = kOk, .message = std::move(message)};
}

AdmissionResponse Denied(std::string message) {
  return {.code = kForbidden, .reason = "Forbidden", .message = std::move(message)};
}

AdmissionResponse Errored(int code, const Error& error) {
  return {.code = code, .message = error.message};
}

AdmissionResponse DeniedBy(const Error& error) {
  const std::string_view reason = ToString(error.reason);
  // A local reason is not one of Kubernetes.
  if (ReasonFromString(reason) == ErrorReason::kUnknown) {
    return Denied(error.message);
  }
  return {.code = CodeOf(error), .reason = std::string(reason), .message = error.message};
}

AdmissionResponse Patched(std::string patch, std::string message) {
  AdmissionResponse response = Allowed(std::move(message));
  response.patch = std::move(patch);
  return response;
}

AdmissionResponse PatchResponseFromRaw(std::string_view original, std::string_view current) {
  auto patch = CreateJsonPatch(original, current);
  if (!patch) return Errored(kInternalError, patch.error());
  return Patched(*std::move(patch));
}

AdmissionResponse AdmissionContext::Complete(AdmissionResponse response) && {
  response.audit_annotations.merge(std::move(audit_));
  for (std::string& warning : warnings_) response.warnings.push_back(std::move(warning));
  return response;
}

}  // namespace capstan::webhook
