// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "controllers/readinessgate/testing/fakes.h"

namespace capstan::readinessgate {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSupported =
    "; supported types: pod-ip, pod-condition, pod-annotation, pod-label, network-status, "
    "node-condition, configmap, rate";

TEST(ParseGateTest, ParsesEachKindOfCsiDriver) {
  for (const std::string spec :
       {"pod-ip:any", "pod-ip:ipv4", "pod-ip:ipv6", "pod-condition:Ready",
        "pod-condition:Ready=True", "pod-condition:Ready=", "pod-condition:Ready=false",
        "pod-condition:example.com/Net=UNKNOWN", "pod-annotation:example.com/ready",
        "pod-annotation:ready", "pod-annotation:Example.COM/ready"}) {
    const auto gate = MustParse(spec);
    ASSERT_NE(gate, nullptr) << spec;
    EXPECT_EQ(gate->spec(), spec);
    EXPECT_EQ(gate->kind(), spec.substr(0, spec.find(':')));
  }
}

TEST(ParseGateTest, ParsesEachKindOfOurs) {
  for (const std::string spec :
       {"pod-label:app", "pod-label:example.com/app=web", "network-status:demo/macvlan/ipv4",
        "node-condition:Ready=True", "configmap:trust/bundle:ca.crt", "rate:5/1s"}) {
    const auto gate = MustParse(spec);
    ASSERT_NE(gate, nullptr) << spec;
    EXPECT_EQ(gate->spec(), spec);
    EXPECT_EQ(gate->kind(), spec.substr(0, spec.find(':')));
  }
}

TEST(ParseGateTest, ReturnsErrorsOfCsiDriver) {
  EXPECT_EQ(ErrorOf("pod-ip"), "expected <type>:<value>, got \"pod-ip\"");
  EXPECT_EQ(ErrorOf("pod-ip:"), "expected <type>:<value>, got \"pod-ip:\"");
  EXPECT_EQ(ErrorOf("pod-annotation:"), "expected <type>:<value>, got \"pod-annotation:\"");
  EXPECT_EQ(ErrorOf(""), "expected <type>:<value>, got \"\"");
  EXPECT_EQ(ErrorOf(":"), "expected <type>:<value>, got \":\"");
  EXPECT_EQ(ErrorOf("a\"b"), "expected <type>:<value>, got \"a\\\"b\"");
  EXPECT_EQ(ErrorOf("pod-ip:v4"), "pod-ip: unsupported family \"v4\"; use any, ipv4, or ipv6");
  EXPECT_EQ(ErrorOf("pod-ip: any"), "pod-ip: unsupported family \" any\"; use any, ipv4, or ipv6");
  EXPECT_EQ(ErrorOf("pod-ip:IPv4"), "pod-ip: unsupported family \"IPv4\"; use any, ipv4, or ipv6");
  EXPECT_EQ(ErrorOf("pod-condition:=True"), "pod-condition: condition type must not be empty");
  EXPECT_EQ(ErrorOf("pod-condition:Ready=yes"),
            "pod-condition: invalid status \"yes\"; must be True, False, or Unknown");
  EXPECT_EQ(ErrorOf("pod-condition:Ready=True=True"),
            "pod-condition: invalid status \"True=True\"; must be True, False, or Unknown");
}

TEST(ParseGateTest, ErrorListsSupportedTypes) {
  EXPECT_THAT(ErrorOf("pod-lable:a"),
              ::testing::StrEq(std::string("unknown type \"pod-lable\"") + kSupported));
  EXPECT_THAT(ErrorOf(":any"), ::testing::StrEq(std::string("unknown type \"\"") + kSupported));
  EXPECT_THAT(ErrorOf("POD-IP:any"),
              ::testing::StrEq(std::string("unknown type \"POD-IP\"") + kSupported));
}

// csi-driver accepts these specs and waits forever.
TEST(ParseGateTest, RejectsSpecsThatNeverOpen) {
  EXPECT_EQ(ErrorOf("pod-annotation:example.com/ready=true"),
            "pod-annotation: \"example.com/ready=true\" would never open: an annotation's key has "
            "no '=', and any non-empty value opens; for a value use pod-label:<key>=<value>");
  EXPECT_EQ(ErrorOf("pod-annotation:a b"),
            "pod-annotation: \"a b\" would never open: it is no annotation's key: \" \" is not "
            "allowed");
  EXPECT_THAT(ErrorOf("pod-annotation: "), HasSubstr("would never open"));
  EXPECT_THAT(ErrorOf("pod-annotation:a/b/c"), HasSubstr("more than one '/'"));
  EXPECT_THAT(ErrorOf("pod-annotation:*"), HasSubstr("\"*\" is not allowed"));
  EXPECT_THAT(ErrorOf("pod-annotation:" + std::string(64, 'a')), HasSubstr("longer than 63"));
  EXPECT_EQ(ErrorOf("pod-condition:My Condition"),
            "pod-condition: no pod can ever have condition \"My Condition\": \" \" is not allowed");
}

TEST(ParseGateTest, RejectsItsOwnKeys) {
  EXPECT_THAT(ErrorOf("pod-annotation:readiness.capstan.dev/ready"),
              HasSubstr("this program's own"));
  EXPECT_THAT(ErrorOf("pod-annotation:readiness.capstan.dev/status"),
              HasSubstr("this program's own"));
  EXPECT_THAT(ErrorOf("pod-condition:readiness.capstan.dev/CertGates"),
              HasSubstr("wait for itself"));
  EXPECT_NE(MustParse("pod-annotation:readiness.capstan.device/x"), nullptr);
}

TEST(ParseGateTest, WarnsOfDeadlock) {
  for (const std::string spec : {"pod-condition:Ready", "pod-condition:ContainersReady=True"}) {
    EXPECT_THAT(MustParse(spec)->Warning(), HasSubstr("never opens")) << spec;
  }
  for (const std::string spec : {"pod-condition:Initialized", "pod-ip:any", "pod-annotation:a"}) {
    EXPECT_EQ(MustParse(spec)->Warning(), "") << spec;
  }
}

TEST(ParseGateTest, EscapesInvalidBytesInErrors) {
  EXPECT_EQ(ErrorOf(std::string("\0\xff\n", 3)), "expected <type>:<value>, got \"\\x00\\xff\\n\"");
}

TEST(GateTest, OpenGateHasNoMessage) {
  const Verdict verdict =
      EvaluateGate("pod-ip:any", {.members = R"("status":{"podIPs":[{"ip":"10.0.0.7"}]})"});

  EXPECT_TRUE(verdict.open);
  EXPECT_EQ(verdict.reason, "Open");
  EXPECT_EQ(verdict.message, "");
}

}  // namespace
}  // namespace capstan::readinessgate
