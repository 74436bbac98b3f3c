// SPDX-License-Identifier: Apache-2.0
// Tests of the rules of the parts of a PodSpec, as tables of what is wrong. The texts are those of
// version 1.34 and later.
#include "e2e/contract/broken_rules.h"

namespace capstan::testing::apiserver::contract {
namespace {

constexpr char kMoreThanOne[] = "Forbidden: may not specify more than 1 handler type";
constexpr char kPath[] = "Invalid value: \"../x\": must not contain '..'";

class PodRulesTest : public ContractTest {
 protected:
  // Row is an invalid object, as members of a part, and the rules that it breaks.
  struct Row {
    std::string members;
    std::vector<Broken> rules;
    int since = 0;  // the minor version that has the rules
  };

  // Expects that a Pod is refused. `at` is the place of the part in it.
  void ExpectRefused(const std::string& spec, const std::string& at, const Row& row) const {
    if (Minor() < row.since) return;
    std::vector<Broken> rules = row.rules;
    for (Broken& rule : rules) rule.field.insert(0, at);
    EXPECT_REFUSED(Post(Core("pods", ""), R"({"metadata":{"name":"p"},"spec":)" + spec + "}"),
                   RefusalFor("Pod", "", "p", rules))
        << spec;
  }
  void ExpectContainers(const std::vector<Row>& rows, const std::string& spec = "") const {
    for (const Row& row : rows) {
      ExpectRefused(R"({"containers":[{"name":"c","image":"i",)" + row.members + "}]" + spec + "}",
                    "spec.containers[0].", row);
    }
  }
  void ExpectSpecs(const std::vector<Row>& rows) const {
    for (const Row& row : rows) {
      ExpectRefused(R"({"containers":[{"name":"c","image":"i"}],)" + row.members + "}", "spec.",
                    row);
    }
  }
  void ExpectVolumes(const std::vector<Row>& rows) const {
    for (const Row& row : rows) {
      ExpectRefused(R"({"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v",)" +
                        row.members + "}]}",
                    "spec.volumes[0].", row);
    }
  }
};

TEST_F(PodRulesTest, RejectsBadProbesAndHooks) {
  ExpectContainers({
      {R"("livenessProbe":{})",
       {{"Required", "livenessProbe", "Required value: must specify a handler type"}}},
      {R"("readinessProbe":{"exec":{}})",
       {{"Required", "readinessProbe.exec.command", "Required value"}}},
      {R"("startupProbe":{"tcpSocket":{"port":0}})",
       {{"Invalid", "startupProbe.tcpSocket.port",
         "Invalid value: 0: must be between 1 and 65535, inclusive"}}},
      {R"("livenessProbe":{"httpGet":{"port":80,"scheme":"FTP"}})",
       {{"NotSupported", "livenessProbe.httpGet.scheme",
         R"(Unsupported value: "FTP": supported values: "HTTP", "HTTPS")"}}},
      {R"("livenessProbe":{"exec":{"command":["c"]},"tcpSocket":{"port":1}})",
       {{"Forbidden", "livenessProbe.tcpSocket", kMoreThanOne}}},
      {R"("livenessProbe":{"tcpSocket":{"port":1},"successThreshold":2})",
       {{"Invalid", "livenessProbe.successThreshold", "Invalid value: 2: must be 1"}}},
      {R"("readinessProbe":{"tcpSocket":{"port":1},"periodSeconds":-1})",
       {{"Invalid", "readinessProbe.periodSeconds",
         "Invalid value: -1: must be greater than or equal to 0"}}},
      {R"("readinessProbe":{"tcpSocket":{"port":1},"terminationGracePeriodSeconds":5})",
       {{"Invalid", "readinessProbe.terminationGracePeriodSeconds",
         "Invalid value: 5: must not be set for readinessProbes"}}},
      {R"("lifecycle":{"preStop":{}})",
       {{"Required", "lifecycle.preStop", "Required value: must specify a handler type"}}},
      {R"("lifecycle":{"preStop":{"sleep":{"seconds":31}}})",
       {{"Invalid", "lifecycle.preStop.sleep",
         "Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds "
         "(30)"}},
       34},
  });
}

TEST_F(PodRulesTest, RejectsBadResources) {
  ExpectContainers({
      {R"("resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1"}})",
       {{"Invalid", "resources.requests",
         "Invalid value: \"2\": must be less than or equal to cpu limit of 1"}}},
      {R"("resources":{"limits":{"cpu":"-1"}})",
       {{"Invalid", "resources.limits[cpu]",
         "Invalid value: \"-1\": must be greater than or equal to 0"},
        {"Invalid", "resources.requests[cpu]",
         "Invalid value: \"-1\": must be greater than or equal to 0"}}},
      {R"("resources":{"limits":{"example.com/a":"500m"}})",
       {{"Invalid", "resources.limits[example.com/a]",
         "Invalid value: \"500m\": must be an integer"},
        {"Invalid", "resources.requests[example.com/a]",
         "Invalid value: \"500m\": must be an integer"}}},
      {R"("resources":{"requests":{"example.com/a":"1"}})",
       {{"Required", "resources.limits",
         "Required value: Limit must be set for non overcommitable resources"}}},
      {R"("resources":{"requests":{"b":"1"}})",
       {{"Invalid", "resources.requests[b]",
         "Invalid value: \"b\": must be a standard resource type or fully qualified"},
        {"Invalid", "resources.requests[b]",
         "Invalid value: \"b\": must be a standard resource for containers"}}},
  });
}

TEST_F(PodRulesTest, RejectsBadSecurityContexts) {
  ExpectContainers({
      {R"("securityContext":{"runAsUser":-1})",
       {{"Invalid", "securityContext.runAsUser",
         "Invalid value: -1: must be between 0 and 2147483647, inclusive"}}},
      {R"("securityContext":{"seccompProfile":{"type":"Localhost"}})",
       {{"Required", "securityContext.seccompProfile.localhostProfile",
         "Required value: must be set when seccomp type is Localhost"}}},
      {R"("securityContext":{"seccompProfile":{"type":"Some"}})",
       {{"NotSupported", "securityContext.seccompProfile.type",
         R"(Unsupported value: "Some": supported values: "Localhost", "RuntimeDefault", )"
         R"("Unconfined")"}}},
      {R"("securityContext":{"appArmorProfile":{"type":"Localhost"}})",
       {{"Required", "securityContext.appArmorProfile.localhostProfile",
         "Required value: must be set when AppArmor type is Localhost"}}},
  });
  ExpectSpecs({
      {R"("securityContext":{"fsGroup":-1})",
       {{"Invalid", "securityContext.fsGroup",
         "Invalid value: -1: must be between 0 and 2147483647, inclusive"}}},
      {R"("securityContext":{"fsGroupChangePolicy":"Some"})",
       {{"NotSupported", "securityContext.fsGroupChangePolicy",
         R"(Unsupported value: "Some": supported values: "Always", "OnRootMismatch")"}}},
      {R"("securityContext":{"sysctls":[{"name":"a.b","value":"1"},{"name":"a.b","value":"2"}]})",
       {{"Duplicate", "securityContext.sysctls[1].name", "Duplicate value: \"a.b\""}}},
      {R"("os":{"name":"windows"},"securityContext":{"runAsUser":1})",
       {{"Forbidden", "securityContext.runAsUser", "Forbidden: cannot be set for a windows pod"}}},
      {R"("os":{"name":"Some"})",
       {{"NotSupported", "os",
         R"(Unsupported value: "Some": supported values: "linux", )"
         R"("windows")"}}},
  });
}

TEST_F(PodRulesTest, RejectsBadNetworks) {
  ExpectSpecs({
      {R"("dnsPolicy":"None")",
       {{"Required", "dnsConfig",
         "Required value: must provide `dnsConfig` when `dnsPolicy` is None"}}},
      {R"("dnsConfig":{"nameservers":["x"]})",
       {{"Invalid", "dnsConfig.nameservers[0]",
         "Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or "
         "2001:db8::ffff)"}}},
      {R"("dnsConfig":{"options":[{"value":"a"}]})",
       {{"Required", "dnsConfig.options[0]", "Required value: must not be empty"}}},
      {R"("hostAliases":[{"ip":"1.2.3.4","hostnames":["a/b"]}])",
       {{"Invalid", "hostAliases[0].hostnames[0]",
         "Invalid value: \"a/b\": a lowercase RFC 1123 subdomain must consist of lower case "
         "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
         "character (e.g. 'example.com', regex used for validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"}}},
  });
  ExpectContainers({{R"("ports":[{"containerPort":80,"hostPort":81}])",
                     {{"Invalid", "ports[0].hostPort",
                       "Invalid value: 81: must match `containerPort` when `hostNetwork` is "
                       "true"}}}},
                   R"(,"hostNetwork":true)");
}

TEST_F(PodRulesTest, RejectsBadVolumes) {
  ExpectVolumes({
      {R"("nfs":{"server":"s","path":"x"})",
       {{"Invalid", "nfs.path", "Invalid value: \"x\": must be an absolute path"}}},
      {R"("csi":{"driver":"-a"})",
       {{"Invalid", "csi.driver",
         "Invalid value: \"-a\": a lowercase RFC 1123 subdomain must consist of lower case "
         "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
         "character (e.g. 'example.com', regex used for validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"}}},
      {R"("gitRepo":{"repository":"r","directory":"../x"})",
       {{"Invalid", "gitRepo.directory", kPath}}},
      {R"("ephemeral":{})", {{"Required", "ephemeral.volumeClaimTemplate", "Required value"}}},
      {R"("ephemeral":{"volumeClaimTemplate":{"spec":{}}})",
       {{"Required", "ephemeral.volumeClaimTemplate.spec.accessModes",
         "Required value: at least 1 access mode is required"},
        {"Required", "ephemeral.volumeClaimTemplate.spec.resources[storage]", "Required value"}}},
      {R"("downwardAPI":{"items":[{"path":"p"}]})",
       {{"Required", "downwardAPI",
         "Required value: one of fieldRef and resourceFieldRef is required"}}},
      {R"("downwardAPI":{"items":[{"path":"p","fieldRef":{"fieldPath":"spec.x"}}]})",
       {{"Invalid", "downwardAPI.fieldRef.fieldPath",
         "Invalid value: \"spec.x\": error converting fieldPath: field label not supported: "
         "spec.x"}}},
      {R"("projected":{"defaultMode":9999})",
       {{"Invalid", "projected.defaultMode",
         "Invalid value: 9999: must be a number between 0 and 0777 (octal), both inclusive"}}},
  });
  ExpectContainers({{R"("volumeDevices":[{"name":"w","devicePath":"/x"}])",
                     {{"NotFound", "volumeDevices[0].name", "Not found: \"w\""}}}});
}

TEST_F(PodRulesTest, RejectsWhatOnlyANewPodMayNotHave) {
  ExpectSpecs({
      {R"("nodeName":"n","schedulingGates":[{"name":"g"}])",
       {{"Forbidden", "nodeName",
         "Forbidden: cannot be set until all schedulingGates have been cleared"}}},
      {R"("resourceClaims":[{"name":"a"}])",
       {{"Invalid", "resourceClaims[0]",
         R"(Invalid value: {"Name":"a","ResourceClaimName":null,)"
         R"("ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, )"
         "`resourceClaimTemplateName`"}},
       34},
  });
}

// A version drops a field if the field's gate is off in it.
TEST_F(PodRulesTest, DropsFieldsOfDisabledGates) {
  if (Minor() < 34) GTEST_SKIP() << "The version has no such fields.";
  const Answer created = Post(
      Core("pods", ""),
      R"({"metadata":{"name":"p"},"spec":{"hostnameOverride":"h","os":{"name":"linux"},)"
      R"("containers":[{"name":"c","image":"i","restartPolicy":"Always","restartPolicyRules":)"
      R"([{"action":"Restart","exitCodes":{"operator":"In","values":[1]}}],)"
      R"("lifecycle":{"stopSignal":"SIGTERM"},"volumeMounts":[{"name":"v","mountPath":"/x"}]}],)"
      R"("volumes":[{"name":"v","image":{"reference":"r"}}]}})");
  ASSERT_EQ(created.code, 201) << created.body;
  constexpr int kNotYet = 1000;
  struct Gated {
    const char* text;
    int since;  // the minor version, or kNotYet
  };
  for (const Gated& gated : {Gated{R"("hostnameOverride":"h")", 35},
                             {R"("restartPolicyRules":[{"action":"Restart")", 35},
                             {R"("stopSignal":"SIGTERM")", kNotYet},
                             {R"("reference":"r")", 35},
                             {R"("mountPath":"/x")", 35}}) {
    EXPECT_EQ(created.body.find(gated.text) != std::string::npos, Minor() >= gated.since)
        << gated.text;
  }
}

class JobRulesTest : public ContractTest {
 protected:
  void ExpectBroken(const std::string& members, std::vector<Broken> rules) const {
    for (Broken& rule : rules) rule.field.insert(0, "spec.");
    const std::string job =
        R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never",)"
        R"("containers":[{"name":"c","image":"i"}]}},)" +
        members + "}}";
    EXPECT_REFUSED(Post("/apis/batch/v1/namespaces/" + ns() + "/jobs", job),
                   RefusalFor("Job", "batch", "j", rules))
        << members;
  }
  void ExpectBrokenCron(const std::string& members, std::vector<Broken> rules) const {
    for (Broken& rule : rules) rule.field.insert(0, "spec.");
    const std::string cron_job =
        R"({"metadata":{"name":"j"},"spec":{"jobTemplate":{"spec":{"template":{"spec":{)"
        R"("restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}},)" +
        members + "}}";
    EXPECT_REFUSED(Post("/apis/batch/v1/namespaces/" + ns() + "/cronjobs", cron_job),
                   RefusalFor("CronJob", "batch", "j", rules))
        << members;
  }
};

TEST_F(JobRulesTest, RejectsBadPolicies) {
  const std::string rule = R"("podFailurePolicy":{"rules":[{"action":"Ignore",)";
  const std::string at = "podFailurePolicy.rules[0]";
  ExpectBroken(rule + R"("onExitCodes":{"operator":"In","values":[0]}}]})",
               {{"Invalid", at + ".onExitCodes.values[0]",
                 "Invalid value: 0: must not be 0 for the In operator"}});
  ExpectBroken(rule + R"("onExitCodes":{"operator":"In","values":[2,1]}}]})",
               {{"Invalid", at + ".onExitCodes.values", "Invalid value: [2,1]: must be ordered"}});
  ExpectBroken(
      rule + R"("onExitCodes":{"operator":"In","values":[1],"containerName":"d"}}]})",
      {{"Invalid", at + ".onExitCodes.containerName",
        "Invalid value: \"d\": must be one of the container or initContainer names in the pod "
        "template"}});
  ExpectBroken(
      R"("backoffLimitPerIndex":1)",
      {{"Invalid", "backoffLimitPerIndex", "Invalid value: 1: requires indexed completion mode"}});
  ExpectBroken(R"("completionMode":"Indexed","parallelism":2)",
               {{"Required", "completions", "Required value: when completion mode is Indexed"}});
  if (Minor() < 34) return;
  const std::string indexed = R"("completionMode":"Indexed","completions":2,"successPolicy":)";
  ExpectBroken(indexed + R"({"rules":[]})",
               {{"Required", "successPolicy.rules",
                 "Required value: at least one rules must be specified when the successPolicy is "
                 "specified"}});
  ExpectBroken(indexed + R"({"rules":[{"succeededIndexes":"x"}]})",
               {{"Invalid", "successPolicy.rules[0].succeededIndexes",
                 "Invalid value: \"x\": error parsing succeededIndexes: cannot convert string to "
                 "integer for index: \"x\""}});
  for (const std::string indexes : {"-", "0,-", "0,,1", "1-"}) {
    ExpectBroken(indexed + R"({"rules":[{"succeededIndexes":")" + indexes + R"("}]})",
                 {{"Invalid", "successPolicy.rules[0].succeededIndexes",
                   "Invalid value: \"" + indexes +
                       "\": error parsing succeededIndexes: cannot convert string to integer for "
                       "index: \"\""}});
  }
  ExpectBroken(indexed + R"({"rules":[{"succeededCount":3}]})",
               {{"Invalid", "successPolicy.rules[0].succeededCount",
                 "Invalid value: 3: must be less than or equal to 2 (the number of specified "
                 "completions)"}});
}

TEST_F(JobRulesTest, RejectsBadSchedules) {
  const std::pair<const char*, const char*> schedules[] = {
      {"x", "expected exactly 5 fields, found 1: [x]"},
      {"60 * * * *", "end of range (60) above maximum (59): 60"},
      {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax"},
      {"/ * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"- * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"-5 * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"*/ * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"@often", "unrecognized descriptor: @often"},
      {"TZ=UTC * * * * *", "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"}};
  for (const auto& [schedule, why] : schedules) {
    ExpectBrokenCron(
        std::string(R"("schedule":")") + schedule + "\"",
        {{"Invalid", "schedule", std::string("Invalid value: \"") + schedule + "\": " + why}});
  }
  ExpectBrokenCron(R"("schedule":"* * * * *","timeZone":"-a")",
                   {{"Invalid", "timeZone", "Invalid value: \"-a\": unknown time zone -a"}});
  ExpectBrokenCron(
      R"("schedule":"* * * * *","timeZone":"Mars/Base")",
      {{"Invalid", "timeZone", "Invalid value: \"Mars/Base\": unknown time zone Mars/Base"}});
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
