// SPDX-License-Identifier: Apache-2.0
#include "capstan/api/object_metadata.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "capstan/api/gvr.h"
#include "capstan/heap.h"
#include "clientgo/api/testing/decode.h"
#include "clientgo/runtime/testing/golden.h"

namespace capstan::api {
namespace {

runtime::ResourceType MakeType() {
  return MakeMetadataType(
      {.gvr = SecretsResource(),
       .kind = "Secret",
       .namespaced = true,
       .annotations = {"example.io/a", "cert-manager.io/allow-direct-injection", "example.io/b"}});
}

std::string Body(const std::string& annotations) {
  return R"({"kind":"PartialObjectMetadata","metadata":{"namespace":"ns","name":"n","uid":"u",)"
         R"("resourceVersion":"1","annotations":)" +
         annotations + "}}";
}

TEST(ObjectMetadataTest, KeepsTheRequestedAnnotationsOfARealSecret) {
  const auto object = MustDecode<ObjectMetadata>(MakeType(), runtime::ReadGolden("secret.json"));

  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->key(), "demo/ca-a");
  EXPECT_EQ(object->resource_version(), "208");
  EXPECT_EQ(object->Annotation("cert-manager.io/allow-direct-injection"), "true");
  EXPECT_EQ(object->Annotation("example.io/a"), std::nullopt);
  EXPECT_EQ(object->Annotation("other"), std::nullopt) << "present, but not requested";
}

TEST(ObjectMetadataTest, DistinguishesAnEmptyAnnotationFromAMissingOne) {
  const auto object = MustDecode<ObjectMetadata>(
      MakeType(), Body(R"({"example.io/b":"","x":"y","example.io/a":"value"})"));

  EXPECT_EQ(object->Annotation("example.io/a"), "value");
  EXPECT_EQ(object->Annotation("example.io/b"), "");
  EXPECT_EQ(object->Annotation("cert-manager.io/allow-direct-injection"), std::nullopt);
}

TEST(ObjectMetadataTest, StoresOnlyTheIdentityWithoutKeptAnnotations) {
  const auto none = MustDecode<ObjectMetadata>(MakeType(), Body(R"({"x":"y"})"));
  const auto one = MustDecode<ObjectMetadata>(MakeType(), Body(R"({"example.io/a":"0123456789"})"));

  EXPECT_EQ(sizeof(ObjectMetadata), sizeof(runtime::Object));
  // The key, and a uid that is no UUID.
  EXPECT_EQ(none->ByteSize(), HeapBlockBytes(sizeof(runtime::Object) + 4 + 1));
  EXPECT_EQ(none->Annotation("x"), std::nullopt);
  EXPECT_GE(one->ByteSize(), none->ByteSize() + 10U);
  EXPECT_LE(one->ByteSize(), none->ByteSize() + 64U);
}

TEST(ObjectMetadataTest, KeepsALimitedNumberOfBytesOfAnnotations) {
  runtime::ResourceType type = MakeMetadataType({.gvr = SecretsResource(),
                                                 .kind = "Secret",
                                                 .namespaced = true,
                                                 .annotations = {"a", "b", "c", "d"},
                                                 .annotation_bytes_max = 10});
  const std::string large(128 * 1024, 'x');

  const auto cut = MustDecode<ObjectMetadata>(
      type, Body(R"({"a":"01234","b":")" + large + R"(","c":")" + large + R"(","d":""})"));
  const auto whole = MustDecode<ObjectMetadata>(type, Body(R"({"a":"01234","b":"56789"})"));

  EXPECT_EQ(cut->Annotation("a"), "01234");
  EXPECT_EQ(cut->Annotation("b"), "xxxxx\u2026");
  EXPECT_EQ(cut->Annotation("c"), "\u2026");
  EXPECT_EQ(cut->Annotation("d"), "");
  EXPECT_LT(cut->ByteSize(), 200U);
  EXPECT_EQ(whole->Annotation("a"), "01234");
  EXPECT_EQ(whole->Annotation("b"), "56789");
}

TEST(ObjectMetadataTest, IgnoresAnnotationsThatAreNotStrings) {
  for (const char* annotations : {"null", "[]", "7", R"({"example.io/a":7})"}) {
    const auto object = MustDecode<ObjectMetadata>(MakeType(), Body(annotations));
    ASSERT_NE(object, nullptr) << annotations;
    EXPECT_EQ(object->Annotation("example.io/a"), std::nullopt);
  }
}

TEST(ObjectMetadataTest, RequestsMetadataOnly) {
  EXPECT_TRUE(MakeType().metadata_only);
  EXPECT_EQ(MakeType().Path("ns", "n"), "/api/v1/namespaces/ns/secrets/n");
}

}  // namespace
}  // namespace capstan::api
