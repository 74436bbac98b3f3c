// SPDX-License-Identifier: Apache-2.0
// What the client reads from protobuf must be what it reads from JSON, for every projection and
// every split of the bytes.
#include "clientgo/testing/apiserver/types/protobuf_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "capstan/runtime/json_filter.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

using runtime::FrameFilter;
using runtime::Projection;
using runtime::ProtobufFilter;
using ::testing::HasSubstr;

std::unique_ptr<runtime::JsonDocument> Parse(std::string_view json) {
  std::string error;
  return ParseJson(json, &error);
}

struct Read {
  std::vector<std::string> frames = {};
  std::vector<std::string> exceeded = {};
  std::string error = {};
};

// Feeds `body` in pieces of `size` bytes.
Read ReadAll(FrameFilter& filter, std::string_view body, std::size_t size) {
  Read read;
  const auto take = [&] {
    read.frames.emplace_back(filter.frame(), filter.frame_size());
    read.exceeded.push_back(filter.exceeded());
  };
  while (!body.empty()) {
    std::string_view piece = body.substr(0, size);
    body.remove_prefix(piece.size());
    while (!piece.empty()) {
      const auto taken = filter.Feed(piece);
      if (!taken) {
        read.error = taken.error().message;
        return read;
      }
      piece.remove_prefix(*taken);
      if (filter.HasFrame()) take();
    }
  }
  const std::size_t before = filter.frames();
  const auto finished = filter.Finish();
  if (!finished) read.error = finished.error().message;
  if (filter.frames() != before) take();
  return read;
}

Read FromProtobuf(std::string_view body, const Projection& projection,
                  FrameFilter::Options options = {},
                  ProtobufFilter::Stream stream = ProtobufFilter::Stream::kBody) {
  ProtobufFilter whole(projection, stream, options);
  Read expected = ReadAll(whole, body, std::string_view::npos);
  for (const std::size_t size : {1U, 2U, 3U, 7U, 16U, 100U}) {
    ProtobufFilter filter(projection, stream, options);
    const Read read = ReadAll(filter, body, size);
    EXPECT_EQ(read.frames, expected.frames) << size;
    EXPECT_EQ(read.exceeded, expected.exceeded) << size;
    EXPECT_EQ(read.error.empty(), expected.error.empty()) << read.error << expected.error;
  }
  return expected;
}

std::vector<std::string> FromJson(std::string_view body, const Projection& projection,
                                  FrameFilter::Options options = {}) {
  runtime::JsonFilter filter(projection, options);
  return ReadAll(filter, body, std::string_view::npos).frames;
}

// Calls `visit` for each object in `root`, an outer one first.
template <class Visit>
void ForEachObject(runtime::JsonValue& root, const Visit& visit) {
  std::vector<runtime::JsonValue*> open{&root};
  while (!open.empty()) {
    runtime::JsonValue& top = *open.back();
    open.pop_back();
    if (top.IsArray()) {
      for (auto& element : top.GetArray()) open.push_back(&element);
    }
    if (!top.IsObject()) continue;
    visit(top);
    for (runtime::rapidjson::SizeType i = 0; i < top.MemberCount(); ++i) {
      open.push_back(&top.MemberBegin()[i].value);
    }
  }
}

// Members in any order.
std::string Sorted(std::string_view json) {
  const auto value = Parse(json);
  if (value == nullptr) return "invalid: " + std::string(json);
  ForEachObject(*value, [](runtime::JsonValue& object) {
    std::sort(object.MemberBegin(), object.MemberEnd(), [](const auto& a, const auto& b) {
      return runtime::ToView(a.name) < runtime::ToView(b.name);
    });
  });
  return runtime::ToJson(*value);
}

constexpr std::string_view kPod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p",
  "namespace":"ns","uid":"u1","resourceVersion":"12","creationTimestamp":"2026-01-02T03:04:05Z",
  "labels":{"a":"b","ü":"\"\\\u0001x"},"annotations":{"k8s.io/initial-events-end":"true","z":""},
  "ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u2","controller":true}],
  "managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1",
  "time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:a":{}}}}]},
  "spec":{"volumes":[{"name":"v","secret":{"secretName":"s","items":[{"key":"k","path":"p",
  "mode":420}]}}],"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"100m"}},
  "livenessProbe":{"httpGet":{"path":"/x","port":8080}},"command":["a","b"]},
  {"name":"d","resources":{},"readinessProbe":{"httpGet":{"path":"/y","port":"http"}}}],
  "terminationGracePeriodSeconds":0,"priority":-5,"nodeName":"node"},
  "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True",
  "lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:05Z"}]}})";

constexpr std::string_view kDefinition = R"({"kind":"CustomResourceDefinition",
  "apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"x"},"spec":{"group":"g",
  "names":{"plural":"xs","kind":"X"},"scope":"Namespaced","versions":[{"name":"v1","served":true,
  "storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
  "properties":{"a":{"type":"integer","minimum":1.5,"default":{"x":[1,null]}},
  "b":{"type":"array","items":{"type":"string"}},"c":{"type":"object",
  "additionalProperties":{"type":"string"}},"d":{"additionalProperties":false}}}},
  "enum":[1,"a",null]}}}]},"status":{}})";

constexpr std::string_view kSecret = R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},
  "data":{"ca.crt":"AAEC/w==","tls.key":"eA==","empty":""},"type":"Opaque"})";

const FrameFilter::Options kList = {.framing = FrameFilter::Framing::kList,
                                    .identity = &runtime::IdentityProjection()};

std::vector<Projection> Projections() {
  return {Projection::All(),
          {{"metadata", "name"}},
          {{"kind"}, {"metadata", "annotations", "k8s.io/initial-events-end"}},
          {{"spec", "containers", "name"}, {"spec", "volumes", "secret"}},
          {{"status", "conditions", "type"}, {"metadata", "managedFields"}},
          {{"spec", "containers", "resources"}, {"spec", "priority"}, {"metadata", "labels"}},
          {{"data", "ca.crt"}, {"type"}},
          {{"spec", "versions", "schema", "openAPIV3Schema", "properties"}},
          {{"spec", "versions", "name"}, {"spec", "names"}}};
}

// Go writes values that are no pointers also when they are empty, and so does the filter. JSON from
// a server has them, but these texts do not. So both are compared without empty values.
std::string Compared(std::string_view json) {
  std::string text = Sorted(json);
  const std::string_view empties[] = {"null", "\"\"", "{}", "[]", "0", "false"};
  bool changed = true;
  while (std::exchange(changed, false)) {
    const auto value = Parse(text);
    ForEachObject(*value, [&](runtime::JsonValue& object) {
      for (auto member = object.MemberBegin(); object.MemberEnd() - member > 0;) {
        const std::string one = runtime::ToJson(member->value);
        const bool empty =
            std::find(std::begin(empties), std::end(empties), one) != std::end(empties);
        member = empty ? object.EraseMember(member) : member + 1;
        changed = changed || empty;
      }
    });
    text = runtime::ToJson(*value);
  }
  return text;
}

TEST(ProtobufEncoderTest, ReadsObjectsAsFromJson) {
  for (const std::string_view json : {kPod, kDefinition, kSecret}) {
    const std::string body = ProtobufFromText(json);
    ASSERT_FALSE(body.empty());
    for (const Projection& projection : Projections()) {
      const Read read = FromProtobuf(body, projection);
      ASSERT_EQ(read.error, "");
      ASSERT_EQ(read.frames.size(), 1U);
      EXPECT_EQ(Compared(read.frames.front()), Compared(FromJson(json, projection).front()));
    }
  }
}

std::string Slurp(const std::string& name) {
  std::ifstream file(std::string(TESTDATA_DIR "/protobuf/") + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// testdata/protobuf has responses of kube-apiserver 1.37.2 in both encodings.
TEST(ProtobufEncoderTest, ReadsAndWritesTheBytesOfKubeApiserver) {
  for (const std::string name :
       {"pod", "service", "priority_level", "cluster_role", "api_service", "not_found"}) {
    const std::string protobuf = Slurp(name + ".pb");
    const std::string json = Slurp(name + ".json");
    EXPECT_EQ(ProtobufFromText(json), protobuf) << name;
    const Read read = FromProtobuf(protobuf, Projection::All());
    ASSERT_EQ(read.frames.size(), 1U) << name << read.error;
    // A list that is nil in Go is null in its JSON, and missing in protobuf.
    std::string expected = Sorted(json);
    if (name == "cluster_role")
      expected = Sorted(expected.replace(expected.find(R"(,"rules":null)"), 13, ""));
    EXPECT_EQ(Sorted(read.frames.front()), expected);
  }
  const Read list = FromProtobuf(Slurp("namespaces.pb"), Projection::All(), kList);
  const Projection all = Projection::All();
  runtime::JsonFilter filter(all, kList);
  const Read expected = ReadAll(filter, Slurp("namespaces.json"), std::string_view::npos);
  ASSERT_EQ(list.frames.size(), expected.frames.size()) << list.error;
  for (std::size_t i = 0; i < list.frames.size(); ++i) {
    EXPECT_EQ(Sorted(list.frames[i]), Sorted(expected.frames[i]));
  }
  const Read watch =
      FromProtobuf(Slurp("watch.pb"), Projection::All(), {}, ProtobufFilter::Stream::kWatch);
  ASSERT_EQ(watch.frames.size(), 1U) << watch.error;
  EXPECT_EQ(Sorted(watch.frames.front()), Sorted(Slurp("watch.json")));
}

TEST(ProtobufEncoderTest, KeepsZeroValuesOfPointersOnly) {
  const Read read = FromProtobuf(ProtobufFromText(kPod), {{"spec", "terminationGracePeriodSeconds"},
                                                          {"spec", "hostNetwork"},
                                                          {"metadata", "generateName"}});
  EXPECT_THAT(read.frames.front(), HasSubstr(R"("terminationGracePeriodSeconds":0)"));
  EXPECT_EQ(read.frames.front().find("hostNetwork"), std::string::npos);
  EXPECT_EQ(read.frames.front().find("generateName"), std::string::npos);
}

std::string ListOf(const std::vector<std::string_view>& items) {
  std::string encoded;
  for (const std::string_view item : items) {
    encoded += EncodeListItem(*runtime::FindMessage("v1", "Secret"), *Parse(item));
  }
  return EncodeListHead(*Parse(R"({"kind":"SecretList","apiVersion":"v1","metadata":)"
                               R"({"resourceVersion":"7","continue":"c"}})"),
                        encoded.size()) +
         encoded + std::string(kProtobufTail);
}

TEST(ProtobufEncoderTest, ReadsListsItemByItem) {
  const runtime::WireProjection secret = {{"data", "ca.crt"}};
  const Read read = FromProtobuf(ListOf({kSecret, kSecret}), secret.list(), kList);
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.frames.size(), 3U);
  EXPECT_EQ(read.frames[0], R"({"metadata":{"name":"s"},"data":{"ca.crt":"AAEC/w=="}})");
  EXPECT_EQ(read.frames[1], read.frames[0]);
  EXPECT_EQ(read.frames[2], R"({"kind":"SecretList","metadata":{"resourceVersion":"7",)"
                            R"("continue":"c"},"items":[]})");
  const Read empty = FromProtobuf(ListOf({}), secret.list(), kList);
  ASSERT_EQ(empty.frames.size(), 1U);
  EXPECT_EQ(empty.frames[0], read.frames[2]);
}

TEST(ProtobufEncoderTest, ReadsWatchEvents) {
  const runtime::WireProjection secret = {{"data", "ca.crt"}};
  const std::string object = ProtobufFromText(kSecret);
  const std::string status = ProtobufFromText(
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Expired",)"
      R"("code":410})");
  const Read read = FromProtobuf(
      EncodeWatchEvent("ADDED", object) + EncodeWatchEvent("ERROR", status), secret.watch(),
      {.identity = &runtime::WatchIdentityProjection()}, ProtobufFilter::Stream::kWatch);
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.frames.size(), 2U);
  EXPECT_EQ(read.frames[0], R"({"type":"ADDED","object":{"kind":"Secret","metadata":{"name":"s"},)"
                            R"("data":{"ca.crt":"AAEC/w=="}}})");
  EXPECT_EQ(read.frames[1],
            R"({"type":"ERROR","object":{"kind":"Status","metadata":{},"reason":"Expired",)"
            R"("code":410}})");
}

TEST(ProtobufEncoderTest, ReducesAnItemBeyondALimitToItsIdentity) {
  const runtime::WireProjection secret = {{"data"}};
  FrameFilter::Options options = kList;
  options.frame_bytes_max = 80;
  const std::string large = R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"large"},)"
                            R"("data":{"a":"eA==","b":")" +
                            std::string(400, 'A') + R"("}})";
  const Read read = FromProtobuf(ListOf({kSecret, large, kSecret}), secret.list(), options);
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.frames.size(), 4U);
  EXPECT_EQ(read.exceeded[0], "");
  EXPECT_EQ(read.exceeded[1], "more than 80 bytes kept of one value");
  EXPECT_EQ(read.frames[1], R"({"metadata":{"name":"large"}})");
  EXPECT_EQ(read.frames[2], read.frames[0]);
}

TEST(ProtobufEncoderTest, SkipsAMalformedItem) {
  const runtime::WireProjection secret = {{"data"}};
  std::string list = ListOf({kSecret, kSecret, kSecret});
  // The length of the second item's first entry lies.
  const std::size_t first = list.find("ca.crt");
  const std::size_t second = list.find("ca.crt", first + 1);
  list[second - 1] = '\x70';
  const Read read = FromProtobuf(list, secret.list(), kList);
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.frames.size(), 4U);
  EXPECT_EQ(read.exceeded[1], "bad protobuf: proto: malformed map entry");
  EXPECT_EQ(read.frames[1], R"({"metadata":{"name":"s"}})");
  EXPECT_EQ(read.frames[2], read.frames[0]);
}

TEST(ProtobufEncoderTest, SurvivesEveryTruncationAndEveryChangedByte) {
  const std::string pod = ProtobufFromText(kPod);
  const Projection all = Projection::All();
  for (std::size_t i = 0; i < pod.size(); ++i) {
    const Read read = FromProtobuf(std::string_view(pod).substr(0, i), all);
    EXPECT_TRUE(i < 10 || !read.error.empty() || read.frames.size() == 1U) << i;
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = pod;
    changed[random() % changed.size()] = static_cast<char>(random());
    ProtobufFilter filter(all, ProtobufFilter::Stream::kBody, {});
    const Read read = ReadAll(filter, changed, 1 + random() % 64);
    for (const std::string& frame : read.frames) {
      EXPECT_NE(Parse(frame), nullptr) << frame;
    }
  }
}

}  // namespace
}  // namespace capstan::testing::apiserver
