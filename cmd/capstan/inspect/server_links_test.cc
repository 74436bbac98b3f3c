// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/server_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "capstan/testing/certificates.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/targets/config_map_target.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cmd::cli::inspect {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHook = "hook.ns.svc";
constexpr const char* kForbiddenService =
    R"(services "hook" is forbidden: User "joe" cannot get resource "services" in API group "" )"
    R"(in the namespace "ns")";

class ServerLinksTest : public testing::apiserver::RestFixture {
 protected:
  ServerLinksTest() {
    Create(cainjector::StoredSecret(ca_.cert_pem));
    Create(R"({"apiVersion":"v1","kind":"Service","metadata":{"namespace":"ns","name":"hook"},)"
           R"("spec":{"type":"ExternalName","externalName":"hook.example.com"}})");
    Serve("x.example.com:443", "x.example.com");
    Serve("hook.example.com:443", kHook);
  }

  // Creates a webhook configuration with one server behind a URL, and one behind a Service.
  void CreateTarget(const std::string& bundle) {
    Create(cainjector::StoredTarget(target_, "hook", {{cainjector::kInjectCaFromSecret, "ns/ca"}},
                                    bundle));
  }
  // The server at this address presents a certificate for `name`.
  void Serve(const std::string& address, const std::string& name) {
    const auto leaf = testing::MakeCertificate(ca_, {.common_name = "x", .dns_names = {name}});
    served_[address] = cainjector::ParseBundle(leaf->cert_pem)->front().der;
  }
  Explanation ExplainWithServers(const cainjector::Target& target, const std::string& name,
                                 bool as_oneself = true,
                                 const cainjector::CaInjectorOptions& options = {}) {
    Inspector inspector(*client_, {.injector = options});
    const auto finding = inspector.Look({}, target, name);
    EXPECT_TRUE(finding.has_value()) << finding.error().message;
    if (!finding) return {};
    Explanation explanation = Explain({}, *client_, *finding);
    const cainjector::EndpointCheck check(
        *client_,
        [this](const std::stop_token& /*stop*/,
               const transport::TlsProbe::Server& server) -> Expected<std::vector<std::string>> {
          const auto found = served_.find(server.host + ":" + server.port);
          ++probes_;
          if (found == served_.end()) return Err(ErrorReason::kConnectionRefused, "refused");
          return std::vector<std::string>{found->second};
        });
    AddServerLinks({}, check, *finding, as_oneself, explanation);
    return explanation;
  }
  Explanation ExplainHook(bool as_oneself = true) {
    return ExplainWithServers(target_, "hook", as_oneself);
  }

  const cainjector::Target& target_ = cainjector::ValidatingWebhookTarget();
  const testing::KeyPair ca_ = *testing::MakeCa({.common_name = "ca"});
  std::map<std::string, std::string> served_;  // DER by address
  std::atomic<int> probes_ = 0;
};

TEST_F(ServerLinksTest, EndsWithALinkForEachTrustedServer) {
  CreateTarget(ca_.cert_pem);

  const Explanation explanation = ExplainHook();

  EXPECT_TRUE(explanation.all_well()) << explanation.message;
  EXPECT_EQ(explanation.fix, "");
  EXPECT_EQ(explanation.message, "the target holds the bundle, and its servers are trusted");
  EXPECT_THAT(
      ToText(explanation, {}),
      AllOf(HasSubstr("  ok    server      x.example.com:443 of the webhook \"url.example.com\" is "
                      "trusted, expires 2"),
            HasSubstr("  ok    server      hook.ns.svc:443 of the webhook \"service.example.com\" "
                      "is trusted, expires 2")));
  EXPECT_THAT(ToJson(explanation), HasSubstr(R"("reason":"Verified")"));
}

TEST_F(ServerLinksTest, NamesTheServerTheOutcomeAndTheFix) {
  CreateTarget(ca_.cert_pem);
  Serve("hook.example.com:443", "other.ns.svc");

  const Explanation explanation = ExplainHook();

  EXPECT_EQ(explanation.state, "Broken");
  EXPECT_EQ(explanation.reason, "EndpointNameMismatch");
  EXPECT_FALSE(explanation.all_well());
  EXPECT_THAT(
      ToText(explanation, {}),
      AllOf(HasSubstr("Broken, EndpointNameMismatch\n"), HasSubstr("  ok    server  "),
            HasSubstr("  FAIL  server      hook.ns.svc:443 at hook.example.com:443 of the webhook "
                      "\"service.example.com\": NameMismatch: the certificate is for "
                      "other.ns.svc, not for hook.ns.svc\n"),
            HasSubstr("fix:\n  kubectl edit certificate -n ns CERTIFICATE   # Add ")));
  EXPECT_THAT(ToJson(explanation), HasSubstr(R"("reason":"NameMismatch"}],)"));
}

TEST_F(ServerLinksTest, ConnectsToNoServerWhenAnEarlierLinkIsNotFine) {
  CreateTarget("");

  const Explanation explanation = ExplainHook();

  EXPECT_EQ(explanation.state, "Pending");
  EXPECT_THAT(ToText(explanation, {}),
              AllOf(HasSubstr("  wait  bundle"), HasSubstr("  -     server\n")));
  EXPECT_EQ(probes_, 0);
}

TEST_F(ServerLinksTest, HasNoLinkForATargetWithoutServers) {
  Create(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"trust",)"
         R"("annotations":{"cert-manager.io/inject-ca-from-secret":"ns/ca"},)"
         R"("labels":{"inject.capstan.dev/enabled":"true"}},"data":{}})");

  const Explanation explanation = ExplainWithServers(cainjector::ConfigMapTarget(), "ns/trust",
                                                     true, {.kinds = {.config_maps = true}});

  EXPECT_EQ(explanation.state, "Pending");
  EXPECT_THAT(ToText(explanation, {}), Not(HasSubstr("server")));
}

TEST_F(ServerLinksTest, MissingRightOfTheCallerIsUnknown) {
  CreateTarget(ca_.cert_pem);
  Refuse("get", "services", 403, kForbiddenService);

  const Explanation explanation = ExplainHook();

  EXPECT_TRUE(explanation.unknown());
  EXPECT_EQ(explanation.reason, "Forbidden");
  EXPECT_THAT(explanation.fix,
              HasSubstr("capstan explain validatingwebhookconfiguration hook --endpoints --as="));
  EXPECT_THAT(ToText(explanation, {}),
              AllOf(HasSubstr("  ?     server      hook.ns.svc:443 of the webhook "
                              "\"service.example.com\": Unknown: Service ns/hook: "),
                    HasSubstr("to check it:")));
}

TEST_F(ServerLinksTest, MissingRightOfTheImpersonatedUserIsBroken) {
  CreateTarget(ca_.cert_pem);
  Refuse("get", "services", 403, kForbiddenService);

  const Explanation explanation = ExplainHook(false);

  EXPECT_EQ(explanation.state, "Broken");
  EXPECT_EQ(explanation.reason, "Forbidden");
  EXPECT_THAT(explanation.fix, AllOf(HasSubstr("kubectl create clusterrole capstan-services"),
                                     HasSubstr("--user=joe")));
}

TEST_F(ServerLinksTest, UntrustedServerWinsOverUnknownOne) {
  CreateTarget(ca_.cert_pem);
  served_.erase("x.example.com:443");
  Refuse("get", "services", 500, "no");

  const Explanation explanation = ExplainHook();

  EXPECT_EQ(explanation.state, "Broken");
  EXPECT_EQ(explanation.reason, "EndpointRefused");
  EXPECT_EQ(explanation.fix,
            "kubectl edit validatingwebhookconfiguration hook   # Start it, or correct the port.");
  EXPECT_THAT(ToText(explanation, {}),
              AllOf(HasSubstr("  FAIL  server"), HasSubstr("  ?     server")));
}

TEST_F(ServerLinksTest, NoAnswerOfTheApiServerIsUnknown) {
  CreateTarget(ca_.cert_pem);
  Refuse("list", "validatingwebhookconfigurations", 500, "no");

  const Explanation explanation = ExplainHook();

  EXPECT_TRUE(explanation.unknown());
  EXPECT_EQ(explanation.reason, "Error");
  EXPECT_EQ(explanation.fix,
            "capstan explain validatingwebhookconfiguration hook --endpoints   # once the API "
            "server answers");
  EXPECT_EQ(probes_, 0);
}

}  // namespace
}  // namespace capstan::cmd::cli::inspect
