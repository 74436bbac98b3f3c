// SPDX-License-Identifier: Apache-2.0
// Tests the decoder of AdmissionReviews on any bytes, and the patches between the two objects of a
// review: a patch is valid JSON, and an object does not differ from itself.
#include <glog/logging.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "capstan/runtime/parsed_json.h"
#include "capstan/webhook/json_patch.h"
#include "controllers/runtime/webhook/admission_review.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using capstan::runtime::ParsedJson;
  using capstan::webhook::CreateJsonPatch;
  const auto request = capstan::webhook::DecodeAdmissionReview(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!request) {
    CHECK(!request.error().message.empty());
    return 0;
  }
  if (request->object.empty()) return 0;
  CHECK_EQ(CreateJsonPatch(request->object, request->object).value(), "[]");
  if (request->old_object.empty()) return 0;
  const auto patch = CreateJsonPatch(request->old_object, request->object);
  CHECK(patch.has_value()) << patch.error().message;
  CHECK(ParsedJson::Parse(*patch).has_value()) << *patch;

  const auto old = ParsedJson::Parse(request->old_object);
  const auto now = ParsedJson::Parse(request->object);
  CHECK(old && now);
  // With structs that know all fields, the result is the changed struct.
  const std::string result =
      capstan::webhook::detail::ApplyTypedChange(old->root(), old->root(), now->root());
  CHECK(ParsedJson::Parse(result).has_value()) << result;
  return 0;
}
