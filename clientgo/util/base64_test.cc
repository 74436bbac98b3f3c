// SPDX-License-Identifier: Apache-2.0
#include "capstan/base64.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace capstan {
namespace {

TEST(Base64Test, EncodesVectorsOfRfc4648) {
  const std::vector<std::pair<std::string, std::string>> vectors = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(Base64Encode(bytes), text);
    EXPECT_EQ(Base64Decode(text), bytes);
  }
}

TEST(Base64Test, RoundTripsEveryByteAtEveryAlignment) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (std::size_t skip = 0; skip < 4; ++skip) {
    EXPECT_EQ(Base64Decode(Base64Encode(all.substr(skip))), all.substr(skip));
  }
}

TEST(Base64Test, SkipsLineBreaksLikeGo) {
  EXPECT_EQ(Base64Decode("Zm9v\r\nYmFy\n"), "foobar");
  EXPECT_EQ(Base64Decode("Zm9vYg=\n=\n"), "foob");
}

TEST(Base64Test, IgnoresExtraBitsLikeGo) {
  EXPECT_EQ(Base64Decode("Zh=="), "f");
  EXPECT_EQ(Base64Decode("Zm9="), "fo");
}

TEST(Base64Test, RejectsInvalidBase64) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zm9", "Zg===", "Zg==Zg==", "=", "====", "Z===",
                           "Zm9v=", "Zm9vYg==YQ", "Zm 9v", "Zm-v", "Zm_v", "Zm9v!", "\xffm9v"}) {
    EXPECT_EQ(Base64Decode(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace capstan
