// SPDX-License-Identifier: Apache-2.0
// Tests of DELETE: preconditions, propagation, finalizers, whole collections.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using DeleteTest = ContractTest;

Refusal ConflictOnDelete(const std::string& why) {
  // This message contains the kind instead of the resource.
  return {.code = 409,
          .reason = "Conflict",
          .message = "Operation cannot be fulfilled on ConfigMap \"a\": " + why,
          .details = R"({"name":"a","kind":"ConfigMap"})"};
}

Refusal InvalidDeleteOption(std::string_view field, std::string_view reason,
                            std::string_view message) {
  return {.code = 422,
          .reason = "Invalid",
          .message = "DeleteOptions.meta.k8s.io \"\" is invalid: " + std::string(field) + ": " +
                     std::string(message),
          .details = R"({"group":"meta.k8s.io","kind":"DeleteOptions","causes":[)" +
                     Cause(reason, message, field) + "]}"};
}

TEST_F(DeleteTest, ReturnsASuccessStatus) {
  CreateConfigMap("a");
  CreateWebhooks();

  EXPECT_EQ(Normal(Delete(ConfigMaps("a"))),
            Sorted(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
                   R"("details":{"name":"a","kind":"configmaps","uid":"UID"}})"));
  EXPECT_EQ(Normal(Delete(Webhooks())),
            Sorted(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
                   R"("details":{"name":"NS","group":"admissionregistration.k8s.io",)"
                   R"("kind":"validatingwebhookconfigurations","uid":"UID"}})"));
  EXPECT_EQ(Get(ConfigMaps("a")).code, 404);
}

TEST_F(DeleteTest, ReportsAMissingObjectAsNotFound) {
  EXPECT_REFUSED(Delete(ConfigMaps("none")), {.code = 404,
                                              .reason = "NotFound",
                                              .message = "configmaps \"none\" not found",
                                              .details = R"({"name":"none","kind":"configmaps"})"});
}

TEST_F(DeleteTest, ChecksTheUidPrecondition) {
  CreateConfigMap("a");
  const std::string uid(Get(ConfigMaps("a")).meta("uid"));

  EXPECT_REFUSED(
      Delete(ConfigMaps("a"), R"({"preconditions":{"uid":"xx"}})"),
      ConflictOnDelete("the UID in the precondition (xx) does not match the UID in record (" + uid +
                       "). The object might have been deleted and then recreated"));
  EXPECT_EQ(Delete(ConfigMaps("a"), R"({"preconditions":{"uid":")" + uid + R"("}})").code, 200);
}

TEST_F(DeleteTest, ChecksTheVersionPrecondition) {
  const std::string version = CreateConfigMap("a");

  EXPECT_REFUSED(Delete(ConfigMaps("a"), R"({"preconditions":{"resourceVersion":"1"}})"),
                 ConflictOnDelete("the ResourceVersion in the precondition (1) does not match the "
                                  "ResourceVersion in record (" +
                                  version + "). The object might have been modified"));
  EXPECT_EQ(
      Delete(ConfigMaps("a"), R"({"preconditions":{"resourceVersion":")" + version + R"("}})").code,
      200);
}

TEST_F(DeleteTest, RejectsInvalidOptions) {
  CreateConfigMap("a");
  const std::string unsupported =
      R"(Unsupported value: "Nope": supported values: "Foreground", "Background", "Orphan", "nil")";

  EXPECT_REFUSED(Delete(ConfigMaps("a"), R"({"propagationPolicy":"Nope"})"),
                 InvalidDeleteOption("propagationPolicy", "FieldValueNotSupported", unsupported));
  EXPECT_REFUSED(Delete(ConfigMaps("a") + "?propagationPolicy=Nope"),
                 InvalidDeleteOption("propagationPolicy", "FieldValueNotSupported", unsupported));
  EXPECT_REFUSED(
      Delete(ConfigMaps("a"), R"({"propagationPolicy":"Orphan","orphanDependents":true})"),
      InvalidDeleteOption(
          "propagationPolicy", "FieldValueInvalid",
          "Invalid value: \"Orphan\": orphanDependents and deletionPropagation cannot be "
          "both set"));
  EXPECT_REFUSED(Delete(ConfigMaps("a") + "?dryRun=x"),
                 InvalidDeleteOption(
                     "dryRun", "FieldValueNotSupported",
                     "Unsupported value: " + DryRunValue("x") + ": supported values: \"All\""));
  EXPECT_REFUSED(
      Delete(ConfigMaps("a"), "{"),
      {.code = Minor() < 37 ? 500 : 400,
       .reason = Minor() < 37 ? "" : "BadRequest",
       .message = "couldn't get version/kind; json parse error: unexpected end of JSON input"});
  EXPECT_EQ(Get(ConfigMaps("a")).code, 200);
}

TEST_F(DeleteTest, DryRunDeletesNothing) {
  CreateConfigMap("a");

  EXPECT_EQ(Delete(ConfigMaps("a") + "?dryRun=All").code, 200);
  EXPECT_EQ(Delete(ConfigMaps("a"), R"({"dryRun":["All"]})").code, 200);
  EXPECT_EQ(Get(ConfigMaps("a")).code, 200);
}

TEST_F(DeleteTest, PrefersTheBodyToTheQuery) {
  CreateConfigMap("a");

  EXPECT_EQ(Delete(ConfigMaps("a") + "?dryRun=All", R"({"kind":"DeleteOptions"})").code, 200);
  EXPECT_EQ(Get(ConfigMaps("a")).code, 404);
}

TEST_F(DeleteTest, AddsTheFinalizerOfThePropagationPolicy) {
  for (const auto& [policy, finalizer] :
       {std::pair("Foreground", "foregroundDeletion"), std::pair("Orphan", "orphan")}) {
    CreateConfigMap("a");

    const Answer deleted =
        Delete(ConfigMaps("a"), R"({"propagationPolicy":")" + std::string(policy) + R"("})");

    EXPECT_EQ(deleted.code, 200);
    EXPECT_EQ(Normal(deleted), Sorted(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{)"
                                      R"("name":"a","namespace":"NS","uid":"UID",)"
                                      R"("resourceVersion":"RV","creationTimestamp":"TIME",)"
                                      R"("deletionTimestamp":"TIME",)"
                                      R"("deletionGracePeriodSeconds":0,"finalizers":[")" +
                                      std::string(finalizer) + R"("]}})"));
    MergePatch(ConfigMaps("a"), R"({"metadata":{"finalizers":null}})");
    EXPECT_EQ(Get(ConfigMaps("a")).code, 404);
  }
  CreateConfigMap("a");
  EXPECT_EQ(Delete(ConfigMaps("a") + "?propagationPolicy=Background").code, 200);
  EXPECT_EQ(Get(ConfigMaps("a")).code, 404);
}

TEST_F(DeleteTest, KeepsAnObjectUntilItsLastFinalizerIsRemoved) {
  CreateConfigMap("a", R"("finalizers":["x.io/a","x.io/b"])");
  WatchStream watch = Watch(ConfigMaps(), "resourceVersion=" + Version());

  const Answer deleted = Delete(ConfigMaps("a"));
  const Answer again = Delete(ConfigMaps("a"));
  const Answer one = MergePatch(ConfigMaps("a"), R"({"metadata":{"finalizers":["x.io/a"]}})");
  const Answer none = MergePatch(ConfigMaps("a"), R"({"metadata":{"finalizers":null}})");

  EXPECT_NE(deleted.meta("deletionTimestamp"), "");
  EXPECT_EQ(Sorted(again.body), Sorted(deleted.body));
  EXPECT_EQ(one.code, 200);
  EXPECT_EQ(none.code, 200);
  EXPECT_EQ(none.meta("deletionTimestamp"), deleted.meta("deletionTimestamp"));
  EXPECT_EQ(Get(ConfigMaps("a")).code, 404);
  EXPECT_EQ(watch.NextBrief(), "MODIFIED a");
  EXPECT_EQ(watch.NextBrief(), "MODIFIED a");
  EXPECT_EQ(watch.NextBrief(), "DELETED a");
}

TEST_F(DeleteTest, RejectsNewFinalizersDuringDeletion) {
  CreateConfigMap("a", R"("finalizers":["x.io/a"])");
  Delete(ConfigMaps("a"));
  const std::string message =
      "Forbidden: no new finalizers can be added if the object is being deleted, found new "
      "finalizers []string{\"x.io/c\"}";

  EXPECT_REFUSED(MergePatch(ConfigMaps("a"), R"({"metadata":{"finalizers":["x.io/a","x.io/c"]}})"),
                 InvalidMetadata("a", "metadata.finalizers", "FieldValueForbidden", message));
  MergePatch(ConfigMaps("a"), R"({"metadata":{"finalizers":null}})");
}

TEST_F(DeleteTest, RejectsUnqualifiedFinalizers) {
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"a","finalizers":["bad"]}})"),
                 Invalid("ConfigMap", "a", "metadata.finalizers[0]", "FieldValueInvalid",
                         "Invalid value: \"bad\": name is neither a standard finalizer name nor is "
                         "it fully qualified"));
}

TEST_F(DeleteTest, IncrementsTheGeneration) {
  CreateWebhooks();
  MergePatch(Webhooks(), R"({"metadata":{"finalizers":["x.io/a"]}})");

  EXPECT_EQ(Delete(Webhooks()).json["metadata"]["generation"].GetInt(), 2);
  MergePatch(Webhooks(), R"({"metadata":{"finalizers":null}})");
}

TEST_F(DeleteTest, ReturnsTheDeletedObjectsOfACollection) {
  CreateConfigMap("a", R"("labels":{"n":"a"})");
  CreateConfigMap("b", R"("labels":{"n":"b"})");
  CreateConfigMap("c");

  const Answer dry = Delete(ConfigMaps() + "?dryRun=All");
  const Answer one = Delete(ConfigMaps() + "?labelSelector=n%3Da");
  const Answer rest = Delete(ConfigMaps());

  EXPECT_EQ(Names(dry), "a b c ");
  EXPECT_EQ(runtime::GetString(one.json, "kind"), "ConfigMapList");
  EXPECT_EQ(Names(one), "a ");
  EXPECT_EQ(Names(rest), "b c ");
  EXPECT_EQ(Names(Get(ConfigMaps())), "");
}

TEST_F(DeleteTest, DeletesNoCollectionOfAllNamespaces) {
  CreateConfigMap("a", R"("labels":{"n":"a"})");

  const Answer refused = Delete("/api/v1/configmaps?labelSelector=n%3Da");

  EXPECT_EQ(refused.code, 405) << refused.body;
  EXPECT_EQ(Names(Get(ConfigMaps() + "?labelSelector=n%3Da")), "a ");
}

class DeletePodTest : public ContractTest {
 protected:
  std::string Pods(const std::string& name = "") const { return Core("pods", name); }
  void CreatePod(const std::string& name, const std::string& more = "") const {
    const Answer created =
        Post(Pods(), R"({"metadata":{"name":")" + name +
                         R"("},"spec":{"containers":[{"name":"c","image":"i"}])" + more + "}}");
    ASSERT_EQ(created.code, 201) << created.body;
  }
  static int Period(const Answer& answer) {
    const runtime::JsonValue* const period =
        runtime::FindPath(answer.json, {"metadata", "deletionGracePeriodSeconds"});
    return period == nullptr || !period->IsInt() ? -1 : period->GetInt();
  }
};

TEST_F(DeletePodTest, ReturnsThePod) {
  CreatePod("a");

  const Answer deleted = Delete(Pods("a"));

  EXPECT_EQ(deleted.code, 200);
  EXPECT_EQ(runtime::GetString(deleted.json, "kind"), "Pod");
  EXPECT_EQ(Period(deleted), 0);
  EXPECT_EQ(Get(Pods("a")).code, 404);
}

TEST_F(DeletePodTest, KeepsAPodOfANodeForItsGracePeriod) {
  CreatePod("a", R"(,"nodeName":"contract-none")");

  EXPECT_EQ(Period(Delete(Pods("a"))), 30);
  EXPECT_EQ(Period(Delete(Pods("a"))), 30);
  EXPECT_EQ(Period(Delete(Pods("a"), R"({"gracePeriodSeconds":10})")), 10);
  EXPECT_EQ(Period(Delete(Pods("a"), R"({"gracePeriodSeconds":20})")), 10);
  EXPECT_EQ(Get(Pods("a")).code, 200);
  EXPECT_EQ(Delete(Pods("a"), R"({"gracePeriodSeconds":0})").code, 200);
  EXPECT_EQ(Get(Pods("a")).code, 404);
}

TEST_F(DeletePodTest, ShowsWatchersTheDeletionBeforeThePodIsGone) {
  CreatePod("a");
  WatchStream watch =
      Watch(Pods(), "resourceVersion=" + std::string(Get(Pods("a")).meta("resourceVersion")));

  Delete(Pods("a"));

  EXPECT_EQ(watch.NextBrief(), "MODIFIED a");
  EXPECT_EQ(watch.NextBrief(), "DELETED a");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
