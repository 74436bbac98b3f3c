// SPDX-License-Identifier: Apache-2.0
// For a corpus of streams and projections: however the bytes are split, the frames are the same,
// and they are what RapidJSON's DOM and a recursive projection of it say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/json_filter.h"
#include "clientgo/runtime/json_filter_oracle_testing.h"
#include "clientgo/runtime/json_filter_testing.h"

namespace clientgo::runtime {
namespace {

using ::testing::Optional;

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

TEST(JsonFilterPropertyTest, GivesWhatAProjectionOfTheDomGives) {
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

TEST(JsonFilterPropertyTest, GivesTheSameFramesForEverySplitIntoTwo) {
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

TEST(JsonFilterPropertyTest, GivesTheSameFramesForRandomSplitsAndSingleBytes) {
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

// Every single-byte change of a stream either still is JSON or is an error; it never crashes, and
// the verdict does not depend on how the bytes are split.
TEST(JsonFilterPropertyTest, JudgesCorruptStreamsTheSameHoweverTheyAreSplit) {
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

}  // namespace
}  // namespace clientgo::runtime
