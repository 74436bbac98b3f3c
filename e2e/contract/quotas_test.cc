// SPDX-License-Identifier: Apache-2.0
// Tests of the scopes of ResourceQuotas, and of what Pods use.
#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

constexpr const char* kSmall = R"("containers":[{"name":"c","image":"i"}])";
constexpr const char* kRequesting =
    R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}])";

class QuotasTest : public ContractTest {
 protected:
  std::string Quotas() const { return Core("resourcequotas", ""); }
  Answer CreateQuota(const std::string& spec, const std::string& query = {}) const {
    return Post(Quotas() + query, R"({"metadata":{"name":"q"},"spec":)" + spec + "}");
  }
  Answer CreatePod(const std::string& name, const std::string& spec,
                   const std::string& query = {}) const {
    return Post(Core("pods", "") + query,
                R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec + "}}");
  }
  // Creates a quota that has no room for one resource, and waits until a Pod is rejected. A quota
  // has no effect until its status is set, which a controller does.
  void Exhaust(const std::string& resource, const std::string& scopes,
               const std::string& rejected) const {
    const std::string hard = R"("hard":{")" + resource + R"(":"0"})";
    const Answer created = CreateQuota("{" + hard + "," + scopes + "}");
    ASSERT_EQ(created.code, 201) << created.body;
    ASSERT_EQ(MergePatch(Core("resourcequotas", "q") + "/status",
                         R"({"status":{)" + hard + R"(,"used":{")" + resource + R"(":"0"}}})")
                  .code,
              200);
    ASSERT_TRUE(Eventually([&] { return CreatePod("probe", rejected, kDryRun).code == 403; }));
  }
  static std::string Exceeded(const std::string& pod, const std::string& resource,
                              const std::string& amount = "1") {
    return "pods \"" + pod + "\" is forbidden: exceeded quota: q, requested: " + resource + "=" +
           amount + ", used: " + resource + "=0, limited: " + resource + "=0";
  }

  static constexpr const char* kDryRun = "?dryRun=All";
};

TEST_F(QuotasTest, LimitsTerminatingPods) {
  const std::string terminating = std::string(R"("activeDeadlineSeconds":5,)") + kSmall;
  Exhaust("pods", R"("scopes":["Terminating"])", terminating);

  EXPECT_EQ(CreatePod("a", terminating).message(), Exceeded("a", "pods"));
  if (Minor() < 34) return;  // It counts no Pod that a change brings into a scope.
  ASSERT_EQ(CreatePod("a", kSmall).code, 201);
  EXPECT_EQ(MergePatch(Core("pods", "a"), R"({"spec":{"activeDeadlineSeconds":5}})").message(),
            Exceeded("a", "pods"));
}

TEST_F(QuotasTest, LimitsPodsWithoutDeadline) {
  Exhaust("pods", R"("scopes":["NotTerminating"])", kSmall);

  EXPECT_EQ(CreatePod("a", kSmall).message(), Exceeded("a", "pods"));
  EXPECT_EQ(CreatePod("a", std::string(R"("activeDeadlineSeconds":5,)") + kSmall).code, 201);
}

TEST_F(QuotasTest, LimitsBestEffortPods) {
  Exhaust("pods", R"("scopes":["BestEffort"])", kSmall);

  EXPECT_EQ(CreatePod("a", kSmall).message(), Exceeded("a", "pods"));
  EXPECT_EQ(CreatePod("a", kRequesting).code, 201);
}

TEST_F(QuotasTest, LimitsPodsWithResources) {
  Exhaust("cpu", R"("scopes":["NotBestEffort"])", kRequesting);

  EXPECT_EQ(CreatePod("a", kRequesting).message(), Exceeded("a", "cpu"));
  EXPECT_EQ(CreatePod("a", kSmall).code, 201);
}

TEST_F(QuotasTest, LimitsPodsOfPriorityClasses) {
  const std::string critical = std::string(R"("priorityClassName":")") + ns() + "\"," + kSmall;
  const std::string priority_class = "/apis/scheduling.k8s.io/v1/priorityclasses";
  DeleteLater(priority_class + "/" + ns());
  ASSERT_EQ(Post(priority_class, R"({"metadata":{"name":")" + ns() + R"("},"value":1000})").code,
            201);
  ASSERT_TRUE(Eventually([&] { return CreatePod("a", critical, kDryRun).code == 201; }));
  Exhaust("pods",
          R"("scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In",)"
          R"("values":["x",")" +
              ns() + R"("]}]})",
          critical);

  EXPECT_EQ(CreatePod("a", critical).message(), Exceeded("a", "pods"));
  EXPECT_EQ(CreatePod("a", kSmall).code, 201);
}

TEST_F(QuotasTest, LimitsPodsWithoutPriorityClass) {
  Exhaust("pods",
          R"("scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",)"
          R"("operator":"DoesNotExist"}]})",
          kSmall);

  EXPECT_EQ(CreatePod("a", kSmall).message(), Exceeded("a", "pods"));
}

TEST_F(QuotasTest, LimitsAffinityToPodsOfOtherNamespaces) {
  const auto near = [](const std::string& namespaces) {
    return R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)"
           R"({"topologyKey":"t","labelSelector":{})" +
           namespaces + "}]}}," + kSmall;
  };
  Exhaust("pods", R"("scopes":["CrossNamespacePodAffinity"])", near(R"(,"namespaceSelector":{})"));

  EXPECT_EQ(CreatePod("a", near(R"(,"namespaces":["x"])")).message(), Exceeded("a", "pods"));
  EXPECT_EQ(CreatePod("a", near("")).code, 201);
}

TEST_F(QuotasTest, LimitsClaimsOfAttributesClasses) {
  if (Minor() < 34) GTEST_SKIP() << "there is no scope VolumeAttributesClass";
  const auto create = [&](const std::string& more) {
    return Post(Core("persistentvolumeclaims", "") + kDryRun,
                R"({"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],)" + more +
                    R"("resources":{"requests":{"storage":"1Gi"}}}})");
  };
  const std::string hard = R"("hard":{"persistentvolumeclaims":"0"})";
  ASSERT_EQ(CreateQuota("{" + hard + R"(,"scopes":["VolumeAttributesClass"]})").code, 201);
  MergePatch(Core("resourcequotas", "q") + "/status",
             R"({"status":{)" + hard + R"(,"used":{"persistentvolumeclaims":"0"}}})");

  EXPECT_TRUE(
      Eventually([&] { return create(R"("volumeAttributesClassName":"gold",)").code == 403; }));
  EXPECT_EQ(create("").code, 201);
}

TEST_F(QuotasTest, LimitsExtendedResources) {
  const std::string gpu =
      R"("containers":[{"name":"c","image":"i","resources":{"limits":{"x.io/gpu":"2"}}}])";
  Exhaust("requests.x.io/gpu", R"("scopes":[])", gpu);

  EXPECT_EQ(CreatePod("a", gpu).message(), Exceeded("a", "requests.x.io/gpu", "2"));
  EXPECT_EQ(CreatePod("a", kSmall).code, 201);
}

TEST_F(QuotasTest, RequiresNoRequestOfEphemeralStorage) {
  Exhaust("requests.ephemeral-storage", R"("scopes":[])",
          R"("containers":[{"name":"c","image":"i","resources":{"requests":{)"
          R"("ephemeral-storage":"1"}}}])");

  EXPECT_EQ(CreatePod("a", kSmall).code, 201);
}

TEST_F(QuotasTest, LimitsResizedPods) {
  if (Minor() < 33) GTEST_SKIP() << "there is no resize";
  ASSERT_EQ(CreatePod("a", kRequesting).code, 201);
  const auto resize = [&] {
    return StrategicPatch(Core("pods", "a") + "/resize?dryRun=All",
                          R"({"spec":{"containers":[{"name":"c","resources":{"requests":{)"
                          R"("cpu":"2"}}}]}})");
  };
  ASSERT_EQ(resize().code, 200) << resize().body;
  const std::string hard = R"("hard":{"requests.cpu":"1"})";
  ASSERT_EQ(CreateQuota("{" + hard + "}").code, 201);
  MergePatch(Core("resourcequotas", "q") + "/status",
             R"({"status":{)" + hard + R"(,"used":{"requests.cpu":"1"}}})");

  EXPECT_TRUE(Eventually([&] { return resize().code == 403; }));
  EXPECT_EQ(resize().message(),
            "pods \"a\" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: "
            "requests.cpu=1, limited: requests.cpu=1");
}

TEST_F(QuotasTest, CountsWhatIsCreated) {
  const std::string hard = R"("hard":{"configmaps":"3","pods":"0"})";
  ASSERT_EQ(CreateQuota("{" + hard + "}").code, 201);
  MergePatch(Core("resourcequotas", "q") + "/status",
             R"({"status":{)" + hard + R"(,"used":{"configmaps":"0","pods":"0"}}})");
  ASSERT_TRUE(Eventually([&] { return CreatePod("probe", kSmall, kDryRun).code == 403; }));
  const auto create = [&](const char* const query) {
    return Post(Core("configmaps", "") + query, R"({"metadata":{"name":"a"}})").code;
  };
  const auto used = [&] {
    return JsonAt(Get(Core("resourcequotas", "q")), {"status", "used", "configmaps"});
  };

  EXPECT_EQ(create(kDryRun), 201);
  EXPECT_EQ(used(), R"("0")");
  EXPECT_EQ(create(""), 201);
  EXPECT_EQ(used(), R"("1")");
  EXPECT_NE(Get(Core("resourcequotas", "q")).body.find(R"("manager":"kube-apiserver")"),
            std::string::npos);
}

TEST_F(QuotasTest, ChecksScopes) {
  if (Minor() < 34) GTEST_SKIP() << "The version writes lists as Go does.";
  const auto refused = [&](const std::string& spec) {
    return std::string(CreateQuota(spec, kDryRun).message());
  };
  const std::string invalid = "ResourceQuota \"q\" is invalid: ";
  const std::string scopes =
      R"(spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Nope"]: )";

  EXPECT_EQ(refused(R"({"hard":{"pods":"1","secrets":"1"},)"
                    R"("scopes":["BestEffort","NotBestEffort","Nope"]})"),
            invalid + "[" + scopes + "unsupported scope applied to resource, " + scopes +
                "unsupported scope, " + scopes + "conflicting scopes]");
  EXPECT_EQ(refused(R"({"hard":{"count/pods":"1","hugepages-2Mi":"1"},"scopes":["Terminating"]})"),
            invalid + R"(spec.scopes: Invalid value: ["Terminating"]: )" +
                "unsupported scope applied to resource");
  const std::string field = "spec.scopeSelector.matchExpressions";
  EXPECT_EQ(refused(R"({"hard":{"services":"1"},"scopeSelector":{"matchExpressions":[)"
                    R"({"scopeName":"PriorityClass","operator":"In","values":["a"]}]}})"),
            invalid + field +
                R"(: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityClass",)" +
                R"("Operator":"In","Values":["a"]}]}: unsupported scope applied to resource)");
  EXPECT_EQ(refused(R"({"hard":{"pods":"1"},"scopeSelector":{"matchExpressions":[)"
                    R"({"scopeName":"Nope","operator":"Is"},)"
                    R"({"scopeName":"PriorityClass","operator":"NotIn"},)"
                    R"({"scopeName":"PriorityClass","operator":"Exists","values":["x"]}]}})"),
            invalid + "[" + field + ".scopeName: Invalid value: \"Nope\": unsupported scope, " +
                field + ".operator: Invalid value: \"Is\": not a valid selector operator, " +
                field +
                ".values: Required value: must be at least one value when `operator` is 'In' or "
                "'NotIn' for scope selector, " +
                field +
                ".values: Invalid value: [\"x\"]: must be no value when `operator` is 'Exist' or "
                "'DoesNotExist' for scope selector]");
  EXPECT_EQ(refused(R"({"hard":{"pods":"1"},"scopeSelector":{"matchExpressions":[)"
                    R"({"scopeName":"Terminating","operator":"DoesNotExist"}]}})"),
            invalid + field +
                ".operator: Invalid value: \"DoesNotExist\": must be 'Exists' when scope is any of "
                "ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
                "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
                "ResourceQuotaScopeCrossNamespacePodAffinity");
}

TEST_F(QuotasTest, KeepsScopes) {
  if (Minor() < 34) GTEST_SKIP() << "The version writes lists as Go does.";
  ASSERT_EQ(CreateQuota(R"({"hard":{"pods":"1"},"scopes":["BestEffort"]})").code, 201);
  const auto replace = [&](const std::string& more) {
    return Put(Core("resourcequotas", "q"),
               R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"2"})" + more + "}}");
  };

  EXPECT_EQ(replace("").message(),
            "ResourceQuota \"q\" is invalid: spec.scopes: Invalid value: null: field is immutable");
  EXPECT_EQ(replace(R"(,"scopes":["BestEffort"])").code, 200);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
