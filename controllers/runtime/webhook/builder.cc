// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/builder.h"

#include <algorithm>

#include "capstan/runtime/json_value.h"
#include "capstan/text.h"
#include "capstan/webhook/json_patch.h"

namespace capstan::webhook {

std::string WebhookPath(std::string_view prefix, const KindInfo& kind) {
  std::string path(prefix);
  for (const std::string_view part : {kind.group, kind.version, kind.kind}) {
    path.append("-").append(LowerAscii(part));
  }
  std::replace(path.begin(), path.end(), '.', '-');
  return path;
}

namespace detail {

Expected<runtime::ParsedJson> ParseObject(const ObjectJson& object,
                                          const runtime::ResourceType& type) {
  if (object.text.empty()) {
    return Err(ErrorReason::kDecode, std::string(object.name) + ": there is no content to decode");
  }
  auto parsed = runtime::ParsedJson::Parse(object.text);
  if (!parsed) return Err(parsed.error().Wrap(object.name));
  const std::string api_version = type.gvr.ApiVersion();
  const std::string_view kind = runtime::GetString(parsed->root(), "kind");
  const std::string_view got = runtime::GetString(parsed->root(), "apiVersion");
  // Some API servers leave them out of embedded objects.
  if ((kind.empty() || kind == type.kind) && (got.empty() || got == api_version)) return parsed;
  return Err(ErrorReason::kDecode,
             std::string(object.name) + ": " + std::string(TruncateUtf8(kind, 100)) + " in " +
                 std::string(TruncateUtf8(got, 100)) + " is sent to the webhook of " + type.kind +
                 " in " + api_version +
                 "; compare the rules and the path in the webhook configuration");
}

Error DecodeError(const ObjectJson& object, const DecodeProblem& problem) {
  return {.reason = ErrorReason::kDecode,
          .message = std::string(object.name) + "." + problem.message()};
}

AdmissionResponse PatchOfChange(std::string_view original, std::string_view before,
                                std::string_view after) {
  if (before == after) return Allowed();
  const auto parsed = runtime::ParsedJson::Parse(original);
  const auto from = runtime::ParsedJson::Parse(before);
  const auto to = runtime::ParsedJson::Parse(after);
  for (const auto* const json : {&parsed, &from, &to}) {
    if (!*json) return Errored(500, json->error());
  }
  return PatchResponseFromRaw(original, ApplyTypedChange(parsed->root(), from->root(), to->root()));
}

}  // namespace detail

AdmissionHandler WebhookBuilderBase::ValidatingHandler() const {
  return [create = create_, update = update_, del = delete_](AdmissionContext& context,
                                                             const AdmissionRequest& request) {
    const Validator* validator = nullptr;  // null: nothing to validate, as for CONNECT
    if (request.operation == Operation::kCreate) validator = &create;
    if (request.operation == Operation::kUpdate) validator = &update;
    if (request.operation == Operation::kDelete) validator = &del;
    return validator != nullptr && *validator ? (*validator)(context, request) : Allowed();
  };
}

Expected<void> WebhookBuilderBase::Register() {
  const bool validates = create_ || update_ || delete_;
  if (!default_ && !validates) {
    return Err(ErrorReason::kInvalidArgument,
               "webhook of " + std::string(kind_.kind) +
                   ": no function is declared; call Default, ValidateCreate, ValidateUpdate, "
                   "ValidateCreateAndUpdate or ValidateDelete");
  }
  const auto server = ServerFor(manager_);
  if (!server) return Err(server.error());
  if (default_) {
    auto registered = (*server)->Register(WebhookPath("/mutate", kind_), default_);
    if (!registered) return registered;
  }
  if (!validates) return {};
  return (*server)->Register(WebhookPath("/validate", kind_), ValidatingHandler());
}

}  // namespace capstan::webhook
