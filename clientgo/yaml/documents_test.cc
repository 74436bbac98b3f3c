// SPDX-License-Identifier: Apache-2.0
#include "clientgo/yaml/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::yaml {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns "line:text" of each document.
std::vector<std::string> Split(std::string_view text) {
  const auto documents = SplitDocuments(text, "f");
  if (!documents) return {documents.error().message};
  std::vector<std::string> texts;
  for (const Document& document : *documents) {
    texts.push_back(std::to_string(document.line) + ":" + std::string(document.text));
  }
  return texts;
}

TEST(SplitDocumentsTest, SplitsAtLinesOfDashes) {
  EXPECT_THAT(Split("a: 1\n--- # next\nb: 2\n---\n"), ElementsAre("1:a: 1\n", "3:b: 2\n"));
  EXPECT_THAT(Split("---\r\na: 1\r\n---"), ElementsAre("2:a: 1\r\n"));
  EXPECT_THAT(Split("a: |\n  ---\nb: \"---\"\n"), ElementsAre("1:a: |\n  ---\nb: \"---\"\n"));
  EXPECT_THAT(Split(""), IsEmpty());
  EXPECT_THAT(Split("---\n\n---\n"), IsEmpty());
}

TEST(SplitDocumentsTest, RejectsTextAfterDashesAsKubectl) {
  EXPECT_THAT(Split("a: 1\n--- b\n"),
              ElementsAre("f:2: invalid YAML: only a comment may follow --- on its line"));
  EXPECT_THAT(Split("-----BEGIN\n"),
              ElementsAre("f:1: invalid YAML: only a comment may follow --- on its line"));
}

TEST(SplitDocumentsTest, SplitsJsonObjectsThatFollowEachOther) {
  EXPECT_THAT(Split("{\"a\": \"}{\\\"\"}\n{\"b\": [{}]}{}"),
              ElementsAre("1:{\"a\": \"}{\\\"\"}", "1:\n{\"b\": [{}]}", "2:{}"));
  EXPECT_THAT(Split("{a: 1}\n---\n{b: 2}\n"), ElementsAre("1:{a: 1}\n", "3:{b: 2}\n"));
  EXPECT_THAT(Split("{a: \"\n"), ElementsAre("1:{a: \"\n"));
}

TEST(JsonAsYamlTest, EscapesLineBreaksOfYaml) {
  EXPECT_EQ(JsonAsYaml("{\"a\":\"x\xc2\x85y\x7f\xc3\xa9\"}"), "{\"a\":\"x\\Ny\\x7f\xc3\xa9\"}");
  EXPECT_EQ(JsonAsYaml("\"\xe2\x80\xa8 \xe2\x80\xa9\xef\xbf\xbe\\/\\\\/\""),
            R"("\L \P\ufffe/\\/")");
}

}  // namespace
}  // namespace capstan::yaml
