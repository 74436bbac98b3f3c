// SPDX-License-Identifier: Apache-2.0
#include "capstan/flags/config_file.h"

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/testing/temp_dir.h"

DEFINE_bool(file_enabled, true, "");
DEFINE_string(file_name, "default", "");
DEFINE_string(file_path, "", "");
DEFINE_int32(file_level, 0, "");
DEFINE_string(file_wait, "1m0s", "");
DEFINE_string(file_list, "", "");
DEFINE_string(file_gates, "", "");
DEFINE_string(file_modules, "", "");
DEFINE_string(file_json, "", "");

namespace capstan::flags {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const ConfigSchema kSchema{.api_version = "config.example.com/v1",
                           .kind = "Configuration",
                           .fields = {{"name", "file-name"},
                                      {"caFile", "file-path"},
                                      {"names", "file-list"},
                                      {"featureGates", "file-gates"},
                                      {"election.enabled", "file-enabled"},
                                      {"election.retryPeriod", "file-wait"},
                                      {"logging.verbosity", "file-level"},
                                      {"logging.vmodule", "file-modules"},
                                      {"items", "file-json"}}};

class ConfigFileTest : public ::testing::Test {
 protected:
  ConfigFileTest() : flags_({.name = "prog"}) {
    flags_.AddSection("All", {{.name = "file-enabled", .type = Type::kBool},
                              {.name = "file-name"},
                              {.name = "file-path", .type = Type::kPath},
                              {.name = "file-level", .type = Type::kInt},
                              {.name = "file-wait", .type = Type::kDuration},
                              {.name = "file-list", .type = Type::kStrings},
                              {.name = "file-gates", .type = Type::kMapStringBool},
                              {.name = "file-modules", .type = Type::kModules},
                              {.name = "file-json", .type = Type::kJson}});
  }

  // `body` follows two lines of header.
  std::string Apply(const std::string& body, const std::vector<std::string>& arguments = {}) {
    return ApplyText("apiVersion: config.example.com/v1\nkind: Configuration\n" + body, arguments);
  }
  // The error, or nothing.
  std::string ApplyText(const std::string& text, const std::vector<std::string>& arguments = {}) {
    EXPECT_TRUE(flags_.Parse(arguments).has_value());
    const auto applied = ApplyConfigFile(dir_.Write("config.yaml", text), kSchema, flags_);
    if (applied) return "";
    EXPECT_EQ(applied.error().reason, ErrorReason::kInvalidArgument);
    EXPECT_THAT(applied.error().message, AllOf(HasSubstr("config.yaml"), Not(HasSubstr("\n"))));
    return applied.error().message;
  }

  const testing::TempDir dir_;
  FlagSet flags_;

 private:
  gflags::FlagSaver saver_;
};

TEST_F(ConfigFileTest, SetsFlagsOfEveryType) {
  EXPECT_EQ(Apply("name: some\n"
                  "names: [a, b]\n"
                  "featureGates: {A: true, B: false}\n"
                  "election: {enabled: false, retryPeriod: 90s}\n"
                  "logging:\n"
                  "  verbosity: 4\n"
                  "  vmodule:\n"
                  "  - filePattern: reflector*\n"
                  "    verbosity: 6\n"),
            "");

  EXPECT_EQ(FLAGS_file_name, "some");
  EXPECT_EQ(FLAGS_file_list, "a,b");
  EXPECT_EQ(FLAGS_file_gates, "A=true,B=false");
  EXPECT_FALSE(FLAGS_file_enabled);
  EXPECT_EQ(FLAGS_file_wait, "90s");
  EXPECT_EQ(FLAGS_file_level, 4);
  EXPECT_EQ(FLAGS_file_modules, "reflector*=6");
}

TEST_F(ConfigFileTest, PassesAListOfMapsAsJson) {
  EXPECT_EQ(Apply("items:\n"
                  "- kind: A\n"
                  "  on: true\n"
                  "  quoted: \"true\"\n"
                  "  size: 12\n"
                  "  version: 1.20\n"
                  "  none:\n"
                  "  text: 'say \"hi\" \\ you'\n"
                  "- [a, \"b\\nc\"]\n"),
            "");

  EXPECT_EQ(FLAGS_file_json,
            R"([{"kind":"A","true":true,"quoted":"true","size":12,"version":1.2,"none":null,)"
            R"("text":"say \"hi\" \\ you"},["a","b\nc"]])");
  EXPECT_THAT(Apply("items: &all [*all]\n"),
              HasSubstr("config.yaml:3: an anchor's value contains itself"));
  EXPECT_THAT(Apply("items: text\n"), HasSubstr("config.yaml:3: items: expected a list or a map"));
}

TEST_F(ConfigFileTest, ReadsJson) {
  EXPECT_EQ(ApplyText(R"({"kind": "Configuration", "apiVersion": "config.example.com/v1",
                          "election": {"enabled": false, "retryPeriod": "5s"}})"),
            "");

  EXPECT_FALSE(FLAGS_file_enabled);
  EXPECT_EQ(FLAGS_file_wait, "5s");
}

TEST_F(ConfigFileTest, ReadsScalarsAsGo) {
  EXPECT_EQ(Apply("name: !!binary c29tZQ==\nelection: {enabled: off}\nlogging: {verbosity: 0x4}\n"),
            "");

  EXPECT_EQ(FLAGS_file_name, "some");
  EXPECT_FALSE(FLAGS_file_enabled);
  EXPECT_EQ(FLAGS_file_level, 4);
}

TEST_F(ConfigFileTest, CommandLineTakesPrecedence) {
  EXPECT_EQ(Apply("name: file\nelection: {enabled: false}\nfeatureGates: {A: false, B: true}\n",
                  {"--file-name=flag", "--file-gates=A=true"}),
            "");

  EXPECT_EQ(FLAGS_file_name, "flag");
  EXPECT_FALSE(FLAGS_file_enabled);
  EXPECT_EQ(FLAGS_file_gates, "A=false,B=true,A=true");
}

TEST_F(ConfigFileTest, NullMeansDefault) {
  EXPECT_EQ(Apply("name:\nelection: {}\nlogging: null\n"), "");

  EXPECT_EQ(FLAGS_file_name, "default");
  EXPECT_TRUE(FLAGS_file_enabled);
}

TEST_F(ConfigFileTest, ResolvesPathRelativeToFile) {
  EXPECT_EQ(Apply("caFile: tls/../ca.pem\n"), "");
  EXPECT_EQ(FLAGS_file_path, dir_.Path("ca.pem"));

  EXPECT_EQ(Apply("caFile: /etc/ca.pem\n"), "");
  EXPECT_EQ(FLAGS_file_path, "/etc/ca.pem");
}

TEST_F(ConfigFileTest, ReadsDurationInNanoseconds) {
  EXPECT_EQ(Apply("election: {retryPeriod: 5000000000}\n"), "");

  EXPECT_EQ(FLAGS_file_wait, "5s");
}

TEST_F(ConfigFileTest, SuggestsFieldForUnknownOne) {
  EXPECT_THAT(Apply("namee: x\n"), EndsWith(":3: unknown field \"namee\"; did you mean name?"));
  EXPECT_THAT(Apply("name: x\nelection:\n  enable: true\n"),
              EndsWith(":5: election: unknown field \"enable\"; did you mean enabled?"));
  EXPECT_THAT(Apply("election: {something: 1}\n"),
              EndsWith("unknown field \"something\"; expected one of enabled retryPeriod"));
  EXPECT_THAT(Apply("Name: x\n"), HasSubstr("unknown field \"Name\""));
}

TEST_F(ConfigFileTest, ReportsExpectedTypeOfField) {
  const struct {
    std::string body;
    std::string message;
  } cases[] = {
      {"name: 7\n", ":3: name: expected a string; put it in quotes"},
      {"name: true\n", ":3: name: expected a string; put it in quotes"},
      {"name: [a]\n", ":3: name: expected a string"},
      {"names: a\n", ":3: names: expected a list of strings"},
      {"names: [a, {b: c}]\n", ":3: names: expected a list of strings"},
      {"election: true\n", ":3: election: expected a map of fields"},
      {"election:\n  enabled: \"true\"\n", ":4: election.enabled: expected true or false"},
      {"election: {retryPeriod: soon}\n",
       ":3: election.retryPeriod: invalid value \"soon\": expected a duration"},
      {"election: {retryPeriod: -5}\n", "election.retryPeriod: expected a duration"},
      {"logging: {verbosity: high}\n", "logging.verbosity: expected a whole number"},
      {"logging: {verbosity: 1.5}\n", "logging.verbosity: invalid value \"1.5\""},
      {"logging: {vmodule: a=1}\n", "logging.vmodule: expected a list of {filePattern"},
      {"featureGates: A=true\n", "featureGates: expected a map of names to true or false"},
      {"featureGates: {A: yes please}\n", "featureGates: expected a map"},
  };
  for (const auto& c : cases) EXPECT_THAT(Apply(c.body), HasSubstr(c.message));
}

TEST_F(ConfigFileTest, RejectsRepeatedField) {
  EXPECT_THAT(Apply("name: a\nname: b\n"), EndsWith(":4: name: given twice"));
}

TEST_F(ConfigFileTest, RejectsUnknownVersion) {
  EXPECT_THAT(ApplyText("kind: Configuration\n"),
              HasSubstr("apiVersion: missing; expected config.example.com/v1"));
  EXPECT_THAT(ApplyText("apiVersion: config.example.com/v2\nkind: Configuration\n"),
              EndsWith(":1: apiVersion: \"config.example.com/v2\" is unknown; expected "
                       "config.example.com/v1"));
  EXPECT_THAT(ApplyText("apiVersion: config.example.com/v1\nkind: Other\n"),
              HasSubstr(":2: kind: \"Other\" is unknown"));
}

TEST_F(ConfigFileTest, RejectsTextThatIsNotYaml) {
  EXPECT_THAT(ApplyText("a: [\n"), HasSubstr("config.yaml:"));
  EXPECT_THAT(ApplyText(""), HasSubstr("config.yaml: expected one YAML document, found 0"));
  EXPECT_THAT(ApplyText("a: b\n---\nc: d\n"), HasSubstr("found 2"));
  EXPECT_THAT(ApplyText("[]\n"), HasSubstr("expected a map with apiVersion and kind"));
}

TEST_F(ConfigFileTest, ReportsMissingFile) {
  const auto applied = ApplyConfigFile("/nonexistent/config.yaml", kSchema, flags_);

  ASSERT_FALSE(applied.has_value());
  EXPECT_THAT(applied.error().message,
              AllOf(StartsWith("--config: "), HasSubstr("/nonexistent/config.yaml")));
}

}  // namespace
}  // namespace capstan::flags
