// SPDX-License-Identifier: Apache-2.0
// A user's source file that includes clientgo's headers and another RapidJSON with its own macros.
#include "capstan/api/config_map.h"
#include "capstan/api/object_metadata.h"
#include "capstan/cache/informer_factory.h"
#include "capstan/rest/client.h"

#if defined(RAPIDJSON_RAPIDJSON_H_) || defined(RAPIDJSON_SSE2) || defined(RAPIDJSON_NAMESPACE)
#error "clientgo's headers must not include RapidJSON, or set its macros"
#endif
#define RAPIDJSON_HAS_STDSTRING 1
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <type_traits>

namespace capstan::cache {
namespace {

TEST(UsersRapidJsonTest, IsIndependentOfOurRapidJson) {
  static_assert(!std::is_same_v<::rapidjson::Value, runtime::JsonValue>);
  const runtime::ResourceType type = {
      .gvr = {"example.io", "v1", "things"},
      .kind = "Thing",
      .projection = {{"spec", "text"}},
      .decode = [](const runtime::ObjectIdentity& meta,
                   const runtime::JsonValue& object) -> Expected<runtime::ObjectPtr> {
        const runtime::JsonValue* spec = runtime::Find(object, "spec");
        if (spec == nullptr) return Err(ErrorReason::kDecode, "no spec");
        ::rapidjson::Document text;
        text.Parse(std::string(runtime::GetString(*spec, "text")));
        if (!text.IsObject()) return Err(ErrorReason::kDecode, "no object");
        return runtime::MakeObject<runtime::Object>(meta);
      }};
  std::string frame = R"({"kind":"Thing","metadata":{"name":"n"},"spec":{"text":"{\"a\":1}"}})"
                      " ";

  const auto object = runtime::DecodeObject(type, frame.data(), frame.size() - 1);

  ASSERT_TRUE(object.has_value()) << object.error().message;
  EXPECT_EQ((*object)->key(), "n");
}

}  // namespace
}  // namespace capstan::cache
