// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/json_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/testing/json_filter_frames.h"

namespace capstan::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using Framing = JsonFilter::Framing;

std::vector<std::string> Document(const Projection& projection, std::string_view text) {
  return Frames(projection, {}, {text}).frames;
}

std::string ErrorOf(std::string_view text, JsonFilter::Options options = {}) {
  return Frames(Projection({{"keep"}}), options, {text}).error;
}

TEST(JsonFilterTest, KeepsOnlyThePathsOfTheProjection) {
  const Projection projection = {{"metadata", "name"}, {"data", "ca.crt"}};
  EXPECT_THAT(
      Document(projection, R"({"kind":"Secret","metadata":{"managedFields":[{"a":{}}],)"
                           R"("name":"ca","uid":"1"},"data":{"tls.key":"x","ca.crt":"y"}})"),
      ElementsAre(R"({"metadata":{"name":"ca"},"data":{"ca.crt":"y"}})"));
}

TEST(JsonFilterTest, LeavesNoCommaAfterDroppedMember) {
  const Projection projection = {{"a"}, {"b"}};
  EXPECT_THAT(Document(projection, R"({"x":1,"a":1,"x":{"a":2},"x":[3],"b":2,"x":"4"})"),
              ElementsAre(R"({"a":1,"b":2})"));
  EXPECT_THAT(Document(projection, R"({"x":1,"y":[]})"), ElementsAre("{}"));
}

TEST(JsonFilterTest, FindsPathsInsideArrays) {
  const Projection projection = {{"webhooks", "name"}};
  EXPECT_THAT(Document(projection, R"({"webhooks":[{"x":1,"name":"a"},[{"name":"b"}],7,{"x":1}]})"),
              ElementsAre(R"({"webhooks":[{"name":"a"},[{"name":"b"}],7,{}]})"));
}

TEST(JsonFilterTest, MatchesAnyKeyWithStarInAdditionToNamedKeys) {
  const Projection projection = {{"*", "x"}, {"a", "y"}};
  EXPECT_THAT(Document(projection, R"({"a":{"x":1,"y":2,"z":3},"b":{"x":4,"y":5}})"),
              ElementsAre(R"({"a":{"x":1,"y":2},"b":{"x":4}})"));
}

TEST(JsonFilterTest, KeepsScalarWherePathContinues) {
  const Projection projection = {{"metadata", "name"}, {"z"}};
  for (const std::string text : {R"({"metadata":"a string","z":1})", R"({"metadata":null,"z":1})",
                                 R"({"metadata":{},"z":[]})", R"({"metadata":[1,null],"z":1})"}) {
    EXPECT_THAT(Document(projection, text), ElementsAre(text));
  }
}

TEST(JsonFilterTest, MatchesKeysWithEscapes) {
  const Projection projection = {{"name"}, {"\xc3\xa9"}};
  EXPECT_THAT(Document(projection, R"({"\u006eam\u0065":1,"na\u006de2":2,"\u00e9":3})"),
              ElementsAre(R"({"\u006eam\u0065":1,"\u00e9":3})"));
  EXPECT_THAT(Document(projection, R"({"\u006e\u0061\u006d\u0065":1})"),
              ElementsAre(R"({"\u006e\u0061\u006d\u0065":1})"));
  EXPECT_THAT(Frames(projection, {}, {R"({"n\qme":1})"}).error, HasSubstr("bad escape in a key"));
}

TEST(JsonFilterTest, SplitsWatchIntoEventsWithAndWithoutSpaceBetween) {
  EXPECT_THAT(Document(Projection::All(), "{\"a\":1}\n{\"a\" : 2}{\"a\":3}\r\n\n"),
              ElementsAre(R"({"a":1})", R"({"a":2})", R"({"a":3})"));
}

TEST(JsonFilterTest, FeedStopsAtEndOfFrame) {
  const Projection projection = Projection::All();
  JsonFilter filter(projection, {});

  EXPECT_EQ(filter.Feed("{}{}").value(), 2U);
  EXPECT_TRUE(filter.HasFrame());
  EXPECT_EQ(filter.Feed("{").value(), 1U);
  EXPECT_FALSE(filter.HasFrame());
}

TEST(JsonFilterTest, AcceptsScalarsAtTopLevel) {
  EXPECT_THAT(Document(Projection::All(), R"(12 "s" true)"
                                          "\n-1.5e+3"),
              ElementsAre("12", R"("s")", "true", "-1.5e+3"));
  EXPECT_THAT(Document(Projection({{"a"}}), R"(12 "s" null)"), ElementsAre("null", "null", "null"));
}

TEST(JsonFilterTest, ReturnsItemsOfListAndThenItsEnvelope) {
  const Projection projection = {{"kind"}, {"metadata", "continue"}, {"items", "name"}};
  const Recording list = Frames(projection, {.framing = Framing::kList},
                                {R"({"kind":"L","items":[{"name":"a","x":1},{"name":"b"},{}],)"
                                 R"("metadata":{"x":1,"continue":"c"}})"});

  EXPECT_EQ(list.error, "");
  EXPECT_THAT(list.frames, ElementsAre(R"(item {"name":"a"})", R"(item {"name":"b"})", "item {}",
                                       R"({"kind":"L","items":[],"metadata":{"continue":"c"}})"));
}

TEST(JsonFilterTest, AcceptsEmptyNullOrMissingList) {
  const Projection projection = {{"kind"}, {"items", "name"}};
  const JsonFilter::Options options = {.framing = Framing::kList};
  EXPECT_THAT(Frames(projection, options, {R"({"items":[]})"}).frames,
              ElementsAre(R"({"items":[]})"));
  EXPECT_THAT(Frames(projection, options, {R"({"items":null})"}).frames,
              ElementsAre(R"({"items":null})"));
  EXPECT_THAT(Frames(projection, options, {R"({"kind":"Status","x":{"items":[{}]}})"}).frames,
              ElementsAre(R"({"kind":"Status"})"));
  EXPECT_THAT(Frames(projection, options, {R"({"items":[7,{"items":[{}]}]})"}).frames,
              ElementsAre("item null", "item {}", R"({"items":[]})"));
}

TEST(JsonFilterTest, ReportsProblemAndOffset) {
  EXPECT_THAT(ErrorOf("garbage"), HasSubstr("byte 0: a value starts with 'g'"));
  EXPECT_THAT(ErrorOf("{}\n<html>"), HasSubstr("byte 3: a value starts with '<'"));
  EXPECT_THAT(ErrorOf(R"({"x":garbage})"), HasSubstr("byte 5"));
  EXPECT_THAT(ErrorOf(R"({"x":[1}})"), HasSubstr("byte 7: '}' closes no object"));
  EXPECT_THAT(ErrorOf(R"({"x":{]})"), HasSubstr("expected a key"));
  EXPECT_THAT(ErrorOf(R"({"x":{"a":1])"), HasSubstr("']' closes no array"));
  EXPECT_THAT(ErrorOf("]"), HasSubstr("a value starts with ']'"));
  EXPECT_THAT(ErrorOf(R"({"x" 1})"), HasSubstr("expected ':', found '1'"));
  EXPECT_THAT(ErrorOf(R"({"x":1 2})"), HasSubstr("byte 7: expected ','"));
  EXPECT_THAT(ErrorOf(R"({"x":1,})"), HasSubstr("expected a key, found '}'"));
  EXPECT_THAT(ErrorOf(R"({"x":[1,]})"), HasSubstr("a value starts with ']'"));
  EXPECT_THAT(ErrorOf(R"({,"x":1})"), HasSubstr("expected a key, found ','"));
  EXPECT_THAT(ErrorOf(R"({x:1})"), HasSubstr("expected a key, found 'x'"));
  EXPECT_THAT(ErrorOf(R"({"x":trve})"), HasSubstr("unexpected 'v' in a literal"));
  EXPECT_THAT(ErrorOf(R"({"x":truex})"), HasSubstr("expected ','"));
  EXPECT_THAT(ErrorOf(std::string_view("\0", 1)), HasSubstr("starts with 0x00"));
}

TEST(JsonFilterTest, ChecksDroppedNumbers) {
  for (const char* number : {"0", "-0", "10", "1.5", "0.25", "1e5", "1E-5", "-1.5e+30"}) {
    EXPECT_EQ(ErrorOf("{\"x\":" + std::string(number) + "}"), "") << number;
  }
  for (const char* number : {"01", "-", "1.", ".5", "+1", "1e", "1e+", "--1", "1.e5", "0x1"}) {
    EXPECT_NE(ErrorOf("{\"x\":" + std::string(number) + "}"), "") << number;
  }
}

TEST(JsonFilterTest, DetectsTruncatedStream) {
  const Projection projection = Projection::All();
  for (const char* text : {"{", "{\"a\"", "[1", "\"abc", "tru", "-", "1.", "{\"a\":1"}) {
    JsonFilter filter(projection, {});
    ASSERT_TRUE(filter.Feed(text).has_value()) << text;
    ASSERT_FALSE(filter.Finish().has_value()) << text;
    EXPECT_EQ(filter.Finish().error().reason, ErrorReason::kUnexpectedEof) << text;
  }
  JsonFilter filter(projection, {});
  EXPECT_TRUE(filter.Finish().has_value());
  EXPECT_TRUE(filter.Feed(" \n").has_value());
  EXPECT_TRUE(filter.Finish().has_value());
  EXPECT_TRUE(filter.Feed("12").has_value());
  EXPECT_TRUE(filter.Finish().has_value());
  EXPECT_TRUE(filter.HasFrame());
  EXPECT_STREQ(filter.frame(), "12");
}

TEST(JsonFilterTest, ReturnsTheSameErrorAfterFailure) {
  const Projection projection = Projection::All();
  JsonFilter filter(projection, {});
  const auto first = filter.Feed("{} x");
  ASSERT_TRUE(first.has_value());
  const auto second = filter.Feed(" x");
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().reason, ErrorReason::kDecode);

  EXPECT_EQ(filter.Feed("{}").error().message, second.error().message);
  EXPECT_EQ(filter.Finish().error().message, second.error().message);
}

TEST(JsonFilterTest, LimitsDepthOfKeptValuesOnly) {
  EXPECT_EQ(ErrorOf(R"({"keep":[[]]})", {.depth_max = 3}), "");
  EXPECT_THAT(ErrorOf(R"({"keep":[[[]]]})", {.depth_max = 3}),
              HasSubstr("byte 10: nested deeper than 3 levels"));
  EXPECT_EQ(ErrorOf(R"({"x":[[[]]]})", {.depth_max = 3}), "");
  EXPECT_THAT(ErrorOf(R"({"keep":{"a":{"b":{}}}})", {.depth_max = 3}), HasSubstr("deeper than 3"));
}

TEST(JsonFilterTest, LimitsKeptBytesButNotDroppedBytes) {
  const JsonFilter::Options options = {.frame_bytes_max = 64};
  const std::string long_string = '"' + std::string(1000, 'a') + '"';

  EXPECT_EQ(ErrorOf(R"({"x":)" + long_string + "," + long_string + ":1}", options), "");
  EXPECT_THAT(ErrorOf(R"({"keep":)" + long_string + "}", options),
              HasSubstr("more than 64 bytes kept of one value"));
  EXPECT_THAT(ErrorOf(R"({"keep":{)" + long_string + ":1}}", options), HasSubstr("more than 64"));
}

TEST(JsonFilterTest, LimitsInputOfEachFrame) {
  const Projection projection = {{"items", "keep"}};
  const auto error = [&](const std::vector<std::string_view>& pieces) {
    return Frames(projection, {.framing = Framing::kList, .input_bytes_max = 16}, pieces).error;
  };
  EXPECT_EQ(error({R"("45678901234567"     "45678901234567")"}).substr(0, 19),
            "bad JSON at byte 32");
  EXPECT_EQ(error({R"("45678901234567" "4567890123456" "4567890123456")"}), "");
  EXPECT_EQ(error({R"({"items":[12345,"123456789012","123456789012"]})"}), "") << "each item anew";

  constexpr auto kWhat = "bad JSON at byte 16: no end of a value in 16 bytes";
  EXPECT_EQ(error({R"("1234567890123456")"}), kWhat);
  EXPECT_EQ(error({R"("12345678)", R"(9012345)", R"(6")"}), kWhat);
  EXPECT_EQ(error({std::string(16, ' '), " "}), kWhat) << "space, too";
  EXPECT_EQ(error({R"({"items":[1234567]})"}), kWhat);
}

TEST(JsonFilterTest, ReportsSameOffsetForEverySplitWhenLimitIsExceeded) {
  const Projection projection = Projection::All();
  const JsonFilter::Options options = {.frame_bytes_max = 8};
  for (const std::string_view text : {R"("12345678")", "123456789", R"({"key45678":1})",
                                      "[1,2,3,trve]", R"({ "a" : "45678" })"}) {
    std::vector<std::string_view> bytes;
    for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
    const Recording whole = Frames(projection, options, {text});
    EXPECT_THAT(whole.error, HasSubstr("more than 8 bytes kept")) << text;
    EXPECT_EQ(Frames(projection, options, bytes), whole) << text;
  }
}

struct Case {
  const char* name;
  Projection projection;
  JsonFilter::Options options;
  std::string stream;
};

std::vector<Case> Corpus() {
  const std::string secret =
      R"({"kind":"Secret","metadata":{"name":"a","uid":"1","annotations":{"x":"{\"a\":\"\\\\\"}"},)"
      R"("managedFields":[{"f:data":{".":{},"f:ca.crt":{}}}]},)"
      R"("data":{"tls.key":"c2VjcmV0","b":""}})";
  const Projection identity = {{"type"}, {"object", "metadata", "name"}, {"object", "kind"}};
  const Projection list = {
      {"kind"}, {"metadata"}, {"items", "metadata", "name"}, {"items", "data", "b"}};
  const std::string watch = R"({"type":"ADDED","object":)" + secret + "}\n" +
                            R"( { "type" : "DELETED" , "object" : { "kind":"K" , "n" : 1 } } )" +
                            R"({"object":{"metadata":{"name":"z"}},"type":"MODIFIED"})"
                            "\n";
  return {
      {"watch", identity, {}, watch},
      {"watch, all", Projection::All(), {}, watch},
      {"watch, nothing", Projection(std::vector<Projection::Path>{}), {}, watch},
      {"list",
       list,
       {.framing = JsonFilter::Framing::kList},
       R"({"kind":"SecretList","items":[)" + secret + "," + secret +
           R"(, {} ,null,[{"metadata":3}]],)" + R"("metadata":{"resourceVersion":"7"}})"},
      {"escapes",
       {{"k\"ey", "a/b"}, {"\xf0\x9f\x98\x80"}},
       {},
       R"({"k\"ey":{"a\/b":"\\\" \u00e9 \ud83d\ude00 \n","a\\b":"\\"},"\ud83d\ude00":"\\",)"
       R"("\u006b\u0022ey":{"\u0061\u002fb":[]}, "k\\\"ey":1})"},
      {"unicode",
       {{"\xc3\xbc"}, {"b"}},
       {},
       "{\"\xc3\xbc\":\"\xe2\x82\xac\",\"x\":\"\xf0\x9f\x98\x80\",\"b\":[\"\xe4\xb8\xad\"],"
       "\"\xc3\xbcx\":0}"},
      {"numbers",
       {{"a"}, {"b", "c"}},
       {},
       R"({"a":[0,-0,1.5,-2.25e+10,1E5,123456789012345678],)"
       R"("b":[1,{"c":-1,"d":2e-3},3],"z":-1.5e3})"},
      {"literals", {{"a"}, {"c"}}, {}, R"({"a":true,"b":false,"c":null,"d":[null,true]})"},
      {"nested",
       {{"*", "*", "x"}, {"a", "b"}},
       {},
       R"({"a":{"b":[[[{}]]],"c":{"x":{"y":[]},"z":1}},)"
       R"("d":[{"e":[{"x":1},2,{"w":0}]}],"f":{"g":{}}})"},
      {"top-level scalars", Projection::All(), {}, "12 \"a\\u0041\" -3.5 [1] true\nnull{} 7"},
  };
}

TEST(JsonFilterPropertyTest, ReturnsSameFramesAsProjectionOfDom) {
  for (const Case& c : Corpus()) {
    SCOPED_TRACE(c.name);
    const Recording whole = Frames(c.projection, c.options, {c.stream});
    EXPECT_EQ(whole.error, "");

    std::vector<std::string> canonical;
    for (const std::string& frame : whole.frames) {
      canonical.push_back(CanonicalFrame(frame).value_or("no JSON: " + frame));
    }
    EXPECT_THAT(OracleFrames(c.projection, c.options.framing, c.stream), Optional(canonical));
  }
}

TEST(JsonFilterPropertyTest, ReturnsSameFramesForEverySplitIntoTwo) {
  for (const Case& c : Corpus()) {
    const std::string_view stream = c.stream;
    const Recording whole = Frames(c.projection, c.options, {stream});
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      const auto split =
          Frames(c.projection, c.options, {stream.substr(0, cut), stream.substr(cut)});
      ASSERT_EQ(split.frames, whole.frames) << c.name << " cut at " << cut;
      ASSERT_EQ(split.error, whole.error) << c.name << " cut at " << cut;
    }
  }
}

TEST(JsonFilterPropertyTest, ReturnsSameFramesForRandomSplitsAndSingleBytes) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same cases in every run
  for (const Case& c : Corpus()) {
    const std::string_view stream = c.stream;
    const Recording whole = Frames(c.projection, c.options, {stream});
    for (std::size_t round = 0; round < 200; ++round) {
      std::uniform_int_distribution<std::size_t> length(1, round == 0 ? 1 : 2 + round / 4);
      std::vector<std::string_view> pieces;
      for (std::size_t at = 0; at < stream.size();) {
        pieces.push_back(stream.substr(at, length(random)));
        at += pieces.back().size();
      }
      ASSERT_EQ(Frames(c.projection, c.options, pieces), whole) << c.name << " round " << round;
    }
  }
}

TEST(JsonFilterPropertyTest, ReducesSameFramesToTheirIdentityForEverySplit) {
  const Projection identity = {{"type"}, {"object", "metadata", "name"}, {"metadata", "name"}};
  for (Case& c : Corpus()) {
    for (const std::size_t bytes : {20U, 60U}) {
      for (const std::size_t depth : {3U, 100U}) {
        c.options = {.framing = c.options.framing,
                     .frame_bytes_max = bytes,
                     .depth_max = depth,
                     .identity = &identity};
        const Recording whole = Frames(Projection::All(), c.options, {c.stream});
        const std::string_view stream = c.stream;
        for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
          ASSERT_EQ(
              Frames(Projection::All(), c.options, {stream.substr(0, cut), stream.substr(cut)}),
              whole)
              << c.name << " cut at " << cut << ", " << bytes << " bytes, " << depth << " levels";
        }
      }
    }
  }
}

TEST(JsonFilterTest, ReducesFrameBeyondALimitToItsIdentity) {
  const Projection identity = {{"name"}};
  const auto frames = [&](std::string_view stream, std::size_t bytes, std::size_t depth) {
    return Frames(Projection::All(),
                  {.frame_bytes_max = bytes, .depth_max = depth, .identity = &identity}, {stream})
        .frames;
  };
  EXPECT_THAT(frames(R"({"a":[{}],"name":"n"}{"b":1})", 100, 2),
              ElementsAre(R"({"name":"n"} nested deeper than 2 levels)", R"({"b":1})"));
  EXPECT_THAT(frames(R"({"name":"n","a":"0123456789","b":[1,2]}{"b":1})", 20, 5),
              ElementsAre(R"({"name":"n"} more than 20 bytes kept of one value)", R"({"b":1})"));
  EXPECT_THAT(frames(R"({"a":[1,"2",true,{"x":null},1e9],"name":"n"}{"b":1})", 20, 5),
              ElementsAre(R"({"name":"n"} more than 20 bytes kept of one value)", R"({"b":1})"));
  EXPECT_THAT(frames(R"({"name":"0123456789012345678901234567890"}{"b":1})", 20, 5),
              ElementsAre("{} more than 20 bytes kept of one value", R"({"b":1})"));
  EXPECT_THAT(frames(R"("012345678901234567890123456789"[])", 20, 5),
              ElementsAre("null more than 20 bytes kept of one value", "[]"));
}

// A changed byte gives either valid JSON or an error, and the result does not depend on the split.
TEST(JsonFilterPropertyTest, ReturnsSameErrorForCorruptStreamInEverySplit) {
  constexpr std::string_view kBytes = "\"\\{}[],:0-e. tx\x80";
  for (const Case& c : Corpus()) {
    std::string stream = c.stream;
    for (std::size_t at = 0; at < stream.size(); ++at) {
      const char original = stream[at];
      stream[at] = kBytes[at % kBytes.size()];
      std::vector<std::string_view> bytes;
      for (std::size_t i = 0; i < stream.size(); ++i) {
        bytes.push_back(std::string_view(stream).substr(i, 1));
      }
      ASSERT_EQ(Frames(c.projection, c.options, bytes), Frames(c.projection, c.options, {stream}))
          << c.name << " byte " << at << ": " << stream;
      stream[at] = original;
    }
  }
}

TEST(FindQuoteOrBackslashTest, FindsFirstQuoteOrBackslashAtEveryOffsetAndLength) {
  constexpr std::size_t kLengthMax = 70;  // several SIMD words and a rest
  for (std::size_t length = 0; length <= kLengthMax; ++length) {
    for (std::size_t start = 0; start <= length; ++start) {
      std::string text(length, 'x');
      const char* const begin = text.data() + start;
      const char* const end = text.data() + length;
      ASSERT_EQ(FindQuoteOrBackslash(begin, end), end);
      for (std::size_t at = start; at < length; ++at) {
        text[at] = at % 2 == 0 ? '"' : '\\';
        ASSERT_EQ(FindQuoteOrBackslash(begin, end) - begin,
                  static_cast<std::ptrdiff_t>(at - start));
        if (at + 1 < length) text.back() = '"';  // A later one does not matter.
        ASSERT_EQ(FindQuoteOrBackslash(begin, end) - begin,
                  static_cast<std::ptrdiff_t>(at - start));
        text[at] = text.back() = 'x';
      }
    }
  }
}

TEST(FindQuoteOrBackslashTest, DoesNotReadBeyondTheEnd) {
  for (std::size_t length = 0; length <= 64; ++length) {
    const std::string text = std::string(length, 'x') + std::string(64, '"');
    const char* const end = text.data() + length;
    EXPECT_EQ(FindQuoteOrBackslash(text.data(), end), end) << length;
  }
}

}  // namespace
}  // namespace capstan::runtime
