// SPDX-License-Identifier: Apache-2.0
#include "capstan/flags/flag_set.h"
#include "capstan/flags/version.h"

#include <glog/logging.h>

#include <chrono>
#include <cstdint>

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

DEFINE_bool(test_bool, true, "A switch");
DEFINE_string(test_string, "kube-system", "Some text");
DEFINE_int32(test_int, 0, "A number");
DEFINE_string(test_duration, "1m0s", "How long");
DEFINE_string(test_gates, "", "A set of key=value pairs. Options are:\nA=true|false\nB=true|false");
DEFINE_string(test_list, "", "Names");
DECLARE_int32(v);

namespace capstan::flags {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FlagSetTest : public ::testing::Test {
 protected:
  FlagSetTest() : flags_({.name = "prog", .description = "prog does."}) {
    flags_.AddSection("Generic", {{.name = "test-bool", .type = Type::kBool},
                                  {.name = "test-string"},
                                  {.name = "test-int", .type = Type::kInt},
                                  {.name = "test-duration", .type = Type::kDuration}});
    flags_.AddSection("Hidden", {{.name = "test-list", .type = Type::kStrings, .hidden = true},
                                 {.name = "test-ignored",
                                  .type = Type::kBool,
                                  .no_effect = "nothing to switch",
                                  .default_value = "true",
                                  .hidden = true}});
    flags_.AddSection("Feature gates", {{.name = "test-gates", .type = Type::kMapStringBool}});
    flags_.AddSection("Logging", {{.name = "v", .type = Type::kInt, .type_name = "Level"}});
  }

  // Expects success.
  void Parse(const std::vector<std::string>& arguments) {
    const auto text = flags_.Parse(arguments);
    ASSERT_TRUE(text.has_value()) << text.error().message;
    EXPECT_EQ(*text, "");
  }
  std::string ParseError(const std::vector<std::string>& arguments) {
    const auto text = flags_.Parse(arguments);
    if (text.has_value()) return "no error";
    EXPECT_EQ(text.error().reason, ErrorReason::kInvalidArgument);
    EXPECT_THAT(text.error().message, Not(HasSubstr("\n")));
    return text.error().message;
  }

  FlagSet flags_;

 private:
  gflags::FlagSaver saver_;  // restores every flag after each test
};

TEST_F(FlagSetTest, AcceptsValueAfterEqualsSignOrAsNextArgument) {
  Parse({"--test-string=a=b", "--test-int", "-7"});

  EXPECT_EQ(FLAGS_test_string, "a=b");
  EXPECT_EQ(FLAGS_test_int, -7);
}

TEST_F(FlagSetTest, AcceptsEmptyValue) {
  Parse({"--test-string="});

  EXPECT_EQ(FLAGS_test_string, "");
}

TEST_F(FlagSetTest, TreatsDashesAndUnderscoresAlike) {
  Parse({"--test_string=a", "--test_duration", "5s"});

  EXPECT_EQ(FLAGS_test_string, "a");
  EXPECT_EQ(FLAGS_test_duration, "5s");
}

TEST_F(FlagSetTest, AcceptsBoolWithoutValueAndInGosSpellings) {
  for (const std::string value : {"0", "f", "F", "FALSE", "false", "False"}) {
    FLAGS_test_bool = true;
    Parse({"--test-bool=" + value});
    EXPECT_FALSE(FLAGS_test_bool) << value;
  }
  Parse({"--test-bool"});
  EXPECT_TRUE(FLAGS_test_bool);
}

TEST_F(FlagSetTest, AcceptsThreeFormsOfVerbosity) {
  Parse({"-v=2"});
  EXPECT_EQ(FLAGS_v, 2);
  Parse({"-v", "3"});
  EXPECT_EQ(FLAGS_v, 3);
  Parse({"-v4"});
  EXPECT_EQ(FLAGS_v, 4);
  Parse({"--v=5"});
  EXPECT_EQ(FLAGS_v, 5);
}

TEST_F(FlagSetTest, LastValueWinsButGatesAccumulate) {
  Parse({"--test-string=a", "--test-gates=A=true", "--test-string=b", "--test-gates", "B=false"});

  EXPECT_EQ(FLAGS_test_string, "b");
  EXPECT_EQ(FLAGS_test_gates, "A=true,B=false");
}

TEST_F(FlagSetTest, ArraysAccumulateAndKeepTheirCommas) {
  FlagSet flags({.name = "prog"});
  flags.AddSection("A", {{.name = "test-list", .type = Type::kStringArray}});

  EXPECT_TRUE(flags.Parse({"--test-list=a,b", "--test-list=", "--test-list", "c"}).has_value());

  EXPECT_EQ(SplitArray(FLAGS_test_list), (std::vector<std::string>{"a,b", "", "c"}));
}

TEST_F(FlagSetTest, ListsAccumulate) {
  Parse({"--test-list=a,b", "--test-list", "c"});

  EXPECT_EQ(FLAGS_test_list, "a,b,c");
  EXPECT_THAT(SplitList(" a, b c,,d "), ::testing::ElementsAre("a", "b c", "d"));
}

TEST_F(FlagSetTest, ReportsFlagWithoutEffectWhenChanged) {
  Parse({"--test-ignored=true"});
  EXPECT_TRUE(flags_.Ignored().empty());

  Parse({"--test_ignored=false"});
  ASSERT_EQ(flags_.Ignored().size(), 1U);
  EXPECT_EQ(flags_.Ignored()[0].name, "test-ignored");
  EXPECT_EQ(flags_.Ignored()[0].reason, "nothing to switch");

  EXPECT_THAT(ParseError({"--test-ignored=maybe"}), HasSubstr("expected true or false"));
}

TEST_F(FlagSetTest, CommandLineTakesPrecedenceOverAssign) {
  Parse({"--test-string=flag", "--test-gates=A=true"});

  ASSERT_TRUE(flags_.Assign("test-string", "file").has_value());
  ASSERT_TRUE(flags_.Assign("test-int", "5").has_value());
  ASSERT_TRUE(flags_.Assign("test-gates", "A=false,B=true").has_value());
  ASSERT_TRUE(flags_.Assign("test-ignored", "false").has_value());

  EXPECT_EQ(FLAGS_test_string, "flag");
  EXPECT_EQ(FLAGS_test_int, 5);
  EXPECT_EQ(FLAGS_test_gates, "A=false,B=true,A=true");
  EXPECT_EQ(flags_.Ignored().size(), 1U);
  const auto wrong = flags_.Assign("test-duration", "soon");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error().message, HasSubstr("invalid value \"soon\": expected a duration"));
}

TEST_F(FlagSetTest, NeverSuggestsHiddenFlags) {
  EXPECT_EQ(ParseError({"--test-ignore=a"}), "unknown flag: --test-ignore (see --help)");
}

TEST_F(FlagSetTest, SecondParseStartsOver) {
  Parse({"--test-gates=A=true"});
  Parse({"--test-gates=B=true"});

  EXPECT_EQ(FLAGS_test_gates, "B=true");
}

TEST_F(FlagSetTest, HelpAndVersionIgnoreLaterArguments) {
  EXPECT_EQ(flags_.Parse({"--help", "--nonsense"}), flags_.Help());
  EXPECT_EQ(flags_.Parse({"-h"}), flags_.Help());
  EXPECT_EQ(flags_.Parse({"--version", "--nonsense"}), "prog " + VersionText() + "\n");
}

TEST_F(FlagSetTest, SuggestsFlagForUnknownOne) {
  EXPECT_EQ(ParseError({"--nonsense=1"}), "unknown flag: --nonsense (see --help)");
  EXPECT_EQ(ParseError({"--test-strnig=1"}),
            "unknown flag: --test-strnig; did you mean --test-string?");
  EXPECT_EQ(ParseError({"-test-string=1"}),
            "unknown flag: -test-string; did you mean --test-string?");
  EXPECT_EQ(ParseError({"-x"}), "unknown flag: -x (see --help)");
}

TEST_F(FlagSetTest, RejectsFlagsOfGflagsAndGlog) {
  for (const std::string name :
       {"flagfile=/etc/passwd", "fromenv=x", "helpxml", "helpfull", "tryfromenv=x", "undefok=x",
        "logtostderr", "log_dir=/tmp", "notest_bool", "stderrthreshold=0", "vmodule=a=1"}) {
    EXPECT_THAT(ParseError({"--" + name}), HasSubstr("unknown flag: --")) << name;
  }
}

TEST_F(FlagSetTest, ReportsExpectedValue) {
  EXPECT_EQ(ParseError({"--test-duration=5"}),
            "invalid argument \"5\" for --test-duration: expected a duration such as 30s or 1m30s, "
            "not negative");
  EXPECT_THAT(ParseError({"--test-duration=-5s"}), HasSubstr("not negative"));
  EXPECT_THAT(ParseError({"--test-duration", ""}), HasSubstr("invalid argument \"\""));
  EXPECT_EQ(ParseError({"--test-int=many"}),
            "invalid argument \"many\" for --test-int: expected a whole number");
  EXPECT_THAT(ParseError({"--test-int=99999999999"}), HasSubstr("a whole number"));
  EXPECT_EQ(ParseError({"--test-bool=maybe"}),
            "invalid argument \"maybe\" for --test-bool: expected true or false");
  EXPECT_THAT(ParseError({"-v=x"}), HasSubstr("invalid argument \"x\" for -v"));
}

TEST_F(FlagSetTest, RejectsMissingValue) {
  EXPECT_EQ(ParseError({"--test-string"}), "flag needs an argument: --test-string (expected text)");
  EXPECT_THAT(ParseError({"-v"}), HasSubstr("flag needs an argument: -v"));
}

TEST_F(FlagSetTest, RejectsPositionalArguments) {
  EXPECT_EQ(ParseError({"run"}), "unexpected argument \"run\": prog takes flags only (see --help)");
  EXPECT_THAT(ParseError({"--test-bool", "false"}), HasSubstr("unexpected argument \"false\""));
  EXPECT_THAT(ParseError({"--", "--test-bool"}), HasSubstr("unexpected argument \"--test-bool\""));
  EXPECT_THAT(ParseError({"-"}), HasSubstr("unexpected argument \"-\""));
  EXPECT_THAT(ParseError({""}), HasSubstr("unexpected argument \"\""));
  Parse({"--test-int=3", "--"});
}

TEST_F(FlagSetTest, AcceptsArgumentsAndShorthands) {
  FlagSet flags({.name = "prog get", .arguments = "KIND NAME"});
  flags.AddSection("Output", {{.name = "test-string", .shorthand = "s"}});

  ASSERT_TRUE(flags.Parse({"crd", "-s", "json", "--", "-x"}).has_value());

  EXPECT_EQ(flags.arguments(), std::vector<std::string>({"crd", "-x"}));
  EXPECT_EQ(FLAGS_test_string, "json");
  EXPECT_EQ(flags.Parse({"a", "b", "c"}).error().message,
            "unexpected argument \"c\": prog get takes KIND NAME and flags (see --help)");
  EXPECT_EQ(flags.Parse({"-x"}).error().message, "unknown flag: -x (see --help)");
  EXPECT_THAT(flags.Help(), HasSubstr("prog get KIND NAME [flags]"));
  EXPECT_THAT(flags.Help(), HasSubstr("  -s, --test-string string"));
}

TEST_F(FlagSetTest, AcceptsAnyNumberOfArguments) {
  FlagSet flags({.name = "prog make", .arguments = "things [NAME...]"});

  ASSERT_TRUE(flags.Parse({"things", "a", "b", "c"}).has_value());

  EXPECT_EQ(flags.arguments(), std::vector<std::string>({"things", "a", "b", "c"}));
}

TEST_F(FlagSetTest, GroupsHelpAndShowsDefaultsAsPflag) {
  FLAGS_test_string = "changed";

  EXPECT_EQ(flags_.Help(), R"(prog does.

Usage:
  prog [flags]

Generic flags:

      --test-bool
                A switch (default true)
      --test-string string
                Some text (default "kube-system")
      --test-int int
                A number
      --test-duration duration
                How long (default 1m0s)

Feature gates flags:

      --test-gates mapStringBool
                A set of key=value pairs. Options are:
                A=true|false
                B=true|false

Logging flags:

  -v, --v Level
                Show all VLOG(m) messages for m <= this. Overridable by --vmodule.

Global flags:

  -h, --help
                Print this text and exit.
      --version
                Print the version and exit.
)");
}

TEST_F(FlagSetTest, HelpWithoutDescriptionBeginsWithUsage) {
  EXPECT_TRUE(FlagSet({.name = "prog"}).Help().starts_with("Usage:\n  prog [flags]\n"));
}

TEST_F(FlagSetTest, PrintsVersionOfProgram) {
  EXPECT_EQ(FlagSet({.name = "prog", .version = "1.2.3"}).Parse({"--version"}), "prog 1.2.3\n");
}

// Flags with variables of the program, without gflags.
struct VariablesTest : ::testing::Test {
  VariablesTest() {
    flags.AddSection("Own", {{.name = "a-switch", .usage = "A switch.", .variable = &a_switch},
                             {.name = "number", .usage = "A number.", .variable = &number},
                             {.name = "rate", .usage = "A rate.", .variable = &rate},
                             {.name = "text", .usage = "A text.", .variable = &text},
                             {.name = "file", .type = Type::kPath, .variable = &file},
                             {.name = "time", .usage = "A time.", .variable = &time},
                             {.name = "names", .usage = "Names.", .variable = &names},
                             {.name = "line", .type = Type::kStringArray, .variable = &lines}});
  }
  bool a_switch = true;
  std::int32_t number = 7;
  double rate = 0.5;
  std::string text = "docker.io";
  std::string file;
  std::chrono::nanoseconds time = std::chrono::seconds(90);
  std::vector<std::string> names = {"a", "b"};
  std::vector<std::string> lines;
  FlagSet flags{{.name = "prog"}};
};

TEST_F(VariablesTest, KeepTheirValuesWithoutArguments) {
  EXPECT_TRUE(flags.Parse({}).has_value());

  EXPECT_TRUE(a_switch);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(rate, 0.5);
  EXPECT_EQ(text, "docker.io");
  EXPECT_EQ(time, std::chrono::seconds(90));
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
}

TEST_F(VariablesTest, GetTheValuesOfTheCommandLine) {
  EXPECT_TRUE(
      flags
          .Parse({"--a_switch=false", "--number", "0x10", "--rate=2.5e3", "--text=a,b", "--file=/f",
                  "--time=1h", "--names=c,d", "--names=e", "--line=x,y", "--line=z"})
          .has_value());

  EXPECT_FALSE(a_switch);
  EXPECT_EQ(number, 16);
  EXPECT_EQ(rate, 2500);
  EXPECT_EQ(text, "a,b");
  EXPECT_EQ(file, "/f");
  EXPECT_EQ(time, std::chrono::hours(1));
  EXPECT_EQ(names, (std::vector<std::string>{"c", "d", "e"}));
  EXPECT_EQ(lines, (std::vector<std::string>{"x,y", "z"}));
  EXPECT_EQ(flags.Values(),
            (std::vector<std::string>{"--a-switch=false", "--number=16", "--rate=2500",
                                      "--text=a,b", "--file=/f", "--time=1h0m0s", "--names=c,d,e",
                                      "--line=x,y", "--line=z"}));
}

TEST_F(VariablesTest, ShowDefaultsInHelp) {
  EXPECT_THAT(flags.Help(), HasSubstr(R"(Own flags:

      --a-switch
                A switch. (default true)
      --number int
                A number. (default 7)
      --rate float
                A rate. (default 0.5)
      --text string
                A text. (default "docker.io")
      --file string
      --time duration
                A time. (default 1m30s)
      --names strings
                Names. (default "a,b")
      --line stringArray
)"));
}

TEST_F(VariablesTest, RejectValuesOfAnotherType) {
  EXPECT_EQ(flags.Parse({"--number=many"}).error().message,
            "invalid argument \"many\" for --number: expected a whole number");
  for (const std::string wrong : {"many", "", "1,5", "0x", " 1", "inf", "nan", "1e999"}) {
    const auto parsed = flags.Parse({"--rate=" + wrong});
    ASSERT_FALSE(parsed.has_value()) << wrong;
    EXPECT_EQ(parsed.error().message,
              "invalid argument \"" + wrong + "\" for --rate: expected a number");
  }
  EXPECT_EQ(rate, 0.5);
  EXPECT_EQ(flags.Parse({"--time=-1s"}).error().message,
            "invalid argument \"-1s\" for --time: expected a duration such as 30s or 1m30s, not "
            "negative");
  EXPECT_EQ(number, 7);
}

TEST_F(VariablesTest, CommandLineTakesPrecedenceOverAssign) {
  EXPECT_TRUE(flags.Parse({"--text=a"}).has_value());

  EXPECT_TRUE(flags.Assign("text", "b").has_value());
  EXPECT_TRUE(flags.Assign("number", "9").has_value());

  EXPECT_EQ(text, "a");
  EXPECT_EQ(number, 9);
}

// Flags with variables of other types.
struct FieldsTest : ::testing::Test {
  FieldsTest() {
    const auto even = [](const std::string& value) -> Expected<std::size_t> {
      if (value.size() % 2 == 0) return value.size();
      return Err(ErrorReason::kInvalidArgument, "an odd length");
    };
    flags.AddSection(
        "Own",
        {Bind("color", OneOf(&color, {{"red", Color::kRed}, {"blue", Color::kBlue}}), "A color."),
         Bind("port", Number(&port, 0, 65535), "A port."),
         Bind("word", Parsed(&length, "even", even), "A word.")});
  }
  std::string ErrorOf(const std::vector<std::string>& arguments) {
    EXPECT_TRUE(flags.Parse(arguments).has_value());
    const auto checked = flags.Check();
    return checked ? "no error" : checked.error().message;
  }
  enum class Color { kRed, kBlue };
  Color color = Color::kBlue;
  std::uint16_t port = 80;
  std::size_t length = 0;
  FlagSet flags{{.name = "prog"}};
};

TEST_F(FieldsTest, GetTheirDefaultsAndTheValuesOfTheCommandLine) {
  EXPECT_EQ(ErrorOf({}), "no error");
  EXPECT_EQ(color, Color::kBlue);
  EXPECT_EQ(port, 80);
  EXPECT_EQ(length, 4U);

  EXPECT_EQ(ErrorOf({"--color=red", "--port=0x50", "--word=longer"}), "no error");

  EXPECT_EQ(color, Color::kRed);
  EXPECT_EQ(port, 80);
  EXPECT_EQ(length, 6U);
  EXPECT_EQ(flags.Values(),
            (std::vector<std::string>{"--color=red", "--port=0x50", "--word=longer"}));
}

TEST_F(FieldsTest, ShowDefaultsInHelp) {
  EXPECT_THAT(flags.Help(), HasSubstr(R"(Own flags:

      --color string
                A color. (default "blue")
      --port int
                A port. (default 80)
      --word string
                A word. (default "even")
)"));
}

TEST_F(FieldsTest, RejectOtherValuesInCheck) {
  EXPECT_EQ(ErrorOf({"--color=green"}),
            "invalid argument \"green\" for --color: expected red or blue");
  EXPECT_EQ(ErrorOf({"--color=red", "--port=65536"}),
            "invalid argument \"65536\" for --port: expected a number from 0 to 65535");
  EXPECT_EQ(ErrorOf({"--color=red", "--port=1", "--word=odd"}), "--word: an odd length");
  EXPECT_EQ(flags.Parse({"--port=many"}).error().message,
            "invalid argument \"many\" for --port: expected a whole number");
}

// A flag of a program may have the name of one of glog's.
TEST_F(FieldsTest, AreApartFromTheFlagsOfGlog) {
  std::string log_dir = "here";
  FlagSet other({.name = "prog"});
  other.AddSection("Own", {Bind("log-dir", &log_dir, "A folder.")});

  EXPECT_TRUE(other.Parse({"--log-dir=there"}).has_value());

  EXPECT_EQ(log_dir, "there");
  EXPECT_EQ(FLAGS_log_dir, "");
}

using VariablesDeathTest = VariablesTest;

TEST_F(VariablesDeathTest, RejectsWrongDeclarations) {
  EXPECT_DEATH(flags.AddSection("B", {{.name = "text", .variable = &text}}), "declared twice");
  EXPECT_DEATH(flags.AddSection("B", {{.name = "my_text", .variable = &text}}), "with dashes");
  EXPECT_DEATH(flags.AddSection("B", {{.name = "n", .type = Type::kBool, .variable = &number}}),
               "does not have its type");
}

TEST_F(FlagSetTest, WrapsHelp) {
  FlagSet flags({.name = "prog"});
  std::string usage = "word";
  for (int i = 0; i < 50; ++i) usage += " word";
  flags.AddSection("A", {{.name = "test-bool", .type = Type::kBool, .usage = usage}});

  const std::string help = flags.Help();

  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < help.size();) {
    const std::size_t end = help.find('\n', begin);
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  EXPECT_GT(longest, 90U);
  EXPECT_LE(longest, 100U);
}

}  // namespace
}  // namespace capstan::flags
