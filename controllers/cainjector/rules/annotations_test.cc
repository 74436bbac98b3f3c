// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/annotations.h"

#include <gtest/gtest.h>

namespace capstan::cainjector {
namespace {

TEST(ReferencedObjectTest, IsTheValueOfTheAnnotation) {
  EXPECT_EQ(ReferencedObject(kInjectCaFromSecret, "ns/ca"), "ns/ca");
  EXPECT_EQ(ReferencedObject(kInjectCaFrom, "no slash"), "no slash");
  EXPECT_EQ(ReferencedObject(kInjectCaFromSecret, ""), "");
}

TEST(ReferencedObjectTest, IsTheSameForAllKeysOfAConfigMap) {
  EXPECT_EQ(ReferencedObject(kInjectCaFromConfigMap, "ns/trust"), "ns/trust");
  EXPECT_EQ(ReferencedObject(kInjectCaFromConfigMap, "ns/trust/root.pem"), "ns/trust");
  EXPECT_EQ(ReferencedObject(kInjectCaFromConfigMap, "trust"), "trust");
}

TEST(ReferencedObjectTest, IsNoneForAValueThatIsTooLongForAName) {
  EXPECT_EQ(ReferencedObject(kInjectCaFromSecret, std::string(4096, 'x')), std::nullopt);
  EXPECT_EQ(ReferencedObject(kInjectCaFromConfigMap, "ns/name/" + std::string(4096, 'x')),
            "ns/name");
}

TEST(ReferencedObjectTest, ForTheApiServerRequiresExactlyTrue) {
  EXPECT_EQ(ReferencedObject(kInjectApiServerCa, "true"), "true");
  for (const std::string value : {"", "false", "True", "true ", "1"}) {
    EXPECT_EQ(ReferencedObject(kInjectApiServerCa, value), std::nullopt) << value;
  }
}

}  // namespace
}  // namespace capstan::cainjector
