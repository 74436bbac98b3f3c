// SPDX-License-Identifier: Apache-2.0
// The requests of a Client<T>, and what does not compile.
#include "capstan/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "clientgo/client/testing/kinds.h"
#include "clientgo/rest/testing/client_fixture.h"

namespace capstan {
namespace {

using ::testing::HasSubstr;

template <class T>
concept CanCreate = requires(const Client<T>& client, const T& object) {
  client.Create({}, object);
};
template <class T>
concept CanUpdate = requires(const Client<T>& client, const T& object) {
  client.Update({}, object);
};
template <class T>
concept CanApply = requires(const Client<T>& client, const T& object) {
  client.Apply({}, object, {});
};
template <class T>
concept CanUpdateStatus = requires(const Client<T>& client, const T& object) {
  client.UpdateStatus({}, object);
};
template <class T>
concept CanEvict = requires(const Client<T>& client) {
  client.Evict({}, runtime::ObjectKey());
};

// Update of a kind that is declared in part would remove all other fields of the object.
static_assert(CanUpdate<testing::Foo> && CanUpdateStatus<testing::Foo> && CanCreate<testing::Foo> &&
              CanApply<testing::Foo>);
static_assert(CanCreate<testing::PartOfPod> && CanApply<testing::PartOfPod> &&
              CanEvict<testing::PartOfPod>);
static_assert(!CanUpdate<testing::PartOfPod> && !CanUpdateStatus<testing::PartOfPod> &&
              !CanEvict<testing::Foo>);
static_assert(!CanCreate<testing::ReadOnlyPod> && !CanUpdate<testing::ReadOnlyPod> &&
              !CanApply<testing::ReadOnlyPod>);
static_assert(CanUpdate<Unstructured> && CanUpdateStatus<Unstructured> && CanEvict<Unstructured>);
static_assert(!CanUpdateStatus<testing::ConfigMap>, "it declares no status");

constexpr char kFoo[] =
    R"({"apiVersion":"x.io/v1","kind":"Foo","metadata":{"name":"a","namespace":"ns","uid":"u",)"
    R"("resourceVersion":"7"},"spec":{"replicas":3},"status":{"ready":true}})";
constexpr char kItem[] = R"({"metadata":{"name":"a","namespace":"ns"},"spec":{"replicas":3}})";

struct TypedClientTest : rest::ClientFixture {
  TypedClientTest() { Start(); }
  void Push(std::string body, int status = 200) {
    transport_->Push({.status = status, .chunks = {std::move(body)}});
  }
  const std::string path_ = "/apis/x.io/v1/namespaces/ns/foos";
};

TEST_F(TypedClientTest, GetsObjectOfKind) {
  const Client<testing::Foo> foos(*client_);
  Push(kFoo);

  const auto foo = foos.Get({}, {"ns", "a"});

  ASSERT_TRUE(foo.has_value()) << foo.error().message;
  EXPECT_EQ((*foo)->spec.replicas, 3);
  EXPECT_TRUE((*foo)->status.ready);
  EXPECT_EQ((*foo)->resource_version(), "7");
  EXPECT_EQ(Last(), "GET " + path_ + "/a ");
}

TEST_F(TypedClientTest, ListsAllPages) {
  const Client<testing::Foo> foos(*client_);
  Push(R"({"kind":"FooList","metadata":{"resourceVersion":"9","continue":"t"},"items":[)" +
       std::string(kItem) + "]}");
  Push(R"({"kind":"FooList","metadata":{"resourceVersion":"9"},"items":[)" + std::string(kItem) +
       "," + kItem + "]}");

  const auto list = foos.List({}, {.namespace_ = "ns", .label_selector = "a=b"});

  ASSERT_TRUE(list.has_value()) << list.error().message;
  ASSERT_EQ(list->size(), 3U);
  EXPECT_EQ(list->at(2)->spec.replicas, 3);
  EXPECT_EQ(Last(), "GET " + path_ + "?labelSelector=a%3Db&limit=500&continue=t ");
}

TEST_F(TypedClientTest, ListsOnePage) {
  const Client<testing::Foo> foos(*client_);
  Push(R"({"kind":"FooList","metadata":{"resourceVersion":"9","continue":"t"},"items":[)" +
       std::string(kItem) + "]}");

  const auto page = foos.ListPage({}, {.namespace_ = "ns", .limit = 1});

  ASSERT_TRUE(page.has_value()) << page.error().message;
  EXPECT_EQ(page->items.size(), 1U);
  EXPECT_EQ(page->meta.continue_token, "t");
}

TEST_F(TypedClientTest, FailsListWithObjectThatCannotBeDecoded) {
  const Client<testing::Foo> foos(*client_);
  Push(R"({"kind":"FooList","metadata":{},"items":[)" + std::string(kItem) +
       R"(,{"metadata":{"name":"b","namespace":"ns"},"spec":{"replicas":"x"}}]})");

  const auto list = foos.List({});

  ASSERT_FALSE(list.has_value());
  EXPECT_EQ(list.error().reason, ErrorReason::kDecode);
  EXPECT_THAT(list.error().message,
              HasSubstr("failed to decode 1 of 2 foos, such as: bad Foo ns/b: spec.replicas: "));
}

TEST_F(TypedClientTest, WritesWholeObjects) {
  const Client<testing::Foo> foos(*client_);
  testing::Foo foo = testing::NewFoo("a");
  const std::string body = ToJson(foo);
  for (int i = 0; i < 4; ++i) Push(kFoo);

  EXPECT_TRUE(foos.Create({}, foo, {.field_manager = "me", .dry_run = true}));
  EXPECT_EQ(Last(), "POST " + path_ + "?fieldManager=me&dryRun=All " + body);
  EXPECT_TRUE(foos.Update({}, foo, {.field_validation = rest::FieldValidation::kStrict}));
  EXPECT_EQ(Last(), "PUT " + path_ + "/a?fieldValidation=Strict " + body);
  EXPECT_TRUE(foos.UpdateStatus({}, foo));
  EXPECT_EQ(Last(), "PUT " + path_ + "/a/status " + body);
  const auto cached = MakeTypedObject(foo);
  EXPECT_TRUE(foos.Update({}, *cached));
  EXPECT_EQ(Last(), "PUT " + path_ + "/a " + body);
}

TEST_F(TypedClientTest, SendsPatchWithItsType) {
  const Client<testing::Foo> foos(*client_);
  const auto content_type = [&] {
    const auto request = transport_->requests().back();
    return std::string(transport::FindHeader(request.headers, "Content-Type"));
  };
  for (int i = 0; i < 4; ++i) Push(kFoo);

  EXPECT_TRUE(foos.Patch({}, {"ns", "a"}, Patch::Json("[]")));
  EXPECT_EQ(content_type(), "application/json-patch+json");
  EXPECT_TRUE(foos.Patch({}, {"ns", "a"}, Patch::StrategicMerge("{}")));
  EXPECT_EQ(content_type(), "application/strategic-merge-patch+json");
  EXPECT_TRUE(foos.Patch({}, {"ns", "a"}, Patch::Merge("{1}"), {.field_manager = "me"}));
  EXPECT_EQ(content_type(), "application/merge-patch+json");
  EXPECT_EQ(Last(), "PATCH " + path_ + "/a?fieldManager=me {1}");
  EXPECT_TRUE(foos.PatchStatus({}, {"ns", "a"}, Patch::Merge("{2}")));
  EXPECT_EQ(Last(), "PATCH " + path_ + "/a/status {2}");
}

TEST_F(TypedClientTest, AppliesObjectAndStatus) {
  const Client<testing::Foo> foos(*client_);
  const testing::Foo foo = testing::NewFoo("a");
  for (int i = 0; i < 2; ++i) Push(kFoo);

  EXPECT_TRUE(foos.Apply({}, foo, {.field_manager = "me", .force = true}));
  EXPECT_EQ(Last(), "PATCH " + path_ + "/a?fieldManager=me&force=true " + ToApplyJson(foo));
  EXPECT_TRUE(foos.ApplyStatus({}, foo, {.field_manager = "me"}));
  EXPECT_EQ(Last(), "PATCH " + path_ + "/a/status?fieldManager=me " + StatusToJson(foo));
}

TEST_F(TypedClientTest, DeletesObjectsAndCollections) {
  const Client<testing::Foo> foos(*client_);
  for (int i = 0; i < 2; ++i) Push("{}");

  EXPECT_TRUE(foos.Delete({}, {"ns", "a"}, {.uid = "u"}));
  EXPECT_THAT(Last(), HasSubstr("DELETE " + path_ + "/a {"));
  EXPECT_TRUE(foos.DeleteAllOf({}, {.namespace_ = "ns", .label_selector = "a"}));
  EXPECT_EQ(Last(), "DELETE " + path_ + "?labelSelector=a ");
}

TEST_F(TypedClientTest, EvictsOnlyPods) {
  Push("{}", 201);
  EXPECT_TRUE(Client<testing::PartOfPod>(*client_).Evict({}, {"ns", "p"}));
  EXPECT_THAT(Last(), HasSubstr("POST /api/v1/namespaces/ns/pods/p/eviction {"));

  const Client<Unstructured> bars(*client_,
                                  Unstructured::TypeFor({"x.io", "v1", "bars"}, "Bar", true));
  EXPECT_EQ(bars.Evict({}, {"ns", "p"}).error().reason, ErrorReason::kInvalidArgument);
}

TEST_F(TypedClientTest, UsesKindOfSubresource) {
  const Client<testing::Foo> foos(*client_);
  const std::string scale =
      R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","namespace":"ns",)"
      R"("resourceVersion":"7"},"spec":{"replicas":3},"status":{"replicas":2,"selector":"x=y"}})";
  for (int i = 0; i < 3; ++i) Push(scale);
  Push(scale, 201);

  const auto got = foos.GetScale({}, {"ns", "a"});
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ((*got)->spec.replicas, 3);
  EXPECT_EQ((*got)->status.replicas, 2);
  EXPECT_EQ((*got)->status.selector, "x=y");
  EXPECT_EQ(Last(), "GET " + path_ + "/a/scale ");
  Scale wanted = **got;
  wanted.spec.replicas = 5;
  EXPECT_TRUE(foos.UpdateScale({}, wanted));
  EXPECT_THAT(Last(), HasSubstr("PUT " + path_ + "/a/scale {\"apiVersion\":\"autoscaling/v1\""));
  EXPECT_THAT(Last(), HasSubstr(R"("resourceVersion":"7"})"));
  EXPECT_THAT(Last(), HasSubstr(R"("spec":{"replicas":5})"));
  EXPECT_TRUE(foos.PatchScale({}, {"ns", "a"}, Patch::Merge("{}")));
  EXPECT_EQ(Last(), "PATCH " + path_ + "/a/scale {}");
  EXPECT_TRUE(foos.CreateSubresource({}, {"ns", "a"}, "other", wanted));
  EXPECT_THAT(Last(), HasSubstr("POST " + path_ + "/a/other {"));
}

TEST_F(TypedClientTest, UntypedClientHasSameVerbs) {
  const Client<Unstructured> bars(*client_,
                                  Unstructured::TypeFor({"x.io", "v1", "bars"}, "Bar", true));
  const std::string json =
      R"({"apiVersion":"x.io/v1","kind":"Bar","metadata":{"name":"a","namespace":"ns",)"
      R"("resourceVersion":"7"},"spec":{"deep":{"number":3}}})";
  for (int i = 0; i < 3; ++i) Push(json);

  const auto bar = bars.Get({}, {"ns", "a"});
  ASSERT_TRUE(bar.has_value()) << bar.error().message;
  EXPECT_EQ((*bar)->Get<int>({"spec", "deep", "number"}), 3);
  Unstructured wanted = **bar;
  ASSERT_TRUE(wanted.Set({"spec", "deep", "number"}, 4).has_value());
  EXPECT_TRUE(bars.Update({}, wanted));
  EXPECT_THAT(Last(), HasSubstr("PUT /apis/x.io/v1/namespaces/ns/bars/a {"));
  EXPECT_THAT(Last(), HasSubstr(R"("spec":{"deep":{"number":4}})"));
  EXPECT_TRUE(bars.Patch({}, {"ns", "a"}, MergeFrom(**bar, wanted)));
  EXPECT_EQ(Last(), R"(PATCH /apis/x.io/v1/namespaces/ns/bars/a {"spec":{"deep":{"number":4}}})");
}

TEST_F(TypedClientTest, ReturnsErrorsOfServer) {
  const Client<testing::Foo> foos(*client_);
  Push(R"({"kind":"Status","status":"Failure","reason":"Conflict","code":409,"message":"changed"})",
       409);

  const auto updated = foos.Update({}, testing::NewFoo("a"));

  ASSERT_FALSE(updated.has_value());
  EXPECT_TRUE(IsConflict(updated.error()));
}

}  // namespace
}  // namespace capstan
