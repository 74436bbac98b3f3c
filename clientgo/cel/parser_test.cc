// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clientgo/cel/program.h"

namespace capstan::cel {
namespace {

// Returns the error of a wrong expression; empty: it is right.
std::string ErrorOf(std::string_view expression) {
  const auto program = Program::Compile(expression, {});
  constexpr std::string_view kPrefix = "compilation failed: ";
  return program ? "" : program.error().substr(kPrefix.size());
}

TEST(ParserTest, NamesLineAndColumnOfSyntaxError) {
  EXPECT_EQ(ErrorOf("1 +\n  )"),
            "ERROR: <input>:2:3: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', "
            "'-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
            "IDENTIFIER}\n |   )\n | ..^");
}

TEST(ParserTest, MarksCharactersWithWideDots) {
  EXPECT_EQ(ErrorOf("'ä' + x"),
            "ERROR: <input>:1:7: undeclared reference to 'x' (in container '')\n | 'ä' + x\n | "
            ".\uff0e....^");
}

TEST(ParserTest, RejectsWhatIsNoExpression) {
  for (const char* const expression : {"",
                                       "1 +",
                                       "(1",
                                       "[1",
                                       "{1: 2",
                                       "{1}",
                                       "1 2",
                                       "a.",
                                       "f(",
                                       "f(1,)",
                                       "'a",
                                       "'\\q'",
                                       "1 = 2",
                                       "1 ? 2",
                                       "@",
                                       "\"a\nb\"",
                                       "a.`b`",
                                       "if",
                                       "for(1)",
                                       "99999999999999999999",
                                       "1e999",
                                       "-1u",
                                       "has(1)",
                                       "[1].all(1, true)",
                                       "[1].map(@result, 1)",
                                       "[1].all(x, x, true)",
                                       "[,1]",
                                       "{,,}"}) {
    EXPECT_NE(ErrorOf(expression), "") << expression;
  }
}

TEST(ParserTest, RejectsMessages) {
  EXPECT_NE(ErrorOf("google.protobuf.Duration{}"), "");
  EXPECT_NE(ErrorOf("duration{seconds: 1}"), "");
}

TEST(ParserTest, AcceptsTrailingCommasAndComments) {
  for (const char* const expression :
       {"[1, 2,]", "{1: 2,}", "[,]", "{,}", "1 // one\n + 1", "// none\n1", "-1", "--1", "!!true",
        "[]", "{}", "'''a'b'''", "r'\\d'", "b'\\xff'", "0x1F", "1u", ".5", "1e3",
        "[?optional.none()]"}) {
    EXPECT_EQ(ErrorOf(expression), "") << expression;
  }
}

TEST(ParserTest, LimitsNesting) {
  const std::string deep(1'000, '(');
  EXPECT_NE(ErrorOf(deep + "1" + std::string(1'000, ')')).find("recursion limit exceeded"),
            std::string::npos);
  std::string chain = "{'a': 1}";
  for (int i = 0; i < 1'000; ++i) chain += "['a']";
  EXPECT_NE(ErrorOf(chain).find("recursion limit exceeded"), std::string::npos);
}

TEST(ParserTest, LimitsLength) {
  EXPECT_NE(ErrorOf(std::string(100'001, ' ')).find("code point size exceeds limit"),
            std::string::npos);
}

TEST(ParserTest, BalancesLongLogicalExpressions) {
  std::string terms = "true";
  for (int i = 0; i < 5'000; ++i) terms += " && true";
  EXPECT_EQ(ErrorOf(terms), "");
}

}  // namespace
}  // namespace capstan::cel
