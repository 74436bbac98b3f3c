// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/runtime/json_filter.h"
#include "clientgo/runtime/testing/golden.h"

namespace capstan::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Thing keeps spec.value. Its decode fails for "bad" and returns no object for "none".
class Thing final : public Object {
 public:
  Thing(const ObjectIdentity& meta, std::string_view text) : Object(meta), value(text) {}
  const std::string value;
};

ResourceType MakeThingType() {
  return {.gvr = {"example.io", "v1", "things"},
          .kind = "Thing",
          .namespaced = true,
          .projection = {{"spec", "value"}},
          .decode = [](const ObjectIdentity& meta, const JsonValue& json) -> Expected<ObjectPtr> {
            const JsonValue* spec = Find(json, "spec");
            const std::string_view value =
                spec != nullptr ? GetString(*spec, "value") : std::string_view();
            if (value == "bad") return Err(ErrorReason::kDecode, "spec.value is bad");
            if (value == "none") return nullptr;
            return MakeObject<Thing>(meta, value);
          }};
}

ResourceType MakeSecretMetadataType() {
  return {.gvr = {"", "v1", "secrets"},
          .kind = "Secret",
          .namespaced = true,
          .metadata_only = true,
          .projection = Projection(std::vector<Projection::Path>{}),
          .decode = [](const ObjectIdentity& meta, const JsonValue&) -> Expected<ObjectPtr> {
            return MakeObject<Object>(meta);
          }};
}

// Passes each frame of `stream` to `decode` and returns the results.
template <class Decode>
auto DecodeAll(const Projection& projection, JsonFilter::Options options, std::string_view stream,
               Decode decode) {
  std::vector<decltype(decode(std::declval<JsonFilter&>()))> results;
  JsonFilter filter(projection, options);
  while (!stream.empty()) {
    const auto taken = filter.Feed(stream);
    EXPECT_TRUE(taken.has_value()) << taken.error().message;
    if (!taken) break;
    stream.remove_prefix(*taken);
    if (filter.HasFrame()) results.push_back(decode(filter));
  }
  return results;
}

std::vector<Expected<WatchEvent>> Watch(const ResourceType& type, std::string_view stream) {
  return DecodeAll(type.projection.watch(), {}, stream, [&](JsonFilter& filter) {
    return DecodeWatchEvent(type, filter.frame(), filter.frame_size());
  });
}

Expected<WatchEvent> OneEvent(std::string_view stream) {
  static const ResourceType type = MakeThingType();
  return Watch(type, stream).at(0);
}

std::string Name(EventType type) {
  constexpr std::array kNames = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "unknown"};
  return kNames.at(static_cast<std::size_t>(type));
}

Expected<ObjectPtr> OneObject(std::string_view text) {
  static const ResourceType type = MakeThingType();
  return DecodeAll(type.projection.object(), {}, text,
                   [&](JsonFilter& filter) {
                     return DecodeObject(type, filter.frame(), filter.frame_size());
                   })
      .at(0);
}

TEST(DecodeWatchEventTest, ReadsWatchListOfRealServer) {
  const ResourceType type = MakeSecretMetadataType();
  std::vector<std::string> seen;
  for (const auto& event : Watch(type, ReadGolden("watch_list.jsonl"))) {
    ASSERT_TRUE(event.has_value()) << event.error().message;
    seen.push_back(Name(event->type) +
                   (event->object ? " " + std::string(event->object->key()) : "") + " " +
                   event->resource_version + (event->initial_events_end ? " end" : ""));
  }
  EXPECT_THAT(seen, ElementsAre("ADDED demo/ca-a 208", "ADDED demo/ca-b 209", "ADDED demo/ca-c 210",
                                "BOOKMARK 213 end", "DELETED demo/ca-c 216",
                                "MODIFIED demo/ca-b 217", "BOOKMARK 217"));
}

TEST(DecodeWatchEventTest, DecodesFieldsOfObject) {
  const auto event = OneEvent(
      R"({"type":"MODIFIED","object":{"kind":"Thing","metadata":{"namespace":"ns","name":"n",)"
      R"("uid":"u","resourceVersion":"5"},"spec":{"value":"v","other":1}}})");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->type, EventType::kModified);
  EXPECT_EQ(event->resource_version, "5");
  EXPECT_EQ(event->object->key(), "ns/n");
  EXPECT_EQ(event->object->uid(), "u");
  EXPECT_EQ(static_cast<const Thing&>(*event->object).value, "v");
}

TEST(DecodeWatchEventTest, AdvancesVersionWhenObjectCannotBeDecoded) {
  const auto event =
      OneEvent(R"({"type":"ADDED","object":{"metadata":{"name":"n","resourceVersion":"5"},)"
               R"("spec":{"value":"bad"}}})");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->object, nullptr);
  EXPECT_EQ(event->resource_version, "5");
  EXPECT_EQ(event->error.reason, ErrorReason::kDecode);
  EXPECT_EQ(event->error.message, "bad Thing n: spec.value is bad");
}

TEST(DecodeWatchEventTest, ReportsKeyOfDeletedObjectThatCannotBeDecoded) {
  const auto event =
      OneEvent(R"({"type":"DELETED","object":{"metadata":{"namespace":"ns","name":"n",)"
               R"("resourceVersion":"5"},"spec":{"value":"bad"}}})");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->object, nullptr);
  EXPECT_EQ(event->key, "ns/n");
  EXPECT_EQ(event->resource_version, "5");
}

TEST(DecodeWatchEventTest, DoesNotAdvanceVersionForAnotherKind) {
  const auto event = OneEvent(
      R"({"type":"ADDED","object":{"kind":"Table","metadata":{"resourceVersion":"5"},"rows":[]}})");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->object, nullptr);
  EXPECT_EQ(event->resource_version, "");
  EXPECT_EQ(event->error.message, "expected Thing, got Table");
  EXPECT_EQ(event->key, "");
}

TEST(DecodeWatchEventTest, RejectsObjectWithoutName) {
  const auto event = OneEvent(R"({"type":"ADDED","object":{"kind":"Thing"}})");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->object, nullptr);
  EXPECT_THAT(event->error.message, HasSubstr("no metadata"));
}

TEST(DecodeWatchEventTest, EndsInitialEventsOnlyWhenAnnotationIsTrue) {
  const std::string before = R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9")";
  EXPECT_FALSE(OneEvent(before + "}}}")->initial_events_end);
  EXPECT_FALSE(OneEvent(before + R"(,"annotations":{"k8s.io/initial-events-end":"false"}}}})")
                   ->initial_events_end);
  const auto end = OneEvent(before + R"(,"annotations":{"k8s.io/initial-events-end":"true"}}}})");
  EXPECT_TRUE(end->initial_events_end);
  EXPECT_EQ(end->type, EventType::kBookmark);
  EXPECT_EQ(end->resource_version, "9");
}

TEST(DecodeWatchEventTest, DecodesStatusOfErrorEvent) {
  const auto event = OneEvent(
      R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
      R"-("status":"Failure","message":"too old resource version: 1 (208)","reason":"Expired",)-"
      R"("code":410}})");

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->type, EventType::kError);
  EXPECT_EQ(event->object, nullptr);
  EXPECT_TRUE(IsExpired(event->error));
  EXPECT_EQ(event->error.http_code, 410);
  EXPECT_EQ(event->error.message, "too old resource version: 1 (208)");
}

TEST(DecodeWatchEventTest, ReadsTooLargeResourceVersionOfRealServer) {
  const auto event = OneEvent(ReadGolden("watch_too_large.jsonl"));
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->type, EventType::kError);
  EXPECT_TRUE(event->error.resource_version_too_large);
  EXPECT_EQ(event->error.retry_after, std::chrono::seconds(1));
}

TEST(DecodeWatchEventTest, AdvancesVersionForUnknownEventType) {
  const auto event =
      OneEvent(R"({"type":"RENAMED","object":{"metadata":{"name":"n","resourceVersion":"5"}}})");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->type, EventType::kUnknown);
  EXPECT_EQ(event->object, nullptr);
  EXPECT_EQ(event->resource_version, "5");
}

TEST(DecodeWatchEventTest, RejectsJsonThatIsNotAnEvent) {
  for (const char* text : {"{}", "[]", "7", "null", R"({"type":"ADDED"})", R"({"object":{}})",
                           R"({"type":7,"object":{}})", R"({"type":"","object":{}})"}) {
    const auto event = OneEvent(std::string(text) + " ");
    ASSERT_FALSE(event.has_value()) << text;
    EXPECT_EQ(event.error().reason, ErrorReason::kDecode) << text;
  }
  EXPECT_EQ(OneEvent(R"({"kind":"Status","message":"etcd is away","code":500})").error().message,
            "expected a watch event, got Status: etcd is away");
  EXPECT_THAT(OneEvent(R"({"type":"ADDED","object":{"kind":"\x"}})").error().message,
              HasSubstr("bad watch event: invalid JSON"));
}

TEST(DecodeObjectTest, DecodesObject) {
  const auto object = OneObject(
      R"({"kind":"Thing","metadata":{"name":"n","resourceVersion":"5"},"spec":{"value":"v"}})");
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ((*object)->key(), "n");
}

TEST(DecodeObjectTest, RejectsJsonThatIsNotTheObject) {
  EXPECT_EQ(OneObject(R"({"kind":"Thing","metadata":{"name":"n"},"spec":{"value":"none"}})")
                .error()
                .message,
            "bad Thing n: the decode function returned no object");
  EXPECT_EQ(OneObject(R"({"kind":"Status","message":"hello"})").error().message,
            "expected Thing, got Status: hello");
  EXPECT_EQ(OneObject(R"({"metadata":{"name":"n"}})").error().message,
            "expected Thing, got JSON without a kind");
  EXPECT_EQ(
      OneObject(R"({"kind":"PartialObjectMetadata","metadata":{"name":"n"}})").error().message,
      "expected Thing, got PartialObjectMetadata");
  EXPECT_EQ(OneObject("[]").error().reason, ErrorReason::kDecode);
}

TEST(DecodeListTest, ReadsPageOfRealServer) {
  const ResourceType type = MakeSecretMetadataType();
  std::vector<std::string> keys;
  ListMeta meta;
  DecodeAll(type.projection.list(), {.framing = JsonFilter::Framing::kList},
            ReadGolden("secret_metadata_list.json"), [&](JsonFilter& filter) {
              if (filter.frame_type() == JsonFilter::FrameType::kItem) {
                auto item = DecodeListItem(type, filter.frame(), filter.frame_size());
                EXPECT_TRUE(item.has_value());
                keys.emplace_back((*item)->key());
              } else {
                meta = DecodeListMeta(filter.frame(), filter.frame_size()).value();
              }
              return 0;
            });
  EXPECT_THAT(keys, ElementsAre("demo/ca-a", "demo/ca-b"));
  EXPECT_EQ(meta.resource_version, "213");
  EXPECT_THAT(meta.continue_token, ::testing::StartsWith("eyJ2Ijoi"));
}

TEST(DecodeListTest, RejectsStatusInsteadOfList) {
  const ResourceType type = MakeThingType();
  const auto results = DecodeAll(
      type.projection.list(), {.framing = JsonFilter::Framing::kList},
      R"({"kind":"Status","metadata":{},"message":"no"})",
      [](JsonFilter& filter) { return DecodeListMeta(filter.frame(), filter.frame_size()); });
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].error().message, "expected a list, got Status: no");
}

TEST(DecodeStatusTest, ReadsConflictOfRealServer) {
  const Error error = DecodeStatus(409, ReadGolden("status_conflict.json"));
  EXPECT_TRUE(IsConflict(error));
  EXPECT_EQ(error.http_code, 409);
  EXPECT_THAT(error.message, HasSubstr("the object has been modified"));
  EXPECT_EQ(error.retry_after, std::nullopt);
  EXPECT_FALSE(error.resource_version_too_large);
}

TEST(DecodeStatusTest, DistinguishesAConflictOfFieldManagersFromThatOfAVersion) {
  const Error error = DecodeStatus(409, R"({"kind":"Status","reason":"Conflict","code":409,
      "message":"Apply failed with 1 conflict: conflict with \"team\" using v1: .data.ca.crt",
      "details":{"causes":[{"reason":"FieldManagerConflict","field":".data.ca.crt"}]}})");
  EXPECT_TRUE(IsConflict(error));
  EXPECT_TRUE(error.field_manager_conflict);
  EXPECT_FALSE(DecodeStatus(409, ReadGolden("status_conflict.json")).field_manager_conflict);
}

TEST(DecodeStatusTest, ReadsTooLargeResourceVersionOfRealServer) {
  const Error error = DecodeStatus(504, ReadGolden("status_too_large.json"));
  EXPECT_EQ(error.reason, ErrorReason::kTimeout);
  EXPECT_EQ(error.retry_after, std::chrono::seconds(1));
  EXPECT_TRUE(error.resource_version_too_large);
}

TEST(DecodeStatusTest, RecognizesLegacyFormsOfTooLargeResourceVersion) {
  EXPECT_TRUE(DecodeStatus(504, R"({"kind":"Status","reason":"Timeout",
      "message":"Timeout: Too large resource version: 9, current: 8"})")
                  .resource_version_too_large);
  EXPECT_TRUE(DecodeStatus(504, R"({"kind":"Status","reason":"Timeout","message":"m",
      "details":{"causes":[{"message":"x"},{"message":"Too large resource version"}]}})")
                  .resource_version_too_large);
  EXPECT_FALSE(DecodeStatus(500, R"({"kind":"Status","reason":"InternalError",
      "message":"Too large resource version"})")
                   .resource_version_too_large);
}

TEST(DecodeStatusTest, PrefersReasonOverCode) {
  EXPECT_EQ(DecodeStatus(409, R"({"kind":"Status","reason":"AlreadyExists","code":409})").reason,
            ErrorReason::kAlreadyExists);
  EXPECT_EQ(DecodeStatus(410, R"({"kind":"Status","reason":"Expired"})").reason,
            ErrorReason::kExpired);
  EXPECT_EQ(DecodeStatus(410, R"({"kind":"Status","reason":""})").reason, ErrorReason::kGone);
  EXPECT_EQ(DecodeStatus(404, R"({"kind":"Status","reason":"NeverHeardOf"})").reason,
            ErrorReason::kNotFound);
}

TEST(DecodeStatusTest, UsesCodeAndTextOfBodyThatIsNotAStatus) {
  const std::string overload = "Too many requests, please try again later.\n";
  const Error error = DecodeStatus(429, overload);
  EXPECT_EQ(error.reason, ErrorReason::kTooManyRequests);
  EXPECT_EQ(error.message, "Too many requests, please try again later.");

  EXPECT_EQ(DecodeStatus(503, "<html>bad gateway</html>").reason, ErrorReason::kServiceUnavailable);
  EXPECT_EQ(DecodeStatus(502, "").message, "the server answered 502 without a message");
  EXPECT_EQ(DecodeStatus(404, R"({"error":"no such page"})").message,
            R"({"error":"no such page"})");
  EXPECT_EQ(DecodeStatus(500, R"({"kind":"Status","message":"cut of)").reason,
            ErrorReason::kInternalError);
}

TEST(DecodeStatusTest, TruncatesLongTextAtCharacter) {
  EXPECT_EQ(DecodeStatus(500, std::string(5000, 'x')).message.size(), 2048U);
  const std::string text = std::string(2047, 'x') + "\xe2\x82\xac";
  EXPECT_EQ(DecodeStatus(500, text).message, std::string(2047, 'x'));
}

TEST(DecodeStatusTest, AcceptsHostileBodies) {
  EXPECT_EQ(DecodeStatus(500, std::string(1'000'000, '[')).message, std::string(2048, '['));
  EXPECT_EQ(
      DecodeStatus(500, R"({"kind":"Status","details":{"retryAfterSeconds":-5}})").retry_after,
      std::nullopt);
  EXPECT_EQ(
      DecodeStatus(500, R"({"kind":"Status","details":{"causes":[7,null,{}]},"code":"x"})").reason,
      ErrorReason::kInternalError);
  EXPECT_EQ(DecodeStatus(500, R"({"kind":"Status","details":"text","message":{}})").message,
            "the server answered 500 without a message");
}

}  // namespace
}  // namespace capstan::runtime
