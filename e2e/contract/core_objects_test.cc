// SPDX-License-Identifier: Apache-2.0
// Tests of what a server rejects, changes and warns of in new objects:
// objects of the core group, quotas and schedules.
#include "e2e/contract/object_cases.h"

namespace capstan::testing::apiserver::contract {
namespace {

using CoreObjectsTest = ObjectCases;

TEST_F(CoreObjectsTest, Namespaces) {
  Expect("v1", "-namespaces",
         {
             {R"("spec":{"finalizers":["a"]})",
              R"(Invalid spec.finalizers: Invalid value: "a": name is neither a standard )"
              "finalizer name nor is it fully qualified"},
             {R"("spec":{"finalizers":["kubernetes","a.b/c"]})",
              R"(spec.finalizers ["kubernetes","a.b/c"])", "spec.finalizers"},
             {R"("spec":{"finalizers":["a.b/c"]})", R"(spec.finalizers ["a.b/c","kubernetes"])",
              "spec.finalizers"},
         });
}

TEST_F(CoreObjectsTest, Nodes) {
  Expect(
      "v1", "-nodes",
      {
          {R"("spec":{"taints":[{"key":"","effect":"x"},{"key":"a","value":"-"}]})",
           R"(Invalid metadata.taints[0].key: Invalid value: "": name part must be non-empty)"
           "\n"
           R"(Invalid metadata.taints[0].key: Invalid value: "": name part must consist of )"
           "alphanumeric characters, '-', '_' or '.', and must start and end with an "
           "alphanumeric character\n"
           R"(Invalid metadata.taints[1].value: Invalid value: "-": a valid label must be an )"
           "empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
           "start and end with an alphanumeric character\n"
           R"(NotSupported metadata.taints[0].effect: Unsupported value: "x": supported )"
           R"(values: "NoSchedule", "PreferNoSchedule", "NoExecute")"
           "\nRequired metadata.taints[1].effect: Required value"},
          {R"("spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"a",)"
           R"("effect":"NoSchedule"}]})",
           "Duplicate metadata.taints[1]: Duplicate value: "
           R"({"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be )"
           "unique by key and effect pair",
           "", 34},
          {R"("spec":{"podCIDRs":["x"]})",
           R"(Invalid spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value,)"},
          {R"("spec":{"podCIDRs":["10.0.0.0/24","10.1.0.0/24"]})",
           R"(Invalid spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify )"
           "no more than one CIDR for each IP family",
           "", 34},
          {R"("spec":{"podCIDRs":["10.0.0.0/24","y"]})",
           "InternalError spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check "
           "with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: y)\n"
           R"(Invalid spec.podCIDRs: Invalid value: ["10.0.0.0/24","y"]: may specify no more )"
           "than one CIDR for each IP family\n"
           R"(Invalid spec.podCIDRs[1]: Invalid value: "y": must be a valid CIDR value,)",
           "", 34},
          {R"("spec":{"podCIDR":"10.0.0.0/24"})", R"(spec.podCIDRs ["10.0.0.0/24"])",
           "spec.podCIDRs"},
          {R"("spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.1.0.0/24"]})",
           R"(spec {"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"],"taints":[{)"
           R"("effect":"NoSchedule","key":"node.kubernetes.io/not-ready"}]})",
           "spec"},
          {R"("spec":{"podCIDRs":["10.1.0.0/24"]})", R"(spec.podCIDR "10.1.0.0/24")",
           "spec.podCIDR"},
          {R"("spec":{"podCIDRs":["10.1.0.1/24"]})",
           R"(warning "spec.podCIDRs[0]: CIDR value \"10.1.0.1/24\" is ambiguous in this )"
           R"_(context (should be \"10.1.0.0/24\" or \"10.1.0.1/32\"?)")_",
           "", 34, 34},
          {R"("spec":{"podCIDRs":["10.1.0.1/24"]})",
           R"(Invalid spec.podCIDRs[0]: Invalid value: "10.1.0.1/24": must not have bits set )"
           "beyond the prefix length",
           "", 37},
          {R"("spec":{"externalID":"x"})",
           R"(warning "spec.externalID: this field is deprecated, and is unused by Kubernetes")"},
          {R"("spec":{"configSource":{"configMap":{"name":"a","namespace":"b",)"
           R"("kubeletConfigKey":"c"}}})",
           R"(spec {"taints":[{"effect":"NoSchedule","key":"node.kubernetes.io/not-ready"}]})",
           "spec"},
          {R"("status":{"capacity":{"cpu":"-1","example.com/a":"1500m"},"allocatable":{)"
           R"("pods":"500m"}})",
           R"(Invalid status.allocatable.pods: Invalid value: "500m": must be an integer)"
           "\n"
           R"(Invalid status.capacity.cpu: Invalid value: "-1": must be greater than or equal )"
           "to 0\n"
           R"(Invalid status.capacity.example.com/a: Invalid value: "1500m": must be an integer)",
           "", 34},
          {R"("spec":{"taints":[{"key":"a","effect":"NoExecute",)"
           R"("timeAdded":"2020-01-01T01:00:00.5+01:00"}]})",
           R"(spec.taints [{"effect":"NoExecute","key":"a","timeAdded":"2020-01-01T00:00:00Z"},)"
           R"({"effect":"NoSchedule","key":"node.kubernetes.io/not-ready"}])",
           "spec.taints"},
      });
}

TEST_F(CoreObjectsTest, ServiceAccounts) {
  Expect("v1", "serviceaccounts",
         {
             {R"("secrets":[{"name":"a","namespace":"b","kind":"Secret","uid":"c"},{)"
              R"("kind":"Secret"}])",
              R"(secrets [{"name":"a"},{}])", "secrets"},
             {R"("metadata":{"annotations":{"kubernetes.io/enforce-mountable-secrets":"true"}})",
              R"(warning "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: )"
              "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted "
              R"(secrets")",
              "", 34},
         });
}

TEST_F(CoreObjectsTest, Secrets) {
  Expect("v1", "secrets",
         {
             {R"("type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":""})",
              R"(Invalid data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": )"
              "unexpected end of JSON input"},
             {R"("type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"[]"})",
              R"(Invalid data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": )"
              "json: cannot unmarshal array into Go value of type map[string]interface {}"},
             {R"("type":"kubernetes.io/dockercfg","stringData":{".dockercfg":"{"})",
              R"(Invalid data[.dockercfg]: Invalid value: "<secret contents redacted>": )"
              "unexpected end of JSON input"},
             {R"("type":"kubernetes.io/service-account-token")",
              "Required metadata.annotations[kubernetes.io/service-account.name]: Required value"},
             {R"("type":"kubernetes.io/tls","data":{"tls.crt":"","tls.key":""})",
              R"(warning "tls: failed to find any PEM data in certificate input")"},
             {R"("type":"kubernetes.io/tls","stringData":{"tls.crt":"-----BEGIN PRIVATE )"
              R"(KEY-----\nAA==\n-----END PRIVATE KEY-----\n","tls.key":""})",
              R"(warning "tls: failed to find certificate PEM data in certificate input, but did )"
              R"(find a private key; PEM inputs may have been switched")"},
             {R"("type":"kubernetes.io/tls","stringData":{"tls.crt":"-----BEGIN )"
              R"(CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n","tls.key":""})",
              R"(warning "tls: failed to find any PEM data in key input")"},
             {R"("type":"kubernetes.io/tls","stringData":{"tls.crt":"-----BEGIN )"
              R"(CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n","tls.key":"-----BEGIN )"
              R"(CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"})",
              R"(warning "tls: found a certificate rather than a key in the PEM for the private )"
              R"(key")"},
         });
}

TEST_F(CoreObjectsTest, ConfigMaps) {
  Expect("v1", "configmaps",
         {
             {R"("data":{"a":null})", R"(data {"a":""})", "data"},
         });
}

TEST_F(CoreObjectsTest, LimitRanges) {
  Expect("v1", "limitranges",
         {
             {R"("spec":{"limits":[{"type":"Pod","max":{"pods":"1","b":"1"}}]})",
              R"(Invalid spec.limits[0].max[b]: Invalid value: "b": must be a standard resource )"
              "for containers\n"
              R"(Invalid spec.limits[0].max[b]: Invalid value: "b": must be a standard resource )"
              "type or fully qualified\n"
              R"(Invalid spec.limits[0].max[pods]: Invalid value: "pods": must be a standard )"
              "resource for containers",
              "", 34},
             {R"("spec":{"limits":[{"type":"PersistentVolumeClaim","max":{"storage":"1",)"
              R"("b":"1"}}]})",
              R"(Invalid spec.limits[0].max[b]: Invalid value: "b": must be a standard resource )"
              "type or fully qualified",
              "", 34},
             {R"("spec":{"limits":[{"type":"Container","maxLimitRequestRatio":{"cpu":"500m"}}]})",
              R"(Invalid spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio )"
              "500m is less than 1",
              "", 34},
             {R"("spec":{"limits":[{"type":"Container","min":{"cpu":"1"},"max":{"cpu":"2"},)"
              R"("maxLimitRequestRatio":{"cpu":"3"}}]})",
              R"(Invalid spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is )"
              "greater than max/min = 2.000000",
              "", 34},
             {R"("spec":{"limits":[{"type":"Container","default":{"example.com/a":"2"},)"
              R"("defaultRequest":{"example.com/a":"1"}}]})",
              R"(Invalid spec.limits[0].defaultRequest[example.com/a]: Invalid value: "1": )"
              "default value 2 must equal to defaultRequest value 1 in example.com/a",
              "", 34},
             {R"("spec":{"limits":[{"type":"Container","max":{"cpu":"1"},"default":{"cpu":"2"}}]})",
              R"(Invalid spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request )"
              "value 2 is greater than max value 1\n"
              R"(Invalid spec.limits[0].default[cpu]: Invalid value: "1": default value 2 is )"
              "greater than max value 1",
              "", 34},
         });
}

TEST_F(CoreObjectsTest, ResourceQuotas) {
  Expect("v1", "resourcequotas",
         {
             {R"("spec":{"hard":{"b":"1"}})",
              R"(Invalid spec.hard[b]: Invalid value: "b": must be a standard resource for quota)"
              "\n"
              R"(Invalid spec.hard[b]: Invalid value: "b": must be a standard resource type or )"
              "fully qualified",
              "", 34},
             {R"("spec":{"hard":{"pods":"500m"}})",
              R"(Invalid spec.hard[pods]: Invalid value: "500m": must be an integer)", "", 34},
             {R"("spec":{"scopes":["a","b"]})",
              R"(Invalid spec.scopes: Invalid value: ["a","b"]: unsupported scope)"
              "\n"
              R"(Invalid spec.scopes: Invalid value: ["a","b"]: unsupported scope)",
              "", 34, 34},
             {R"("spec":{"scopes":["a","b"]})",
              R"(Invalid spec.scopes: Invalid value: ["a","b"]: unsupported scope)", "", 37},
             {R"("spec":{"hard":{"count/pods":"1","example":"1"},"scopes":["BestEffort"]})",
              R"(Invalid spec.hard[example]: Invalid value: "example": must be a standard )"
              "resource for quota\n"
              R"(Invalid spec.hard[example]: Invalid value: "example": must be a standard )"
              "resource type or fully qualified",
              "", 34},
         });
}

TEST_F(CoreObjectsTest, RuntimeClasses) {
  Expect(
      "node.k8s.io/v1", "-runtimeclasses",
      {
          {R"("handler":"a.b")", R"(Invalid handler: Invalid value: "a.b": must not contain dots)"},
          {R"("handler":"a","overhead":{"podFixed":{"pods":"1","cpu":"-1"}})",
           R"(Invalid overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal )"
           "to 0\n"
           R"(Invalid overhead.limits[pods]: Invalid value: "pods": must be a standard )"
           "resource for containers",
           "", 34},
          {R"("handler":"a","scheduling":{"nodeSelector":{"a":"-"},"tolerations":[{"key":"a",)"
           R"("operator":"x"},{"tolerationSeconds":1,"operator":"Exists"}]})",
           R"(Invalid scheduling.nodeSelector: Invalid value: "-": a valid label must be an )"
           "empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
           "start and end with an alphanumeric character\n"
           R"(Invalid scheduling.tolerations.tolerations[1].effect: Invalid value: "": effect )"
           "must be 'NoExecute' when `tolerationSeconds` is set\n"
           "NotSupported scheduling.tolerations.tolerations[0].operator: Unsupported value: "
           R"("x": supported values: "Equal", "Exists")",
           "", 0, 34},
          {R"("handler":"a","scheduling":{"tolerations":[{"key":"a","operator":"Exists"},{)"
           R"("key":"a","operator":"Exists"}]})",
           "Duplicate scheduling.tolerations[1]: Duplicate value: "
           R"({"Key":"a","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null})",
           "", 34},
          {R"("handler":"a","scheduling":{"nodeSelector":{"beta.kubernetes.io/os":"linux"}})",
           R"(warning "scheduling.nodeSelector: deprecated since v1.14; use )"
           R"(\"kubernetes.io/os\" instead")"},
          {R"("metadata":{"finalizers":["a"]},"handler":"a")", R"(metadata.finalizers ["a"])",
           "metadata.finalizers"},
      });
}

TEST_F(CoreObjectsTest, PriorityClasses) {
  Expect("scheduling.k8s.io/v1", "-priorityclasses",
         {
             {R"("value":1,"preemptionPolicy":"x")",
              R"(NotSupported preemptionPolicy: Unsupported value: "x": supported values: )"
              R"("PreemptLowerPriority", "Never")"},
         });
}

TEST_F(CoreObjectsTest, DisruptionBudgets) {
  Expect("policy/v1", "poddisruptionbudgets",
         {
             {R"("spec":{"minAvailable":1,"maxUnavailable":"50%"})",
              R"(Invalid spec: Invalid value: {"MinAvailable":1,"Selector":null,)"
              R"("MaxUnavailable":"50%","UnhealthyPodEvictionPolicy":null}: minAvailable and )"
              "maxUnavailable cannot be both set",
              "", 34},
             {R"("metadata":{"finalizers":["a"]},"spec":{})", R"(metadata.finalizers ["a"])",
              "metadata.finalizers"},
         });
}

TEST_F(CoreObjectsTest, Leases) {
  Expect("coordination.k8s.io/v1", "leases",
         {
             {R"("spec":{"holderIdentity":"a","preferredHolder":"b","strategy":"c"})",
              R"(spec {"holderIdentity":"a"})", "spec", 34},
         });
}

TEST_F(CoreObjectsTest, EventsHaveOneKindInBothGroups) {
  const Answer answer =
      Post(InNamespace("/apis/events.k8s.io/v1", "events"),
           R"({"metadata":{"name":"a"},"eventTime":"2026-01-02T03:04:05.000000Z","type":"x"})");

  EXPECT_EQ(answer.code, 422) << answer.body;
  EXPECT_TRUE(answer.message().starts_with(R"(Event "a" is invalid: )")) << answer.body;
  EXPECT_EQ(JsonAt(answer, {"details", "group"}), "");
}

TEST_F(CoreObjectsTest, FinalizersOfNamespaceDelayItsDeletion) {
  const std::string path = "/api/v1/namespaces/" + ns() + "-f";
  const Answer created = Post("/api/v1/namespaces", R"({"metadata":{"name":")" + ns() +
                                                        R"(-f"},"spec":{"finalizers":["a.b/c"]}})");
  ASSERT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(JsonAt(created, {"spec", "finalizers"}), R"(["a.b/c","kubernetes"])");

  EXPECT_EQ(Delete(path).code, 200);
  EXPECT_EQ(JsonAt(Get(path), {"status", "phase"}), R"("Terminating")");
  EXPECT_EQ(Put(path + "/finalize", R"({"metadata":{"name":")" + ns() + R"(-f"},"spec":{}})").code,
            200);
}

TEST_F(CoreObjectsTest, PhaseOfNamespaceFollowsItsDeletion) {
  const std::string path = "/api/v1/namespaces/" + ns() + "/status";

  EXPECT_REFUSED(MergePatch(path, R"({"status":{"phase":"Terminating"}})"),
                 Invalid("Namespace", ns(), "status.Phase", "FieldValueInvalid",
                         R"(Invalid value: "Terminating": may only be 'Active' if )"
                         "`deletionTimestamp` is empty"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
