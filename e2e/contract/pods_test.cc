// SPDX-License-Identifier: Apache-2.0
// Tests of what a Pod must be, and of what an update may change in it. The texts are those of
// version 1.34 and later.
#include "e2e/contract/broken_rules.h"

namespace capstan::testing::apiserver::contract {
namespace {

constexpr char kLabelError[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr char kLabelNameError[] =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr char kLabelValueError[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr char kConfigKeyError[] =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

class PodsTest : public ContractTest {
 protected:
  std::string Pods() const { return Core("pods", ""); }
  std::string Pod() const { return Core("pods", "p"); }
  static std::string PodWith(const std::string& spec) {
    return R"({"metadata":{"name":"p"},"spec":)" + spec + "}";
  }
  // Expects that the PodSpec is refused, in a Pod and in the template of a Deployment.
  void ExpectBroken(const std::string& spec, const std::vector<Broken>& rules) const {
    const auto at = [&](const std::string& path) {
      std::vector<Broken> placed = rules;
      for (Broken& rule : placed) rule.field.insert(0, path);
      return placed;
    };
    EXPECT_REFUSED(Post(Pods(), PodWith(spec)), RefusalFor("Pod", "", "p", at("spec."))) << spec;
    const std::string deployment =
        R"({"metadata":{"name":"p"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":)"
        R"({"metadata":{"labels":{"a":"b"}},"spec":)" +
        spec + "}}}";
    EXPECT_REFUSED(Post(Apps("deployments"), deployment),
                   RefusalFor("Deployment", "apps", "p", at("spec.template.spec.")))
        << spec;
  }
  // The same for a PodSpec with one container.
  void ExpectBrokenContainer(const std::string& members, const std::string& more_of_spec,
                             std::vector<Broken> rules) const {
    for (Broken& rule : rules) rule.field.insert(0, "containers[0].");
    ExpectBroken(R"({"containers":[{"name":"c","image":"i",)" + members + "}]" + more_of_spec + "}",
                 rules);
  }
};

TEST_F(PodsTest, RequiresContainersWithNamesAndImages) {
  ExpectBroken("{}", {{"Required", "containers", "Required value"}});
  ExpectBroken(R"({"containers":[{"name":"c"}]})",
               {{"Required", "containers[0].image", "Required value"}});
  ExpectBroken(R"({"containers":[{"name":"c","image":""}]})",
               {{"Required", "containers[0].image", "Required value"}});
  ExpectBroken(R"({"containers":[{"image":"i"}]})",
               {{"Required", "containers[0].name", "Required value"}});
  ExpectBroken(R"({"containers":[{"name":"c","image":"i"}],"initContainers":[{"name":"d"}]})",
               {{"Required", "initContainers[0].image", "Required value"}});
}

TEST_F(PodsTest, HaveTheQualityOfServiceOfTheirOwnResources) {
  if (Minor() < 34) GTEST_SKIP() << "spec.resources is in 1.34 and later";
  const auto resources = [](const std::string& requests, const std::string& limits) {
    return R"({"requests":{)" + requests + R"(},"limits":{)" + limits + "}}";
  };
  const std::string cpu = R"("cpu":"1")";
  const std::string both = cpu + R"(,"memory":"1Gi")";
  const std::string huge = R"("hugepages-2Mi":"4Mi")";
  // Creates a Pod, and returns the class and the resources that it has.
  const auto create = [&](const std::string& of_pod, const std::string& of_container = "{}") {
    const Answer pod =
        Post(Pods(), PodWith(R"({"containers":[{"name":"c","image":"i","resources":)" +
                             of_container + R"(}],"resources":)" + of_pod + "}"));
    EXPECT_EQ(Delete(Pod(), R"({"gracePeriodSeconds":0})").code, 200) << pod.body;
    return JsonAt(pod, {"status", "qosClass"}) + JsonAt(pod, {"spec", "resources"});
  };

  const std::string guaranteed = R"("Guaranteed")";
  const std::string burstable = R"("Burstable")";
  EXPECT_EQ(create(resources(both, both)), guaranteed + Sorted(resources(both, both)));
  EXPECT_EQ(create(R"({"limits":{)" + both + "}}"), guaranteed + Sorted(resources(both, both)));
  EXPECT_EQ(create(R"({"limits":{)" + cpu + "}}"), burstable + Sorted(resources(cpu, cpu)));
  EXPECT_EQ(create(R"({"requests":{)" + both + "}}"), burstable + R"({"requests":{)" + both + "}}");
  EXPECT_EQ(create(R"({"requests":{"cpu":"0"}})"), R"("BestEffort"{"requests":{"cpu":"0"}})");
  // The containers count only by their requests and huge pages.
  EXPECT_EQ(create(R"({"limits":{"cpu":"2","memory":"1Gi"}})", R"({"requests":{"cpu":"1"}})"),
            burstable + R"({"limits":{"cpu":"2","memory":"1Gi"},"requests":{)" + both + "}}");
  EXPECT_EQ(create(R"({"limits":{)" + both + "}}", resources(cpu + "," + huge, cpu + "," + huge)),
            guaranteed + Sorted(resources(both + "," + huge, both + "," + huge)));
}

TEST_F(PodsTest, RejectsBadAndDuplicateNames) {
  const std::string container = R"({"name":"c","image":"i"})";
  const std::string volume = R"({"name":"v","emptyDir":{}})";
  ExpectBroken(
      R"({"containers":[{"name":"C","image":"i"}]})",
      {{"Invalid", "containers[0].name", std::string("Invalid value: \"C\": ") + kLabelError}});
  ExpectBroken(R"({"containers":[)" + container + "," + container + "]}",
               {{"Duplicate", "containers[1].name", "Duplicate value: \"c\""}});
  ExpectBroken(R"({"containers":[)" + container + R"(],"initContainers":[)" + container + "]}",
               {{"Duplicate", "initContainers[0].name", "Duplicate value: \"c\""}});
  ExpectBroken(R"({"containers":[)" + container + R"(],"volumes":[)" + volume + "," + volume + "]}",
               {{"Duplicate", "volumes[1].name", "Duplicate value: \"v\""}});
  ExpectBroken(R"({"containers":[)" + container + R"(],"volumes":[{"emptyDir":{}}]})",
               {{"Required", "volumes[0].name", "Required value"}});
}

TEST_F(PodsTest, RejectsMountsWithoutAVolume) {
  const std::string volumes = R"(,"volumes":[{"name":"v","emptyDir":{}}])";
  ExpectBrokenContainer(R"("volumeMounts":[{"name":"w","mountPath":"/x"}])", volumes,
                        {{"NotFound", "volumeMounts[0].name", "Not found: \"w\""}});
  ExpectBrokenContainer(R"("volumeMounts":[{"name":"v"}])", volumes,
                        {{"Required", "volumeMounts[0].mountPath", "Required value"}});
  ExpectBrokenContainer(
      R"("volumeMounts":[{"name":"v","mountPath":"/x"},{"name":"v","mountPath":"/x"}])", volumes,
      {{"Invalid", "volumeMounts[1].mountPath", "Invalid value: \"/x\": must be unique"}});
  ExpectBrokenContainer(
      R"("volumeMounts":[{"name":"v","mountPath":"/x","subPath":"../y"}])", volumes,
      {{"Invalid", "volumeMounts.subPath", "Invalid value: \"../y\": must not contain '..'"}});
}

TEST_F(PodsTest, RejectsBadVolumeSources) {
  const auto expect = [&](const std::string& source, const Broken& rule) {
    ExpectBroken(
        R"({"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v",)" + source + "}]}",
        {rule});
  };
  expect(R"("configMap":{})", {"Required", "volumes[0].configMap.name", "Required value"});
  expect(R"("secret":{})", {"Required", "volumes[0].secret.secretName", "Required value"});
  expect(R"("persistentVolumeClaim":{})",
         {"Required", "volumes[0].persistentVolumeClaim.claimName", "Required value"});
  expect(
      R"("emptyDir":{},"configMap":{"name":"m"})",
      {"Forbidden", "volumes[0].configMap", "Forbidden: may not specify more than 1 volume type"});
  expect(R"("secret":{"secretName":"s","defaultMode":9999})",
         {"Invalid", "volumes[0].secret.defaultMode",
          "Invalid value: 9999: must be a number between 0 and 0777 (octal), both inclusive"});
  expect(R"("configMap":{"name":"m","items":[{"key":"k","path":"/x"}]})",
         {"Invalid", "volumes[0].configMap.items[0].path",
          "Invalid value: \"/x\": must be a relative path"});
}

TEST_F(PodsTest, RejectsBadEnvironment) {
  const auto expect = [&](const std::string& members, const std::vector<Broken>& rules) {
    ExpectBrokenContainer(members, "", rules);
  };
  expect(R"("env":[{"value":"v"}])", {{"Required", "env[0].name", "Required value"}});
  expect(R"("env":[{"name":"a=b"}])",
         {{"Invalid", "env[0].name",
           "Invalid value: \"a=b\": a valid environment variable name must consist only of "
           "printable ASCII characters other than '='"}});
  expect(R"("env":[{"name":"a","valueFrom":{"secretKeyRef":{"name":"s"}}}])",
         {{"Required", "env[0].valueFrom.secretKeyRef.key", "Required value"}});
  expect(R"("env":[{"name":"a","valueFrom":{"configMapKeyRef":{"name":"m","key":"a b"}}}])",
         {{"Invalid", "env[0].valueFrom.configMapKeyRef.key",
           std::string("Invalid value: \"a b\": ") + kConfigKeyError}});
  expect(R"("env":[{"name":"a","value":"v","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}])",
         {{"Invalid", "env[0].valueFrom",
           "Invalid value: \"\": may not be specified when `value` is not empty"}});
  expect(R"("envFrom":[{}])",
         {{"Invalid", "envFrom",
           "Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`"}});
  expect(R"("envFrom":[{"secretRef":{}}])",
         {{"Required", "envFrom[0].secretRef.name", "Required value"}});
  expect(R"("envFrom":[{"secretRef":{"name":"s"},"configMapRef":{"name":"m"}}])",
         {{"Invalid", "envFrom",
           "Invalid value: \"\": may not have more than one field specified at a time"}});
}

TEST_F(PodsTest, RejectsBadPorts) {
  const auto expect = [&](const std::string& ports, const std::vector<Broken>& rules) {
    ExpectBrokenContainer(R"("ports":[)" + ports + "]", "", rules);
  };
  const std::string name = "ports[0].name";
  const std::string number = "ports[0].containerPort";
  expect("{}", {{"Required", number, "Required value"}});
  expect(R"({"containerPort":70000})",
         {{"Invalid", number, "Invalid value: 70000: must be between 1 and 65535, inclusive"}});
  expect(R"({"containerPort":80,"name":"0123456789abcdef"})",
         {{"Invalid", name,
           "Invalid value: \"0123456789abcdef\": must be no more than 15 characters"}});
  expect(R"({"containerPort":80,"name":"80"})",
         {{"Invalid", name, "Invalid value: \"80\": must contain at least one letter (a-z)"}});
  expect(R"({"containerPort":80,"name":"Web"})",
         {{"Invalid", name,
           "Invalid value: \"Web\": must contain only alpha-numeric characters (a-z, 0-9), and "
           "hyphens (-)"}});
  expect(R"({"containerPort":80,"name":"w--b"})",
         {{"Invalid", name, "Invalid value: \"w--b\": must not contain consecutive hyphens"}});
  expect(R"({"containerPort":80,"name":"-web"})",
         {{"Invalid", name, "Invalid value: \"-web\": must not begin or end with a hyphen"}});
  expect(R"({"containerPort":80,"name":"w"},{"containerPort":81,"name":"w"})",
         {{"Duplicate", "ports[1].name", "Duplicate value: \"w\""}});
  expect(R"({"containerPort":80,"protocol":"X"})",
         {{"NotSupported", "ports[0].protocol",
           R"(Unsupported value: "X": supported values: "SCTP", "TCP", "UDP")"}});
}

TEST_F(PodsTest, RejectsBadActionsOfProbesAndHooks) {
  const auto expect = [&](const std::string& action, std::vector<Broken> rules) {
    for (const std::string at : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      std::vector<Broken> placed = rules;
      for (Broken& rule : placed) rule.field.insert(0, at);
      ExpectBrokenContainer("\"" + at + "\":" + action, "", placed);
    }
    for (const std::string at : {"postStart", "preStop"}) {
      std::vector<Broken> placed = rules;
      for (Broken& rule : placed) rule.field.insert(0, "lifecycle." + at);
      ExpectBrokenContainer(R"("lifecycle":{")" + at + "\":" + action + "}", "", placed);
    }
  };
  expect("{}", {{"Required", "", "Required value: must specify a handler type"}});
  expect(R"({"exec":{}})", {{"Required", ".exec.command", "Required value"}});
  expect(R"({"exec":{"command":["a"]},"tcpSocket":{"port":80}})",
         {{"Forbidden", ".tcpSocket", "Forbidden: may not specify more than 1 handler type"}});
  expect(
      R"({"tcpSocket":{"port":0}})",
      {{"Invalid", ".tcpSocket.port", "Invalid value: 0: must be between 1 and 65535, inclusive"}});
  expect(
      R"({"httpGet":{"port":70000,"scheme":"FTP"}})",
      {{"Invalid", ".httpGet.port", "Invalid value: 70000: must be between 1 and 65535, inclusive"},
       {"NotSupported", ".httpGet.scheme",
        R"(Unsupported value: "FTP": supported values: "HTTP", "HTTPS")"}});
  expect(R"({"httpGet":{"port":80,"httpHeaders":[{"name":"a b","value":"c"}]}})",
         {{"Invalid", ".httpGet.httpHeaders",
           R"(Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters )"
           R"(or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+'))"}});
}

TEST_F(PodsTest, RejectsBadNumbersOfProbes) {
  const std::string probe = R"("exec":{"command":["a"]})";
  ExpectBrokenContainer(
      R"("livenessProbe":{)" + probe + R"(,"periodSeconds":-1,"successThreshold":2})", "",
      {{"Invalid", "livenessProbe.periodSeconds",
        "Invalid value: -1: must be greater than or equal to 0"},
       {"Invalid", "livenessProbe.successThreshold", "Invalid value: 2: must be 1"}});
  ExpectBrokenContainer(R"("startupProbe":{)" + probe + R"(,"terminationGracePeriodSeconds":0})",
                        "",
                        {{"Invalid", "startupProbe.terminationGracePeriodSeconds",
                          "Invalid value: 0: must be greater than 0"}});
  ExpectBrokenContainer(R"("readinessProbe":{)" + probe + R"(,"terminationGracePeriodSeconds":1})",
                        "",
                        {{"Invalid", "readinessProbe.terminationGracePeriodSeconds",
                          "Invalid value: 1: must not be set for readinessProbes"}});
}

TEST_F(PodsTest, RejectsProbesOfInitContainersThatMustEnd) {
  const auto with = [](const std::string& policy) {
    return R"({"containers":[{"name":"c","image":"i"}],)"
           R"("initContainers":[{"name":"d","image":"i",)" +
           policy +
           R"("livenessProbe":{"tcpSocket":{"port":80}},"lifecycle":{"preStop":{)"
           R"("exec":{"command":["a"]}}}}]})";
  };
  const std::string why =
      "Forbidden: may not be set for init containers without restartPolicy=Always";
  ExpectBroken(with(""), {{"Forbidden", "initContainers[0].lifecycle", why},
                          {"Forbidden", "initContainers[0].livenessProbe", why}});
  const Answer created =
      Post(Pods() + "?dryRun=All", PodWith(with(R"("restartPolicy":"Always",)")));
  EXPECT_EQ(created.code, 201) << created.body;
}

TEST_F(PodsTest, RejectsUnknownPolicies) {
  ExpectBrokenContainer(
      R"("imagePullPolicy":"X")", "",
      {{"NotSupported", "imagePullPolicy",
        R"(Unsupported value: "X": supported values: "Always", "IfNotPresent", "Never")"}});
  ExpectBroken(
      R"({"containers":[{"name":"c","image":"i"}],"dnsPolicy":"X"})",
      {{"NotSupported", "dnsPolicy",
        R"(Unsupported value: "X": supported values: "ClusterFirstWithHostNet", "ClusterFirst", )"
        R"("Default", "None")"}});
}

class PodSchedulingTest : public PodsTest {
 protected:
  // Expects these causes for a PodSpec with one more member, at paths from that member on.
  void ExpectBrokenMember(const std::string& name, const std::string& value,
                          std::vector<Broken> rules) const {
    for (Broken& rule : rules) rule.field.insert(0, name);
    ExpectBroken(R"({"containers":[{"name":"c","image":"i"}],")" + name + "\":" + value + "}",
                 rules);
  }
};

TEST_F(PodSchedulingTest, RejectsBadTolerations) {
  const auto expect = [&](const std::string& toleration, std::vector<Broken> rules) {
    for (Broken& rule : rules) rule.field.insert(0, "[0].");
    ExpectBrokenMember("tolerations", "[" + toleration + "]", rules);
  };
  expect(R"({"key":"a b","operator":"Exists"})",
         {{"Invalid", "key", std::string("Invalid value: \"a b\": ") + kLabelNameError}});
  expect(R"({"value":"v"})",
         {{"Invalid", "operator",
           R"(Invalid value: "": operator must be Exists when `key` is empty, which means )"
           R"("match all values and all keys")"}});
  expect(R"({"key":"k","operator":"Exists","value":"v","tolerationSeconds":5})",
         {{"Invalid", "effect",
           R"(Invalid value: "": effect must be 'NoExecute' when `tolerationSeconds` is set)"},
          {"Invalid", "operator",
           R"(Invalid value: "v": value must be empty when `operator` is 'Exists')"}});
  expect(R"({"key":"k","value":"a b","effect":"X"})",
         {{"Invalid", "operator", std::string("Invalid value: \"a b\": ") + kLabelValueError},
          {"NotSupported", "effect",
           R"(Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", )"
           R"("NoExecute")"}});
  expect(R"({"key":"k","operator":"X"})",
         {{"NotSupported", "operator",
           R"(Unsupported value: "X": supported values: "Equal", "Exists")"}});
}

TEST_F(PodSchedulingTest, RejectsBadTopologySpreadConstraints) {
  const auto expect = [&](const std::string& members, std::vector<Broken> rules) {
    for (Broken& rule : rules) rule.field.insert(0, "[0].");
    ExpectBrokenMember("topologySpreadConstraints", "[{" + members + "}]", rules);
  };
  const std::string valid =
      R"("maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule")";
  expect(R"("maxSkew":0,"topologyKey":"","whenUnsatisfiable":"X")",
         {{"Invalid", "maxSkew", "Invalid value: 0: must be greater than zero"},
          {"Required", "topologyKey", "Required value: can not be empty"},
          {"NotSupported", "whenUnsatisfiable",
           R"(Unsupported value: "X": supported values: "DoNotSchedule", "ScheduleAnyway")"}});
  expect(valid + R"(,"labelSelector":{"matchLabels":{"a":"b c"}})",
         {{"Invalid", "labelSelector.matchLabels",
           std::string("Invalid value: \"b c\": ") + kLabelValueError}});
  expect(valid + R"(,"matchLabelKeys":["k"])",
         {{"Forbidden", "matchLabelKeys",
           "Forbidden: must not be specified when labelSelector is not set"}});
  expect(valid + R"(,"minDomains":0,"nodeAffinityPolicy":"X","nodeTaintsPolicy":"Y")",
         {{"Invalid", "minDomains", "Invalid value: 0: must be greater than zero"},
          {"NotSupported", "nodeAffinityPolicy",
           R"(Unsupported value: "X": supported values: "Honor", "Ignore")"},
          {"NotSupported", "nodeTaintsPolicy",
           R"(Unsupported value: "Y": supported values: "Honor", "Ignore")"}});
  expect(R"("maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway","minDomains":2)",
         {{"Invalid", "minDomains",
           "Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "
           "ScheduleAnyway"}});
  expect(valid + "},{" + valid, {{"Duplicate", "{topologyKey, whenUnsatisfiable}",
                                  R"(Duplicate value: "{zone, DoNotSchedule}")"}});
}

TEST_F(PodSchedulingTest, RejectsBadNodeAffinity) {
  if (Minor() < 34) GTEST_SKIP() << "The version does not check the values.";
  const auto expect = [&](const std::string& term, std::vector<Broken> rules) {
    for (Broken& rule : rules) {
      rule.field.insert(
          0, ".nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
    }
    ExpectBrokenMember("affinity",
                       R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
                       R"({"nodeSelectorTerms":[)" +
                           term + "]}}}",
                       rules);
  };
  expect("", {{"Required", "", "Required value: must have at least one node selector term"}});
  expect(R"({"matchExpressions":[{"key":"k","operator":"In"},{"key":"k","operator":"Exists",)"
         R"("values":["v"]},{"key":"k","operator":"Gt","values":["1","2"]},)"
         R"({"key":"a b","operator":"X"},{"key":"k","operator":"In","values":["b c"]}]})",
         {{"Required", "[0].matchExpressions[0].values",
           "Required value: must be specified when `operator` is 'In' or 'NotIn'"},
          {"Forbidden", "[0].matchExpressions[1].values",
           "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"},
          {"Required", "[0].matchExpressions[2].values",
           "Required value: must be specified single value when `operator` is 'Lt' or 'Gt'"},
          {"Invalid", "[0].matchExpressions[3].operator",
           R"(Invalid value: "X": not a valid selector operator)"},
          {"Invalid", "[0].matchExpressions[3].key",
           std::string("Invalid value: \"a b\": ") + kLabelNameError},
          {"Invalid", "[0].matchExpressions[4].values[0]",
           std::string("Invalid value: \"b c\": ") + kLabelValueError}});
  expect(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["a","b"]},)"
         R"({"key":"x","operator":"Exists"}]})",
         {{"Required", "[0].matchFields[0].values",
           "Required value: must be only one value when `operator` is 'In' or 'NotIn' for node "
           "field selector"},
          {"Invalid", "[0].matchFields[1].operator",
           R"(Invalid value: "Exists": not a valid selector operator)"},
          {"Invalid", "[0].matchFields[1].key",
           R"(Invalid value: "x": not a valid field selector key)"}});
  ExpectBrokenMember(
      "affinity",
      R"({"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)"
      R"({"weight":0,"preference":{"matchExpressions":[)"
      R"({"key":"k","operator":"In","values":["b c"]}]}}]}})",
      {{"Invalid", ".nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
        "Invalid value: 0: must be in the range 1-100"}});
}

TEST_F(PodSchedulingTest, RejectsBadPodAffinity) {
  if (Minor() < 34) GTEST_SKIP() << "The version has no matchLabelKeys by default.";
  for (const std::string kind : {"podAffinity", "podAntiAffinity"}) {
    const std::string required = "." + kind + ".requiredDuringSchedulingIgnoredDuringExecution[0].";
    ExpectBrokenMember(
        "affinity",
        "{\"" + kind +
            R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":)"
            R"({"matchLabels":{"a":"b c"}},"namespaces":["N"],"matchLabelKeys":["k"],)"
            R"("mismatchLabelKeys":["k"],"topologyKey":"a b"}]}})",
        {{"Invalid", required + "labelSelector.matchLabels",
          std::string("Invalid value: \"b c\": ") + kLabelValueError},
         {"Invalid", required + "namespace", std::string("Invalid value: \"N\": ") + kLabelError},
         {"Invalid", required + "matchLabelKeys[0]",
          R"(Invalid value: "k": exists in both matchLabelKeys and mismatchLabelKeys)"},
         {"Invalid", required + "topologyKey",
          std::string("Invalid value: \"a b\": ") + kLabelNameError}});
    ExpectBrokenMember(
        "affinity",
        "{\"" + kind +
            R"(":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":101,)"
            R"("podAffinityTerm":{"mismatchLabelKeys":["k"],"topologyKey":"zone"}}]}})",
        {{"Invalid", "." + kind + ".preferredDuringSchedulingIgnoredDuringExecution[0].weight",
          "Invalid value: 101: must be in the range 1-100"},
         {"Forbidden",
          "." + kind +
              ".preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm."
              "mismatchLabelKeys",
          "Forbidden: must not be specified when labelSelector is not set"}});
  }
}

class PodUpdatesTest : public PodsTest {
 protected:
  void SetUp() override {
    PodsTest::SetUp();
    if (IsSkipped()) return;
    const Answer created =
        Post(Pods(), PodWith(R"({"automountServiceAccountToken":false,"containers":[)"
                             R"({"name":"c","image":"i"}],"activeDeadlineSeconds":60,)"
                             R"("tolerations":[{"key":"k","operator":"Exists"}]})"));
    ASSERT_EQ(created.code, 201) << created.body;
  }
};

TEST_F(PodUpdatesTest, AcceptsWhatMayChange) {
  for (const char* const spec :
       {R"({"containers":[{"name":"c","image":"other"}]})", R"({"activeDeadlineSeconds":50})",
        R"({"tolerations":[{"key":"k","operator":"Exists"},{"key":"l","operator":"Exists"}]})",
        R"({"restartPolicy":"Always","dnsPolicy":"ClusterFirst"})"}) {
    const Answer patched = StrategicPatch(Pod(), R"({"spec":)" + std::string(spec) + "}");
    EXPECT_EQ(patched.code, 200) << patched.body;
  }
  EXPECT_EQ(MergePatch(Pod(), R"({"metadata":{"labels":{"a":"b"}}})").code, 200);
}

TEST_F(PodUpdatesTest, RejectsOtherChanges) {
  for (const char* const spec :
       {R"({"nodeName":"n"})", R"({"restartPolicy":"Never"})",
        R"({"terminationGracePeriodSeconds":5})",
        R"({"containers":[{"name":"c","env":[{"name":"a","value":"b"}]}]})"}) {
    const Answer refused = StrategicPatch(Pod(), R"({"spec":)" + std::string(spec) + "}");
    EXPECT_EQ(refused.code, 422) << spec;
    // The rest is the difference, which is not the same text.
    const std::string text(refused.message());
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "Pod \"p\" is invalid: spec: Forbidden: pod updates may not change fields other than "
              "`spec.containers[*].image`,`spec.initContainers[*].image`,"
              "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
              "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it "
              "was previously negative)");
  }
}

TEST_F(PodUpdatesTest, RejectsChangesOfContainersDeadlinesAndTolerations) {
  const auto expect = [&](const std::string& spec, const Broken& rule) {
    EXPECT_REFUSED(MergePatch(Pod(), R"({"spec":)" + spec + "}"),
                   RefusalFor("Pod", "", "p", {rule}))
        << spec;
  };
  expect(
      R"({"containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}]})",
      {"Forbidden", "spec.containers", "Forbidden: pod updates may not add or remove containers"});
  expect(R"({"activeDeadlineSeconds":61})",
         {"Invalid", "spec.activeDeadlineSeconds",
          "Invalid value: 61: must be less than or equal to previous value"});
  expect(R"({"activeDeadlineSeconds":null})",
         {"Invalid", "spec.activeDeadlineSeconds",
          "Invalid value: null: must not update from a positive integer to nil value"});
  expect(R"({"tolerations":[]})",
         {"Forbidden", "spec.tolerations",
          "Forbidden: existing toleration can not be modified except its tolerationSeconds"});
  // It has two more tolerations: those of the admission plugin DefaultTolerationSeconds.
  // Old versions check an added toleration twice.
  const Broken rule = {"Invalid", "spec.tolerations[3].operator",
                       R"(Invalid value: "": operator must be Exists when `key` is empty, which )"
                       R"(means "match all values and all keys")"};
  EXPECT_REFUSED(
      JsonPatch(Pod(), R"([{"op":"add","path":"/spec/tolerations/-","value":{"value":"v"}}])"),
      RefusalFor("Pod", "", "p", std::vector<Broken>(Minor() > 34 ? 1 : 2, rule)));
}

TEST_F(PodUpdatesTest, ChangesTheSpecNeitherByStatusNorByPutWithoutDefaults) {
  const Answer status =
      MergePatch(Pod() + "/status", R"({"spec":{"nodeName":"n"},"status":{"message":"m"}})");
  const Answer put = Put(Pod(), PodWith(R"({"automountServiceAccountToken":false,"containers":[)"
                                        R"({"name":"c","image":"i"}],"activeDeadlineSeconds":60,)"
                                        R"("tolerations":[{"key":"k","operator":"Exists"}]})"));

  EXPECT_EQ(status.code, 200) << status.body;
  EXPECT_EQ(runtime::Find(status.json["spec"], "nodeName"), nullptr);
  EXPECT_EQ(put.code, 200) << put.body;
}

using DataTest = PodsTest;

TEST_F(DataTest, RejectsBadKeysOfConfigMapsAndSecrets) {
  const auto expect = [&](const std::string& kind, const std::string& collection,
                          const std::string& data, const Broken& rule) {
    EXPECT_REFUSED(Post(collection, R"({"metadata":{"name":"d"},)" + data + "}"),
                   RefusalFor(kind, "", "d", {rule}))
        << data;
  };
  const std::string bad = std::string("Invalid value: \"a b\": ") + kConfigKeyError;
  expect("ConfigMap", ConfigMaps(), R"("data":{"a b":"v"})", {"Invalid", "data[a b]", bad});
  expect("ConfigMap", ConfigMaps(), R"("binaryData":{"a b":"dg=="})",
         {"Invalid", "binaryData[a b]", bad});
  expect("ConfigMap", ConfigMaps(), R"("data":{"..a":"v"})",
         {"Invalid", "data[..a]", "Invalid value: \"..a\": must not start with '..'"});
  expect("ConfigMap", ConfigMaps(), R"("data":{"k":"v"},"binaryData":{"k":"dg=="})",
         {"Invalid", "data[k]", "Invalid value: \"k\": duplicate of key present in binaryData"});
  expect("Secret", Secrets(), R"("stringData":{"a b":"v"})", {"Invalid", "data[a b]", bad});
  expect("Secret", Secrets(), R"("data":{"..":"dg=="})",
         {"Invalid", "data[..]", "Invalid value: \"..\": must not be '..'"});
  expect("Secret", Secrets(), R"("type":"kubernetes.io/dockerconfigjson")",
         {"Required", "data[.dockerconfigjson]", "Required value"});
  expect("Secret", Secrets(), R"("type":"kubernetes.io/ssh-auth")",
         {"Required", "data[ssh-privatekey]", "Required value"});
}

TEST_F(DataTest, RejectsFieldsOfTheWrongType) {
  const auto expect = [&](const std::string& collection, const std::string& kind,
                          const std::string& members, const std::string& why) {
    EXPECT_REFUSED(Post(collection, "{" + members + "}"),
                   BadRequest(kind + " in version \"v1\" cannot be handled as a " + kind +
                              ": json: cannot unmarshal string into Go struct field " + why));
  };
  const std::string immutable = R"("metadata":{"name":"d"},"immutable":"x")";
  expect(Secrets(), "Secret", immutable, "Secret.immutable of type bool");
  expect(ConfigMaps(), "ConfigMap", immutable, "ConfigMap.immutable of type bool");
  expect(Secrets(), "Secret", R"("metadata":{"name":"d","finalizers":"x"})",
         "ObjectMeta.metadata.finalizers of type []string");
}

TEST_F(DataTest, RejectsMoreThanOneMebibyte) {
  const std::string big(1024 * 1024 + 1, 'x');
  EXPECT_REFUSED(
      Post(Secrets(), R"({"metadata":{"name":"d"},"stringData":{"k":")" + big + R"("}})"),
      RefusalFor("Secret", "", "d",
                 {{"TooLong", "data", "Too long: may not be more than 1048576 bytes"}}));
}

TEST_F(DataTest, RejectsBadQuantities) {
  const auto requesting = [&](const std::string& name, const std::string& cpu) {
    return Post(Core("pods", ""),
                R"({"metadata":{"name":")" + name +
                    R"("},"spec":{"containers":[{"name":"c","image":"i","resources":{)"
                    R"("limits":{"cpu":)" +
                    cpu + "}}}]}}");
  };
  for (const char* const cpu : {R"("")", R"("1x")", R"("1Kii")", R"("abc")", "true"}) {
    EXPECT_EQ(requesting("a", cpu).code, 400) << cpu;
  }
  const char* const valid[] = {R"("1500m")", "2", "0.5", R"("1e3")", R"("1Ki")"};
  for (int i = 0; i < 5; ++i) {
    const Answer created = requesting("p" + std::to_string(i), valid[i]);
    EXPECT_NE(created.code, 400) << created.body;
  }
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
