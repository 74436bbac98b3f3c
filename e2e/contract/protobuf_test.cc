// SPDX-License-Identifier: Apache-2.0
// Tests of answers in protobuf: they say the same as those in JSON.
#include <utility>

#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;

constexpr const char* kProtobuf = "Accept: application/vnd.kubernetes.protobuf";
constexpr const char* kProtobufFirst =
    "Accept: application/vnd.kubernetes.protobuf,application/json";
constexpr const char* kMetadata =
    "Accept: application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
    "application/json";

// Returns the JSON of the object in `body`, with sorted members.
std::string ObjectIn(const Answer& answer) {
  EXPECT_THAT(answer.head, HasSubstr("application/vnd.kubernetes.protobuf"));
  const auto json = runtime::JsonOf(answer.body);
  return json ? Sorted(*json) : json.error().message;
}

// Protobuf has no empty lists: a ClusterRole without rules has "rules": null in JSON only.
std::string SortedWithoutNulls(std::string_view json) {
  runtime::JsonDocument object;
  object.Parse(json.data(), json.size());
  DropNulls(object);
  return Sorted(runtime::ToJson(object));
}

// Returns the JSON of each item of the list in `body`, with sorted members and without nulls.
std::vector<std::string> ItemsIn(std::string_view body) {
  static const auto all = runtime::Projection::All();
  using runtime::ProtobufFilter;
  ProtobufFilter filter(all, ProtobufFilter::Stream::kBody,
                        {.framing = runtime::FrameFilter::Framing::kList});
  std::vector<std::string> items;
  while (!body.empty()) {
    const auto taken = filter.Feed(body);
    if (!taken) return {taken.error().message};
    body.remove_prefix(*taken);
    if (filter.HasFrame() && filter.frame_type() == runtime::FrameFilter::FrameType::kItem) {
      items.push_back(SortedWithoutNulls({filter.frame(), filter.frame_size()}));
    }
  }
  return items;
}

class ProtobufTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    Post(Secrets(), R"({"metadata":{"name":"a","labels":{"l":"1"}},"stringData":{"k":"v"}})");
  }
};

TEST_F(ProtobufTest, ReturnsTheSameObjectAsJson) {
  EXPECT_EQ(ObjectIn(Get(Secrets("a"), {kProtobufFirst})), Sorted(Get(Secrets("a")).body));
}

TEST_F(ProtobufTest, ReturnsTheSameListsAsJson) {
  int compared = 0;
  for (const std::string version :
       {"/api/v1", "/apis/apps/v1", "/apis/batch/v1", "/apis/admissionregistration.k8s.io/v1",
        "/apis/apiextensions.k8s.io/v1", "/apis/apiregistration.k8s.io/v1",
        "/apis/coordination.k8s.io/v1", "/apis/discovery.k8s.io/v1",
        "/apis/flowcontrol.apiserver.k8s.io/v1", "/apis/networking.k8s.io/v1", "/apis/policy/v1",
        "/apis/rbac.authorization.k8s.io/v1", "/apis/scheduling.k8s.io/v1",
        "/apis/storage.k8s.io/v1"}) {
    const Answer discovery = Get(version);
    for (const auto& resource : ListAt(discovery.json, "resources").GetArray()) {
      const std::string path = version + "/" + std::string(runtime::GetString(resource, "name"));
      const Answer json = Get(path + "?limit=500");
      // What is not stored has no version, such as ComponentStatuses.
      if (json.code != 200 || json.items() == 0 || json.meta("resourceVersion").empty()) continue;
      const Answer protobuf = Get(path + "?limit=500&resourceVersionMatch=Exact&resourceVersion=" +
                                      std::string(json.meta("resourceVersion")),
                                  {kProtobufFirst});
      std::vector<std::string> items;
      for (const auto& item : ListAt(json.json, "items").GetArray()) {
        items.push_back(SortedWithoutNulls(runtime::ToJson(item)));
      }
      if (protobuf.head.find("protobuf") == std::string::npos) continue;  // a custom resource
      EXPECT_EQ(ItemsIn(protobuf.body), items) << path;
      ++compared;
    }
  }
  EXPECT_GE(compared, 2);  // Secrets and namespaces at least, and what the server has made itself
}

TEST_F(ProtobufTest, ReturnsMetadata) {
  const Answer json =
      Get(Secrets("a"), {"Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"});
  EXPECT_EQ(ObjectIn(Get(Secrets("a"), {kMetadata})), Sorted(json.body));
}

TEST_F(ProtobufTest, ReturnsErrorsInProtobuf) {
  EXPECT_EQ(ObjectIn(Get(Secrets("none"), {kProtobuf})),
            StatusText({.code = 404,
                        .reason = "NotFound",
                        .message = "secrets \"none\" not found",
                        .details = R"({"name":"none","kind":"secrets"})"}));
}

TEST_F(ProtobufTest, StoresAnObjectInProtobufAndReturnsItInJson) {
  // A ConfigMap "b" with data {"k": "v"}.
  const std::string body(
      "k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
      "ConfigMap\x12\x0d\x0a\x03\x0a\x01"
      "b\x12\x06\x0a\x01"
      "k\x12\x01v",
      36);
  const Answer created =
      Do("POST", ConfigMaps(), body, {"Content-Type: application/vnd.kubernetes.protobuf"});
  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(runtime::GetString(created.json["data"], "k"), "v");
}

class ProtobufWatchTest : public ProtobufTest {
 protected:
  // Returns the bytes of the stream of `path` until its timeout.
  std::string WatchBody(const std::string& path) const {
    return Get(path + "?watch=1&timeoutSeconds=1&resourceVersion=0", {kProtobufFirst}).body;
  }
};

TEST_F(ProtobufWatchTest, SendsEventsWithTheirLengths) {
  AwaitCache(Secrets(), Get(Secrets("a")).meta("resourceVersion"));
  static const auto all = runtime::Projection::All();
  runtime::ProtobufFilter filter(all, runtime::ProtobufFilter::Stream::kWatch, {});

  const std::string body = WatchBody(Secrets());
  const auto taken = filter.Feed(body);

  ASSERT_TRUE(taken.has_value()) << taken.error().message;
  ASSERT_TRUE(filter.HasFrame());
  EXPECT_EQ(Sorted({filter.frame(), filter.frame_size()}),
            Sorted(R"({"type":"ADDED","object":)" + Get(Secrets("a")).body + "}"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
