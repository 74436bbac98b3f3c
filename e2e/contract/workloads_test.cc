// SPDX-License-Identifier: Apache-2.0
// Tests of what Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs and CronJobs must be, and
// of what is immutable in them. The texts are those of version 1.34 and later.
#include "e2e/contract/broken_rules.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::string kPodSpec = R"({"containers":[{"name":"c","image":"i"}]})";
const std::string kNeverPodSpec =
    R"({"containers":[{"name":"c","image":"i"}],"restartPolicy":"Never"})";
const std::string kSelector = R"("selector":{"matchLabels":{"a":"b"}})";
constexpr char kNoMatch[] = ": `selector` does not match template `labels`";

// Returns a template: `"template":{...}`.
std::string Template(const std::string& labels = R"({"a":"b"})",
                     const std::string& spec = kPodSpec) {
  return R"("template":{"metadata":{"labels":)" + labels + R"(},"spec":)" + spec + "}";
}

class WorkloadsTest : public ContractTest {
 protected:
  struct Kind {
    std::string group;
    std::string name;
    std::string plural;
  };
  inline static const Kind kDeployment = {"apps", "Deployment", "deployments"};
  inline static const Kind kReplicaSet = {"apps", "ReplicaSet", "replicasets"};
  inline static const Kind kStatefulSet = {"apps", "StatefulSet", "statefulsets"};
  inline static const Kind kDaemonSet = {"apps", "DaemonSet", "daemonsets"};
  inline static const Kind kJob = {"batch", "Job", "jobs"};
  inline static const Kind kCronJob = {"batch", "CronJob", "cronjobs"};

  std::string Path(const Kind& kind, const std::string& name = "") const {
    return "/apis/" + kind.group + "/v1/namespaces/" + ns() + "/" + kind.plural + name;
  }
  static std::string WorkloadWith(const std::string& members) {
    return R"({"metadata":{"name":"w"},"spec":{)" + members + "}}";
  }
  // Returns the Refusal for rules of the spec.
  static Refusal RefusalOf(const Kind& kind, std::vector<Broken> rules) {
    for (Broken& rule : rules) rule.field.insert(0, "spec.");
    return RefusalFor(kind.name, kind.group, "w", rules);
  }
  void ExpectBroken(const Kind& kind, const std::string& members,
                    const std::vector<Broken>& rules) const {
    EXPECT_REFUSED(Post(Path(kind), WorkloadWith(members)), RefusalOf(kind, rules)) << members;
  }
  void CreateWorkload(const Kind& kind, const std::string& members) const {
    const Answer created = Post(Path(kind), WorkloadWith(members));
    ASSERT_EQ(created.code, 201) << created.body;
  }
};

TEST_F(WorkloadsTest, RequiresASelector) {
  for (const Kind& kind : {kDeployment, kReplicaSet, kStatefulSet}) {
    ExpectBroken(kind, Template(),
                 {{"Required", "selector", "Required value"},
                  {"Invalid", "template.metadata.labels",
                   std::string(R"(Invalid value: {"a":"b"})") + kNoMatch}});
  }
  ExpectBroken(kDaemonSet, Template(),
               {{"Invalid", "template.metadata.labels",
                 std::string(R"(Invalid value: {"a":"b"})") + kNoMatch}});
}

TEST_F(WorkloadsTest, RejectsAnEmptySelector) {
  const std::pair<Kind, std::string> kinds[] = {{kDeployment, "deployment"},
                                                {kReplicaSet, "deployment"},
                                                {kStatefulSet, "statefulset"},
                                                {kDaemonSet, "daemonset"}};
  for (const auto& [kind, name] : kinds) {
    ExpectBroken(
        kind, R"("selector":{},)" + Template(),
        {{"Invalid", "selector", "Invalid value: {}: empty selector is invalid for " + name}});
  }
}

TEST_F(WorkloadsTest, RejectsASelectorThatDoesNotMatchTheTemplate) {
  for (const Kind& kind : {kDeployment, kReplicaSet, kStatefulSet, kDaemonSet}) {
    ExpectBroken(kind, kSelector + "," + Template(R"({"a":"c"})"),
                 {{"Invalid", "template.metadata.labels",
                   std::string(R"(Invalid value: {"a":"c"})") + kNoMatch}});
    ExpectBroken(
        kind, kSelector + R"(,"template":{"spec":)" + kPodSpec + "}",
        {{"Invalid", "template.metadata.labels", std::string("Invalid value: null") + kNoMatch}});
    ExpectBroken(
        kind,
        R"("selector":{"matchExpressions":[{"key":"a","operator":"NotIn","values":["b"]}]},)" +
            Template(),
        {{"Invalid", "template.metadata.labels",
          std::string(R"(Invalid value: {"a":"b"})") + kNoMatch}});
  }
}

TEST_F(WorkloadsTest, RejectsBadRequirementsOfASelector) {
  ExpectBroken(
      kDeployment,
      R"("selector":{"matchExpressions":[{"key":"a","operator":"Is","values":["b"]}]},)" +
          Template(),
      {{"Invalid", "selector.matchExpressions[0].operator",
        "Invalid value: \"Is\": not a valid selector operator"},
       {"Invalid", "selector",
        R"(Invalid value: {"matchExpressions":[{"key":"a","operator":"Is","values":["b"]}]}: )"
        "invalid label selector"}});
  ExpectBroken(kDaemonSet,
               R"("selector":{"matchExpressions":[{"key":"a","operator":"In"}]},)" + Template(),
               {{"Required", "selector.matchExpressions[0].values",
                 "Required value: must be specified when `operator` is 'In' or 'NotIn'"}});
}

TEST_F(WorkloadsTest, RejectsNegativeNumbers) {
  const auto expect = [&](const Kind& kind, const std::string& rest,
                          const std::vector<std::string>& members) {
    for (const std::string& member : members) {
      ExpectBroken(kind, rest + ",\"" + member + "\":-1",
                   {{"Invalid", member, "Invalid value: -1: must be greater than or equal to 0"}});
    }
  };
  const std::string app = kSelector + "," + Template();
  expect(kDeployment, app, {"replicas", "minReadySeconds", "revisionHistoryLimit"});
  expect(kReplicaSet, app, {"replicas", "minReadySeconds"});
  expect(kStatefulSet, app, {"replicas", "minReadySeconds"});
  expect(kDaemonSet, app, {"minReadySeconds", "revisionHistoryLimit"});
  expect(kJob, Template("{}", kNeverPodSpec),
         {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
          "ttlSecondsAfterFinished"});
}

TEST_F(WorkloadsTest, RejectsBadStrategiesOfDeployments) {
  const auto expect = [&](const std::string& strategy, const Broken& rule) {
    ExpectBroken(kDeployment, kSelector + "," + Template() + R"(,"strategy":)" + strategy, {rule});
  };
  expect(R"({"type":"Recreate","rollingUpdate":{"maxSurge":1}})",
         {"Forbidden", "strategy.rollingUpdate",
          "Forbidden: may not be specified when strategy `type` is 'Recreate'"});
  expect(R"({"type":"Slow"})",
         {"NotSupported", "strategy",
          R"(Unsupported value: {"Type":"Slow","RollingUpdate":null}: supported values: )"
          R"("Recreate", "RollingUpdate")"});
  expect(R"({"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}})",
         {"Invalid", "strategy.rollingUpdate.maxUnavailable",
          "Invalid value: 0: may not be 0 when `maxSurge` is 0"});
  expect(R"({"rollingUpdate":{"maxSurge":"x"}})",
         {"Invalid", "strategy.rollingUpdate.maxSurge",
          "Invalid value: \"x\": a valid percent string must be a numeric string followed by an "
          "ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"});
  expect(R"({"rollingUpdate":{"maxUnavailable":"101%"}})",
         {"Invalid", "strategy.rollingUpdate.maxUnavailable",
          "Invalid value: \"101%\": must not be greater than 100%"});
  ExpectBroken(kDeployment,
               kSelector + "," + Template() + R"(,"progressDeadlineSeconds":5,"minReadySeconds":5)",
               {{"Invalid", "progressDeadlineSeconds",
                 "Invalid value: 5: must be greater than minReadySeconds"}});
}

TEST_F(WorkloadsTest, RejectsBadStrategiesOfSets) {
  const std::string app = kSelector + "," + Template() + R"(,"updateStrategy":{"type":"Slow"})";
  ExpectBroken(kDaemonSet, app,
               {{"NotSupported", "updateStrategy",
                 R"(Unsupported value: {"Type":"Slow","RollingUpdate":null}: supported values: )"
                 R"("RollingUpdate", "OnDelete")"}});
  ExpectBroken(kStatefulSet, app,
               {{"Invalid", "updateStrategy",
                 R"(Invalid value: {"Type":"Slow","RollingUpdate":null}: must be )"
                 "'RollingUpdate' or 'OnDelete'"}});
  ExpectBroken(kStatefulSet, kSelector + "," + Template() + R"(,"podManagementPolicy":"Slow")",
               {{"Invalid", "podManagementPolicy",
                 "Invalid value: \"Slow\": must be 'OrderedReady' or 'Parallel'"}});
}

TEST_F(WorkloadsTest, RequiresThatPodsOfAppsRunForever) {
  const std::string deadline =
      R"({"containers":[{"name":"c","image":"i"}],"activeDeadlineSeconds":5})";
  const std::pair<Kind, std::string> kinds[] = {{kDeployment, "ReplicaSet"},
                                                {kReplicaSet, "ReplicaSet"},
                                                {kStatefulSet, "StatefulSet"},
                                                {kDaemonSet, "DaemonSet"}};
  for (const auto& [kind, name] : kinds) {
    ExpectBroken(kind, kSelector + "," + Template(R"({"a":"b"})", kNeverPodSpec),
                 {{"NotSupported", "template.spec.restartPolicy",
                   R"(Unsupported value: "Never": supported values: "Always")"}});
    ExpectBroken(kind, kSelector + "," + Template(R"({"a":"b"})", deadline),
                 {{"Forbidden", "template.spec.activeDeadlineSeconds",
                   "Forbidden: activeDeadlineSeconds in " + name + " is not Supported"}});
  }
}

TEST_F(WorkloadsTest, RequiresThatPodsOfJobsEnd) {
  const Broken rule = {"Required", "template.spec.restartPolicy",
                       R"(Required value: valid values: "OnFailure", "Never")"};
  const std::string always =
      R"({"containers":[{"name":"c","image":"i"}],"restartPolicy":"Always"})";
  ExpectBroken(kJob, Template("{}"), {rule});
  ExpectBroken(kJob, Template("{}", always), {rule});
  ExpectBroken(kJob, R"("completionMode":"Some",)" + Template("{}", kNeverPodSpec),
               {{"NotSupported", "completionMode",
                 R"(Unsupported value: "Some": supported values: "NonIndexed", "Indexed")"}});
}

TEST_F(WorkloadsTest, RejectsLabelsInPlaceOfTheGeneratedOnesOfAJob) {
  const auto refusal = [&](const std::string& labels, const std::string& more) {
    const Answer answer = Post(InNamespace("/apis/batch/v1", "jobs"),
                               R"({"metadata":{"name":"j"},"spec":{)" + more +
                                   R"("template":{"metadata":{"labels":{)" + labels +
                                   R"(}},"spec":{"restartPolicy":"Never","containers":[)"
                                   R"({"name":"c","image":"i"}]}}}})");
    EXPECT_EQ(answer.code, 422) << answer.body;
    return std::string(answer.message());
  };
  const std::string label = "spec.template.metadata.labels[";

  for (const std::string prefix : {"", "batch.kubernetes.io/"}) {
    EXPECT_THAT(
        refusal("\"" + prefix + R"(job-name":"other")", ""),
        AllOf(HasSubstr(label + prefix + "job-name]: Invalid value: "), EndsWith(": must be 'j'")));
    EXPECT_THAT(refusal("\"" + prefix + R"(controller-uid":"other")", ""),
                HasSubstr(label + prefix + "controller-uid]: Invalid value: "));
  }
  EXPECT_THAT(refusal(R"("batch.kubernetes.io/controller-uid":"other")", ""),
              EndsWith("`selector` does not match template `labels`]"));
  EXPECT_THAT(refusal(R"("a":"b")", R"("selector":{"matchLabels":{"a":"b"}},)"),
              EndsWith("`selector` not auto-generated"));
}

TEST_F(WorkloadsTest, ChecksTheJobsOfCronJobs) {
  const std::string job = R"("schedule":"* * * * *","jobTemplate":{"spec":{)";
  const std::string path = "jobTemplate.spec.";
  ExpectBroken(kCronJob, job + Template("{}") + "}}",
               {{"Required", path + "template.spec.restartPolicy",
                 R"(Required value: valid values: "OnFailure", "Never")"}});
  ExpectBroken(kCronJob, job + kSelector + "," + Template("{}", kNeverPodSpec) + "}}",
               {{"Invalid", path + "selector",
                 R"(Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be )"
                 "auto-generated"}});
  ExpectBroken(kCronJob, R"("jobTemplate":{"spec":{)" + Template("{}", kNeverPodSpec) + "}}",
               {{"Required", "schedule", "Required value"}});
  ExpectBroken(kCronJob,
               R"("concurrencyPolicy":"Some",)" + job + Template("{}", kNeverPodSpec) + "}}",
               {{"NotSupported", "concurrencyPolicy",
                 R"(Unsupported value: "Some": supported values: "Allow", "Forbid", "Replace")"}});
}

TEST_F(WorkloadsTest, KeepsSelectors) {
  const std::string changed = R"("selector":{"matchLabels":{"a":"c"}},)" + Template(R"({"a":"c"})");
  const Broken rule = {"Invalid", "selector",
                       R"(Invalid value: {"matchLabels":{"a":"c"}}: field is immutable)"};
  for (const Kind& kind : {kDeployment, kReplicaSet, kDaemonSet}) {
    CreateWorkload(kind, kSelector + "," + Template());
    EXPECT_REFUSED(Put(Path(kind, "/w"), WorkloadWith(changed)), RefusalOf(kind, {rule}));
    // Also if the request omits what the server sets.
    EXPECT_EQ(Put(Path(kind, "/w"), WorkloadWith(kSelector + "," + Template())).code, 200);
  }
  const std::string patch = R"({"spec":{"selector":{"matchLabels":{"a":"c"}}}})";
  const Broken no_match = {"Invalid", "template.metadata.labels",
                           std::string(R"(Invalid value: {"a":"b"})") + kNoMatch};
  EXPECT_REFUSED(MergePatch(Path(kDeployment, "/w"), patch),
                 RefusalOf(kDeployment, {no_match, rule}));
  Refusal refusal = RefusalOf(kDaemonSet, {rule, no_match});
  if (Minor() < 34) {  // checks the template twice, first
    refusal = RefusalOf(kDaemonSet, {no_match, rule});
    refusal.details = RefusalOf(kDaemonSet, {no_match, no_match, rule}).details;
  }
  EXPECT_REFUSED(MergePatch(Path(kDaemonSet, "/w"), patch), refusal);
}

TEST_F(WorkloadsTest, KeepsTheIdentityOfStatefulSets) {
  CreateWorkload(kStatefulSet, kSelector + "," + Template() + R"(,"serviceName":"s")");
  const std::string path = Path(kStatefulSet, "/w");

  EXPECT_EQ(MergePatch(path, R"({"spec":{"replicas":2}})").code, 200);
  const Answer refused = MergePatch(path, R"({"spec":{"serviceName":"t"}})");
  if (Minor() < 37) {
    EXPECT_REFUSED(
        refused,
        RefusalFor("StatefulSet", "apps", "w",
                   {{"Forbidden", "spec",
                     "Forbidden: updates to statefulset spec for fields other than 'replicas', "
                     "'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
                     "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
                     "forbidden"}}));
  } else {
    EXPECT_REFUSED(refused, RefusalOf(kStatefulSet, {{"Invalid", "serviceName",
                                                      "Invalid value: \"t\": field is "
                                                      "immutable"}}));
  }
}

TEST_F(WorkloadsTest, KeepsTheTemplateOfAJob) {
  CreateWorkload(kJob, Template("{}", kNeverPodSpec));
  const std::string path = Path(kJob, "/w");

  EXPECT_EQ(MergePatch(path, R"({"spec":{"parallelism":2,"suspend":false}})").code, 200);
  EXPECT_REFUSED(
      MergePatch(path, R"({"spec":{"completions":3}})"),
      RefusalOf(kJob, {{"Invalid", "completions", "Invalid value: 3: field is immutable"}}));
  EXPECT_REFUSED(MergePatch(path, R"({"spec":{"completionMode":"Indexed"}})"),
                 RefusalOf(kJob, {{"Invalid", "completionMode",
                                   "Invalid value: \"Indexed\": field is immutable"}}));
  const Answer refused = StrategicPatch(
      path, R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"}]}}}})");
  EXPECT_EQ(refused.code, 422);
  // The text between them is the template in Go's names.
  EXPECT_THAT(std::string(refused.message()),
              ::testing::AllOf(::testing::StartsWith(
                                   "Job.batch \"w\" is invalid: spec.template: Invalid value: "),
                               ::testing::EndsWith(": field is immutable")));
}

TEST_F(WorkloadsTest, ChecksTheSpecOfUpdatesAndNotOfStatus) {
  CreateWorkload(kDeployment, kSelector + "," + Template());
  const std::string path = Path(kDeployment, "/w");

  EXPECT_REFUSED(MergePatch(path, R"({"spec":{"replicas":-2}})"),
                 RefusalOf(kDeployment, {{"Invalid", "replicas",
                                          "Invalid value: -2: must be greater than or equal to "
                                          "0"}}));
  const Answer status = Put(path + "/status", R"({"metadata":{"name":"w"},"spec":{},)"
                                              R"("status":{"observedGeneration":1}})");
  EXPECT_EQ(status.code, 200) << status.body;
}

TEST_F(WorkloadsTest, SetsDefaults) {
  const auto spec_of = [&](const Kind& kind, const std::string& members) {
    Answer created = Post(Path(kind), WorkloadWith(members));
    if (created.code != 201) return created.body;
    runtime::JsonValue& spec = created.json["spec"];
    for (const char* const member : {"template", "selector", "jobTemplate", "schedule"}) {
      spec.RemoveMember(member);
    }
    return Sorted(runtime::ToJson(spec));
  };
  const std::string most = Minor() >= 37 ? R"("maxUnavailable":1,)" : "";
  const std::string members = kSelector + "," + Template();

  EXPECT_EQ(spec_of(kReplicaSet, members), R"({"replicas":1})");
  EXPECT_EQ(spec_of(kDaemonSet, members),
            R"({"revisionHistoryLimit":10,"updateStrategy":{"rollingUpdate":{"maxSurge":0,)"
            R"("maxUnavailable":1},"type":"RollingUpdate"}})");
  EXPECT_EQ(spec_of(kStatefulSet, R"("serviceName":"s",)" + members),
            R"({"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":)"
            R"("Retain"},"podManagementPolicy":"OrderedReady","replicas":1,)"
            R"("revisionHistoryLimit":10,"serviceName":"s","updateStrategy":{"rollingUpdate":{)" +
                most + R"("partition":0},"type":"RollingUpdate"}})");
  EXPECT_EQ(spec_of(kCronJob, R"("schedule":"* * * * *","jobTemplate":{"spec":{)" +
                                  Template("{}", kNeverPodSpec) + "}}"),
            R"({"concurrencyPolicy":"Allow","failedJobsHistoryLimit":1,)"
            R"("successfulJobsHistoryLimit":3,"suspend":false})");
  const Answer bound =
      Post("/apis/rbac.authorization.k8s.io/v1/namespaces/" + ns() + "/rolebindings",
           R"({"metadata":{"name":"b"},"roleRef":{"kind":"Role","name":"r"},"subjects":[)"
           R"({"kind":"User","name":"u"},{"kind":"ServiceAccount","name":"s","namespace":"n"}]})");
  EXPECT_EQ(Sorted(runtime::ToJson(bound.json["roleRef"])),
            R"({"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"})");
  EXPECT_EQ(Sorted(runtime::ToJson(bound.json["subjects"])),
            R"([{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"u"},)"
            R"({"kind":"ServiceAccount","name":"s","namespace":"n"}])");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
