// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/capstan/inspect/fix.h"
#include "cmd/capstan/inspect/kinds.h"

namespace capstan::cmd::cli::inspect {
namespace {

using ::testing::HasSubstr;

TEST(TerminalTest, PipeGetsWholePlainLines) {
  const std::string wide(300, 'x');
  EXPECT_EQ(Table({}, {"KIND", "NAME"}, {{{"A", Tone::kBad}, {wide}}, {{"Long"}, {"b"}}}),
            "KIND  NAME\nA     " + wide + "\nLong  b\n");
}

TEST(TerminalTest, CutsLinesAtTheWidthOfTheTerminal) {
  EXPECT_EQ(Table({.columns = 12}, {"KIND", "NAME"}, {{{"A"}, {"0123456789"}}}),
            "KIND  NAME\nA     012...\n");
  EXPECT_EQ(Table({.columns = 12}, {"KIND", "NAME"}, {{{"A"}, {"\xC3\xA4\xC3\xB6\xC3\xBC"}}}),
            "KIND  NAME\nA     \xC3\xA4\xC3\xB6\xC3\xBC\n");
}

TEST(TerminalTest, ColourTakesNoColumns) {
  EXPECT_EQ(Table({.colour = true}, {"A", "B"}, {{{"x", Tone::kBad}, {"y"}}}),
            "\x1b[1mA\x1b[0m  \x1b[1mB\x1b[0m\n\x1b[31mx\x1b[0m  y\n");
}

TEST(TerminalTest, ReplacesControlCharacters) {
  EXPECT_EQ(Table({}, {"A"}, {{{"\x1b[2J\nx\x7F"}}}), "A\n?[2J?x?\n");
  // U+0080, U+009B (what a terminal takes for ESC [), U+009F; but not U+00A0, nor U+00DB.
  EXPECT_EQ(Printable("\xC2\x80\xC2\x9B"
                      "2J\xC2\x9F"),
            "??2J?");
  EXPECT_EQ(Printable("\xC2\xA0\xC3\x9B\xC2"), "\xC2\xA0\xC3\x9B\xC2");
}

TEST(TerminalTest, PrintsErrorAsOneLine) {
  EXPECT_EQ(ErrorLine("no\x1b[2J\r\nError: \xC2\x9B"), "Error: no?[2J??Error: ?\n");
}

TEST(KindsTest, AcceptsKubectlsNames) {
  for (const std::string name :
       {"crd", "CRDs", "CustomResourceDefinition", "customresourcedefinitions",
        "customresourcedefinitions.apiextensions.k8s.io",
        "customresourcedefinition.v1.apiextensions.k8s.io"}) {
    const auto target = ParseKind(name);
    ASSERT_TRUE(target.has_value()) << name;
    EXPECT_EQ((*target)->type().kind, "CustomResourceDefinition");
  }
  EXPECT_THAT(ParseKind("apiservcie").error().message, HasSubstr("did you mean apiservice?"));
  EXPECT_THAT(ParseKind("pod\n").error().message, HasSubstr(R"(unknown kind "pod\n"; use )"));
}

TEST(FixTest, QuotesTextOfObjectsForTheShell) {
  EXPECT_EQ(ShellQuoted("ns/name.example.com"), "ns/name.example.com");
  EXPECT_EQ(ShellQuoted("a; reboot"), "'a; reboot'");
  EXPECT_EQ(ShellQuoted("$(x)'y"), R"('$(x)'\''y')");
  EXPECT_EQ(ShellQuoted(""), "''");
}

}  // namespace
}  // namespace capstan::cmd::cli::inspect
