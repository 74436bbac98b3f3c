// SPDX-License-Identifier: Apache-2.0
// Tests of the validation of APIServices, and of the status of a new one.
#include "e2e/contract/broken_rules.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

constexpr const char* kApiServices = "/apis/apiregistration.k8s.io/v1/apiservices";

class ApiServicesTest : public ContractTest {
 protected:
  // Posts an APIService for version v1 of Group(). `members` are more members of its spec.
  Answer Create(const std::string& members) const {
    return Post(kApiServices, R"({"metadata":{"name":"v1.)" + Group() + R"("},"spec":{"group":")" +
                                  Group() + R"(","version":"v1")" + members + "}}");
  }
  void ExpectBroken(const std::string& members, const std::vector<Broken>& rules) const {
    SCOPED_TRACE(members);
    EXPECT_REFUSED(Create(members),
                   RefusalFor("APIService", "apiregistration.k8s.io", "v1." + Group(), rules));
  }
};

TEST_F(ApiServicesTest, RejectsPrioritiesOutOfTheirRanges) {
  const std::string group = "must be positive and less than 20000";
  const std::string version = "must be positive and less than 1000";
  ExpectBroken("", {{"Invalid", "spec.groupPriorityMinimum", "Invalid value: 0: " + group},
                    {"Invalid", "spec.versionPriority", "Invalid value: 0: " + version}});
  ExpectBroken(R"(,"groupPriorityMinimum":20001,"versionPriority":-1)",
               {{"Invalid", "spec.groupPriorityMinimum", "Invalid value: 20001: " + group},
                {"Invalid", "spec.versionPriority", "Invalid value: -1: " + version}});
}

TEST_F(ApiServicesTest, RejectsIncompleteServices) {
  const std::string priorities = R"(,"groupPriorityMinimum":1,"versionPriority":1)";
  ExpectBroken(priorities + R"(,"service":{"port":70000})",
               {{"Required", "spec.service.namespace", "Required value"},
                {"Required", "spec.service.name", "Required value"},
                {"Invalid", "spec.service.port",
                 "Invalid value: 70000: port is not valid: must be between 1 and 65535, "
                 "inclusive"}});
  ExpectBroken(priorities + R"(,"service":{"namespace":"a","name":"b"},"caBundle":"YQ==",)" +
                   R"("insecureSkipTLSVerify":true)",
               {{"Invalid", "spec.insecureSkipTLSVerify",
                 "Invalid value: true: may not be true if caBundle is present"}});
  ExpectBroken(priorities + R"(,"caBundle":"YQ==","insecureSkipTLSVerify":true)",
               {{"Invalid", "spec.caBundle",
                 R"(Invalid value: "1 bytes": local APIServices may not have a caBundle)"},
                {"Invalid", "spec.insecureSkipTLSVerify",
                 "Invalid value: true: local APIServices may not have insecureSkipTLSVerify"}});
}

TEST_F(ApiServicesTest, RejectsNamesThatAreNotItsGroupAndVersion) {
  const std::string spec =
      R"("spec":{"version":"v2","groupPriorityMinimum":1,"versionPriority":1})";
  const std::string wanted = R"(must be `spec.version+"."+spec.group`: "v2.")";

  EXPECT_REFUSED(
      Post(kApiServices, R"({"metadata":{"name":"a","generateName":"b"},)" + spec + "}"),
      RefusalFor("APIService", "apiregistration.k8s.io", "a",
                 {{"Invalid", "metadata.generateName", R"(Invalid value: "b": )" + wanted},
                  {"Invalid", "metadata.name", R"(Invalid value: "a": )" + wanted},
                  {"Required", "spec.group",
                   "Required value: only v1 may have an empty group and it better be legacy "
                   "kube"}}));
}

TEST_F(ApiServicesTest, IsAvailableAtOnceWithoutAService) {
  DeleteLater(std::string(kApiServices) + "/v1." + Group());
  const Answer created = Create(R"(,"groupPriorityMinimum":1,"versionPriority":1)");

  EXPECT_EQ(created.code, 201);
  const runtime::JsonValue& conditions = ListAt(ObjectAt(created.json, "status"), "conditions");
  ASSERT_EQ(conditions.Size(), 1U);
  EXPECT_EQ(runtime::GetString(conditions[0], "type"), "Available");
  EXPECT_EQ(runtime::GetString(conditions[0], "status"), "True");
  EXPECT_EQ(runtime::GetString(conditions[0], "reason"), "Local");
  EXPECT_EQ(runtime::GetString(conditions[0], "message"), "Local APIServices are always available");
  EXPECT_NE(runtime::GetString(conditions[0], "lastTransitionTime"), "");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
