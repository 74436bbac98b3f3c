// SPDX-License-Identifier: Apache-2.0
// network-status gates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "clientgo/runtime/json.h"
#include "controllers/readinessgate/gates/gate.h"
#include "controllers/readinessgate/gates/gate_testing.h"

namespace controllers::readinessgate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Quoted(const std::string& text) {
  clientgo::runtime::JsonBuffer buffer;
  clientgo::runtime::JsonWriter writer(buffer);
  clientgo::runtime::WriteString(writer, text);
  return {buffer.GetString(), buffer.GetSize()};
}

PodJson WithStatus(const std::string& value) {
  return {.metadata =
              R"("annotations":{"k8s.v1.cni.cncf.io/network-status":)" + Quoted(value) + "}"};
}
PodJson WithOldStatus(const std::string& value) {
  return {.metadata =
              R"("annotations":{"k8s.v1.cni.cncf.io/networks-status":)" + Quoted(value) + "}"};
}

// As Multus writes it, indented and all.
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

TEST(NetworkStatusGateTest, FindsANetworkAndItsAddresses) {
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
    EXPECT_EQ(Ask(c.spec, WithStatus(kMultus)).open, c.open) << c.spec;
  }
}

TEST(NetworkStatusGateTest, ReadsTheOldKeyToo) {
  EXPECT_TRUE(Ask("network-status:macvlan/ipv4", WithOldStatus(kMultus)).open);
}

TEST(NetworkStatusGateTest, OfBothKeysTheNewOneCountsUnlessItIsEmpty) {
  const auto both = [](const std::string& value) {
    return PodJson{.metadata = R"("annotations":{"k8s.v1.cni.cncf.io/network-status":)" +
                               Quoted(value) + R"(,"k8s.v1.cni.cncf.io/networks-status":)" +
                               Quoted(kMultus) + "}"};
  };

  EXPECT_TRUE(Ask("network-status:macvlan", both("")).open);
  EXPECT_FALSE(Ask("network-status:macvlan", both("[]")).open);
  EXPECT_FALSE(Ask("network-status:macvlan", both("broken")).open);
}

TEST(NetworkStatusGateTest, SaysWhatIsMissing) {
  const Verdict none = Ask("network-status:macvlan", {});
  EXPECT_EQ(none.reason, "NoNetworkStatus");
  EXPECT_EQ(none.message,
            R"(pod does not yet have annotation "k8s.v1.cni.cncf.io/network-status" with a )"
            "non-empty value");

  const Verdict absent = Ask("network-status:other/macvlan", WithStatus(kMultus));
  EXPECT_EQ(absent.reason, "NetworkAbsent");
  EXPECT_EQ(absent.message, R"(pod is not yet attached to network "other/macvlan")");

  const Verdict address = Ask("network-status:cbr0/ipv6", WithStatus(kMultus));
  EXPECT_EQ(address.reason, "NoNetworkAddress");
  EXPECT_EQ(address.message, R"(network "cbr0" has no ipv6 address yet)");
}

TEST(NetworkStatusGateTest, StaysClosedOnWhatIsNoList) {
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
    const Verdict verdict = Ask("network-status:a", WithStatus(value));
    EXPECT_FALSE(verdict.open) << value.substr(0, 60);
    EXPECT_EQ(verdict.reason, "NetworkStatusInvalid") << value.substr(0, 60);
    EXPECT_THAT(verdict.message,
                StartsWith(R"(pod annotation "k8s.v1.cni.cncf.io/network-status" is no list )"));
  }
}

TEST(NetworkStatusGateTest, NeverQuotesWhatItCannotRead) {
  EXPECT_THAT(Ask("network-status:a", WithStatus("[password]")).message,
              Not(HasSubstr("password")));
}

TEST(NetworkStatusGateTest, BlanksAroundTheListAreAllowed) {
  EXPECT_TRUE(Ask("network-status:a", WithStatus(" \n[{\"name\":\"a\"}]\r\n\t ")).open);
}

TEST(NetworkStatusGateTest, EntriesThatAreNoNetworksAreSkipped) {
  EXPECT_TRUE(Ask("network-status:a/ipv4",
                  WithStatus(R"([null,7,"a",[],{},{"name":7},{"name":null,"ips":["192.0.2.1"]},
                                 {"name":"a","ips":["192.0.2.7"]}])"))
                  .open);
}

TEST(NetworkStatusGateTest, OnlyAddressesAreAddresses) {
  for (const std::string ips :
       {"null", "{}", "\"192.0.2.7\"", "[]", "[null]", "[7]", "[\"\"]", "[\"192.0.2.7/24\"]",
        "[\"192.0.2\"]", R"([["192.0.2.7"]])", R"(["192.0.2.7\u0000"])"}) {
    const auto pod = WithStatus(R"([{"name":"a","ips":)" + ips + "}]");
    EXPECT_FALSE(Ask("network-status:a/any", pod).open) << ips;
    EXPECT_TRUE(Ask("network-status:a", pod).open) << ips;
  }
}

TEST(NetworkStatusGateTest, AMappedAddressIsIpv4) {
  const auto pod = WithStatus(R"([{"name":"a","ips":["::ffff:192.0.2.7"]}])");

  EXPECT_TRUE(Ask("network-status:a/ipv4", pod).open);
  EXPECT_FALSE(Ask("network-status:a/ipv6", pod).open);
}

TEST(NetworkStatusGateTest, OneOfSeveralAttachmentsIsEnough) {
  const auto pod = WithStatus(R"([{"name":"a","interface":"net1"},
                                  {"name":"a","interface":"net1","ips":["192.0.2.7"]}])");

  EXPECT_TRUE(Ask("network-status:a/ipv4", pod).open);
}

TEST(NetworkStatusGateTest, OfAKeyGivenTwiceTheFirstCounts) {
  EXPECT_FALSE(Ask("network-status:a", WithStatus(R"([{"name":"b","name":"a"}])")).open);
}

TEST(NetworkStatusGateTest, ANetworkMayBeNamedLikeAFamily) {
  const auto pod = WithStatus(R"([{"name":"ns/ipv4"}])");

  EXPECT_FALSE(Ask("network-status:ns/ipv4", pod).open);  // network "ns", family ipv4
  EXPECT_TRUE(Ask("network-status:ipv4", pod).open);
  EXPECT_EQ(Ask("network-status:ns/ipv4/any", pod).reason, "NoNetworkAddress");
}

TEST(NetworkStatusGateTest, RefusesWhatIsNoNetwork) {
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
}  // namespace controllers::readinessgate
