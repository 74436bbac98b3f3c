// SPDX-License-Identifier: Apache-2.0
// Input that no API server sends. The filter and the decoders report the problem or the exceeded
// limit, at the same byte for every split of the stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_filter.h"
#include "clientgo/runtime/testing/json_filter_frames.h"

namespace capstan::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ResourceType MakeLimitedType() {
  return {.gvr = {"", "v1", "things"},
          .kind = "Thing",
          .projection = {{"spec"}},
          .decode = [](const ObjectIdentity& meta, const JsonValue&) -> Expected<ObjectPtr> {
            return MakeObject<Object>(meta);
          }};
}

// Returns the first error of a watch that arrives in `pieces`, or "".
std::string WatchError(const std::vector<std::string_view>& pieces) {
  static const ResourceType type = MakeLimitedType();
  const Recording recording = Frames(type.projection.watch(), {}, pieces);
  for (std::string frame : recording.frames) {
    const auto event = DecodeWatchEvent(type, frame.data(), frame.size());
    if (!event) return event.error().message;
    if (event->object == nullptr) return event->error.message;
  }
  return recording.error;
}

std::string WatchError(std::string_view stream) {
  const std::string whole = WatchError(std::vector{stream});
  std::vector<std::string_view> pieces;
  for (std::string_view rest = stream; !rest.empty(); rest.remove_prefix(pieces.back().size())) {
    pieces.push_back(rest.substr(0, 7));
  }
  EXPECT_EQ(WatchError(pieces), whole) << "in pieces of 7 bytes";
  return whole;
}

// Returns an event whose object has `members` beside its kind and name.
std::string EventWith(std::string_view members) {
  return R"({"type":"ADDED","object":{"kind":"Thing","metadata":{"name":"n"},)" +
         std::string(members) + "}}\n";
}

std::string Nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(DecodeLimitsTest, LimitsNestingOfKeptValues) {
  // The event and its object are two levels.
  EXPECT_EQ(WatchError(EventWith("\"spec\":" + Nested(254))), "");
  EXPECT_THAT(WatchError(EventWith("\"spec\":" + Nested(255))),
              HasSubstr("deeper than 256 levels"));
  EXPECT_THAT(WatchError(EventWith("\"spec\":" + Nested(100'000))),
              HasSubstr("deeper than 256 levels"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"spec":)";
  EXPECT_THAT(WatchError(objects), HasSubstr("deeper than 65536 levels"));
}

TEST(DecodeLimitsTest, LimitsNestingOfDroppedValuesFarBeyondThatOfServers) {
  EXPECT_EQ(WatchError(EventWith("\"status\":" + Nested(10'000))), "");
  EXPECT_EQ(WatchError(EventWith("\"status\":" + Nested(JsonFilter::kDroppedDepthMax))), "");
  EXPECT_THAT(WatchError(EventWith("\"status\":" + Nested(JsonFilter::kDroppedDepthMax + 1))),
              HasSubstr("deeper than 65536 levels"));
  EXPECT_THAT(WatchError(EventWith("\"status\":" + Nested(10) + ",\"x\":[{]}")),
              HasSubstr("expected a key, found ']'"));
}

TEST(DecodeLimitsTest, LimitsKeptBytes) {
  const std::string text(std::size_t{5} << 20U, 'x');
  EXPECT_THAT(WatchError(EventWith(R"("spec":")" + text + "\"")),
              HasSubstr("more than 4194304 bytes kept of one value"));
  EXPECT_THAT(WatchError(EventWith(R"("spec":{")" + text + "\":1}")),
              HasSubstr("more than 4194304 bytes kept of one value"));
  EXPECT_EQ(WatchError(EventWith(R"("status":{")" + text + R"(":")" + text + "\"}")), "");
}

TEST(DecodeLimitsTest, RejectsNumbersThatAreNotJson) {
  for (const char* good : {"-0", "0.0", "1e308", "1e-999999", "18446744073709551616",
                           "-123456789012345678901234567890"}) {
    EXPECT_EQ(WatchError(EventWith("\"spec\":" + std::string(good))), "") << good;
  }
  for (const char* bad : {"NaN", "Infinity", "-Infinity", "+1", ".5", "1.", "01", "-01", "0x1f",
                          "1e", "1_000", "--1"}) {
    EXPECT_THAT(WatchError(EventWith("\"spec\":" + std::string(bad))),
                StartsWith("bad JSON at byte"))
        << bad;
    EXPECT_THAT(WatchError(EventWith("\"status\":" + std::string(bad))),
                StartsWith("bad JSON at byte"))
        << bad;
  }
}

TEST(DecodeLimitsTest, RejectsKeptNumberBeyondDouble) {
  const std::string digits(400, '9');
  const std::string many(1'000'000, '7');
  for (const std::string& number :
       {std::string("1e999999"), std::string("-1e309"), digits, many, "1e" + digits,
        std::string("38") + std::string(43, '8') + "e264"}) {
    EXPECT_THAT(WatchError(EventWith("\"spec\":" + number)), HasSubstr("Number too big"));
    EXPECT_EQ(WatchError(EventWith("\"status\":" + number)), "") << "dropped, so never converted";
  }
  EXPECT_EQ(WatchError(EventWith("\"spec\":0." + many)), "");
}

TEST(DecodeLimitsTest, RejectsIdentityThatIsNotText) {
  const auto event = [](std::string_view metadata) {
    return R"({"type":"ADDED","object":{"kind":"Thing","metadata":)" + std::string(metadata) + "}}";
  };
  EXPECT_EQ(WatchError(event(R"({"name":"n","resourceVersion":5})")),
            "bad Thing: metadata.resourceVersion is not a string");
  EXPECT_EQ(WatchError(event(R"({"name":5})")), "bad Thing: metadata.name is not a string");
  EXPECT_EQ(WatchError(event(R"({"name":"n","uid":{"a":1}})")),
            "bad Thing: metadata.uid is not a string");
  EXPECT_EQ(WatchError(event(R"({"name":"n","namespace":null,"uid":null})")), "");
  EXPECT_EQ(WatchError(event(R"({"name":")" + std::string(4097, 'n') + "\"}")),
            "bad Thing: metadata.name has 4097 bytes, the limit is 4096");
}

TEST(DecodeLimitsTest, RejectsInvalidUtf8ByteOrderMarkAndComments) {
  for (const char* bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x9f\x98"}) {
    const std::string text = "\"" + std::string(bad) + "\"";
    EXPECT_THAT(WatchError(EventWith("\"spec\":" + text)), HasSubstr("not UTF-8"));
    EXPECT_THAT(WatchError(EventWith("\"spec\":{" + text + ":1}")), HasSubstr("not UTF-8"));
    EXPECT_EQ(WatchError(EventWith("\"status\":" + text)), "") << "dropped strings are not checked";
  }
  EXPECT_THAT(WatchError("\xef\xbb\xbf" + EventWith("\"spec\":1")),
              HasSubstr("byte 0: a value starts with 0xef"));
  EXPECT_THAT(WatchError("// hello\n{}"), HasSubstr("byte 0: a value starts with '/'"));
  EXPECT_THAT(WatchError(EventWith("/**/\"spec\":1")), HasSubstr("expected a key, found '/'"));
}

TEST(DecodeLimitsTest, RejectsNulInKeptValues) {
  using namespace std::string_view_literals;  // NOLINT(google-build-using-namespace): literals only
  EXPECT_THAT(WatchError("\0{}"sv), HasSubstr("byte 0: a value starts with 0x00"));
  EXPECT_THAT(WatchError(EventWith("\"spec\":\0 1"sv)), HasSubstr("a value starts with 0x00"));
  EXPECT_THAT(WatchError(EventWith("\"spec\":1\0"sv)), HasSubstr("0x00"));
  EXPECT_THAT(WatchError(EventWith("\"spec\":\"a\0b\""sv)), HasSubstr("invalid JSON at byte"));
  EXPECT_EQ(WatchError(EventWith("\"spec\":\"a\\u0000b\"")), "");
}

TEST(DecodeLimitsTest, RejectsUnpairedSurrogate) {
  EXPECT_EQ(WatchError(EventWith(R"("spec":"\ud83d\ude00 \uD83D\uDE00")")), "");
  for (const char* bad : {R"("\ud800")", R"("\ud83d\u0041")", R"("\ud83dx")", R"("\udc00")"}) {
    EXPECT_THAT(WatchError(EventWith("\"spec\":" + std::string(bad))), HasSubstr("surrogate"))
        << bad;
  }
}

// Go's decoder uses the last one, RapidJSON the first. API servers never send a key twice, and a
// check would slow down every object.
TEST(DecodeLimitsTest, UsesFirstOfDuplicateKeys) {
  static const ResourceType type = MakeLimitedType();
  std::string frame =
      R"({"type":"ADDED","type":"DELETED","object":{"metadata":{"name":"a","name":"b"}}})";

  const auto event = DecodeWatchEvent(type, frame.data(), frame.size());

  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->type, EventType::kAdded);
  EXPECT_EQ(event->object->name(), "a");
}

TEST(DecodeLimitsTest, QuotesAtMost2048BytesInMessages) {
  const std::string text(100'000, 'x');
  EXPECT_LT(WatchError(R"({"kind":")" + text + "\"}").size(), 2200U);
  EXPECT_LT(WatchError(R"({"kind":"Status","message":")" + text + "\"}").size(), 2200U);
  const std::string error =
      WatchError(R"({"type":"ERROR","object":{"kind":"Status","message":")" + text + "\"}}");
  EXPECT_EQ(error, text.substr(0, 2048));
}

}  // namespace
}  // namespace capstan::runtime
