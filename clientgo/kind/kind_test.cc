// SPDX-License-Identifier: Apache-2.0
#include "capstan/kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capstan/heap.h"
#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_filter.h"
#include "capstan/typed_object.h"
#include "clientgo/kind/testing/kinds.h"

namespace capstan {
namespace {

using kind_test::Foo;
using kind_test::NodeView;
using kind_test::SecretView;
using kind_test::Widget;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr char kFooJson[] =
    R"({"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"a",)"
    R"("namespace":"ns","uid":"u","resourceVersion":"7","generation":2,)"
    R"("labels":{"app":"web"}},"spec":{"deploymentName":"d","replicas":3},)"
    R"("status":{"availableReplicas":2}})";

template <class T>
std::string ErrorOf(std::string_view json) {
  const auto object = FromJson<T>(json);
  return object ? "no error" : object.error().message;
}

std::string FooWith(std::string_view members) {
  return R"({"kind":"Foo","metadata":{"name":"a","namespace":"ns"},)" + std::string(members) + "}";
}

TEST(KindTest, DecodesDeclaredFields) {
  const auto foo = FromJson<Foo>(kFooJson);

  ASSERT_TRUE(foo.has_value()) << foo.error().message;
  const Ptr<Foo>& object = *foo;
  EXPECT_EQ(object->key(), "ns/a");
  EXPECT_EQ(object->resource_version(), "7");
  EXPECT_EQ(object->spec.deployment_name, "d");
  EXPECT_EQ(object->spec.replicas, 3);
  EXPECT_EQ(object->status.available_replicas, 2);
  EXPECT_EQ(object->metadata.name, "a");
  EXPECT_EQ(object->metadata.generation, 2);
  EXPECT_THAT(object->metadata.labels, ElementsAre(Pair("app", "web")));
  const Foo& value = *object;
  EXPECT_EQ(KeyOf(value), KeyOf(*object));
}

TEST(KindTest, EncodesWhatItDecoded) {
  const auto foo = FromJson<Foo>(kFooJson);
  ASSERT_TRUE(foo.has_value()) << foo.error().message;
  EXPECT_EQ(ToJson(**foo), kFooJson);
}

TEST(KindTest, EncodesTheStatusWithTheIdentity) {
  Foo foo = **FromJson<Foo>(kFooJson);
  foo.status.available_replicas = 5;
  EXPECT_EQ(StatusToJson(foo),
            R"({"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":)"
            R"({"name":"a","namespace":"ns","uid":"u","resourceVersion":"7"},)"
            R"("status":{"availableReplicas":5}})");
}

TEST(KindTest, HasItsPlaceInTheApi) {
  const runtime::ResourceType& type = TypeOf<Foo>();
  EXPECT_EQ(type.Path("ns", "a", "status"),
            "/apis/samplecontroller.k8s.io/v1alpha1/namespaces/ns/foos/a/status");
  EXPECT_EQ(type.kind, "Foo");
  EXPECT_FALSE(type.metadata_only);
  EXPECT_EQ(TypeOf<NodeView>().Path("", "n"), "/api/v1/nodes/n");
  EXPECT_EQ(&TypeOf<Foo>(), &type);
}

// The filtered bytes are what a reader pays for.
std::string Filtered(const runtime::ResourceType& type, std::string_view json) {
  runtime::JsonFilter filter(type.projection.object(), {});
  EXPECT_TRUE(filter.Feed(json).has_value());
  return {filter.frame(), filter.frame_size()};
}

TEST(KindTest, KeepsOnlyDeclaredPaths) {
  EXPECT_EQ(
      Filtered(TypeOf<NodeView>(),
               R"({"kind":"Node","metadata":{"name":"n","labels":{"a":"b"}},)"
               R"("spec":{"podCIDR":"x"},"status":{"images":[1],"conditions":[{"type":"Ready",)"
               R"("status":"True","message":"dropped"}]}})"),
      R"({"kind":"Node","metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready",)"
      R"("status":"True"}]}})");
  EXPECT_EQ(
      Filtered(TypeOf<Widget>(), R"({"kind":"Widget","metadata":{"name":"n","managedFields":[{}]},)"
                                 R"("spec":{"other":1,"namedPorts":{"a":{"name":"x","other":2}},)"
                                 R"("template":{"metadata":{"labels":{"l":"v"},"other":3}}}})"),
      R"({"kind":"Widget","metadata":{"name":"n"},"spec":{"namedPorts":{"a":{"name":"x"}},)"
      R"("template":{"metadata":{"labels":{"l":"v"}}}}})");
}

TEST(KindTest, RequestsMetadataOnlyWhenNothingElseIsDeclared) {
  EXPECT_TRUE(TypeOf<SecretView>().metadata_only);
  const auto secret = FromJson<SecretView>(
      R"({"kind":"PartialObjectMetadata","metadata":{"name":"s","annotations":{"a":"b"}}})");
  ASSERT_TRUE(secret.has_value()) << secret.error().message;
  EXPECT_THAT((*secret)->metadata.annotations, ElementsAre(Pair("a", "b")));
}

TEST(KindTest, NamesThePathOfAWrongTypeAndNotTheValue) {
  EXPECT_THAT(ErrorOf<Foo>(FooWith(R"("spec":{"replicas":"secret"})")),
              HasSubstr("bad Foo ns/a: spec.replicas: not an integer"));
  EXPECT_THAT(ErrorOf<Foo>(FooWith(R"("spec":{"replicas":"secret"})")), Not(HasSubstr("secret")));
  EXPECT_THAT(ErrorOf<Foo>(FooWith(R"("spec":[])")), HasSubstr("spec: not an object"));
  EXPECT_THAT(ErrorOf<Foo>(FooWith(R"("spec":"a string")")), HasSubstr("spec: not an object"));
  EXPECT_THAT(ErrorOf<Foo>(FooWith(R"("spec":{"replicas":1.5})")),
              HasSubstr("spec.replicas: not an integer"));
  EXPECT_THAT(ErrorOf<Foo>(FooWith(R"("spec":{"replicas":2147483648})")),
              HasSubstr("spec.replicas: not in the range of its type"));
  EXPECT_THAT(ErrorOf<Foo>(R"({"kind":"Foo","metadata":{"name":"a","labels":{"x":7}}})"),
              HasSubstr("metadata.labels.x: not a string"));
}

std::string WidgetWith(std::string_view spec) {
  return R"({"kind":"Widget","metadata":{"name":"w"},"spec":{)" + std::string(spec) + "}}";
}

TEST(KindTest, NamesThePathInListsAndMaps) {
  EXPECT_THAT(ErrorOf<Widget>(WidgetWith(R"("ports":[{"name":"a"},{"name":1}])")),
              HasSubstr("spec.ports[1].name: not a string"));
  EXPECT_THAT(ErrorOf<Widget>(WidgetWith(R"("ports":5)")), HasSubstr("spec.ports: not an array"));
  EXPECT_THAT(ErrorOf<Widget>(WidgetWith(R"("ports":[{"name":"a"},5])")),
              HasSubstr("spec.ports[1]: not an object"));
  EXPECT_THAT(ErrorOf<Widget>(WidgetWith(R"("namedPorts":{"a":{"target":true}})")),
              HasSubstr("spec.namedPorts.a.target: neither a string nor an integer"));
  EXPECT_THAT(ErrorOf<Widget>(WidgetWith(R"("matrix":[[1],[2,"x"]])")),
              HasSubstr("spec.matrix[1][1]: not an integer"));
  EXPECT_THAT(ErrorOf<Widget>(WidgetWith(R"("limits":{"cpu":"lots"})")),
              HasSubstr("spec.limits.cpu: not a quantity"));
  EXPECT_THAT(ErrorOf<Widget>(WidgetWith(R"("level":256)")),
              HasSubstr("spec.level: not in the range of its type"));
  EXPECT_THAT(ErrorOf<Widget>(WidgetWith(R"("level":-1)")),
              HasSubstr("spec.level: not in the range of its type"));
  EXPECT_THAT(ErrorOf<Widget>(WidgetWith(R"("start":"yesterday")")),
              HasSubstr("spec.start: not a time"));
  EXPECT_THAT(ErrorOf<Widget>(WidgetWith(R"("interval":5)")),
              HasSubstr("spec.interval: not a duration"));
}

TEST(KindTest, RejectsAnotherKind) {
  EXPECT_THAT(ErrorOf<Foo>(R"({"kind":"Bar","metadata":{"name":"a"}})"),
              HasSubstr("expected Foo, got Bar"));
}

TEST(KindTest, UsesTheDefaultOfAMissingField) {
  EXPECT_EQ((*FromJson<Foo>(FooWith(R"("spec":{})")))->spec.replicas, 1);
  EXPECT_EQ((*FromJson<Foo>(FooWith(R"("spec":{"replicas":null})")))->spec.replicas, 1);
  EXPECT_EQ((*FromJson<Foo>(FooWith(R"("spec":{"replicas":0})")))->spec.replicas, 0);
  EXPECT_EQ((*FromJson<Widget>(WidgetWith("")))->spec.size, "small");
  // As the API server, which gives no default to the members of a missing object.
  EXPECT_EQ((*FromJson<Widget>(R"({"kind":"Widget","metadata":{"name":"w"}})"))->spec.size, "");
}

TEST(KindTest, OmitsEmptyFieldsUnlessRequiredOrWithADefault) {
  Widget widget;
  widget.metadata.name = "w";
  EXPECT_EQ(ToJson(widget),
            R"({"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"w"},)"
            R"("spec":{"paused":false,"generation":0,"level":0,"ratio":0,"size":"",)"
            R"("interval":"0s","ports":[]}})");
}

TEST(KindTest, DecodesAndEncodesEveryTypeOfMember) {
  const std::string json =
      R"({"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"w"},)"
      R"("data":{"k":"v","l":""},"spec":{"paused":true,"generation":9007199254740993,"level":255,)"
      R"("ratio":1.5,"size":"large","replicas":0,"enabled":false,"start":"2026-01-02T03:04:05Z",)"
      R"("renewed":"2026-01-02T03:04:05.000006Z","interval":"1m30s","memory":"1536Mi",)"
      R"("extra":{"a":[1,null]},"arguments":["a",""],"limits":{"cpu":"100m"},)"
      R"("ports":[{"name":"http","target":8080},{"name":"grpc","target":"grpc"}],)"
      R"("namedPorts":{"x":{"name":"y","target":1}},"mainPort":{"name":"m","target":2},)"
      R"("matrix":[[],[1,2]],"template":{"metadata":{"labels":{"l":"v"}},"image":"i"}},)"
      R"("status":{"conditions":[{"type":"Ready","status":"True",)"
      R"("lastTransitionTime":"2026-01-02T03:04:05Z"}],"last":{"type":"A","status":"False"}}})";
  const auto widget = FromJson<Widget>(json);

  ASSERT_TRUE(widget.has_value()) << widget.error().message;
  const Widget::Spec& spec = (*widget)->spec;
  EXPECT_EQ(spec.generation, 9007199254740993);
  EXPECT_EQ(spec.replicas, 0);
  EXPECT_EQ(spec.interval, std::chrono::seconds(90));
  EXPECT_EQ(spec.memory, Quantity::Parse("1.5Gi"));
  EXPECT_EQ(spec.extra.text, R"({"a":[1,null]})");
  EXPECT_EQ(spec.ports.at(0).target, IntOrString(8080));
  EXPECT_EQ(spec.ports.at(1).target, IntOrString("grpc"));
  EXPECT_EQ(spec.named_ports.at("x").name, "y");
  EXPECT_THAT(spec.matrix, ElementsAre(IsEmpty(), ElementsAre(1, 2)));
  EXPECT_EQ((*widget)->status.last->status, "False");
  EXPECT_EQ(ToJson(**widget), json);
}

TEST(KindTest, CopiesShareNothingWithTheObject) {
  const auto object = FromJson<Foo>(kFooJson).value();
  Foo copy = *object;
  copy.spec.replicas = 9;
  EXPECT_EQ(object->spec.replicas, 3);
}

TEST(KindTest, MakesObjectsForTests) {
  Foo foo;
  foo.metadata.name = "a";
  foo.metadata.namespace_ = "ns";
  foo.metadata.resource_version = "3";
  const Ptr<Foo> object = MakeTypedObject(foo);
  EXPECT_EQ(object->key(), "ns/a");
  EXPECT_EQ(object->resource_version(), "3");
  EXPECT_EQ(static_cast<const Foo&>(*object), foo);
}

TEST(KindTest, CountsItsHeapBytes) {
  const auto small = FromJson<NodeView>(R"({"kind":"Node","metadata":{"name":"n"}})").value();
  const auto large =
      FromJson<NodeView>(R"({"kind":"Node","metadata":{"name":"n"},"status":{"conditions":[)"
                         R"({"type":"a type that is longer than a short string"}]}})")
          .value();
  EXPECT_EQ(small->ByteSize(), HeapBlockBytes(sizeof(TypedObject<NodeView>) + 1));
  EXPECT_EQ(large->ByteSize() - small->ByteSize(),
            HeapBlockBytes(sizeof(kind_test::Condition)) +
                HeapBytesOf(large->status.conditions.at(0).type));
}

TEST(KindTest, KnowsWhatMayBeWritten) {
  static_assert(WritableKind<Foo> && kIsWholeKind<Foo> && kHasStatus<Foo>);
  static_assert(DeclaredKind<NodeView> && !WritableKind<NodeView> && !kIsWholeKind<NodeView>);
  static_assert(!DeclaredKind<int> && !kIsWholeKind<int>);
  static_assert(!kHasStatus<SecretView>);
}

}  // namespace
}  // namespace capstan
