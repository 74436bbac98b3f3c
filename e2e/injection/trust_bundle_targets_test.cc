// SPDX-License-Identifier: Apache-2.0
// Tests of ClusterTrustBundles as targets. They are skipped on a server without the kind.
#include "capstan/api/object_metadata.h"
#include "controllers/cainjector/targets/cluster_trust_bundle_target.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The process under test may attest for example.com/known only.
constexpr const char* kTrustBundlesRole =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
    R"("metadata":{"name":"capstan-trust-bundles"},"rules":[)"
    R"({"apiGroups":["certificates.k8s.io"],"resources":["clustertrustbundles"],)"
    R"("verbs":["list","watch","patch"]},{"apiGroups":["certificates.k8s.io"],)"
    R"("resources":["signers"],"resourceNames":["example.com/known"],"verbs":["attest"]}]})";
constexpr const char* kTrustBundlesBinding =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
    R"("metadata":{"name":"capstan-trust-bundles"},"roleRef":)"
    R"({"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",)"
    R"("name":"capstan-trust-bundles"},"subjects":[)"
    R"({"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"capstan"}]})";

class TrustBundleTargetsTest : public InjectionTest {
 protected:
  void SetUp() override {
    InjectionTest::SetUp();
    version_ = cainjector::FindClusterTrustBundleVersion({}, *observer_).value();
    const auto listed = observer_->List({}, target().type(), {}, [](const auto&) {});
    if (!listed) GTEST_SKIP() << "the server has no ClusterTrustBundles";
    Grant(kTrustBundlesRole, kTrustBundlesBinding);
    Create({cainjector::StoredSecret(ca_)});
  }
  void TearDown() override {
    if (!name_.empty()) {
      const auto deleted = observer_->Delete({}, target().type(), {"", name_});
      EXPECT_TRUE(deleted.has_value()) << deleted.error().message;
    }
    InjectionTest::TearDown();
  }

  const cainjector::Target& target() const {
    return cainjector::ClusterTrustBundleTarget(version_);
  }
  cainjector::CaInjectorOptions Options() const {
    return {.namespaces = {Own("ns")},
            .kinds = {.cluster_trust_bundles = true, .trust_bundle_version = version_}};
  }
  // `signer`: "example.com/known", or empty.
  void CreateBundle(const std::string& pem, const std::string& signer = "") {
    std::string prefix = signer.empty() ? "" : signer + ":";
    for (char& c : prefix) c = c == '/' ? ':' : c;
    name_ = prefix + Own("b");
    std::string escaped;
    for (const char c : pem) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
    const std::string json =
        R"({"apiVersion":"certificates.k8s.io/)" + version_ +
        R"(","kind":"ClusterTrustBundle","metadata":{"name":")" + name_ +
        R"(","annotations":{"cert-manager.io/inject-ca-from-secret":"ns/ca"}},"spec":{)" +
        (signer.empty() ? "" : R"("signerName":")" + signer + R"(",)") + R"("trustBundle":")" +
        escaped + "\"}}";
    const auto created = observer_->Create({}, target().type(), "", Moved(json));
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  std::vector<std::string> Bundle() const {
    const auto object = observer_->Get({}, target().type(), {"", name_});
    if (!object) return {object.error().message};
    return target().Bundles(**object);
  }
  bool ComesToHold(const std::string& bundle) const {
    return testing::Eventually([&] { return Bundle() == std::vector{bundle}; });
  }

  std::string version_;
  std::string name_;
};

TEST_F(TrustBundleTargetsTest, InjectsAndFollowsARotation) {
  const std::string first = cainjector::NewCaPem();
  CreateBundle(first);
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(ComesToHold(first + ca_)) << ::testing::PrintToString(Events(process));

  const std::string rotated = cainjector::NewCaPem();
  Update("ca", cainjector::StoredSecret(rotated));

  EXPECT_TRUE(ComesToHold(first + ca_ + rotated));
  EXPECT_EQ(Writes(), 2U);
}

TEST_F(TrustBundleTargetsTest, KeepsTheSignerOfABundle) {
  const std::string first = cainjector::NewCaPem();
  CreateBundle(first, "example.com/known");
  cainjector::Process process(connection_, Options());

  ASSERT_TRUE(ComesToHold(first + ca_)) << ::testing::PrintToString(Events(process));
  const auto body = observer_->GetRaw({}, target().type().Path("", name_));
  ASSERT_TRUE(body.has_value());
  EXPECT_THAT(body->body, HasSubstr(R"("signerName":"example.com/known")"));
}

TEST_F(TrustBundleTargetsTest, ReportsAMissingRightToAttest) {
  const std::string first = cainjector::NewCaPem();
  CreateBundle(first, "example.com/other");
  cainjector::Process process(connection_, Options());
  const auto is_written = [&] { return Bundle() != std::vector{first}; };
  const auto refusal =
      Contains(AllOf(HasSubstr("Warning Forbidden ClusterTrustBundle/"),
                     HasSubstr("example.com/other"), HasSubstr("attest on that signer")));
  testing::Eventually([&] { return is_written() || ::testing::Value(Events(process), refusal); });
  if (is_written()) GTEST_SKIP() << "the server does not check rights";
  EXPECT_THAT(Events(process), refusal);
  EXPECT_THAT(Bundle(), ElementsAre(first));
}

TEST_F(TrustBundleTargetsTest, NeverReplacesABundleByAnInvalidOne) {
  CreateBundle(ca_);
  Update("ca", cainjector::StoredSecret("garbage"));
  cainjector::Process process(connection_, Options());

  EXPECT_TRUE(GetsEvent(process, "Warning InvalidBundle ClusterTrustBundle/"));
  EXPECT_THAT(Bundle(), ElementsAre(ca_));
}

TEST_F(TrustBundleTargetsTest, WritesOnlyCertificatesWithoutMerging) {
  CreateBundle(cainjector::NewCaPem());
  Update("ca", cainjector::StoredSecret("a comment\n" + ca_ + "between\n" + ca_));
  cainjector::CaInjectorOptions options = Options();
  options.merge_bundles = false;
  cainjector::Process process(connection_, options);

  EXPECT_TRUE(ComesToHold(ca_)) << ::testing::PrintToString(Events(process));
}

TEST_F(TrustBundleTargetsTest, KeepsTheBundleAfterItsAnnotationIsRemoved) {
  CreateBundle(ca_);
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(Settled(process)) << process.ReadyText();
  const auto patched = observer_->Patch({}, target().type(), {"", name_}, rest::PatchType::kMerge,
                                        R"({"metadata":{"annotations":null}})");
  ASSERT_TRUE(patched.has_value()) << patched.error().message;
  const std::string rotated = cainjector::NewCaPem();
  Update("ca", cainjector::StoredSecret(rotated));
  PassFence(process);

  EXPECT_THAT(Bundle(), ElementsAre(ca_));
}

}  // namespace
}  // namespace capstan::injection
