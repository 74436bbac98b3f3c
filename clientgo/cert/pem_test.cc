// SPDX-License-Identifier: Apache-2.0
#include "capstan/cert/pem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace capstan::cert {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns "LABEL=bytes" for each block, with "+" for headers.
std::vector<std::string> Read(std::string_view text) {
  std::vector<std::string> all;
  PemReader reader(text);
  while (const auto block = reader.Next()) {
    all.push_back(std::string(block->label) + (block->has_headers ? "+=" : "=") + block->bytes);
  }
  return all;
}

// The texts are what Go's pem.Decode reads from the same input.
TEST(PemReaderTest, ReadsWhiteSpaceInsideABlock) {
  EXPECT_THAT(Read("-----BEGIN A-----\nZm9v\n-----END A-----\n"), ElementsAre("A=foo"));
  EXPECT_THAT(Read("-----BEGIN A-----\n\nZm\n \t9v\n\n-----END A-----"), ElementsAre("A=foo"));
  EXPECT_THAT(Read("-----BEGIN A----- \t\r\nZm9v\r\n-----END A----- \r\n"), ElementsAre("A=foo"));
  EXPECT_THAT(Read("-----BEGIN A-----\n-----END A-----\n"), ElementsAre("A="));
  EXPECT_THAT(Read("-----BEGIN A-----\n\n-----END A-----\n"), ElementsAre("A="));
}

TEST(PemReaderTest, SkipsTextAroundBlocks) {
  EXPECT_THAT(Read("# a\n-----BEGIN A-----\nZm9v\n-----END A-----\nb\n\n"
                   "-----BEGIN B-----\nYmFy\n-----END B-----\nc"),
              ElementsAre("A=foo", "B=bar"));
  EXPECT_THAT(Read(""), IsEmpty());
  EXPECT_THAT(Read("a -----BEGIN A-----\nZm9v\n-----END A-----\n"), IsEmpty());
}

TEST(PemReaderTest, SkipsBlocksThatCannotBeRead) {
  const std::string good = "-----BEGIN B-----\nYmFy\n-----END B-----\n";

  EXPECT_THAT(Read("-----BEGIN A-----\nZm9v\n" + good), ElementsAre("B=bar"));  // no END line
  EXPECT_THAT(Read("-----BEGIN A-----\nZm9\n-----END A-----\n" + good), ElementsAre("B=bar"));
  EXPECT_THAT(Read("-----BEGIN A-----\nZm9v\n-----END C-----\n" + good), ElementsAre("B=bar"));
  EXPECT_THAT(Read("-----BEGIN A\nZm9v\n-----END A-----\n" + good), ElementsAre("B=bar"));
  EXPECT_THAT(Read("-----BEGIN A-----\nZm9v-----END A-----\n" + good), ElementsAre("B=bar"));
  EXPECT_THAT(Read(good + "-----BEGIN A-----\nZm9v\n"), ElementsAre("B=bar"));
  EXPECT_THAT(Read("-----BEGIN A-----\nZm9v\n-----END A----- x\n" + good), ElementsAre("B=bar"));
}

TEST(PemReaderTest, ReadsHeaders) {
  EXPECT_THAT(Read("-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\nx:\n\nZm9v\n-----END A-----\n"),
              ElementsAre("A+=foo"));
  EXPECT_THAT(Read("-----BEGIN A-----\nx: y\n-----END A-----\n"), IsEmpty());
  EXPECT_THAT(Read("-----BEGIN A-----\nx: y\n\n-----END A-----\n"), ElementsAre("A+="));
}

TEST(PemReaderTest, ReturnsTheTextThatItSkips) {
  const std::string text =
      "# a\n-----BEGIN X-----\nZm9v\n-----BEGIN A-----\nZm9v\n-----END A-----\nb\n";
  PemReader reader(text);

  const auto block = reader.Next();

  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(block->skipped, "# a\n-----BEGIN X-----\nZm9v\n");
  EXPECT_TRUE(HasBrokenBlock(block->skipped));
  EXPECT_EQ(reader.rest(), "b\n");
  EXPECT_FALSE(HasBrokenBlock(reader.rest()));
  EXPECT_FALSE(reader.Next().has_value());
  EXPECT_EQ(reader.rest(), "b\n");
}

// Each END line is looked at once, however many BEGIN lines are before it.
TEST(PemReaderTest, ReadsManyBrokenBlocksInTimeThatIsProportionalToThem) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "-----BEGIN A-----\nx: y\n\n";
  for (int i = 0; i < 200'000; ++i) text += "-----END A-----\n";

  EXPECT_THAT(Read(text), ElementsAre("A+="));
}

TEST(EncodePemTest, WritesLinesOf64Columns) {
  EXPECT_EQ(EncodePem("A", "foo"), "-----BEGIN A-----\nZm9v\n-----END A-----\n");
  EXPECT_EQ(EncodePem("A", std::string(49, 'a')),
            "-----BEGIN A-----\n"
            "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh\n"
            "YQ==\n-----END A-----\n");
}

TEST(PemBlockTest, KnowsEveryKindOfPrivateKey) {
  for (const std::string label :
       {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"}) {
    const std::string text = EncodePem(label, "x");
    PemReader reader(text);
    EXPECT_TRUE(reader.Next()->IsPrivateKey()) << label;
  }
  const std::string text = EncodePem("PUBLIC KEY", "x");
  PemReader reader(text);
  EXPECT_FALSE(reader.Next()->IsPrivateKey());
}

}  // namespace
}  // namespace capstan::cert
