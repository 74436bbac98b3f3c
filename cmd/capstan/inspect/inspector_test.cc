// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/inspector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/typed_object.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"
#include "cmd/capstan/inspect/dry_run.h"
#include "cmd/capstan/inspect/explain.h"
#include "cmd/capstan/inspect/fix.h"
#include "cmd/capstan/inspect/status.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cmd::cli::inspect {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kForbidden =
    R"(secrets "ca" is forbidden: User "joe" cannot get resource "secrets" in API group "")";

class InspectorTest : public testing::apiserver::RestFixture {
 protected:
  InspectorTest() {
    Create(cainjector::StoredSecret(cainjector::NewCaPem()));
    Create(cainjector::StoredTarget(target_, "hook", {{cainjector::kInjectCaFromSecret, "ns/ca"}}));
    Create(cainjector::StoredTarget(target_, "from-certificate",
                                    {{cainjector::kInjectCaFrom, "ns/serving"}}));
  }

  void CreateWithList(const std::string& list) {
    Create(cainjector::StoredTarget(target_, "list", {{cainjector::kInjectCaFromSources, list}}));
  }
  Finding Look(const std::string& name = "hook", bool try_write = false) {
    Inspector inspector(*client_, {.try_write = try_write});
    auto finding = inspector.Look({}, target_, name);
    EXPECT_TRUE(finding.has_value()) << finding.error().message;
    return finding ? *std::move(finding) : Finding{};
  }
  std::string Fix(const Finding& finding) { return FixOf(finding, ObjectsOf(finding, "")); }
  // Creates an Event of the manager on the target "hook".
  void ManagerReports(cainjector::Reason reason, const std::string& message) {
    Create(capstan::ToJson(api::Event{{.involved_object = {.kind = "ValidatingWebhookConfiguration",
                                                           .name = "hook",
                                                           .uid = Look().object->uid()},
                                       .type = "Warning",
                                       .reason = std::string(ToString(reason)),
                                       .message = message,
                                       .source = {.component = "capstan-controller-manager"},
                                       .first_timestamp = "2026-01-02T03:04:05Z",
                                       .last_timestamp = "2026-01-02T03:04:05Z"},
                                      {.name = "reported", .namespace_ = "default"}}));
  }

  const cainjector::Target& target_ = cainjector::ValidatingWebhookTarget();
};

TEST_F(InspectorTest, MissingRightOfTheCallerIsUnknown) {
  Refuse("get", "secrets", 403, kForbidden);

  Findings findings;
  findings.push_back(Look());

  EXPECT_EQ(findings[0].state, State::kUnknown);
  EXPECT_EQ(findings[0].reason, cainjector::Reason::kForbidden);
  EXPECT_FALSE(AllWell(findings));
  EXPECT_FALSE(AnyWrong(findings));
  EXPECT_EQ(CountUnknown(findings), 1U);
  EXPECT_THAT(Fix(findings[0]), AllOf(HasSubstr("--as="), Not(HasSubstr("clusterrole"))));
  const auto explanation = Explain({}, *client_, findings[0]);
  EXPECT_TRUE(explanation.unknown());
  EXPECT_THAT(ToText(explanation, {}),
              AllOf(HasSubstr("Unknown, Forbidden"), HasSubstr("?     Secret"),
                    HasSubstr("to check it:"), Not(HasSubstr("FAIL"))));
}

TEST_F(InspectorTest, MissingRightOfTheImpersonatedUserIsBroken) {
  Refuse("get", "secrets", 403, kForbidden);
  Connect({.impersonate = {.user_name = "joe"}});

  const Finding finding = Look();

  EXPECT_EQ(finding.state, State::kBroken);
  EXPECT_EQ(finding.reason, cainjector::Reason::kForbidden);
  EXPECT_THAT(Fix(finding), AllOf(HasSubstr("create clusterrole"), HasSubstr("--user=joe")));
}

TEST_F(InspectorTest, NoAnswerIsUnknown) {
  Refuse("get", "secrets", 500);
  Connect({.impersonate = {.user_name = "joe"}});

  const Finding finding = Look();

  EXPECT_EQ(finding.state, State::kUnknown);
  EXPECT_EQ(finding.reason, cainjector::Reason::kError);
  EXPECT_THAT(Fix(finding), HasSubstr("once the API server answers"));
}

TEST_F(InspectorTest, NoAnswerToTheDryRunIsUnknown) {
  Refuse("patch", "validatingwebhookconfigurations", 500);
  EXPECT_EQ(Look("hook", true).state, State::kUnknown);

  server_.ClearFaults();
  Refuse("patch", "validatingwebhookconfigurations", 422);
  EXPECT_EQ(Look("hook", true).state, State::kBroken);
}

// The manager's write would be denied, too. No right helps.
TEST_F(InspectorTest, DenialOfTheDryRunByAWebhookIsBrokenAndNamesTheWebhook) {
  Refuse("patch", "validatingwebhookconfigurations", 403,
         R"(admission webhook "deny.example.com" denied the request: not today)");

  const Finding finding = Look("hook", true);

  EXPECT_EQ(finding.state, State::kBroken);
  EXPECT_EQ(finding.reason, cainjector::Reason::kRejected);
  EXPECT_THAT(finding.message(), HasSubstr("not today"));
  EXPECT_THAT(Fix(finding),
              AllOf(HasSubstr("kubectl get validatingwebhookconfigurations,"
                              "mutatingwebhookconfigurations"),
                    HasSubstr("grep deny.example.com"), Not(HasSubstr("clusterrole"))));
}

TEST_F(InspectorTest, FixOfADenialNamesThePolicyTheQuotaOrTheNamespace) {
  const std::string prefix = "failed to apply ConfigMap ns/c: configmaps \"c\" is forbidden: ";
  Finding finding = Look();
  const auto fix_of = [&](const std::string& message) {
    Break(finding, {.reason = cainjector::Reason::kRejected, .message = prefix + message});
    return Fix(finding);
  };

  EXPECT_EQ(fix_of("ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"),
            "kubectl get validatingadmissionpolicy/p validatingadmissionpolicybinding/b -o yaml   "
            "# it must allow the manager's writes");
  EXPECT_EQ(fix_of("ValidatingAdmissionPolicy 'p' denied request: no"),
            "kubectl get validatingadmissionpolicies,mutatingadmissionpolicies -o name | grep /p   "
            "# it must allow the manager's writes");
  EXPECT_EQ(fix_of("exceeded quota: few, requested: a=1, used: a=1, limited: a=1"),
            "kubectl describe resourcequotas -A   # few");
  EXPECT_EQ(fix_of("unable to create new content in namespace old because it is being terminated"),
            "kubectl get namespace old -o yaml   # it is being deleted");
  EXPECT_EQ(fix_of("spec is wrong"), "kubectl edit validatingwebhookconfiguration hook");
}

// Its own APIs have no server whose certificate could be verified.
TEST_F(InspectorTest, ProposesNoAnnotationOnATargetWithoutAPlace) {
  const auto& api_services = cainjector::ApiServiceTarget();
  Create(R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":)"
         R"({"name":"v1."},"spec":{"version":"v1","groupPriorityMinimum":18000,)"
         R"("versionPriority":1}})");
  Inspector inspector(*client_, {});
  const auto finding = inspector.Look({}, api_services, "v1.");
  ASSERT_TRUE(finding.has_value()) << finding.error().message;

  const Explanation explanation = Explain({}, *client_, *finding);

  EXPECT_EQ(explanation.state, "NotRequested");
  EXPECT_THAT(explanation.message, HasSubstr("served by kube-apiserver itself"));
  EXPECT_EQ(explanation.fix, "");
}

TEST_F(InspectorTest, UnservedCertificatesAreBrokenAndForbiddenOnesUnknown) {
  Refuse("get", "certificates", 403, "certificates is forbidden");
  const Finding forbidden = Look("from-certificate");
  EXPECT_EQ(forbidden.state, State::kUnknown);
  EXPECT_EQ(forbidden.reason, cainjector::Reason::kSourceUnavailable);
  EXPECT_THAT(Fix(forbidden), AllOf(HasSubstr("--as="), Not(HasSubstr("auth can-i"))));

  server_.ClearFaults();
  Refuse("get", "certificates", 404);
  Refuse("list", "certificates", 404);
  const Finding absent = Look("from-certificate");
  EXPECT_EQ(absent.state, State::kBroken);
  EXPECT_EQ(absent.reason, cainjector::Reason::kSourceUnavailable);
}

TEST_F(InspectorTest, IgnoresEventWithReasonError) {
  ManagerReports(cainjector::Reason::kError, "failed to get Secret ns/ca: no answer");

  const Finding finding = Look();

  EXPECT_EQ(finding.state, State::kPending);
  EXPECT_THAT(finding.event_time, IsEmpty());
}

TEST_F(InspectorTest, TakesTheManagersReasonFromItsEvent) {
  ManagerReports(cainjector::Reason::kOutsideNamespace, "ns is outside");

  const Finding finding = Look();

  EXPECT_EQ(finding.state, State::kBroken);
  EXPECT_EQ(finding.reason, cainjector::Reason::kOutsideNamespace);
  EXPECT_EQ(finding.event_time, "2026-01-02T03:04:05Z");
}

TEST_F(InspectorTest, AppliesTheManagersFlags) {
  const auto look = [&](const cainjector::CaInjectorOptions& injector) {
    Inspector inspector(*client_, {.injector = injector});
    return *inspector.Look({}, target_, "hook");
  };

  EXPECT_EQ(look({.namespaces = {"other"}}).reason, cainjector::Reason::kOutsideNamespace);
  EXPECT_EQ(look({.namespaces = {"ns"}}).state, State::kPending);
  const Finding merged = look({});
  const Finding verbatim = look({.merge_bundles = false});
  EXPECT_EQ(merged.plan->bundles[0], verbatim.plan->bundles[0]);  // nothing to merge with
}

TEST_F(InspectorTest, DoesNotCheckDisabledKinds) {
  Inspector inspector(*client_,
                      {.injector = {.kinds = {.validating_webhook_configurations = false}}});

  const auto finding = inspector.Look({}, target_, "hook");

  ASSERT_TRUE(finding);
  EXPECT_FALSE(finding->watched);
  const auto explanation = Explain({}, *client_, *finding);
  EXPECT_EQ(explanation.state, "NotWatched");
  EXPECT_FALSE(explanation.all_well());
  EXPECT_THAT(explanation.fix,
              HasSubstr("--enable-validatingwebhookconfigurations-injectable=true"));
  EXPECT_THAT(inspector.LookAtAll({}).value(), IsEmpty());
}

TEST_F(InspectorTest, ExplainsEachSourceOfAList) {
  CreateWithList("secret/ns/ca, secret/ns/absent");

  const Finding finding = Look("list");

  EXPECT_EQ(finding.state, State::kBroken);
  EXPECT_EQ(finding.reason, cainjector::Reason::kSourcesIncomplete);
  const std::string text = ToText(Explain({}, *client_, finding), {});
  EXPECT_THAT(text, HasSubstr("  ok    source      secret/ns/ca\n"));
  EXPECT_THAT(text, HasSubstr("  FAIL  source      secret/ns/absent: SourceNotFound: Secret "
                              "ns/absent does not exist\n"));
  EXPECT_THAT(text, HasSubstr("  wait  bundle      not yet in 2 of 2 places\n"));
  EXPECT_THAT(text, HasSubstr("kubectl create secret generic -n ns absent"));
  const Findings findings = {finding};
  EXPECT_THAT(DiffText(findings, {}),
              AllOf(HasSubstr("only in part: 1 of 2 sources failed"), HasSubstr("  + CN=ca")));
  EXPECT_THAT(DiffJson(findings), HasSubstr("\"patch\""));
}

TEST_F(InspectorTest, ReplacesOnlyTheBrokenSourceOfAList) {
  CreateWithList("secret/ns/ca, certificate/ns/a");
  const Finding finding = Look("list");

  EXPECT_THAT(Explain({}, *client_, finding).fix,
              HasSubstr("capstan.dev/inject-ca-from=secret/ns/ca,certificate/NAMESPACE/CERTIFICATE "
                        "--overwrite"));
}

TEST_F(InspectorTest, DoesNotShowABundleWhenEverySourceOfAListIsBroken) {
  CreateWithList("secret/ns/a, secret/ns/b");

  const std::string text = ToText(Explain({}, *client_, Look("list")), {});

  EXPECT_THAT(text,
              AllOf(HasSubstr("Broken, SourceNotFound"), HasSubstr("FAIL  source      secret/ns/a"),
                    HasSubstr("FAIL  source      secret/ns/b"), HasSubstr("-     bundle")));
}

TEST_F(InspectorTest, MissingRightsOfTheCallerForAListAreUnknown) {
  Create(cainjector::StoredConfigMap("trust", true, "ca.crt", cainjector::NewCaPem()));
  CreateWithList("secret/ns/ca, configmap/ns/trust");
  Refuse("get", "secrets", 403, kForbidden);

  EXPECT_EQ(Look("list").state, State::kUnknown);
}

TEST_F(InspectorTest, ExplainsClusterTrustBundles) {
  Create(cainjector::StoredTarget(target_, "roots",
                                  {{cainjector::kInjectCaFromTrustBundle, "roots"}}));
  const auto explain = [&](bool enabled) {
    Inspector inspector(*client_, {.injector = {.cluster_trust_bundles = enabled}});
    return Explain({}, *client_, *inspector.Look({}, target_, "roots"));
  };

  EXPECT_EQ(explain(false).reason, "SourceDisabled");
  EXPECT_THAT(explain(false).fix, HasSubstr("ClusterTrustBundleSource=true"));
  EXPECT_EQ(explain(true).reason, "SourceNotFound");
  EXPECT_EQ(explain(true).fix, "kubectl get clustertrustbundles --show-labels");
  Create(cainjector::StoredTrustBundle("roots", cainjector::NewCaPem()));
  EXPECT_EQ(explain(true).state, "Pending");
  EXPECT_THAT(ToText(explain(true), {}), HasSubstr("ok    ClusterTrustBundle  roots\n"));
  Refuse("list", "clustertrustbundles", 404);
  EXPECT_EQ(explain(true).reason, "SourceUnavailable");
  EXPECT_THAT(explain(true).fix, HasSubstr("api-resources"));
}

TEST_F(InspectorTest, ReportsMissingLeaseWithoutClaimingThatNoManagerRuns) {
  EXPECT_THAT(Explain({}, *client_, Look()).manager,
              AllOf(HasSubstr("Lease kube-system/"),
                    HasSubstr("may use another namespace or no leader election")));
}

}  // namespace
}  // namespace capstan::cmd::cli::inspect
