// SPDX-License-Identifier: Apache-2.0
#include "capstan/quantity.h"

#include <gtest/gtest.h>

#include <limits>

namespace capstan {
namespace {

// What upstream's quantity_test.go says of the same texts.
TEST(QuantityTest, HasTheCanonicalTextOfTheApiServer) {
  constexpr struct {
    const char* text;
    const char* canonical;
  } kCases[] = {
      {"0", "0"},
      {"0n", "0"},
      {"0Ki", "0"},
      {"-0", "0"},
      {"1", "1"},
      {"+1", "1"},
      {"100m", "100m"},
      {"1000m", "1"},
      {"0.5", "500m"},
      {".5", "500m"},
      {"5.", "5"},
      {"1.25", "1250m"},
      {"1000", "1k"},
      {"1500", "1500"},
      {"12000", "12k"},
      {"1e3", "1e3"},
      {"12e6", "12e6"},
      {"1E3", "1e3"},
      {"1e-3", "1e-3"},
      {"15e2", "1500"},
      {"1Ki", "1Ki"},
      {"1024Ki", "1Mi"},
      {"1.5Gi", "1536Mi"},
      {"1023Ki", "1023Ki"},
      {"0.5Ki", "512"},
      {"2048Mi", "2Gi"},
      {"1500Ki", "1500Ki"},
      {"0.1Ki", "102400m"},
      {"-1.5Gi", "-1536Mi"},
      {"-100m", "-100m"},
      {"-0.5", "-500m"},
      {"1n", "1n"},
      {"0.1n", "1n"},
      {"1.0000000001", "1000000001n"},
      {"-0.1n", "-1n"},
      {"1k", "1k"},
      {"1M", "1M"},
      {"1E", "1E"},
      {"1u", "1u"},
  };
  for (const auto& [text, canonical] : kCases) {
    const auto quantity = Quantity::Parse(text);
    ASSERT_TRUE(quantity) << text;
    EXPECT_EQ(quantity->ToString(), canonical) << text;
    const auto again = Quantity::Parse(quantity->ToString());
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(*again, *quantity) << text;
    EXPECT_EQ(again->ToString(), canonical) << text;
  }
}

TEST(QuantityTest, RejectsOtherText) {
  for (const char* text :
       {"",     "a",     "1 ",    " 1",   "1i",  "1ki", "1KI", "1e",   "1e+", "1e-", "e",
        "e+1x", "1e+-1", "1e1.5", "1..2", "1,5", "--1", "0x1", "1Mii", "Pi",  "1mm", "e-10"}) {
    EXPECT_FALSE(Quantity::Parse(text)) << text;
  }
}

TEST(QuantityTest, ReadsNumberWithoutDigitsAsZero) {
  for (const char* text : {"+", "-", ".", "-.", "m", ".m", "E", "Ki", ".Ti", "e5", "e-9"}) {
    const auto quantity = Quantity::Parse(text);
    ASSERT_TRUE(quantity) << text;
    EXPECT_EQ(quantity->ToString(), "0") << text;
  }
}

TEST(QuantityTest, ComparesAmounts) {
  const auto parse = [](const char* text) { return Quantity::Parse(text).value(); };
  EXPECT_EQ(parse("1"), parse("1000m"));
  EXPECT_EQ(parse("1Ki"), parse("1.024k"));
  EXPECT_LT(parse("999m"), parse("1"));
  EXPECT_LT(parse("-2"), parse("-1.5"));
  EXPECT_GT(parse("1Gi"), parse("1G"));
  EXPECT_EQ(Quantity(5), parse("5"));
  EXPECT_EQ(Quantity::FromMilli(-1500), parse("-1.5"));
}

TEST(QuantityTest, RoundsValuesAwayFromZero) {
  const auto parse = [](const char* text) { return Quantity::Parse(text).value(); };
  EXPECT_EQ(parse("1.1").value(), 2);
  EXPECT_EQ(parse("-1.1").value(), -2);
  EXPECT_EQ(parse("-0.1").value(), -1);
  EXPECT_EQ(parse("-0.1Ki").value(), -103);
  EXPECT_EQ(parse("1Gi").value(), 1073741824);
  EXPECT_EQ(parse("100m").milli(), 100);
  EXPECT_EQ(parse("1.0001").milli(), 1001);
  EXPECT_EQ(parse("-1.0001").milli(), -1001);
  EXPECT_EQ(parse("5").milli(), 5000);
}

TEST(QuantityTest, LimitsLargeNumbers) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  for (const char* text : {"9223372036854775807", "9223372036854775808", "10E", "8Ei", "999Ei",
                           "1e40", "1e999999999999", "99999999999999999999999999999999999999999"}) {
    const auto quantity = Quantity::Parse(text);
    ASSERT_TRUE(quantity) << text;
    EXPECT_EQ(quantity->value(), kMax) << text;
    EXPECT_EQ(quantity->milli(), kMax) << text;
  }
  EXPECT_EQ(Quantity::Parse("-99E")->value(), -kMax);
  EXPECT_EQ(Quantity::Parse("1e-999999999999")->ToString(), "1e-9");
  EXPECT_EQ(Quantity::Parse("72685477580792233720368547758071e-99")->ToString(), "1e-9");
  EXPECT_EQ(Quantity::Parse("0e999999999999")->ToString(), "0");
  EXPECT_EQ(Quantity::Parse("0.000000000000000000000000000000000000000001Ei")->ToString(), "1n");
}

}  // namespace
}  // namespace capstan
