// SPDX-License-Identifier: Apache-2.0
// Tests of request bodies in YAML, and of the query's timeout.
#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kYaml = "Content-Type: application/yaml";
constexpr const char* kApply = "Content-Type: application/apply-patch+yaml";

class YamlTest : public ContractTest {
 protected:
  // A ConfigMap whose key x is given twice.
  static std::string Repeating(const std::string& name) {
    return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name +
           "\ndata:\n  x: '1'\n  x: '2'\n";
  }
  std::string ConfigMaps(std::string_view name = {}) const { return Core("configmaps", name); }
  // The error of an applied configuration that is no YAML, and of one with repeated keys.
  std::string Decoding(bool strict) const {
    return std::string(strict ? "error strict decoding " : "error decoding ") +
           (Minor() < 37 ? "YAML: " : "patch: ");
  }

  static constexpr const char* kRepeat = R"(line 7: key "x" already set in map)";
};

TEST_F(YamlTest, CreatesAndUpdates) {
  const Answer created = Do("POST", ConfigMaps(), Repeating("a") + "spec: 1\n", {kYaml});

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(JsonAt(created, {"data"}), R"({"x":"2"})");
  EXPECT_THAT(created.head, HasSubstr(R"(299 - "line 7: key \"x\" already set in map")"));
  EXPECT_THAT(created.head, HasSubstr(R"(299 - "unknown field \"spec\"")"));
  const Answer updated =
      Do("PUT", ConfigMaps("a"), "metadata: {name: a}\ndata: {z: \"3\"}", {kYaml});
  EXPECT_EQ(updated.code, 200) << updated.body;
  EXPECT_EQ(JsonAt(updated, {"data"}), R"({"z":"3"})");
}

TEST_F(YamlTest, SendsFewWarningsOfManyRepeats) {
  std::string body = Repeating("a");
  for (int i = 0; i < 1000; ++i) body += "  x: '3'\n";
  const Answer created = Do("POST", ConfigMaps(), body, {kYaml});

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_THAT(created.head, HasSubstr(R"("line 7: key \"x\" already set in map")"));
  EXPECT_THAT(created.head, Not(HasSubstr("line 900: ")));
}

TEST_F(YamlTest, BindsPods) {
  ASSERT_EQ(Post(Core("pods", ""), R"({"metadata":{"name":"p"},"spec":{"containers":[)"
                                   R"({"name":"c","image":"i"}]}})")
                .code,
            201);
  const Answer bound = Do("POST", Core("bindings", ""),
                          "metadata: {name: p}\ntarget: {kind: Node, name: node}\n", {kYaml});

  EXPECT_EQ(bound.code, 201) << bound.body;
}

TEST_F(YamlTest, RejectsRepeatedKeysOfStrictCreates) {
  EXPECT_REFUSED(
      Do("POST", ConfigMaps() + "?fieldValidation=Strict", Repeating("a") + "spec: 1\n", {kYaml}),
      BadRequest("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict "
                 "decoding error: yaml: unmarshal errors:\n  " +
                 std::string(kRepeat) + ", unknown field \"spec\""));
}

TEST_F(YamlTest, RejectsWhatIsNoYaml) {
  const Answer created = Do("POST", ConfigMaps(), "metadata:\n  name: a: b\n", {kYaml});

  EXPECT_EQ(created.code, 400);
  EXPECT_THAT(
      std::string(created.message()),
      StartsWith("the object provided is unrecognized (must be of type ConfigMap): yaml: "));
}

TEST_F(YamlTest, ReadsTheOptionsOfADelete) {
  CreateConfigMap("a");

  EXPECT_EQ(Do("DELETE", ConfigMaps("a"), "dryRun: [All]\n", {kYaml}).code, 200);
  EXPECT_EQ(Get(ConfigMaps("a")).code, 200);
  EXPECT_EQ(Do("DELETE", ConfigMaps("a"), "dryRun: [Some]\n", {kYaml}).code, 422);
}

TEST_F(YamlTest, Applies) {
  const std::string target = ConfigMaps("a") + "?fieldManager=m";
  const Answer applied = Do("PATCH", target, Repeating("a"), {kApply});

  EXPECT_EQ(applied.code, 201) << applied.body;
  EXPECT_EQ(JsonAt(applied, {"data"}), R"({"x":"2"})");
  EXPECT_THAT(applied.head, HasSubstr(R"(299 - "line 7: key \"x\" already set in map")"));
  // JSON with a comma too many is YAML.
  const std::string flow =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",},"data":{"x":"3",},})";
  EXPECT_EQ(JsonAt(Do("PATCH", target, flow, {kApply}), {"data"}), R"({"x":"3"})");
}

TEST_F(YamlTest, RejectsRepeatedKeysOfStrictApplies) {
  const std::string target = ConfigMaps("a") + "?fieldManager=m&fieldValidation=Strict";
  const std::string errors =
      Decoding(true) + "error converting YAML to JSON: yaml: unmarshal errors:\n  ";

  EXPECT_REFUSED(Do("PATCH", target, Repeating("a"), {kApply}), BadRequest(errors + kRepeat));
  const std::string json = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},)"
                           R"("data":{"x":"1","x":"2","x":"3"}})";
  EXPECT_REFUSED(Do("PATCH", target, json, {kApply}),
                 BadRequest(errors + "line 1: key \"x\" already set in map\n  line 1: key \"x\" "
                                     "already set in map"));
}

TEST_F(YamlTest, RejectsConfigurationsThatAreNoYaml) {
  const std::string target = ConfigMaps("a") + "?fieldManager=m";
  const Answer malformed = Do("PATCH", target, "data:\n  x: a: b\n", {kApply});

  EXPECT_EQ(malformed.code, 400);
  EXPECT_THAT(std::string(malformed.message()), HasSubstr("yaml: line 2: mapping values"));
  EXPECT_REFUSED(Do("PATCH", target, "- a\n", {kApply}),
                 BadRequest(Decoding(false) + "error unmarshaling JSON: while decoding JSON: json: "
                                              "cannot unmarshal array into Go value of type "
                                              "map[string]interface {}"));
}

TEST_F(YamlTest, IsNoPatchOfOtherKinds) {
  CreateConfigMap("a");

  EXPECT_EQ(MergePatch(ConfigMaps("a"), "data: {}\n").code, 400);
}

using TimeoutTest = ContractTest;

TEST_F(TimeoutTest, MustBeADuration) {
  const std::string why =
      "invalid timeout specified in the request URL - time: invalid duration \"soon\"";
  EXPECT_REFUSED(Get(Core("configmaps", "") + "?timeout=soon"), BadRequest(why));
  EXPECT_REFUSED(Get("/version?timeout=soon"), BadRequest(why));
  EXPECT_REFUSED(Get("/no-such-path?timeout=soon"), BadRequest(why));
  const auto message = [&](const std::string& timeout) {
    return std::string(Get("/version?timeout=" + timeout).message());
  };
  EXPECT_THAT(message("5"), HasSubstr(R"(- time: missing unit in duration "5")"));
  EXPECT_THAT(message("5x"), HasSubstr(R"(- time: unknown unit "x" in duration "5x")"));
  EXPECT_THAT(message("1m5x2"), HasSubstr(R"(in duration "1m5x2")"));
  EXPECT_EQ(Get(Core("configmaps", "") + "?timeout=1m").code, 200);
  EXPECT_EQ(Get(Core("configmaps", "") + "?timeout=0s").code, 200);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
