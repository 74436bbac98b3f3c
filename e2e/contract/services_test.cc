// SPDX-License-Identifier: Apache-2.0
// Tests of Services: their validation, and the addresses and ports that the server allocates.
#include <string>

#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

// ServiceCase is the spec of a Service, and one cause of its rejection.
struct ServiceCase {
  const char* name;
  const char* spec;
  const char* field;
  const char* reason;
  const char* message;
};

class ServicesTest : public ContractTest, public ::testing::WithParamInterface<ServiceCase> {
 protected:
  std::string Services(std::string_view name = {}) const { return Core("services", name); }
  Answer Create(const std::string& name, const std::string& spec) const {
    return Post(Services(), R"({"metadata":{"name":")" + name + R"("},"spec":)" + spec + "}");
  }
  Answer Patch(const std::string& name, const std::string& spec) const {
    return MergePatch(Services(name), R"({"spec":)" + spec + "}");
  }
  static std::string Spec(const Answer& answer, const char* member) {
    return JsonAt(answer, {"spec", member});
  }
  static std::string NodePortOf(const Answer& answer, rapidjson::SizeType index) {
    const runtime::JsonValue& ports = ListAt(ObjectAt(answer.json, "spec"), "ports");
    if (index >= ports.Size()) return "no port";
    const runtime::JsonValue* const number = runtime::Find(ports[index], "nodePort");
    return number == nullptr ? "none" : runtime::ToJson(*number);
  }
};

using ServiceCases = ServicesTest;

TEST_P(ServiceCases, IsRejected) {
  const ServiceCase& one = GetParam();

  EXPECT_REFUSED(Create("a", one.spec),
                 Invalid("Service", "a", one.field, one.reason, one.message));
}

INSTANTIATE_TEST_SUITE_P(
    Services, ServiceCases,
    ::testing::Values(
        ServiceCase{"NoPorts", "{}", "spec.ports", "FieldValueRequired", "Required value"},
        ServiceCase{"PortTooLarge", R"({"ports":[{"port":70000,"targetPort":80}]})",
                    "spec.ports[0].port", "FieldValueInvalid",
                    "Invalid value: 70000: must be between 1 and 65535, inclusive"},
        ServiceCase{"TargetPortTooLarge", R"({"ports":[{"port":80,"targetPort":70000}]})",
                    "spec.ports[0].targetPort", "FieldValueInvalid",
                    "Invalid value: 70000: must be between 1 and 65535, inclusive"},
        ServiceCase{"TargetPortWithoutLetter", R"({"ports":[{"port":80,"targetPort":"1"}]})",
                    "spec.ports[0].targetPort", "FieldValueInvalid",
                    R"(Invalid value: "1": must contain at least one letter (a-z))"},
        ServiceCase{"UnknownProtocol", R"({"ports":[{"port":80,"protocol":"HTTP"}]})",
                    "spec.ports[0].protocol", "FieldValueNotSupported",
                    R"(Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP")"},
        ServiceCase{"OneOfTwoPortsWithoutName", R"({"ports":[{"port":80,"name":"a"},{"port":81}]})",
                    "spec.ports[1].name", "FieldValueRequired", "Required value"},
        ServiceCase{"PortNameTwice", R"({"ports":[{"port":80,"name":"a"},{"port":81,"name":"a"}]})",
                    "spec.ports[1].name", "FieldValueDuplicate", R"(Duplicate value: "a")"},
        ServiceCase{"UnknownType", R"({"type":"ClusterIPSS","ports":[{"port":80}]})", "spec.type",
                    "FieldValueNotSupported",
                    R"(Unsupported value: "ClusterIPSS": supported values: "ClusterIP", )"
                    R"("ExternalName", "LoadBalancer", "NodePort")"},
        ServiceCase{"NodePortOfClusterIp", R"({"ports":[{"port":80,"nodePort":30123}]})",
                    "spec.ports[0].nodePort", "FieldValueForbidden",
                    "Forbidden: may not be used when `type` is 'ClusterIP'"},
        ServiceCase{"UnknownAffinity", R"({"sessionAffinity":"x","ports":[{"port":80}]})",
                    "spec.sessionAffinity", "FieldValueNotSupported",
                    R"(Unsupported value: "x": supported values: "ClientIP", "None")"},
        ServiceCase{"AffinityForever",
                    R"({"sessionAffinity":"ClientIP","sessionAffinityConfig":{"clientIP":)"
                    R"({"timeoutSeconds":86401}},"ports":[{"port":80}]})",
                    "spec.sessionAffinityConfig.clientIP.timeoutSeconds", "FieldValueInvalid",
                    "Invalid value: 86401: must be greater than 0 and less than 86400"},
        ServiceCase{"SelectorWithBadValue", R"({"selector":{"a":"b c"},"ports":[{"port":80}]})",
                    "spec.selector", "FieldValueInvalid",
                    "Invalid value: \"b c\": a valid label must be an empty string or consist of "
                    "alphanumeric characters, '-', '_' or '.', and must start and end with an "
                    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex "
                    "used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
        ServiceCase{"AddressThatIsNone", R"({"clusterIP":"x","ports":[{"port":80}]})",
                    "spec.clusterIPs[0]", "FieldValueInvalid",
                    R"(Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or )"
                    R"(2001:db8::ffff))"},
        ServiceCase{"LoopbackAsExternalIp",
                    R"({"externalIPs":["127.0.0.1"],"ports":[{"port":80}]})", "spec.externalIPs[0]",
                    "FieldValueInvalid",
                    R"(Invalid value: "127.0.0.1": may not be in the loopback range )"
                    R"((127.0.0.0/8, ::1/128))"},
        ServiceCase{"ExternalNameWithoutName", R"({"type":"ExternalName"})", "spec.externalName",
                    "FieldValueRequired", "Required value"},
        ServiceCase{"ExternalNameWithAddress",
                    R"({"type":"ExternalName","externalName":"a.b","clusterIP":"10.0.0.9"})",
                    "spec.clusterIPs", "FieldValueForbidden",
                    "Forbidden: may not be set for ExternalName services"},
        ServiceCase{"ClassOfClusterIp", R"({"loadBalancerClass":"a","ports":[{"port":80}]})",
                    "spec.loadBalancerClass", "FieldValueForbidden",
                    "Forbidden: may only be used when `type` is 'LoadBalancer'"},
        ServiceCase{"ExternalPolicyOfClusterIp",
                    R"({"externalTrafficPolicy":"Local","ports":[{"port":80}]})",
                    "spec.externalTrafficPolicy", "FieldValueInvalid",
                    R"(Invalid value: "Local": may only be set for externally-accessible )"
                    "services"},
        ServiceCase{"UnknownInternalPolicy",
                    R"({"internalTrafficPolicy":"x","ports":[{"port":80}]})",
                    "spec.internalTrafficPolicy", "FieldValueNotSupported",
                    R"(Unsupported value: "x": supported values: "Cluster", "Local")"}),
    [](const auto& one) { return one.param.name; });

TEST_F(ServicesTest, RejectsAPortTwice) {
  const Answer refused =
      Create("a", R"({"ports":[{"port":80,"name":"a"},{"port":80,"name":"b"}]})");

  EXPECT_EQ(refused.code, 422) << refused.body;
  if (Minor() < 34) return;  // the message has the key as Go prints it
  EXPECT_REFUSED(refused,
                 Invalid("Service", "a", "spec.ports[1]", "FieldValueDuplicate",
                         R"(Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,)"
                         R"("Port":80,"TargetPort":0,"NodePort":0})"));
}

TEST_F(ServicesTest, KeepsTheAddress) {
  const Answer created = Create("a", R"({"ports":[{"port":80}]})");
  ASSERT_EQ(created.code, 201) << created.body;

  const Answer replaced =
      Put(Services("a"), R"({"metadata":{"name":"a"},"spec":{"ports":[{"port":81}]}})");
  const Answer refused = Patch("a", R"({"clusterIP":"10.0.0.253"})");

  EXPECT_EQ(replaced.code, 200) << replaced.body;
  EXPECT_EQ(Spec(replaced, "clusterIP"), Spec(created, "clusterIP"));
  EXPECT_EQ(Spec(replaced, "clusterIPs"), Spec(created, "clusterIPs"));
  EXPECT_EQ(refused.code, 422) << refused.body;
  EXPECT_THAT(refused.body, ::testing::HasSubstr("may not change once set"));
}

TEST_F(ServicesTest, KeepsNodePortsByName) {
  const Answer created =
      Create("a", R"({"type":"NodePort","ports":[{"name":"x","port":80},{"name":"y","port":81}]})");
  ASSERT_EQ(created.code, 201) << created.body;

  const Answer replaced =
      Put(Services("a"), R"({"metadata":{"name":"a"},"spec":{"type":"NodePort","ports":[)"
                         R"({"name":"y","port":90},{"name":"z","port":80}]}})");

  ASSERT_EQ(replaced.code, 200) << replaced.body;
  EXPECT_EQ(NodePortOf(replaced, 0), NodePortOf(created, 1));
  EXPECT_NE(NodePortOf(replaced, 1), NodePortOf(created, 0));
}

TEST_F(ServicesTest, DropsFieldsThatTheNewTypeLacks) {
  const Answer created = Create(
      "a", R"({"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":80}]})");
  ASSERT_EQ(created.code, 201) << created.body;
  EXPECT_NE(Spec(created, "healthCheckNodePort"), "");

  const Answer internal = Patch("a", R"({"type":"ClusterIP"})");
  const Answer external = Patch("a", R"({"type":"ExternalName","externalName":"x.example.com"})");

  ASSERT_EQ(internal.code, 200) << internal.body;
  EXPECT_EQ(NodePortOf(internal, 0), "none");
  for (const char* const member :
       {"healthCheckNodePort", "externalTrafficPolicy", "allocateLoadBalancerNodePorts"}) {
    EXPECT_EQ(Spec(internal, member), "") << member;
  }
  EXPECT_EQ(Spec(internal, "clusterIP"), Spec(created, "clusterIP"));
  ASSERT_EQ(external.code, 200) << external.body;
  for (const char* const member : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    EXPECT_EQ(Spec(external, member), "") << member;
  }
}

TEST_F(ServicesTest, RejectsPortsThatOthersHaveOrNobodyMayHave) {
  const auto spec = [](int port, int second) {
    return R"({"type":"NodePort","ports":[{"name":"a","port":80,"nodePort":)" +
           std::to_string(port) + R"(},{"name":"b","port":81,"protocol":"UDP","nodePort":)" +
           std::to_string(second) + "}]}";
  };
  const auto rejected = [](const char* const name, const char* const field,
                           const std::string& why) {
    return Invalid("Service", name, field, "FieldValueInvalid", "Invalid value: " + why);
  };
  const Answer first = Create("a", spec(0, 0));
  ASSERT_EQ(first.code, 201) << first.body;
  const std::string taken = NodePortOf(first, 0);
  const std::string allocated = taken + ": provided port is already allocated";
  constexpr const char* kFirst = "spec.ports[0].nodePort";

  EXPECT_REFUSED(Create("b", spec(std::stoi(taken), 0)), rejected("b", kFirst, allocated));
  EXPECT_REFUSED(Create("b", spec(0, std::stoi(taken))),
                 rejected("b", "spec.ports[1].nodePort", allocated));
  const std::string outside =
      "5: provided port is not in the valid range. The range of valid ports is 30000-32767";
  EXPECT_REFUSED(Create("b", spec(5, 0)), rejected("b", kFirst, outside));
  EXPECT_REFUSED(Create("b", spec(5, 6)), rejected("b", kFirst, outside));
  EXPECT_REFUSED(Create("a", spec(std::stoi(taken), 0)), rejected("a", kFirst, allocated));
  EXPECT_REFUSED(Patch("a", spec(5, 0)), rejected("a", kFirst, outside));
  EXPECT_EQ(Patch("a", spec(std::stoi(taken), std::stoi(taken))).code, 200);
  const std::string health = "failed to allocate requested HealthCheck NodePort " + allocated;
  EXPECT_REFUSED(Create("b", R"({"type":"LoadBalancer","externalTrafficPolicy":"Local",)"
                             R"("healthCheckNodePort":)" +
                                 taken + R"(,"ports":[{"port":80}]})"),
                 {.code = 500,
                  .reason = "InternalError",
                  .message = "Internal error occurred: " + health,
                  .details = R"({"causes":[{"message":")" + health + "\"}]}"});
  EXPECT_EQ(Delete(Services("a")).code, 200);
  EXPECT_EQ(Create("b", spec(std::stoi(taken), 0)).code, 201);
}

TEST_F(ServicesTest, RejectsAnAddressThatAnotherHas) {
  const std::string ports = R"("ports":[{"port":80}])";
  const Answer first = Create("a", "{" + ports + "}");
  const std::string address(runtime::GetString(ObjectAt(first.json, "spec"), "clusterIP"));
  const std::string same = R"({"clusterIP":")" + address + "\"," + ports + "}";

  EXPECT_REFUSED(Create("b", same),
                 Invalid("Service", "b", "spec.clusterIPs", "FieldValueInvalid",
                         "Invalid value: [\"" + address + "\"]: failed to allocate IP " + address +
                             ": provided IP is already allocated"));
  EXPECT_EQ(Patch("a", same).code, 200);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
