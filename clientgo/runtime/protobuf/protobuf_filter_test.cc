// SPDX-License-Identifier: Apache-2.0
// ProtobufFilter on bytes that Kubernetes writes, and on bytes that nobody should write. Its frames
// beside those of JSON, and beside kube-apiserver's answers, are compared by ProtobufEncoderTest,
// and beside Go's decoder by hack/fuzz --against-go protobuf.
#include "clientgo/runtime/protobuf/protobuf_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "clientgo/runtime/testing/frames.h"
#include "clientgo/runtime/testing/protobuf_bytes.h"

namespace capstan::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Returns what the filter makes of a stream, however it is split.
Recording Read(const Projection& projection, std::string_view bytes,
               FrameFilter::Options options = {},
               ProtobufFilter::Stream stream = ProtobufFilter::Stream::kBody) {
  const auto read = [&](const std::vector<std::string_view>& pieces) {
    ProtobufFilter filter(projection, stream, options);
    return Frames(filter, pieces);
  };
  Recording whole = read({bytes});
  EXPECT_EQ(read(SingleBytes(bytes)), whole);
  EXPECT_EQ(read(Split(bytes)), whole);
  return whole;
}

// Returns the whole object as JSON, or the error.
std::string Decoded(std::string_view api_version, std::string_view kind, std::string_view raw) {
  const std::string object = Envelope(api_version, kind, raw);
  const Recording recording = Read(Projection::All(), object);
  const auto json = JsonOf(object);
  EXPECT_EQ(json.has_value(), recording.error.empty());
  if (!json) return "error: " + json.error().message;
  EXPECT_THAT(recording.frames, ElementsAre(*json));
  return *json;
}

TEST(ProtobufFilterTest, DecodesMapsBytesAndStrings) {
  EXPECT_EQ(Decoded("v1", "Secret",
                    Bytes(1, Bytes(1, "s") + Bytes(2, "") + Entry(11, "app", "x")) +
                        Entry(2, "key", "\x01\xff") + Bytes(3, "Opaque") + Number(5, 0)),
            R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","labels":{"app":"x"}},)"
            R"("data":{"key":"Af8="},"type":"Opaque","immutable":false})");
}

TEST(ProtobufFilterTest, DecodesNumbersQuantitiesAndIntOrString) {
  const std::string resources = Bytes(1, Bytes(1, "cpu") + Bytes(2, Bytes(1, "100m")));
  const std::string probe =
      Bytes(1, Bytes(2, Bytes(1, "/x") + Bytes(2, Number(1, 0) + Number(2, 8080))));
  const std::string container = Bytes(1, "c") + Bytes(8, resources) + Bytes(10, probe);
  EXPECT_EQ(Decoded("v1", "Pod",
                    Bytes(2, Bytes(2, container) +
                                 Number(4, static_cast<std::uint64_t>(std::int64_t{-5})))),
            R"({"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"name":"c","resources":)"
            R"({"limits":{"cpu":"100m"}},"livenessProbe":{"httpGet":{"path":"/x","port":8080}}}],)"
            R"("terminationGracePeriodSeconds":-5}})");
}

TEST(ProtobufFilterTest, DecodesFieldsOfInlinedMessages) {
  // A Volume's source is a message in protobuf, and members of the volume in JSON.
  const std::string volume = Bytes(1, "v") + Bytes(2, Bytes(6, Bytes(1, "s")));
  EXPECT_EQ(Decoded("v1", "Pod", Bytes(2, Bytes(1, volume))),
            R"({"kind":"Pod","apiVersion":"v1","spec":{"volumes":[{"name":"v",)"
            R"("secret":{"secretName":"s"}}]}})");
}

TEST(ProtobufFilterTest, DecodesTimes) {
  const std::string time = Number(1, 1767323045) + Number(2, 6000);
  EXPECT_EQ(
      Decoded("coordination.k8s.io/v1", "Lease",
              Bytes(1, Bytes(1, "l") + Bytes(8, "") + Bytes(9, time)) + Bytes(2, Bytes(4, time))),
      R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l",)"
      R"("deletionTimestamp":"2026-01-02T03:04:05Z"},)"
      R"("spec":{"renewTime":"2026-01-02T03:04:05.000006Z"}})");
}

TEST(ProtobufFilterTest, DecodesJsonSchemaUnions) {
  const std::string list = Bytes(24, Bytes(2, Bytes(5, "string")));
  const std::string any = Bytes(30, Number(1, 1));
  const std::string fallback = Bytes(8, Bytes(1, R"({"a":1})"));
  EXPECT_EQ(Decoded("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                    Bytes(2, Bytes(7, Bytes(4, Bytes(1, list + any + fallback))))),
            R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1",)"
            R"("spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":[{"type":"string"}],)"
            R"("additionalProperties":true,"default":{"a":1}}}}]}})");
}

TEST(ProtobufFilterTest, SkipsUnknownFields) {
  EXPECT_EQ(Decoded("v1", "ConfigMap", Number(99, 7) + Bytes(98, "x") + Entry(2, "k", "v")),
            R"({"kind":"ConfigMap","apiVersion":"v1","data":{"k":"v"}})");
}

TEST(ProtobufFilterTest, SkipsGroupsOfAnyDepth) {
  std::string group = Group(200, Number(1, 1) + Bytes(2, "x"));
  for (int i = 0; i < 10'000; ++i) group.insert(0, Varint(3)).append(Varint(4));
  EXPECT_EQ(Decoded("v1", "ConfigMap", Group(201, group) + Number(4, 1)),
            R"({"kind":"ConfigMap","apiVersion":"v1","immutable":true})");
  EXPECT_THAT(Decoded("v1", "ConfigMap", Varint((201U << 3U) | 3U)), EndsWith("unexpected EOF"));
  EXPECT_THAT(Decoded("v1", "ConfigMap", Varint((201U << 3U) | 4U)),
              EndsWith("end of a group without its begin"));
}

TEST(ProtobufFilterTest, ReadsListsOfNumbersPackedAndUnpacked) {
  const auto pod = [](std::string_view groups) {
    return Decoded("v1", "Pod", Bytes(2, Bytes(14, groups)));
  };
  constexpr char kGroups[] = R"({"kind":"Pod","apiVersion":"v1",)"
                             R"("spec":{"securityContext":{"supplementalGroups":[1,300]}}})";
  EXPECT_EQ(pod(Number(4, 1) + Number(4, 300)), kGroups);
  EXPECT_EQ(pod(Bytes(4, Varint(1) + Varint(300))), kGroups);
  EXPECT_EQ(pod(Bytes(4, Varint(1)) + Number(4, 300)), kGroups);
  EXPECT_THAT(pod(Bytes(4, "\x80")), EndsWith("unexpected EOF"));
}

TEST(ProtobufFilterTest, MergesFieldsInAnyOrder) {
  EXPECT_EQ(Decoded("v1", "Pod",
                    Bytes(2, Bytes(10, "n")) + Bytes(1, Bytes(1, "a")) + Bytes(2, Bytes(8, "s")) +
                        Bytes(1, Bytes(1, "b"))),
            R"({"kind":"Pod","apiVersion":"v1","spec":{"nodeName":"n","serviceAccountName":"s"},)"
            R"("metadata":{"name":"b"}})");
}

TEST(ProtobufFilterTest, ReadsMapEntriesInAnyOrder) {
  EXPECT_EQ(Decoded("v1", "ConfigMap",
                    Bytes(2, Bytes(2, "v") + Bytes(1, "k")) + Bytes(2, Bytes(2, "")) +
                        Bytes(2, Bytes(1, "empty"))),
            R"({"kind":"ConfigMap","apiVersion":"v1","data":{"k":"v","":"","empty":""}})");
}

TEST(ProtobufFilterTest, ReadsTimesOfAllYears) {
  const auto created = [](std::int64_t seconds) {
    return Decoded("v1", "Pod", Bytes(1, Bytes(8, Number(1, static_cast<std::uint64_t>(seconds)))));
  };
  EXPECT_THAT(created(253'402'300'799), HasSubstr("9999-12-31T23:59:59Z"));
  EXPECT_THAT(created(-62'167'219'200), HasSubstr("0000-01-01T00:00:00Z"));
  EXPECT_THAT(created(253'402'300'800), EndsWith("a year that is not 0 to 9999"));
}

TEST(ProtobufFilterTest, DropsWhatIsNotKeptWithoutALookAtIt) {
  const Projection name = {{"metadata", "name"}};
  const std::string pod = Envelope("v1", "Pod", Bytes(1, Bytes(1, "a")) + Bytes(2, "\xff\xff"));
  EXPECT_THAT(Read(name, pod).frames, ElementsAre(R"({"metadata":{"name":"a"}})"));
}

TEST(ProtobufFilterTest, QuotesAnUnknownKind) {
  EXPECT_THAT(Decoded("example.com/v1", "Fo\no", ""),
              EndsWith(R"(the fields of the kind "Fo\no" of "example.com/v1" are not known)"));
  EXPECT_THAT(Decoded("a/b/v1", "Status", ""), EndsWith(R"(of "a/b/v1" are not known)"));
  EXPECT_THAT(Decoded("", "Status", ""), EndsWith(R"(of "" are not known)"));
}

TEST(ProtobufFilterTest, LimitsTheDepth) {
  static const Projection identity = {{"metadata", "name"}};
  std::string schema = Bytes(5, "object");
  for (int i = 0; i < 10'000; ++i) schema = Bytes(28, schema);  // not: {not: {..}}
  const std::string deep =
      Envelope("apiextensions.k8s.io/v1", "CustomResourceDefinition",
               Bytes(1, Bytes(1, "d")) + Bytes(2, Bytes(7, Bytes(4, Bytes(1, schema)))));

  EXPECT_THAT(Read(Projection::All(), deep).error, EndsWith("nested deeper than 256 levels"));
  EXPECT_THAT(Read(Projection::All(), deep, {.identity = &identity}).frames,
              ElementsAre(R"({"metadata":{"name":"d"}} nested deeper than 256 levels)"));
}

TEST(ProtobufFilterTest, ReducesAnObjectWhoseFirstFieldIsMalformed) {
  static const Projection identity = {{"metadata", "name"}};
  for (const std::string& raw : {Number(1, 1), std::string("\x07"), Bytes(1, "\x08")}) {
    EXPECT_THAT(Read(Projection::All(), Envelope("v1", "Pod", raw), {.identity = &identity}).frames,
                ElementsAre(StartsWith("{")))
        << raw;
  }
}

TEST(ProtobufFilterTest, LimitsTheDepthOfRawJson) {
  std::string json = "1";
  for (int i = 0; i < 300; ++i) json.insert(0, "[").append("]");
  EXPECT_THAT(Decoded("apps/v1", "ControllerRevision", Bytes(2, Bytes(1, json))),
              HasSubstr("nested deeper than 25"));
}

TEST(ProtobufFilterTest, RefusesLengthsThatLie) {
  const std::string four_gigabytes = Varint((1U << 3U) | 2U) + Varint(0xffffffffU) + "x";
  EXPECT_THAT(Decoded("v1", "Pod", four_gigabytes), EndsWith("unexpected EOF"));
  EXPECT_THAT(Read(Projection::All(), "\xff\xff\xff\xff", {}, ProtobufFilter::Stream::kWatch).error,
              HasSubstr("an event of 4294967295 bytes"));
}

TEST(ProtobufFilterTest, EachEventHasItsOwnKind) {
  const std::string events = WatchEvent("ADDED", Envelope("v1", "Pod", Bytes(1, Bytes(1, "a")))) +
                             WatchEvent("ERROR", std::string("k8s\0", 4) + Bytes(2, ""));
  const Recording recording = Read(Projection::All(), events, {}, ProtobufFilter::Stream::kWatch);
  EXPECT_THAT(recording.frames, ElementsAre(HasSubstr(R"("kind":"Pod")")));
  EXPECT_THAT(recording.error, EndsWith(R"(the fields of the kind "" of "" are not known)"));
}

// The differences from Go that docs/differences.md lists.

TEST(ProtobufFilterTest, ReadsEmptyRawJsonAsNull) {
  EXPECT_EQ(Decoded("apps/v1", "ControllerRevision", Bytes(2, Bytes(1, ""))),
            R"({"kind":"ControllerRevision","apiVersion":"apps/v1","data":null})");
}

TEST(ProtobufFilterTest, NeedsTheKindBeforeTheObject) {
  const std::string object =
      std::string("k8s\0", 4) + Bytes(2, "") + Bytes(1, Bytes(1, "v1") + Bytes(2, "Pod"));
  EXPECT_THAT(Read(Projection::All(), object).error, EndsWith(R"(of "" are not known)"));
}

TEST(ProtobufFilterTest, NeedsAnObjectInTheEnvelope) {
  const std::string object = std::string("k8s\0", 4) + Bytes(1, Bytes(1, "v1") + Bytes(2, "Pod"));
  EXPECT_THAT(Read(Projection::All(), object).error, HasSubstr("stream ended inside"));
}

TEST(ProtobufFilterTest, RefusesMalformedMapEntries) {
  for (const std::string_view entry :
       {"\x0a\x01k\x12\x05v", "\x0a\x05k", "\x0a\x01k\x12\x01v\x0a\x01j", "\x12\x05v"}) {
    EXPECT_THAT(Decoded("v1", "ConfigMap", Bytes(2, entry)), EndsWith("malformed map entry"));
  }
}

TEST(ProtobufFilterTest, LeavesOutMissingFields) {
  EXPECT_EQ(Decoded("v1", "Service", ""), R"({"kind":"Service","apiVersion":"v1"})");
}

TEST(ProtobufFilterTest, AListOverridesASchemaInAnyOrder) {
  const std::string schema = Bytes(1, Bytes(5, "string"));
  const std::string list = Bytes(2, Bytes(5, "integer"));
  const auto items = [](std::string_view items) {
    return Decoded("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                   Bytes(2, Bytes(7, Bytes(4, Bytes(1, Bytes(24, items))))));
  };
  EXPECT_THAT(items(schema + list), HasSubstr(R"("items":[{"type":"integer"}])"));
  EXPECT_THAT(items(list + schema), HasSubstr(R"("items":[{"type":"integer"}])"));
  EXPECT_THAT(items(schema), HasSubstr(R"("items":{"type":"string"})"));
}

TEST(ProtobufFilterTest, LastOfARepeatedValueCounts) {
  EXPECT_EQ(Decoded("apps/v1", "ControllerRevision", Bytes(2, Bytes(1, "{}")) + Bytes(2, "")),
            R"({"kind":"ControllerRevision","apiVersion":"apps/v1","data":null})");
}

}  // namespace
}  // namespace capstan::runtime
