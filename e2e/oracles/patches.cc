// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/testing/apiserver/patch/patch.h"
#include "clientgo/testing/apiserver/patch/strategic_merge.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {
namespace {

using capstan::runtime::JsonDocument;

// Returns null for a text that is not a JSON object.
std::unique_ptr<JsonDocument> ParseObject(std::string_view text) {
  std::string error;
  auto document = capstan::testing::apiserver::ParseJson(text, &error);
  return document && document->IsObject() ? std::move(document) : nullptr;
}

constexpr std::string_view kNoObject = "no object";

}  // namespace

// The input is an object and a patch.
std::string ApplyJsonPatch(std::string_view input) {
  const auto parts = Parts(input, 2);
  const auto object = ParseObject(parts[0]);
  if (!object) return std::string(kNoObject);
  std::string error;
  const auto patch = capstan::testing::apiserver::ParseJson(parts[1], &error);
  if (!patch || !capstan::testing::apiserver::ApplyJsonPatch(*object, *patch)) {
    return std::string(kRefused);
  }
  return TypedJson(*object);
}

// The input is an object and a patch.
std::string ApplyMergePatch(std::string_view input) {
  const auto parts = Parts(input, 2);
  const auto object = ParseObject(parts[0]);
  if (!object) return std::string(kNoObject);
  const auto patch = ParseObject(parts[1]);
  if (!patch) return std::string(kRefused);
  capstan::testing::apiserver::ApplyMergePatch(*object, *patch, object->GetAllocator());
  return TypedJson(*object);
}

// The input is a kind, an object of that kind, and a patch.
std::string ApplyStrategicPatch(std::string_view input) {
  const auto parts = Parts(input, 3);
  const std::string_view kind = parts[0];
  if (kind != "Deployment" && kind != "Pod" && kind != "Service") return std::string(kNoObject);
  const auto* const message =
      capstan::runtime::FindMessage(kind == "Deployment" ? "apps/v1" : "v1", kind);
  const auto object = ParseObject(parts[1]);
  if (!object) return std::string(kNoObject);
  const auto patch = ParseObject(parts[2]);
  if (!patch || !capstan::testing::apiserver::ApplyStrategicMergePatch(*message, *object, *patch,
                                                                       object->GetAllocator())) {
    return std::string(kRefused);
  }
  return TypedJson(*object);
}

}  // namespace e2e::oracles
