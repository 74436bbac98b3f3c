// SPDX-License-Identifier: Apache-2.0
// Tests of the rules of Services. The contract tests compare their texts with kube-apiserver.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/testing/must_parse.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kAllocated =
    R"("type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster",)"
    R"("clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ipFamilies":["IPv4"])";

// Returns the fields that the rules reject: "spec.type spec.ports[0].port ".
std::string RejectedFields(const std::string& spec) {
  const runtime::JsonDocument service = runtime::MustParse(R"({"spec":{)" + spec + "}}");
  std::vector<Cause> causes;
  FieldRules rules(causes);
  CheckService(Place(service, ""), rules);
  std::string fields;
  for (const Cause& cause : causes) fields += cause.field + " ";
  return fields;
}

std::string WithPorts(std::string_view ports) {
  return std::string(kAllocated) + R"(,"ports":)" + std::string(ports);
}

TEST(ServiceValidationTest, AcceptsPortWithDefaults) {
  EXPECT_EQ(RejectedFields(WithPorts(R"([{"port":80,"protocol":"TCP","targetPort":80}])")), "");
}

TEST(ServiceValidationTest, RejectsPortOutOfRange) {
  EXPECT_EQ(RejectedFields(WithPorts(R"([{"port":70000,"protocol":"TCP","targetPort":"a"}])")),
            "spec.ports[0].port ");
}

TEST(ServiceValidationTest, RejectsPortsOfOneNumberAndProtocol) {
  EXPECT_EQ(RejectedFields(WithPorts(R"([{"name":"a","port":53,"protocol":"TCP","targetPort":1},)"
                                     R"({"name":"b","port":53,"protocol":"UDP","targetPort":1},)"
                                     R"({"name":"c","port":53,"protocol":"UDP","targetPort":1}])")),
            "spec.ports[2] ");
}

TEST(ServiceValidationTest, RejectsAddressesOfOneFamily) {
  EXPECT_EQ(RejectedFields(R"("type":"ClusterIP","sessionAffinity":"None","clusterIP":"10.0.0.1",)"
                           R"("clusterIPs":["10.0.0.1","10.0.0.2"],"ipFamilies":["IPv4","IPv6"],)"
                           R"("ports":[{"port":80,"protocol":"TCP","targetPort":80}])"),
            "spec.clusterIPs spec.clusterIPs[1] ");
}

TEST(ServiceValidationTest, RejectsChangedAddressUnlessTypeWasExternalName) {
  const auto change = [](const std::string& before, const std::string& after) {
    const auto live = runtime::MustParse(R"({"spec":)" + before + "}");
    const auto next = runtime::MustParse(R"({"spec":)" + after + "}");
    std::vector<Cause> causes;
    FieldRules rules(causes);
    CheckServiceUpdate(Place(live, ""), Place(next, ""), rules);
    return causes.size();
  };
  const std::string one = R"({"type":"ClusterIP","clusterIPs":["10.0.0.1"]})";
  const std::string two = R"({"type":"ClusterIP","clusterIPs":["10.0.0.2"]})";
  EXPECT_EQ(change(one, two), 1U);
  EXPECT_EQ(change(one, one), 0U);
  EXPECT_EQ(change(R"({"type":"ExternalName"})", two), 0U);
}

}  // namespace
}  // namespace capstan::testing::apiserver
