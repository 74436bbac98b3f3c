// SPDX-License-Identifier: Apache-2.0
// What csi-driver's own three kinds do with pods.
#include <gtest/gtest.h>

#include <string>

#include "controllers/readinessgate/gates/gate.h"
#include "controllers/readinessgate/gates/gate_testing.h"

namespace controllers::readinessgate {
namespace {

PodJson WithIps(const std::string& ips) {
  return {.members = R"("status":{"podIPs":)" + ips + "}"};
}
PodJson WithConditions(const std::string& conditions) {
  return {.members = R"("status":{"conditions":[)" + conditions + "]}"};
}

TEST(PodIpGateTest, OpensOnAnAddressOfItsFamily) {
  struct Case {
    const char* ips;
    bool any, ipv4, ipv6;
  };
  for (const Case& c : {
           Case{R"([])", false, false, false},
           Case{R"(null)", false, false, false},
           Case{R"([{"ip":"10.0.0.7"}])", true, true, false},
           Case{R"([{"ip":"fd00::7"}])", true, false, true},
           Case{R"([{"ip":"10.0.0.7"},{"ip":"fd00::7"}])", true, true, true},
           Case{R"([{"ip":"garbage"},{"ip":"10.0.0.7"}])", true, true, false},
           Case{R"([{"ip":"::ffff:10.0.0.7"}])", true, true, false},
           Case{R"([{"ip":""},{"ip":7},{},null])", false, false, false},
           Case{R"([{"ip":"010.0.0.7"}])", false, false, false},
           Case{R"([{"ip":"fe80::1%eth0"}])", false, false, false},
           Case{R"([{"ip":" 10.0.0.7"}])", false, false, false},
           Case{R"([{"ip":"10.0.0.7/24"}])", false, false, false},
           Case{R"([{"ip":"10.0.0.7\u0000"}])", false, false, false},
       }) {
    EXPECT_EQ(Ask("pod-ip:any", WithIps(c.ips)).open, c.any) << c.ips;
    EXPECT_EQ(Ask("pod-ip:ipv4", WithIps(c.ips)).open, c.ipv4) << c.ips;
    EXPECT_EQ(Ask("pod-ip:ipv6", WithIps(c.ips)).open, c.ipv6) << c.ips;
  }
}

TEST(PodIpGateTest, DoesNotReadTheSingularAddress) {
  EXPECT_FALSE(Ask("pod-ip:any", {.members = R"("status":{"podIP":"10.0.0.7"})"}).open);
}

TEST(PodIpGateTest, SaysWhichFamilyIsMissing) {
  EXPECT_EQ(Ask("pod-ip:any", {}).message, "pod has no any address yet");
  EXPECT_EQ(Ask("pod-ip:ipv4", {}).message, "pod has no ipv4 address yet");
  EXPECT_EQ(Ask("pod-ip:ipv6", WithIps(R"([{"ip":"10.0.0.7"}])")).message,
            "pod has no ipv6 address yet");
  EXPECT_EQ(Ask("pod-ip:ipv6", {}).reason, "NoAddress");
}

TEST(PodIpGateTest, AHostNetworkPodHasTheAddressOfItsNode) {
  EXPECT_TRUE(Ask("pod-ip:ipv4", {.members = R"("spec":{"hostNetwork":true},
                                    "status":{"podIPs":[{"ip":"192.0.2.1"}]})"})
                  .open);
}

TEST(PodConditionGateTest, ComparesTheStatus) {
  struct Case {
    const char* spec;
    const char* status;
    bool open;
  };
  for (const Case& c : {
           Case{"pod-condition:A", "True", true},
           Case{"pod-condition:A", "False", false},
           Case{"pod-condition:A", "Unknown", false},
           Case{"pod-condition:A=True", "True", true},
           Case{"pod-condition:A=", "True", true},
           Case{"pod-condition:A=False", "False", true},
           Case{"pod-condition:A=False", "True", false},
           Case{"pod-condition:A=unknown", "Unknown", true},
           Case{"pod-condition:A=true", "True", true},
           Case{"pod-condition:A=TRUE", "True", true},
           Case{"pod-condition:A", "true", false},  // the pod's own status is compared exactly
           Case{"pod-condition:A", "", false},
       }) {
    const auto pod = WithConditions(R"({"type":"A","status":")" + std::string(c.status) + "\"}");
    EXPECT_EQ(Ask(c.spec, pod).open, c.open) << c.spec << " " << c.status;
  }
}

TEST(PodConditionGateTest, SaysWhatItFound) {
  EXPECT_EQ(Ask("pod-condition:example.com/Net", {}).message,
            R"(pod condition "example.com/Net" not yet present)");
  EXPECT_EQ(Ask("pod-condition:A", WithConditions(R"({"type":"B","status":"True"})")).reason,
            "ConditionAbsent");
  const Verdict differs =
      Ask("pod-condition:A=true", WithConditions(R"({"type":"A","status":"False"})"));
  EXPECT_EQ(differs.message, R"(pod condition A is "False", want "True")");
  EXPECT_EQ(differs.reason, "ConditionDiffers");
}

TEST(PodConditionGateTest, TheFirstOfDuplicatesCounts) {
  const auto pod = WithConditions(R"({"type":"A","status":"False"},{"type":"A","status":"True"})");

  EXPECT_FALSE(Ask("pod-condition:A", pod).open);
  EXPECT_TRUE(Ask("pod-condition:A=False", pod).open);
}

TEST(PodConditionGateTest, TypesAreExact) {
  const auto pod = WithConditions(R"({"type":"ready","status":"True"})");

  EXPECT_FALSE(Ask("pod-condition:Ready", pod).open);
}

TEST(PodAnnotationGateTest, OpensOnAnyValueButTheEmptyOne) {
  const auto with = [](const std::string& value) {
    return PodJson{.metadata = R"("annotations":{"k":)" + value + "}"};
  };

  EXPECT_TRUE(Ask("pod-annotation:k", with(R"("yes")")).open);
  // As csi-driver does, however they read.
  EXPECT_TRUE(Ask("pod-annotation:k", with(R"("False")")).open);
  EXPECT_TRUE(Ask("pod-annotation:k", with(R"(" ")")).open);
  EXPECT_FALSE(Ask("pod-annotation:k", with(R"("")")).open);
  EXPECT_FALSE(Ask("pod-annotation:k", with("7")).open);
  EXPECT_FALSE(Ask("pod-annotation:k", with("null")).open);
  EXPECT_FALSE(Ask("pod-annotation:k", {.metadata = R"("annotations":{"K":"yes"})"}).open);
  EXPECT_FALSE(Ask("pod-annotation:k", {.metadata = R"("annotations":null)"}).open);
  EXPECT_FALSE(Ask("pod-annotation:k", {}).open);
}

TEST(PodAnnotationGateTest, SaysWhichOneIsMissing) {
  const Verdict verdict = Ask("pod-annotation:example.com/k", {});

  EXPECT_EQ(verdict.message,
            R"(pod does not yet have annotation "example.com/k" with a non-empty value)");
  EXPECT_EQ(verdict.reason, "AnnotationAbsent");
}

TEST(GateTest, AnOpenGateHasNothingToSay) {
  const Verdict verdict = Ask("pod-ip:any", WithIps(R"([{"ip":"10.0.0.7"}])"));

  EXPECT_TRUE(verdict.open);
  EXPECT_EQ(verdict.reason, "Open");
  EXPECT_EQ(verdict.message, "");
}

}  // namespace
}  // namespace controllers::readinessgate
