// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/json_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "capstan/runtime/parsed_json.h"

namespace capstan::runtime {
namespace {

TEST(JsonWriterTest, WritesCommasAndColons) {
  JsonWriter writer;
  writer.StartObject();
  writer.Key("a");
  writer.StartArray();
  writer.Int(1);
  writer.StartArray();
  writer.EndArray();
  writer.StartObject();
  writer.EndObject();
  writer.String("x");
  writer.EndArray();
  writer.Key("b");
  writer.Bool(true);
  writer.Key("c");
  writer.Null();
  WriteField(writer, "empty", "");
  WriteField(writer, "full", "text");
  writer.EndObject();

  EXPECT_EQ(std::move(writer).Take(), R"({"a":[1,[],{},"x"],"b":true,"c":null,"full":"text"})");
}

TEST(JsonWriterTest, WritesNumbersThatReadBack) {
  JsonWriter writer;
  writer.StartArray();
  writer.Int64(std::numeric_limits<std::int64_t>::min());
  writer.Uint64(std::numeric_limits<std::uint64_t>::max());
  writer.Double(0.1);
  writer.Double(3);
  writer.Double(1e300);
  writer.Double(std::numeric_limits<double>::infinity());
  writer.Double(std::numeric_limits<double>::quiet_NaN());
  writer.EndArray();

  EXPECT_EQ(writer.text(), "[-9223372036854775808,18446744073709551615,0.1,3,1e+300,null,null]");
}

TEST(JsonWriterTest, EscapesWhatJsonDoesNotAllow) {
  std::string all;
  for (int c = 0; c < 0x80; ++c) all += static_cast<char>(c);
  all += "\xc3\xa9";
  JsonWriter writer;
  writer.String(all);

  const auto read = ParsedJson::Parse(writer.text());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(AsString(read->root()), all);
  EXPECT_EQ(writer.text().substr(0, 63),
            R"("\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000B\f)");
}

TEST(JsonWriterTest, CopiesValues) {
  const auto json = ParsedJson::Parse(R"( {"a" : [1, "\u00e9"]} )").value();
  JsonWriter writer;
  writer.StartArray();
  writer.Value(json.root());
  writer.RawValue("[2]");
  writer.EndArray();

  EXPECT_EQ(writer.text(), "[{\"a\":[1,\"\xc3\xa9\"]},[2]]");
}

}  // namespace
}  // namespace capstan::runtime
