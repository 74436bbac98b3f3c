// SPDX-License-Identifier: Apache-2.0
#include "capstan/long_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan {
namespace {

const std::string kWhy = ": unable to load root certificates: x509: unsupported elliptic curve";

TEST(LongValuesTest, KeepsMessagesWithoutLongValues) {
  const std::string name(253, 'a');
  for (const std::string& text :
       {std::string(), std::string("no"),
        "CustomResourceDefinition \"" + name + "\" is invalid" + kWhy,
        std::string("spec.x: Invalid value: \"LS0tLS1C\": must be longer")}) {
    EXPECT_EQ(WithoutLongValues(text), text);
  }
}

TEST(LongValuesTest, ReplacesBase64ByItsLength) {
  EXPECT_EQ(WithoutLongValues("spec.caBundle: Invalid value: \"" + std::string(1600, 'L') + "==\"" +
                              kWhy),
            "spec.caBundle: Invalid value: \"(1602 bytes)\"" + kWhy);
}

// As kube-apiserver up to 1.32 prints bytes.
TEST(LongValuesTest, ReplacesGoBytesByTheirNumber) {
  std::string bytes = "0x2d";
  for (int i = 1; i < 900; ++i) bytes += ", 0x2d";

  for (const std::string type : {"[]byte", "[]uint8"}) {
    EXPECT_EQ(WithoutLongValues("Invalid value: " + type + "{" + bytes + "}" + kWhy),
              "Invalid value: " + type + "{(900 bytes)}" + kWhy);
  }
  EXPECT_EQ(WithoutLongValues("cut: []byte{" + bytes), "cut: []byte{(900 bytes)");
}

TEST(LongValuesTest, ReplacesPemInTextAndInQuotes) {
  std::string raw = "-----BEGIN CERTIFICATE-----\n";
  std::string quoted = "\"-----BEGIN CERTIFICATE-----\\n";
  for (int i = 0; i < 20; ++i) {
    raw += std::string(64, 'M') + "\n";
    quoted += std::string(64, 'M') + "\\n";
  }

  for (const std::string& pem : {raw, quoted}) {
    const std::string text = WithoutLongValues("data: Invalid value: " + pem + kWhy);
    EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("MMMM")));
    EXPECT_THAT(text, ::testing::EndsWith("unsupported elliptic curve"));
  }
}

}  // namespace
}  // namespace capstan
