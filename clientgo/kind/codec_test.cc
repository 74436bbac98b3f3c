// SPDX-License-Identifier: Apache-2.0
#include "capstan/codec.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "capstan/detail/layout.h"
#include "capstan/detail/layout_of.h"
#include "capstan/runtime/parsed_json.h"

namespace capstan {

// Tree is a struct that contains itself.
struct Tree {
  std::vector<Tree> children = {};
};

template <>
inline constexpr auto kFields<Tree> = Fields(Field("children", &Tree::children));

namespace {

template <class T>
std::optional<T> Decode(std::string_view json) {
  const auto parsed = runtime::ParsedJson::Parse(json);
  if (!parsed) return std::nullopt;
  T value{};
  DecodeProblem problem;
  if (detail::DecodeValue(detail::kLayout<T>, parsed->root(), &value, problem)) {
    EXPECT_FALSE(problem) << json;
    return value;
  }
  EXPECT_TRUE(problem) << json;
  return std::nullopt;
}

template <class T>
std::string Encode(const T& value) {
  runtime::JsonWriter writer;
  Codec<T>::Encode(writer, value);
  return std::move(writer).Take();
}

template <class T>
std::string Schema() {
  runtime::JsonWriter writer;
  writer.StartObject();
  Codec<T>::WriteSchema(writer);
  writer.EndObject();
  return std::move(writer).Take();
}

TEST(CodecTest, LimitsStructsInsideOfEachOther) {
  const auto nested = [](int structs) {
    std::string text;
    for (int i = 1; i < structs; ++i) text += R"({"children":[)";
    text += "{}";
    for (int i = 1; i < structs; ++i) text += "]}";
    return text;
  };
  EXPECT_TRUE(Decode<Tree>(nested(128)).has_value());
  EXPECT_FALSE(Decode<Tree>(nested(129)).has_value());
  EXPECT_FALSE(Decode<Tree>(nested(5'000)).has_value());
}

TEST(CodecTest, KeepsRawJsonThatIsNestedAsDeepAsTheApiServerAllows) {
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  const auto raw = Decode<RawJson>(deep);
  ASSERT_TRUE(raw.has_value());
  EXPECT_EQ(Encode(*raw), deep);
}

TEST(CodecTest, ReadsIntegersInTheRangeOfTheirType) {
  EXPECT_EQ(Decode<std::int8_t>("-128"), -128);
  EXPECT_EQ(Decode<std::int8_t>("128"), std::nullopt);
  EXPECT_EQ(Decode<std::int8_t>("-129"), std::nullopt);
  EXPECT_EQ(Decode<std::uint32_t>("4294967295"), 4294967295U);
  EXPECT_EQ(Decode<std::uint32_t>("-1"), std::nullopt);
  EXPECT_EQ(Decode<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Decode<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(Decode<std::uint64_t>("18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  for (const char* text : {"1.5", "1e3", "\"1\"", "true", "[1]", "18446744073709551616"}) {
    EXPECT_EQ(Decode<std::uint64_t>(text), std::nullopt) << text;
  }
}

TEST(CodecTest, WritesIntegers) {
  EXPECT_EQ(Encode(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Encode(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(Encode<std::int8_t>(-5), "-5");
}

TEST(CodecTest, ReadsTimesOfAllYears) {
  constexpr struct {
    const char* text;
    const char* written;
    std::int64_t seconds;
  } kCases[] = {
      {"1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", 0},
      {"2026-01-02T03:04:05.999Z", "2026-01-02T03:04:05Z", 1767323045},
      {"2026-01-02T04:04:05+01:00", "2026-01-02T03:04:05Z", 1767323045},
      {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", 253402300799},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", -62135596800},
      {"2400-02-29T00:00:00Z", "2400-02-29T00:00:00Z", 13574563200},
      {"1800-01-01T00:00:00Z", "1800-01-01T00:00:00Z", -5364662400},
      {"1799-12-31T23:59:59Z", "1799-12-31T23:59:59Z", -5364662401},
  };
  for (const auto& [text, written, seconds] : kCases) {
    const auto time = Decode<Time>("\"" + std::string(text) + "\"");
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(time->time_since_epoch().count(), seconds) << text;
    EXPECT_EQ(Encode(*time), "\"" + std::string(written) + "\"");
  }
  for (const char* text :
       {"1767323045", R"("")", R"("2026-01-02")", R"("2100-02-29T00:00:00Z")", R"("x")",
        R"("9999-12-31T23:59:59-00:01")", R"("0000-01-01T00:00:00+00:01")"}) {
    EXPECT_EQ(Decode<Time>(text), std::nullopt) << text;
  }
}

TEST(CodecTest, KeepsMicroseconds) {
  const auto time = Decode<MicroTime>(R"("2026-01-02T03:04:05.000006999Z")");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->time_since_epoch().count(), 1767323045000006);
  EXPECT_EQ(Encode(*time), R"("2026-01-02T03:04:05.000006Z")");
}

TEST(CodecTest, ReadsDurationsOfGo) {
  EXPECT_EQ(Decode<Duration>(R"("1m30s")"), std::chrono::seconds(90));
  EXPECT_EQ(Decode<Duration>("90"), std::nullopt);
  EXPECT_EQ(Encode<Duration>(std::chrono::milliseconds(100)), R"("100ms")");
}

TEST(CodecTest, ReadsQuantitiesThatAreNumbers) {
  EXPECT_EQ(Decode<Quantity>("2"), Quantity(2));
  EXPECT_EQ(Decode<Quantity>("0.5"), Quantity::FromMilli(500));
  EXPECT_EQ(Decode<Quantity>(R"("500m")"), Quantity::FromMilli(500));
  EXPECT_EQ(Decode<Quantity>("true"), std::nullopt);
  EXPECT_EQ(Encode(Quantity::FromMilli(500)), R"("500m")");
}

TEST(CodecTest, DistinguishesIntFromString) {
  EXPECT_EQ(Decode<IntOrString>("80")->number(), 80);
  EXPECT_EQ(*Decode<IntOrString>(R"("80")")->text(), "80");
  EXPECT_EQ(Decode<IntOrString>("1.5"), std::nullopt);
  EXPECT_EQ(Encode(IntOrString(80)), "80");
  EXPECT_EQ(Encode(IntOrString("80")), R"("80")");
  EXPECT_EQ(IntOrString(80).String(), IntOrString("80").String());
  EXPECT_NE(IntOrString(80), IntOrString("80"));
}

TEST(CodecTest, KeepsRawJsonAsText) {
  EXPECT_EQ(Decode<RawJson>(R"({ "a" : [1.0, "x"] })")->text, R"({"a":[1.0,"x"]})");
  EXPECT_EQ(Encode(RawJson{R"({"a":1})"}), R"({"a":1})");
  EXPECT_EQ(Encode(RawJson{}), "null");
}

TEST(CodecTest, DescribesItsType) {
  EXPECT_EQ(Schema<bool>(), R"({"type":"boolean"})");
  EXPECT_EQ(Schema<std::int32_t>(), R"({"type":"integer","format":"int32"})");
  EXPECT_EQ(Schema<std::uint16_t>(), R"({"type":"integer","format":"int32"})");
  EXPECT_EQ(Schema<std::uint32_t>(), R"({"type":"integer","format":"int64"})");
  EXPECT_EQ(Schema<std::int64_t>(), R"({"type":"integer","format":"int64"})");
  EXPECT_EQ(Schema<double>(), R"({"type":"number","format":"double"})");
  EXPECT_EQ(Schema<std::string>(), R"({"type":"string"})");
  EXPECT_EQ(Schema<Time>(), R"({"type":"string","format":"date-time"})");
  EXPECT_EQ(Schema<IntOrString>(), R"({"x-kubernetes-int-or-string":true})");
  EXPECT_EQ(Schema<RawJson>(), R"({"x-kubernetes-preserve-unknown-fields":true})");
}

TEST(DecodeProblemTest, BuildsThePathFromTheInside) {
  DecodeProblem problem;
  EXPECT_FALSE(problem);
  EXPECT_FALSE(problem.Set("not a string"));
  EXPECT_FALSE(problem.At("name"));
  EXPECT_FALSE(problem.At(2));
  EXPECT_FALSE(problem.At("ports"));
  EXPECT_FALSE(problem.At("spec"));
  EXPECT_TRUE(problem);
  EXPECT_EQ(problem.message(), "spec.ports[2].name: not a string");
}

}  // namespace
}  // namespace capstan
