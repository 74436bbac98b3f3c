// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/generate/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/file.h"
#include "capstan/testing/temp_dir.h"

namespace capstan::cmd::generate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A definition with one version, whose schema has these properties of spec.
std::string Widget(const std::string& properties, const std::string& required = "[]") {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
         R"("metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",)"
         R"("scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[{)"
         R"("name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{)"
         R"("openAPIV3Schema":{"type":"object","required":["spec"],"properties":{"spec":{)"
         R"("type":"object","required":)" +
         required + R"(,"properties":{)" + properties +
         R"(}},"status":{"type":"object",)"
         R"("properties":{"ready":{"type":"boolean"}}}}}}}]}})";
}

class GenerateTest : public ::testing::Test {
 protected:
  std::string Header(const std::string& properties, const std::string& required = "[]") {
    const auto written =
        WriteTypes({{Widget(properties, required), "crd.yaml:1"}}, out_.Path("types"));
    EXPECT_TRUE(written.has_value()) << written.error().message;
    return *ReadFile(out_.Path("types") + "/example_com/v1/widget.h");
  }
  std::string Source() { return *ReadFile(out_.Path("types") + "/example_com/v1/widget.cc"); }

  testing::TempDir out_;
};

TEST_F(GenerateTest, WritesScalars) {
  const std::string header =
      Header(R"("name":{"type":"string"},"size":{"type":"integer","format":"int32"},)"
             R"("big":{"type":"integer"},"share":{"type":"number"},"on":{"type":"boolean"},)"
             R"("since":{"type":"string","format":"date-time"},)"
             R"("port":{"x-kubernetes-int-or-string":true},)"
             R"("any":{"x-kubernetes-preserve-unknown-fields":true})",
             R"(["name","size"])");
  for (const char* line :
       {"  std::string name = {};", "  std::int32_t size = {};",
        "  std::optional<std::int64_t> big = {};", "  std::optional<double> share = {};",
        "  std::optional<bool> on = {};", "  std::optional<capstan::Time> since = {};",
        "  std::optional<capstan::IntOrString> port = {};", "  capstan::RawJson any = {};"}) {
    EXPECT_THAT(header, HasSubstr(line));
  }
  EXPECT_THAT(Source(), HasSubstr(R"(CAPSTAN_REQUIRED(WidgetSpec, "name", name))"));
  EXPECT_THAT(Source(), HasSubstr(R"(CAPSTAN_FIELD(WidgetSpec, "big", big))"));
}

TEST_F(GenerateTest, WritesStructsOnce) {
  const std::string reference = R"({"type":"object","properties":{"name":{"type":"string"}}})";
  const std::string header =
      Header(R"("first":)" + reference + R"(,"others":{"type":"array","items":)" + reference +
             R"(},"byName":{"type":"object",)"
             R"("additionalProperties":)" +
             reference + "}");
  EXPECT_THAT(header, HasSubstr("struct WidgetSpecFirst {"));
  EXPECT_THAT(header, Not(HasSubstr("struct WidgetSpecOther {")));
  EXPECT_THAT(header, HasSubstr("  Boxed<WidgetSpecFirst> first = {};"));
  EXPECT_THAT(header, HasSubstr("  List<WidgetSpecFirst> others = {};"));
  EXPECT_THAT(header, HasSubstr("  std::map<std::string, WidgetSpecFirst> by_name = {};"));
}

TEST_F(GenerateTest, NamesTheTextsOfAnEnum) {
  const std::string header = Header(R"("mode":{"type":"string","enum":["Always","if-needed"]})");
  EXPECT_THAT(header, HasSubstr(R"(static constexpr std::string_view kModeAlways = "Always";)"));
  EXPECT_THAT(header,
              HasSubstr(R"(static constexpr std::string_view kModeIfNeeded = "if-needed";)"));
}

TEST_F(GenerateTest, DeclaresTheKind) {
  EXPECT_THAT(Header(R"("name":{"type":"string"})"),
              HasSubstr("capstan::kKind<example_com::v1::Widget> =\n"
                        "    capstan::Kind(\"example.com\", \"v1\", \"Widget\", \"widgets\")\n"
                        "        .Namespaced().Whole().Spec().Status();"));
}

TEST_F(GenerateTest, SaysWhatIsKeptAsText) {
  const auto written =
      WriteTypes({{Widget(R"("open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,)"
                          R"("properties":{"a":{"type":"string"}}})"),
                   "crd.yaml:1"}},
                 out_.Path("types"));
  ASSERT_TRUE(written.has_value());
  EXPECT_THAT(written->front().notes,
              ElementsAre("spec.open: it may have other fields than the declared ones"));
}

TEST_F(GenerateTest, NamesTheObjectThatIsWrong) {
  const auto none = WriteTypes({{R"({"kind":"Secret"})", "a.yaml:1"}}, out_.Path("types"));
  EXPECT_THAT(none.error().message, HasSubstr("there is no CustomResourceDefinition"));
  const auto old = WriteTypes(
      {{R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1"})",
        "b.yaml:7"}},
      out_.Path("types"));
  EXPECT_EQ(old.error().message, "b.yaml:7: its apiVersion is not apiextensions.k8s.io/v1");
  const auto word = WriteTypes(
      {{R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","spec":{)"
        R"("group":"x.io","names":{"kind":"A {}; struct B","plural":"as"},"versions":[]}})",
        "c.yaml:1"}},
      out_.Path("types"));
  EXPECT_EQ(word.error().message,
            R"(c.yaml:1: its kind "A {}; struct B" is not a word of letters and digits)");
}

}  // namespace
}  // namespace capstan::cmd::generate
