// SPDX-License-Identifier: Apache-2.0
#include "capstan/api/config_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "clientgo/api/testing/decode.h"
#include "clientgo/runtime/testing/golden.h"

namespace capstan::api {
namespace {

using ::testing::StartsWith;

TEST(ConfigMapTest, DecodesAConfigMapOfARealServer) {
  const auto map = MustDecode<TypedObject<ConfigMap>>(TypeOf<ConfigMap>(),
                                                      runtime::ReadGolden("config_map.json"));

  ASSERT_NE(map, nullptr);
  EXPECT_EQ(map->key(), "demo/trust");
  ASSERT_TRUE(map->Find("ca.crt"));
  EXPECT_THAT(std::string(*map->Find("ca.crt")), StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_EQ(map->Find("note"), "\"quoted\" é");
  EXPECT_EQ(map->Find("blob"), std::nullopt);  // binaryData
}

TEST(ConfigMapTest, DistinguishesAMissingKeyFromAnEmptyValue) {
  const auto map = MustDecode<TypedObject<ConfigMap>>(
      TypeOf<ConfigMap>(),
      R"({"kind":"ConfigMap","metadata":{"namespace":"ns","name":"n"},"data":{"empty":""}})");

  EXPECT_EQ(map->Find("empty"), "");
  EXPECT_EQ(map->Find("absent"), std::nullopt);
}

TEST(ConfigMapTest, AcceptsAConfigMapWithoutData) {
  for (const std::string rest : {"}", R"(,"data":null})", R"(,"data":{}})"}) {
    const auto map = MustDecode<TypedObject<ConfigMap>>(
        TypeOf<ConfigMap>(),
        R"({"kind":"ConfigMap","metadata":{"namespace":"ns","name":"n"})" + rest);
    ASSERT_NE(map, nullptr);
    EXPECT_TRUE(map->data.empty());
  }
}

TEST(ConfigMapTest, HasItsPath) {
  EXPECT_EQ(TypeOf<ConfigMap>().Path("ns", "n"), "/api/v1/namespaces/ns/configmaps/n");
}

}  // namespace
}  // namespace capstan::api
