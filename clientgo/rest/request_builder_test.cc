// SPDX-License-Identifier: Apache-2.0
// The namespace, name and subresource in the path of a request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capstan/api/status.h"
#include "clientgo/rest/testing/client_fixture.h"

namespace capstan::rest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

runtime::ResourceType MakeType(std::string kind, std::string resource, bool namespaced) {
  runtime::ResourceType type = kSecretType;
  type.gvr = {"", "v1", std::move(resource)};
  type.kind = std::move(kind);
  type.namespaced = namespaced;
  return type;
}

const runtime::ResourceType kPodType = MakeType("Pod", "pods", true);
const runtime::ResourceType kNodeType = MakeType("Node", "nodes", false);
const runtime::ResourceType kScaleType = MakeType("Scale", "scale", true);

struct RequestBuilderTest : ClientFixture {
  // Returns the error of each verb for an object, and of those for a collection if `collections`.
  std::vector<Error> ErrorsFor(const runtime::ResourceType& type, const runtime::ObjectKey& key,
                               bool collections) {
    std::vector<Error> errors;
    const auto note = [&](const auto& result) {
      errors.push_back(result ? Error{.message = "sent"} : result.error());
    };
    note(client_->Get({}, type, key));
    note(client_->Update({}, type, key, "{}"));
    note(client_->Patch({}, type, key, PatchType::kMerge, "{}"));
    note(client_->Delete({}, type, key));
    note(client_->Create({}, type, key.namespace_, "{}",
                         {.subresource = "eviction", .name = key.name}));
    if (!collections) return errors;
    note(client_->Create({}, type, key.namespace_, "{}"));
    note(client_->List({}, type, {.namespace_ = key.namespace_}, [](const auto&) {}));
    note(client_->Watch({}, type, {.namespace_ = key.namespace_}));
    return errors;
  }
  void ExpectRejected(const std::vector<Error>& errors, const std::string& why) {
    for (const Error& error : errors) {
      EXPECT_EQ(error.reason, ErrorReason::kInvalidArgument);
      EXPECT_THAT(error.message, AllOf(StartsWith("invalid request for "), HasSubstr(why)));
    }
    EXPECT_TRUE(transport_->requests().empty()) << "sent " << transport_->requests()[0].target;
  }
};

TEST_F(RequestBuilderTest, RejectsNameThatWouldChangePath) {
  Start();
  for (const char* name : {".", "..", "a/b", "a%2Fb", "../../nodes/n"}) {
    ExpectRejected(ErrorsFor(kSecretType, {"ns", name}, false), "the name \"");
  }
  ExpectRejected(ErrorsFor(kSecretType, {"ns", ""}, false), "the name must not be empty");
}

TEST_F(RequestBuilderTest, RejectsNamespaceThatWouldChangePathInEveryVerb) {
  Start();
  for (const char* ns : {".", "..", "a/b", "a%2Fb", "../../nodes"}) {
    ExpectRejected(ErrorsFor(kSecretType, {ns, "s"}, true), "the namespace \"");
  }
}

TEST_F(RequestBuilderTest, RejectsSubresourceThatWouldChangePath) {
  Start();
  for (const char* subresource : {"..", "status/../x"}) {
    const WriteOptions options{.subresource = subresource, .name = "s"};
    ExpectRejected({client_->Update({}, kSecretType, {"ns", "s"}, "{}", options).error(),
                    client_->Create({}, kSecretType, "ns", "{}", options).error()},
                   "the subresource \"");
  }
}

TEST_F(RequestBuilderTest, RejectsObjectOfNamespacedTypeWithoutNamespace) {
  Start();
  ExpectRejected(ErrorsFor(kSecretType, {"", "s"}, false), "the namespace must not be empty");
  ExpectRejected({client_->Create({}, kSecretType, "", "{}").error()},
                 "the namespace must not be empty");
}

TEST_F(RequestBuilderTest, ListsAllNamespacesAndReadsClusterScopedObjectsWithoutNamespace) {
  Start();
  transport_->Push({.chunks = {R"({"kind":"SecretList","metadata":{},"items":[]})"}});
  transport_->Push({.chunks = {R"({"kind":"Node","metadata":{"name":"n"}})"}});

  EXPECT_TRUE(client_->List({}, kSecretType, {}, [](const auto&) {}).has_value());
  EXPECT_TRUE(client_->Get({}, kNodeType, {"", "n"}).has_value());

  EXPECT_EQ(transport_->requests().at(0).target, "/api/v1/secrets");
  EXPECT_EQ(transport_->requests().at(1).target, "/api/v1/nodes/n");
}

TEST_F(RequestBuilderTest, CreatesSubresourceOfNamedObject) {
  Start();
  transport_->Push({.status = 201,
                    .chunks = {R"({"kind":"Status","apiVersion":"v1","metadata":{},)"
                               R"("status":"Success","code":201})"}});

  const auto evicted = client_->Create(
      {}, kPodType, "ns", "{}",
      {.subresource = "eviction", .name = "p", .answer_type = &api::Status::Type()});

  EXPECT_TRUE(evicted.has_value()) << evicted.error().message;
  EXPECT_EQ(transport_->requests().at(0).target, "/api/v1/namespaces/ns/pods/p/eviction");
}

TEST_F(RequestBuilderTest, RejectsNameWithoutSubresourceInCreate) {
  Start();
  ExpectRejected({client_->Create({}, kPodType, "ns", "{}", {.name = "p"}).error()},
                 "a name without a subresource is not supported");
}

TEST_F(RequestBuilderTest, DecodesResponseOfSubresourceWithItsOwnType) {
  Start();
  const std::string scale =
      R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"namespace":"ns","name":"d",)"
      R"("resourceVersion":"7"},"spec":{"replicas":3}})";
  transport_->Push({.chunks = {scale}});
  transport_->Push({.chunks = {scale}});

  const auto scaled = client_->Update({}, kPodType, {"ns", "d"}, "{}",
                                      {.subresource = "scale", .answer_type = &kScaleType});
  const auto patched = client_->Patch({}, kPodType, {"ns", "d"}, PatchType::kMerge, "{}",
                                      {.subresource = "scale", .answer_type = &kScaleType});

  ASSERT_TRUE(scaled.has_value()) << scaled.error().message;
  ASSERT_TRUE(patched.has_value()) << patched.error().message;
  EXPECT_EQ((*scaled)->resource_version(), "7");
  EXPECT_EQ(transport_->requests().at(0).target, "/api/v1/namespaces/ns/pods/d/scale");
}

TEST_F(RequestBuilderTest, ReturnsErrorOfRejectedEviction) {
  Start();
  transport_->Push({.status = 409,
                    .chunks = {R"({"kind":"Status","status":"Failure","reason":"Conflict",)"
                               R"("code":409,"message":"Cannot evict pod"})"}});

  const auto evicted = client_->Create(
      {}, kPodType, "ns", "{}",
      {.subresource = "eviction", .name = "p", .answer_type = &api::Status::Type()});

  ASSERT_FALSE(evicted.has_value());
  EXPECT_TRUE(IsConflict(evicted.error()));
}

TEST_F(RequestBuilderTest, DecodesResponseOfSubresourceWithTypeOfObjectByDefault) {
  Start();
  transport_->Push({.chunks = {kSecret}});

  EXPECT_TRUE(
      client_->Update({}, kSecretType, {"ns", "s"}, "{}", {.subresource = "status"}).has_value());
}

}  // namespace
}  // namespace capstan::rest
