// SPDX-License-Identifier: Apache-2.0
// The cases of cert-manager's e2e suite for cainjector, for each kind of target, and what that
// suite leaves out: how targets and sources come, change and go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/targets/api_service_target.h"
#include "controllers/cainjector/targets/custom_resource_definition_target.h"
#include "controllers/cainjector/targets/webhook_target.h"
#include "controllers/cainjector/testing/process.h"

namespace controllers::cainjector {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class InjectionTableTest : public ProcessTest, public ::testing::WithParamInterface<const Target*> {
 protected:
  void CreateTarget(const Annotations& annotations, const std::string& bundle = "") {
    Create({StoredTarget(target_, "t", annotations, bundle)});
  }
  bool Holds(const std::string& bundle) { return ProcessTest::Holds(target_, "t", bundle); }
  bool EventuallyHolds(const std::string& bundle) {
    return Eventually([&] { return Holds(bundle); });
  }
  // The reason of an Event on the target.
  bool EventuallyTold(Process& process, const std::string& reason) {
    return Eventually([&] {
      const auto events = process.events.events();
      return std::any_of(events.begin(), events.end(), [&](const std::string& event) {
        return event.find(" " + reason + " ") != std::string::npos;
      });
    });
  }
  // What comes after it in the queue was injected: whatever was to happen to `t` has happened.
  void PassFence(Process& process) {
    static int fences = 0;
    const std::string name = "fence" + std::to_string(++fences);
    Create({StoredTarget(target_, name, {{kInjectApiServerCa, "true"}})});
    ASSERT_TRUE(Eventually([&] { return ProcessTest::Holds(target_, name, api_server_ca_); }));
    ASSERT_TRUE(Settled(process));
  }

  const Target& target_ = *GetParam();
};

std::string KindOf(const ::testing::TestParamInfo<const Target*>& parameter) {
  return parameter.param->type().kind;
}

INSTANTIATE_TEST_SUITE_P(Kinds, InjectionTableTest,
                         ::testing::Values(&ValidatingWebhookTarget(), &MutatingWebhookTarget(),
                                           &ApiServiceTarget(), &CustomResourceDefinitionTarget()),
                         KindOf);

// Of a CustomResourceDefinition the server takes no garbage in the first place.
class GarbageTargetTest : public InjectionTableTest {};

INSTANTIATE_TEST_SUITE_P(Kinds, GarbageTargetTest,
                         ::testing::Values(&ValidatingWebhookTarget(), &MutatingWebhookTarget(),
                                           &ApiServiceTarget()),
                         KindOf);

TEST_P(InjectionTableTest, TargetFirstThenItsCertificate) {
  CreateTarget({{kInjectCaFrom, "ns/serving"}});
  Process process(*client_);
  ASSERT_TRUE(EventuallyTold(process, "SourceNotFound"));

  Create({StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(ca_, "serving", "serving-tls")});

  EXPECT_TRUE(EventuallyHolds(ca_));
  EXPECT_EQ(Gets("secrets"), 1U);
}

TEST_P(InjectionTableTest, WithoutAnAnnotationItIsLeftAlone) {
  const std::string other = NewCaPem();
  CreateTarget({}, other);
  Create({StoredSecret(ca_)});
  Process process(*client_);
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds(other));
  EXPECT_EQ(Writes(), 0U);
}

TEST_P(InjectionTableTest, AReissuedCertificateIsAddedToTheOldOne) {
  CreateTarget({{kInjectCaFrom, "ns/serving"}});
  Create({StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(ca_, "serving", "serving-tls")});
  Process process(*client_);
  ASSERT_TRUE(EventuallyHolds(ca_));
  const std::string reissued = NewCaPem();

  Update("serving-tls", StoredCertificateSecret(reissued, "serving", "serving-tls"));

  EXPECT_TRUE(EventuallyHolds(ca_ + reissued));
  ASSERT_TRUE(Settled(process));
  EXPECT_EQ(Writes(), 2U);
}

TEST_P(InjectionTableTest, WithoutMergingAReissuedCertificateReplacesTheOldOne) {
  CreateTarget({{kInjectCaFrom, "ns/serving"}});
  Create({StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(ca_, "serving", "serving-tls")});
  const Process process(*client_, {.merge_bundles = false});
  ASSERT_TRUE(EventuallyHolds(ca_));
  const std::string reissued = NewCaPem();

  Update("serving-tls", StoredCertificateSecret(reissued, "serving", "serving-tls"));

  EXPECT_TRUE(EventuallyHolds(reissued));
}

TEST_P(InjectionTableTest, AValueWithoutANamespaceIsTold) {
  CreateTarget({{kInjectCaFrom, "serving"}}, ca_);
  Create({StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(NewCaPem(), "serving", "serving-tls")});
  Process process(*client_);

  EXPECT_TRUE(EventuallyTold(process, "BadAnnotation"));
  EXPECT_TRUE(Holds(ca_));
  EXPECT_EQ(Writes(), 0U);
}

TEST_P(InjectionTableTest, TheApiServersCa) {
  CreateTarget({{kInjectApiServerCa, "true"}});
  const Process process(*client_);

  EXPECT_TRUE(EventuallyHolds(api_server_ca_));
}

TEST_P(InjectionTableTest, TheApiServersCaOnlyForExactlyTrue) {
  CreateTarget({{kInjectApiServerCa, "True"}});
  Process process(*client_);
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds(""));
  EXPECT_THAT(process.events.events(), IsEmpty());
}

TEST_P(InjectionTableTest, ASecretThatIsFilledLater) {
  Create({StoredSecret("")});
  CreateTarget({{kInjectCaFromSecret, "ns/ca"}});
  Process process(*client_);
  ASSERT_TRUE(EventuallyTold(process, "NoCaData"));

  Update("ca", StoredSecret(ca_));

  EXPECT_TRUE(EventuallyHolds(ca_));
}

TEST_P(InjectionTableTest, ASecretThatDoesNotAllowIt) {
  Create({StoredSecret(ca_, "ca", {{kAllowDirectInjection, "false"}})});
  CreateTarget({{kInjectCaFromSecret, "ns/ca"}});
  Process process(*client_);

  EXPECT_TRUE(EventuallyTold(process, "NotAllowed"));
  EXPECT_TRUE(Holds(""));
  EXPECT_EQ(Gets("secrets"), 0U);
}

TEST_P(InjectionTableTest, AConfigMap) {
  Create({StoredConfigMap("trust", true, "root.pem", ca_)});
  CreateTarget({{kInjectCaFromConfigMap, "ns/trust/root.pem"}});
  const Process process(*client_);

  EXPECT_TRUE(EventuallyHolds(ca_));
  EXPECT_EQ(Gets("configmaps"), 0U);
}

TEST_P(InjectionTableTest, ARestartWithNothingToDoWritesNothing) {
  Create({StoredSecret(ca_), StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(ca_, "serving", "serving-tls")});
  CreateTarget({{kInjectCaFrom, "ns/serving"}});
  {
    const Process first(*client_);
    ASSERT_TRUE(EventuallyHolds(ca_));
  }
  server_.ResetRequests();

  Process second(*client_);
  ASSERT_TRUE(Settled(second));

  EXPECT_EQ(Writes(), 0U);
  EXPECT_THAT(second.events.events(), IsEmpty());
}

TEST_P(InjectionTableTest, WhatWasInjectedStaysWhenTheSourceGoes) {
  Create({StoredSecret(ca_)});
  CreateTarget({{kInjectCaFromSecret, "ns/ca"}});
  Process process(*client_);
  ASSERT_TRUE(EventuallyHolds(ca_));

  Delete(SecretMetadataType(), "ns/ca");

  EXPECT_TRUE(EventuallyTold(process, "SourceNotFound"));
  EXPECT_TRUE(Holds(ca_));
}

TEST_P(InjectionTableTest, WhatWasInjectedStaysWhenTheAnnotationGoes) {
  Create({StoredSecret(ca_)});
  CreateTarget({{kInjectCaFromSecret, "ns/ca"}});
  Process process(*client_);
  ASSERT_TRUE(EventuallyHolds(ca_));

  MergePatch(target_, "t", R"({"metadata":{"annotations":null}})");
  PassFence(process);  // Secrets come by another watch, which may be ahead of this one
  Update("ca", StoredSecret(NewCaPem()));
  PassFence(process);

  EXPECT_TRUE(Holds(ca_));
  EXPECT_THAT(process.Metrics(),
              Not(HasSubstr("capstan_injectable_in_sync{kind=\"" + target_.type().kind +
                            "\",name=\"" + TargetName(target_, "t") + "\"")));
}

TEST_P(InjectionTableTest, PrecedenceIsByPresenceAlone) {
  const std::string of_certificate = NewCaPem();
  Create({StoredSecret(ca_), StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(of_certificate, "serving", "serving-tls"),
          StoredConfigMap("trust", true, "ca.crt", NewCaPem())});
  Create({StoredTarget(target_, "all",
                       {{kInjectApiServerCa, "true"},
                        {kInjectCaFromConfigMap, "ns/trust"},
                        {kInjectCaFrom, "ns/serving"},
                        {kInjectCaFromSecret, "ns/ca"}}),
          StoredTarget(target_, "three",
                       {{kInjectApiServerCa, "true"},
                        {kInjectCaFromConfigMap, "ns/trust"},
                        {kInjectCaFrom, "ns/serving"}})});
  CreateTarget({{kInjectCaFromSecret, ""}, {kInjectCaFrom, "ns/serving"}});
  Process process(*client_);
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(ProcessTest::Holds(target_, "all", ca_));
  EXPECT_TRUE(ProcessTest::Holds(target_, "three", of_certificate));
  EXPECT_TRUE(Holds(""));  // an empty value hides what comes after it
  EXPECT_THAT(process.events.events(), Contains(HasSubstr("BadAnnotation")));
}

TEST_P(GarbageTargetTest, GarbageInTheTargetGivesWayToTheBundle) {
  Create({StoredSecret(ca_)});
  CreateTarget({{kInjectCaFromSecret, "ns/ca"}}, "garbage");
  const Process process(*client_);

  EXPECT_TRUE(EventuallyHolds(ca_));
}

TEST_P(InjectionTableTest, ItsStateAndItsExpiryAreMetrics) {
  Create({StoredSecret(ca_)});
  CreateTarget({{kInjectCaFromSecret, "ns/ca"}});
  Create({StoredTarget(target_, "broken", {{kInjectCaFromSecret, "ns/absent"}})});
  Process process(*client_);
  ASSERT_TRUE(Settled(process));

  const auto line = [&](const std::string& family, const std::string& name) {
    return family + "{kind=\"" + target_.type().kind + "\",name=\"" + TargetName(target_, name) +
           "\"} ";
  };
  const std::string metrics = process.Metrics();
  EXPECT_THAT(metrics, HasSubstr(line("capstan_injectable_in_sync", "t") + "1\n"));
  EXPECT_THAT(metrics, HasSubstr(line("capstan_injectable_in_sync", "broken") + "0\n"));
  EXPECT_THAT(metrics, HasSubstr(line("capstan_cabundle_expiration_timestamp_seconds", "t")));
  EXPECT_THAT(metrics,
              Not(HasSubstr(line("capstan_cabundle_expiration_timestamp_seconds", "broken"))));
}

}  // namespace
}  // namespace controllers::cainjector
