// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "controllers/readinessgate/testing/fakes.h"

namespace capstan::readinessgate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

PodJson WithIps(const std::string& ips) {
  return {.members = R"("status":{"podIPs":)" + ips + "}"};
}
PodJson WithConditions(const std::string& conditions) {
  return {.members = R"("status":{"conditions":[)" + conditions + "]}"};
}

TEST(PodIpGateTest, OpensOnAddressOfItsFamily) {
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
    EXPECT_EQ(EvaluateGate("pod-ip:any", WithIps(c.ips)).open, c.any) << c.ips;
    EXPECT_EQ(EvaluateGate("pod-ip:ipv4", WithIps(c.ips)).open, c.ipv4) << c.ips;
    EXPECT_EQ(EvaluateGate("pod-ip:ipv6", WithIps(c.ips)).open, c.ipv6) << c.ips;
  }
}

TEST(PodIpGateTest, IgnoresSingularAddress) {
  EXPECT_FALSE(EvaluateGate("pod-ip:any", {.members = R"("status":{"podIP":"10.0.0.7"})"}).open);
}

TEST(PodIpGateTest, ReportsMissingFamily) {
  EXPECT_EQ(EvaluateGate("pod-ip:any", {}).message, "pod has no any address yet");
  EXPECT_EQ(EvaluateGate("pod-ip:ipv4", {}).message, "pod has no ipv4 address yet");
  EXPECT_EQ(EvaluateGate("pod-ip:ipv6", WithIps(R"([{"ip":"10.0.0.7"}])")).message,
            "pod has no ipv6 address yet");
  EXPECT_EQ(EvaluateGate("pod-ip:ipv6", {}).reason, "NoAddress");
}

TEST(PodIpGateTest, OpensOnNodeAddressOfHostNetworkPod) {
  EXPECT_TRUE(EvaluateGate("pod-ip:ipv4", {.members = R"("spec":{"hostNetwork":true},
                                    "status":{"podIPs":[{"ip":"192.0.2.1"}]})"})
                  .open);
}

TEST(PodConditionGateTest, ComparesStatus) {
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
    EXPECT_EQ(EvaluateGate(c.spec, pod).open, c.open) << c.spec << " " << c.status;
  }
}

TEST(PodConditionGateTest, ReportsWhatItFound) {
  EXPECT_EQ(EvaluateGate("pod-condition:example.com/Net", {}).message,
            R"(pod condition "example.com/Net" not yet present)");
  EXPECT_EQ(
      EvaluateGate("pod-condition:A", WithConditions(R"({"type":"B","status":"True"})")).reason,
      "ConditionAbsent");
  const Verdict differs =
      EvaluateGate("pod-condition:A=true", WithConditions(R"({"type":"A","status":"False"})"));
  EXPECT_EQ(differs.message, R"(pod condition A is "False", want "True")");
  EXPECT_EQ(differs.reason, "ConditionDiffers");
}

TEST(PodConditionGateTest, UsesFirstOfDuplicates) {
  const auto pod = WithConditions(R"({"type":"A","status":"False"},{"type":"A","status":"True"})");

  EXPECT_FALSE(EvaluateGate("pod-condition:A", pod).open);
  EXPECT_TRUE(EvaluateGate("pod-condition:A=False", pod).open);
}

TEST(PodConditionGateTest, ComparesTypeExactly) {
  const auto pod = WithConditions(R"({"type":"ready","status":"True"})");

  EXPECT_FALSE(EvaluateGate("pod-condition:Ready", pod).open);
}

TEST(PodAnnotationGateTest, OpensOnAnyNonEmptyValue) {
  const auto with = [](const std::string& value) {
    return PodJson{.metadata = R"("annotations":{"k":)" + value + "}"};
  };

  EXPECT_TRUE(EvaluateGate("pod-annotation:k", with(R"("yes")")).open);
  // csi-driver also opens on these values.
  EXPECT_TRUE(EvaluateGate("pod-annotation:k", with(R"("False")")).open);
  EXPECT_TRUE(EvaluateGate("pod-annotation:k", with(R"(" ")")).open);
  EXPECT_FALSE(EvaluateGate("pod-annotation:k", with(R"("")")).open);
  EXPECT_FALSE(EvaluateGate("pod-annotation:k", with("7")).open);
  EXPECT_FALSE(EvaluateGate("pod-annotation:k", with("null")).open);
  EXPECT_FALSE(EvaluateGate("pod-annotation:k", {.metadata = R"("annotations":{"K":"yes"})"}).open);
  EXPECT_FALSE(EvaluateGate("pod-annotation:k", {.metadata = R"("annotations":null)"}).open);
  EXPECT_FALSE(EvaluateGate("pod-annotation:k", {}).open);
}

TEST(PodAnnotationGateTest, ReportsMissingAnnotation) {
  const Verdict verdict = EvaluateGate("pod-annotation:example.com/k", {});

  EXPECT_EQ(verdict.message,
            R"(pod does not yet have annotation "example.com/k" with a non-empty value)");
  EXPECT_EQ(verdict.reason, "AnnotationAbsent");
}

PodJson WithLabels(const std::string& labels) { return {.metadata = R"("labels":)" + labels}; }

TEST(PodLabelGateTest, ComparesLabelOrItsValue) {
  EXPECT_TRUE(EvaluateGate("pod-label:app", WithLabels(R"({"app":"web"})")).open);
  EXPECT_TRUE(EvaluateGate("pod-label:app", WithLabels(R"({"app":""})")).open);
  EXPECT_TRUE(EvaluateGate("pod-label:app=web", WithLabels(R"({"app":"web"})")).open);
  EXPECT_TRUE(EvaluateGate("pod-label:app=", WithLabels(R"({"app":""})")).open);
  EXPECT_FALSE(EvaluateGate("pod-label:app=web", WithLabels(R"({"app":"Web"})")).open);
  EXPECT_FALSE(EvaluateGate("pod-label:app=", WithLabels(R"({"app":"web"})")).open);
  EXPECT_FALSE(EvaluateGate("pod-label:app", WithLabels(R"({"App":"web"})")).open);
  EXPECT_FALSE(EvaluateGate("pod-label:app", WithLabels(R"({"app":7})")).open);
  EXPECT_FALSE(EvaluateGate("pod-label:app", WithLabels("null")).open);
  EXPECT_FALSE(EvaluateGate("pod-label:app", {}).open);
}

TEST(PodLabelGateTest, ReportsWhatItFound) {
  EXPECT_EQ(EvaluateGate("pod-label:a.b/c=d", {}).message,
            R"(pod does not yet have label "a.b/c")");
  EXPECT_EQ(EvaluateGate("pod-label:app=web", WithLabels(R"({"app":"db"})")).message,
            R"(pod label "app" is "db", want "web")");
}

TEST(PodLabelGateTest, RejectsInvalidLabel) {
  EXPECT_EQ(ErrorOf("pod-label:a b"), R"(pod-label: "a b" is no label's key: " " is not allowed)");
  EXPECT_EQ(ErrorOf("pod-label:=web"), R"(pod-label: "" is no label's key: its name is empty)");
  EXPECT_EQ(ErrorOf("pod-label:app=a=b"),
            R"(pod-label: "a=b" is no label's value: "=" is not allowed)");
  EXPECT_THAT(ErrorOf("pod-label:app=" + std::string(64, 'a')), HasSubstr("longer than 63"));
}

std::string Quoted(const std::string& text) {
  runtime::JsonWriter writer;
  writer.String(text);
  return std::move(writer).Take();
}

PodJson WithStatus(const std::string& value) {
  return {.metadata =
              R"("annotations":{"k8s.v1.cni.cncf.io/network-status":)" + Quoted(value) + "}"};
}
PodJson WithOldStatus(const std::string& value) {
  return {.metadata =
              R"("annotations":{"k8s.v1.cni.cncf.io/networks-status":)" + Quoted(value) + "}"};
}

// The annotation as Multus writes it.
constexpr const char* kMultus = R"([{
    "name": "cbr0",
    "interface": "eth0",
    "ips": [
        "10.244.1.7"
    ],
    "mac": "aa:bb:cc:dd:ee:01",
    "default": true,
    "dns": {},
    "gateway": [
        "10.244.1.1"
    ]
},{
    "name": "ns/macvlan",
    "interface": "net1",
    "ips": [
        "192.0.2.7",
        "2001:db8::7"
    ],
    "mac": "aa:bb:cc:dd:ee:02",
    "dns": {}
},{
    "name": "other/sriov",
    "interface": "net2",
    "dns": {},
    "device-info": {"type": "pci", "version": "1.0.0", "pci": {"pci-address": "0000:18:02.5"}}
}])";

TEST(NetworkStatusGateTest, FindsNetworkAndItsAddresses) {
  struct Case {
    const char* spec;
    bool open;
  };
  for (const Case& c : {
           Case{"network-status:cbr0", true},
           Case{"network-status:cbr0/ipv4", true},
           Case{"network-status:cbr0/ipv6", false},
           Case{"network-status:ns/macvlan", true},
           Case{"network-status:ns/macvlan/ipv4", true},
           Case{"network-status:ns/macvlan/ipv6", true},
           Case{"network-status:ns/macvlan/any", true},
           // The pod is in namespace "ns".
           Case{"network-status:macvlan", true},
           Case{"network-status:macvlan/ipv6", true},
           Case{"network-status:sriov", false},
           Case{"network-status:other/sriov", true},
           Case{"network-status:other/sriov/any", false},
           Case{"network-status:other/macvlan", false},
           Case{"network-status:ns/cbr0", false},
           Case{"network-status:eth0", false},
       }) {
    EXPECT_EQ(EvaluateGate(c.spec, WithStatus(kMultus)).open, c.open) << c.spec;
  }
}

TEST(NetworkStatusGateTest, ReadsOldKey) {
  EXPECT_TRUE(EvaluateGate("network-status:macvlan/ipv4", WithOldStatus(kMultus)).open);
}

TEST(NetworkStatusGateTest, PrefersNewKeyUnlessItIsEmpty) {
  const auto both = [](const std::string& value) {
    return PodJson{.metadata = R"("annotations":{"k8s.v1.cni.cncf.io/network-status":)" +
                               Quoted(value) + R"(,"k8s.v1.cni.cncf.io/networks-status":)" +
                               Quoted(kMultus) + "}"};
  };

  EXPECT_TRUE(EvaluateGate("network-status:macvlan", both("")).open);
  EXPECT_FALSE(EvaluateGate("network-status:macvlan", both("[]")).open);
  EXPECT_FALSE(EvaluateGate("network-status:macvlan", both("broken")).open);
}

TEST(NetworkStatusGateTest, ReportsWhatIsMissing) {
  const Verdict none = EvaluateGate("network-status:macvlan", {});
  EXPECT_EQ(none.reason, "NoNetworkStatus");
  EXPECT_EQ(none.message,
            R"(pod does not yet have annotation "k8s.v1.cni.cncf.io/network-status" with a )"
            "non-empty value");

  const Verdict absent = EvaluateGate("network-status:other/macvlan", WithStatus(kMultus));
  EXPECT_EQ(absent.reason, "NetworkAbsent");
  EXPECT_EQ(absent.message, R"(pod is not yet attached to network "other/macvlan")");

  const Verdict address = EvaluateGate("network-status:cbr0/ipv6", WithStatus(kMultus));
  EXPECT_EQ(address.reason, "NoNetworkAddress");
  EXPECT_EQ(address.message, R"(network "cbr0" has no ipv6 address yet)");
}

TEST(NetworkStatusGateTest, StaysClosedWhenAnnotationIsNotAList) {
  const std::string list = R"([{"name":"a","ips":["192.0.2.7"]}])";
  for (const std::string& value : {std::string("not JSON"),
                                   std::string(R"({"name":"a","ips":["192.0.2.7"]})"),
                                   std::string("null"),
                                   std::string("true"),
                                   std::string("7"),
                                   std::string("\"a\""),
                                   std::string(" "),
                                   list + "x",
                                   list + list,
                                   list + ",",
                                   list.substr(0, list.size() - 1),
                                   "[" + list,
                                   std::string("[NaN]"),
                                   std::string("[{'name':'a'}]"),
                                   std::string(R"([{"name":"a"},])"),
                                   std::string(R"([{"name":"a" /*c*/}])"),
                                   std::string(1000, '[') + std::string(1000, ']'),
                                   std::string(60'000, '['),
                                   std::string(60'000, '{'),
                                   std::string(1 << 18U, '['),
                                   list.substr(0, 1) + std::string(70'000, ' ') + list.substr(1)}) {
    const Verdict verdict = EvaluateGate("network-status:a", WithStatus(value));
    EXPECT_FALSE(verdict.open) << value.substr(0, 60);
    EXPECT_EQ(verdict.reason, "NetworkStatusInvalid") << value.substr(0, 60);
    EXPECT_THAT(verdict.message,
                StartsWith(R"(pod annotation "k8s.v1.cni.cncf.io/network-status" is no list )"));
  }
}

TEST(NetworkStatusGateTest, DoesNotQuoteInvalidText) {
  EXPECT_THAT(EvaluateGate("network-status:a", WithStatus("[password]")).message,
              Not(HasSubstr("password")));
}

TEST(NetworkStatusGateTest, AcceptsBlanksAroundTheList) {
  EXPECT_TRUE(EvaluateGate("network-status:a", WithStatus(" \n[{\"name\":\"a\"}]\r\n\t ")).open);
}

TEST(NetworkStatusGateTest, SkipsEntriesThatAreNotNetworks) {
  EXPECT_TRUE(
      EvaluateGate("network-status:a/ipv4",
                   WithStatus(R"([null,7,"a",[],{},{"name":7},{"name":null,"ips":["192.0.2.1"]},
                                 {"name":"a","ips":["192.0.2.7"]}])"))
          .open);
}

TEST(NetworkStatusGateTest, IgnoresInvalidAddresses) {
  for (const std::string ips :
       {"null", "{}", "\"192.0.2.7\"", "[]", "[null]", "[7]", "[\"\"]", "[\"192.0.2.7/24\"]",
        "[\"192.0.2\"]", R"([["192.0.2.7"]])", R"(["192.0.2.7\u0000"])"}) {
    const auto pod = WithStatus(R"([{"name":"a","ips":)" + ips + "}]");
    EXPECT_FALSE(EvaluateGate("network-status:a/any", pod).open) << ips;
    EXPECT_TRUE(EvaluateGate("network-status:a", pod).open) << ips;
  }
}

TEST(NetworkStatusGateTest, TreatsMappedAddressAsIpv4) {
  const auto pod = WithStatus(R"([{"name":"a","ips":["::ffff:192.0.2.7"]}])");

  EXPECT_TRUE(EvaluateGate("network-status:a/ipv4", pod).open);
  EXPECT_FALSE(EvaluateGate("network-status:a/ipv6", pod).open);
}

TEST(NetworkStatusGateTest, OpensOnOneOfSeveralAttachments) {
  const auto pod = WithStatus(R"([{"name":"a","interface":"net1"},
                                  {"name":"a","interface":"net1","ips":["192.0.2.7"]}])");

  EXPECT_TRUE(EvaluateGate("network-status:a/ipv4", pod).open);
}

TEST(NetworkStatusGateTest, UsesLastOfDuplicateKeysAsGo) {
  EXPECT_TRUE(EvaluateGate("network-status:a", WithStatus(R"([{"name":"b","name":"a"}])")).open);
  EXPECT_FALSE(EvaluateGate("network-status:a", WithStatus(R"([{"name":"a","name":"b"}])")).open);
}

TEST(NetworkStatusGateTest, AcceptsNetworkNamedLikeAFamily) {
  const auto pod = WithStatus(R"([{"name":"ns/ipv4"}])");

  EXPECT_FALSE(EvaluateGate("network-status:ns/ipv4", pod).open);  // network "ns", family ipv4
  EXPECT_TRUE(EvaluateGate("network-status:ipv4", pod).open);
  EXPECT_EQ(EvaluateGate("network-status:ns/ipv4/any", pod).reason, "NoNetworkAddress");
}

TEST(NetworkStatusGateTest, RejectsInvalidNetwork) {
  EXPECT_EQ(ErrorOf("network-status:a/b/c"),
            "network-status: expected [<namespace>/]<network>[/any|/ipv4|/ipv6], got \"a/b/c\": "
            "it has more than one '/'");
  for (const std::string value :
       {"/ipv4", "a/", "/a", "a b", "a,b", "a/ipv4/ipv6/ipv4", "a@net1"}) {
    EXPECT_THAT(ErrorOf("network-status:" + value), StartsWith("network-status: expected "))
        << value;
  }
}

}  // namespace
}  // namespace capstan::readinessgate
