// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <optional>
#include <string>

#include "clientgo/api/decode_testing.h"
#include "clientgo/runtime/testing/golden.h"

namespace clientgo::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

runtime::ResourceType MakeType() {
  return MakeSecretType(
      {.data_key = "ca.crt", .annotations = {"cert-manager.io/allow-direct-injection"}});
}

std::string Body(const std::string& data) {
  return R"({"kind":"Secret","metadata":{"namespace":"ns","name":"n"},"data":)" + data + "}";
}

TEST(SecretTest, DecodesTheAskedKeyOfARealSecret) {
  const auto secret = MustDecode<Secret>(MakeType(), runtime::ReadGolden("secret.json"));

  ASSERT_NE(secret, nullptr);
  EXPECT_EQ(secret->key(), "demo/ca-a");
  ASSERT_TRUE(secret->data().has_value());
  EXPECT_THAT(std::string(*secret->data()), StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_EQ(secret->Annotation("cert-manager.io/allow-direct-injection"), "true");
}

TEST(SecretTest, OtherKeysDoNotReachTheFrame) {
  const runtime::ResourceType type = MakeType();
  runtime::JsonFilter filter(type.projection.object(), {});
  ASSERT_TRUE(filter.Feed(runtime::ReadGolden("secret.json")).has_value());
  ASSERT_TRUE(filter.HasFrame());
  EXPECT_THAT(filter.frame(), Not(HasSubstr("c2VjcmV0LWtleQ==")));
  EXPECT_THAT(filter.frame(), Not(HasSubstr("tls.key")));
}

TEST(SecretTest, TellsAMissingKeyFromAnEmptyValue) {
  EXPECT_EQ(MustDecode<Secret>(MakeType(), Body("{}"))->data(), std::nullopt);
  EXPECT_EQ(MustDecode<Secret>(MakeType(), Body("null"))->data(), std::nullopt);
  EXPECT_EQ(MustDecode<Secret>(MakeType(), Body(R"({"ca.crt":""})"))->data(), "");
}

TEST(SecretTest, AnErrorDoesNotQuoteTheValue) {
  for (const char* data : {R"({"ca.crt":"!hush"})", R"({"ca.crt":["hush"]})"}) {
    const auto secret = DecodeBody(MakeType(), Body(data));
    ASSERT_FALSE(secret.has_value()) << data;
    EXPECT_EQ(secret.error().message, "bad Secret ns/n: data.ca.crt is not base64");
  }
}

// The memory is the test's own, so that it may look at it after the object died. A short value,
// which std::string keeps inside the object: a freed heap block would be out of bounds.
TEST(SecretTest, OverwritesItsDataWhenItDies) {
  alignas(Secret) unsigned char memory[sizeof(Secret)];
  const auto keys = std::make_shared<const KeptStrings::Keys>();
  auto* secret =
      new (memory) Secret({.namespace_ = "ns", .name = "n", .uid = "", .resource_version = ""},
                          KeptStrings(keys, nullptr), "hush-hush");
  const auto remains = [&memory] {
    return std::string_view(reinterpret_cast<const char*>(memory), sizeof memory).find("hush") !=
           std::string_view::npos;
  };
  ASSERT_TRUE(remains());

  secret->~Secret();

  EXPECT_FALSE(remains());
}

}  // namespace
}  // namespace clientgo::api
