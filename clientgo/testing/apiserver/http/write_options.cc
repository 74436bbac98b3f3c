// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/write_options.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "capstan/label_selector.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/go_fields.h"

namespace capstan::testing::apiserver {
namespace {

Cause BadDryRun(std::string_view value) {
  return NotSupported("dryRun", "[\"" + std::string(value) + "\"]", "\"All\"");
}

// Returns the grace period of the body or of the query.
std::optional<std::int64_t> GracePeriod(const runtime::JsonValue& body, std::string_view query) {
  const runtime::JsonValue* const given = runtime::Find(body, "gracePeriodSeconds");
  if (given != nullptr && given->IsInt64()) return given->GetInt64();
  return ParseInteger(query);
}

}  // namespace

std::vector<Cause> CheckWriteOptions(const httpserver::Request& query) {
  constexpr std::size_t kFieldManagerBytesMax = 128;
  std::vector<Cause> causes;
  if (query.Query("fieldManager").size() > kFieldManagerBytesMax) {
    causes.push_back({.reason = "FieldValueTooLong",
                      .message = "Too long: may not be more than 128 bytes",
                      .field = "fieldManager"});
  }
  if (const auto dry_run = query.Query("dryRun"); !dry_run.empty() && dry_run != "All") {
    causes.push_back(BadDryRun(dry_run));
  }
  const auto validation = query.Query("fieldValidation");
  if (!validation.empty() && validation != "Ignore" && validation != "Warn" &&
      validation != "Strict") {
    causes.push_back(NotSupported("fieldValidation", "\"" + std::string(validation) + "\"",
                                  R"("", "Ignore", "Strict", "Warn")"));
  }
  return causes;
}

Result<DeleteOptions> ParseDeleteOptions(const httpserver::Request& request,
                                         std::string_view text) {
  DeleteOptions options;
  auto body = std::make_unique<runtime::JsonDocument>();
  body->SetObject();
  if (!text.empty()) {
    std::string error;
    body = ParseJson(text, &error);
    if (body == nullptr) {
      return tl::unexpected(InternalError("couldn't get version/kind; json parse error: " + error));
    }
  }
  if (body->IsObject()) {
    const auto why = FindWrongType(*runtime::FindMessage("v1", "DeleteOptions"), *body);
    if (why) return tl::unexpected(InternalError(*why));
  }
  const runtime::JsonValue& preconditions = ObjectAt(*body, "preconditions");
  options.uid = runtime::GetString(preconditions, "uid");
  options.resource_version = runtime::GetString(preconditions, "resourceVersion");
  std::vector<Cause> causes;
  std::string propagation(runtime::GetString(*body, "propagationPolicy"));
  const bool query = text.empty();
  if (query) propagation = request.Query("propagationPolicy");
  const bool orphan_given = runtime::Find(*body, "orphanDependents") != nullptr;
  if (orphan_given && !propagation.empty()) {
    causes.push_back(InvalidValue("propagationPolicy", propagation,
                                  "orphanDependents and deletionPropagation cannot be both set"));
  } else if (!propagation.empty() && propagation != "Foreground" && propagation != "Background" &&
             propagation != "Orphan") {
    causes.push_back(NotSupported("propagationPolicy", "\"" + propagation + "\"",
                                  R"("Foreground", "Background", "Orphan", "nil")"));
  }
  if (const auto period = GracePeriod(*body, query ? request.Query("gracePeriodSeconds") : "")) {
    options.grace_period = *period;
  }
  options.propagation = propagation;
  if (const runtime::JsonValue* const orphan = runtime::Find(*body, "orphanDependents");
      orphan != nullptr) {
    options.propagation = orphan->IsTrue() ? "Orphan" : "Background";
  }
  const runtime::JsonValue& list = ListAt(*body, "dryRun");
  std::string dry_run(query ? request.Query("dryRun") : std::string_view());
  if (!list.Empty() && list[0].IsString()) dry_run = runtime::ToView(list[0]);
  if (!dry_run.empty() && dry_run != "All") causes.push_back(BadDryRun(dry_run));
  if (!causes.empty()) return tl::unexpected(InvalidOptions("DeleteOptions", std::move(causes)));
  options.dry_run = !dry_run.empty();
  return options;
}

std::unique_ptr<runtime::JsonDocument> WriteOptionsJson(const httpserver::Request& request) {
  auto options = std::make_unique<runtime::JsonDocument>(rapidjson::kObjectType);
  std::string error;
  if (request.method == "DELETE" && !request.body.empty()) {
    auto body = ParseJson(request.body, &error);
    if (body != nullptr && body->IsObject()) options = std::move(body);
  }
  auto& allocator = options->GetAllocator();
  for (const char* const key : {"fieldManager", "fieldValidation", "propagationPolicy"}) {
    const std::string_view value = request.Query(key);
    if (!value.empty()) SetString(*options, key, value, allocator);
  }
  const bool dry_run = !request.Query("dryRun").empty();
  if (dry_run) SetJson(*options, "dryRun", Json::List({"All"}), allocator);
  return options;
}

}  // namespace capstan::testing::apiserver
