// SPDX-License-Identifier: Apache-2.0
// Tests of LimitRanges, ResourceQuotas, and approvals of CertificateSigningRequests.
#include "capstan/base64.h"
#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;

class PoliciesTest : public ContractTest {
 protected:
  std::string Pods() const { return Core("pods", ""); }
  Answer CreatePod(const std::string& name, const std::string& resources = "{}") const {
    return Post(Pods(), R"({"metadata":{"name":")" + name +
                            R"("},"spec":{"containers":[{"name":"c","image":"i","resources":)" +
                            resources + "}]}}");
  }
  // Creates a LimitRange, and waits until a real server has noticed it.
  void CreateLimits(const std::string& limits, const std::string& violation) const {
    const Answer created = Post(Core("limitranges", ""),
                                R"({"metadata":{"name":"l"},"spec":{"limits":[)" + limits + "]}}");
    ASSERT_EQ(created.code, 201) << created.body;
    ASSERT_TRUE(Eventually([&] { return CreatePod("probe", violation).code == 403; }));
  }
};

TEST_F(PoliciesTest, SetsDefaultLimits) {
  CreateLimits(R"({"type":"Container","default":{"cpu":"500m"},"defaultRequest":{"cpu":"100m"},)"
               R"("max":{"cpu":"1"}})",
               R"({"limits":{"cpu":"2"}})");

  const Answer pod = CreatePod("a");

  ASSERT_EQ(pod.code, 201) << pod.body;
  EXPECT_EQ(
      Sorted(runtime::ToJson(ListAt(ObjectAt(pod.json, "spec"), "containers")[0]["resources"])),
      R"({"limits":{"cpu":"500m"},"requests":{"cpu":"100m"}})");
  EXPECT_EQ(JsonAt(pod, {"metadata", "annotations", "kubernetes.io/limit-ranger"}),
            R"("LimitRanger plugin set: cpu request for container c; cpu limit for container c")");
}

TEST_F(PoliciesTest, RejectsWhatIsOutsideOfALimit) {
  CreateLimits(R"({"type":"Container","min":{"cpu":"100m"},"max":{"cpu":"1"}})",
               R"({"limits":{"cpu":"2"}})");

  const Answer much = CreatePod("a", R"({"limits":{"cpu":"2"}})");
  EXPECT_EQ(much.code, 403);
  EXPECT_EQ(much.message(),
            "pods \"a\" is forbidden: maximum cpu usage per Container is 1, but limit is 2");
  EXPECT_EQ(CreatePod("a", R"({"limits":{"cpu":"1"},"requests":{"cpu":"50m"}})").message(),
            "pods \"a\" is forbidden: minimum cpu usage per Container is 100m, but request is 50m");
  EXPECT_EQ(CreatePod("a", R"({"limits":{"cpu":"1"}})").code, 201);
}

TEST_F(PoliciesTest, RejectsWhatExceedsAQuota) {
  const std::string quota = Core("resourcequotas", "q");
  const std::string hard = R"("hard":{"count/services":"0","pods":"1","requests.cpu":"1"})";
  ASSERT_EQ(
      Post(Core("resourcequotas", ""), R"({"metadata":{"name":"q"},"spec":{)" + hard + "}}").code,
      201);
  // A quota has no effect until its status is set, which a controller does.
  ASSERT_EQ(MergePatch(quota + "/status",
                       R"({"status":{)" + hard +
                           R"(,"used":{"count/services":"0","pods":"0","requests.cpu":"0"}}})")
                .code,
            200);
  // Before the server has noticed the status, it refuses with another message.
  EXPECT_TRUE(Eventually([&] {
    return CreatePod("a").message() ==
           "pods \"a\" is forbidden: failed quota: q: must specify requests.cpu for: c";
  }));
  EXPECT_EQ(CreatePod("a", R"({"requests":{"cpu":"2"}})").message(),
            "pods \"a\" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: "
            "requests.cpu=0, limited: requests.cpu=1");
  EXPECT_EQ(CreatePod("a", R"({"requests":{"cpu":"100m"}})").code, 201);
  EXPECT_EQ(CreatePod("b", R"({"requests":{"cpu":"100m"}})").message(),
            "pods \"b\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, "
            "limited: pods=1");
  EXPECT_EQ(
      Post(Core("services", ""), R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}})")
          .message(),
      "services \"s\" is forbidden: exceeded quota: q, requested: count/services=1, used: "
      "count/services=0, limited: count/services=0");
  EXPECT_TRUE(Eventually([&] {
    return JsonAt(Get(Core("resourcequotas", "q")), {"status", "used", "requests.cpu"}) ==
           R"("100m")";
  }));
}

// A request for the common name "contract". Nobody has its key.
constexpr const char* kRequest =
    "-----BEGIN CERTIFICATE REQUEST-----\n"
    "MIHNMHUCAQAwEzERMA8GA1UEAwwIY29udHJhY3QwWTATBgcqhkjOPQIBBggqhkjO\n"
    "PQMBBwNCAATgJXwt2B97ZSbAhIYouH8e3PDqHBWmVLQGnMbSXCf7z1eFPpcES2Mm\n"
    "9+f6nG3IK0f3q1I6/VVD2VoC2QrCirpZoAAwCgYIKoZIzj0EAwIDSAAwRQIhAKAV\n"
    "5QzjZf5WIor9HYA9bVB0MN4lOHd0h/o+/+3V15ErAiBLVvdiwc7AaLZHbDeQ79YA\n"
    "sup2DE1GUrHu+sMuC6/cIA==\n"
    "-----END CERTIFICATE REQUEST-----\n";
constexpr const char* kSigningRequests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

TEST_F(PoliciesTest, ApprovesACertificateRequest) {
  const std::string request = std::string(kSigningRequests) + "/" + ns();
  DeleteLater(request);
  const Answer created = Post(
      kSigningRequests,
      R"({"metadata":{"name":")" + ns() + R"("},"spec":{"username":"other","request":")" +
          Base64Encode(kRequest) + R"(","signerName":"x.io/signer","usages":["client auth"]}})");
  ASSERT_EQ(created.code, 201) << created.body;
  EXPECT_NE(JsonAt(created, {"spec", "username"}), R"("other")");
  const std::string approval =
      R"({"status":{"conditions":[{"type":"Approved","status":"True","reason":"R"}]}})";

  const Answer refused = MergePatch(request + "/status", approval);
  EXPECT_EQ(refused.code, 422) << refused.body;
  EXPECT_THAT(refused.message(),
              HasSubstr("Forbidden: updates may not add a condition of type \"Approved\""));
  const Answer approved = MergePatch(request + "/approval", approval);
  ASSERT_EQ(approved.code, 200) << approved.body;
  const runtime::JsonValue& condition = ListAt(ObjectAt(approved.json, "status"), "conditions")[0];
  EXPECT_NE(runtime::GetString(condition, "lastUpdateTime"), "");
  EXPECT_NE(runtime::GetString(condition, "lastTransitionTime"), "");
  EXPECT_THAT(MergePatch(request + "/approval", R"({"status":{"conditions":null}})").message(),
              HasSubstr("Forbidden: updates may not remove a condition of type \"Approved\""));
  const Answer issued =
      MergePatch(request + "/status",
                 R"({"status":{"conditions":[{"type":"Approved","status":"True","reason":"R"},)"
                 R"({"type":"Failed","status":"True"}]}})");
  EXPECT_EQ(issued.code, 200) << issued.body;
}

TEST_F(PoliciesTest, RequiresACertificateRequest) {
  const Answer refused =
      Post(kSigningRequests, R"({"metadata":{"name":")" + ns() + R"("},"spec":{"request":")" +
                                 Base64Encode("-----BEGIN X-----\nAA==\n-----END X-----\n") +
                                 R"(","signerName":"x.io/signer","usages":["client auth"]}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.message(), HasSubstr("PEM block type must be CERTIFICATE REQUEST"));
}

TEST_F(PoliciesTest, ChecksUsagesAndKeepsTheSpecOfACertificateRequest) {
  const std::string request = std::string(kSigningRequests) + "/" + ns();
  DeleteLater(request);
  const auto create = [&](const std::string& bytes, const std::string& usage) {
    return Post(kSigningRequests, R"({"metadata":{"name":")" + ns() + R"("},"spec":{"request":")" +
                                      bytes + R"(","signerName":"x.io/signer","usages":[")" +
                                      usage + R"("]}})");
  };
  EXPECT_REFUSED(create("$", "client auth"),
                 BadRequest("CertificateSigningRequest in version \"v1\" cannot be handled as a "
                            "CertificateSigningRequest: illegal base64 data at input byte 0"));
  EXPECT_THAT(create(Base64Encode(kRequest), "client").message(),
              HasSubstr(R"(spec.usages[0]: Unsupported value: "client": supported values: "any", )"
                        R"("cert sign", "client auth", "code signing", )"));
  ASSERT_EQ(create(Base64Encode(kRequest), "client auth").code, 201);

  const Answer updated = MergePatch(request, R"({"spec":{"usages":[],"request":"YQ=="}})");
  EXPECT_EQ(updated.code, 200) << updated.body;
  EXPECT_EQ(JsonAt(updated, {"spec", "usages"}), R"(["client auth"])");
  const Answer issued = MergePatch(request + "/status", R"({"status":{"certificate":"YQ=="}})");
  EXPECT_REFUSED(issued, Invalid("CertificateSigningRequest.certificates.k8s.io", ns(),
                                 "status.certificate", "FieldValueInvalid",
                                 R"(Invalid value: "<certificate data>": must contain at least )"
                                 "one CERTIFICATE PEM block"));
}

TEST_F(PoliciesTest, RefusesAnEvictionThatABudgetDoesNotAllow) {
  ASSERT_EQ(Post(Pods(), R"({"metadata":{"name":"a","labels":{"a":"b"}},"spec":{"containers":[)"
                         R"({"name":"c","image":"i"}]}})")
                .code,
            201);
  const std::string pod = Core("pods", "a");
  ASSERT_EQ(MergePatch(pod + "/status", R"({"status":{"phase":"Running","conditions":[)"
                                        R"({"type":"Ready","status":"True"}]}})")
                .code,
            200);
  const std::string budgets = "/apis/policy/v1/namespaces/" + ns() + "/poddisruptionbudgets";
  ASSERT_EQ(Post(budgets, R"({"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{)"
                          R"("matchLabels":{"a":"b"}}}})")
                .code,
            201);
  const auto evict = [&] {
    return Post(pod + "/eviction", R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{)"
                                   R"("name":"a"}})");
  };
  const auto set_status = [&](const std::string& allowed) {
    return MergePatch(budgets + "/b/status",
                      R"({"status":{"observedGeneration":1,"currentHealthy":1,)"
                      R"("desiredHealthy":1,"expectedPods":1,"disruptionsAllowed":)" +
                          allowed + "}}")
        .code;
  };

  const Answer unprocessed = evict();
  EXPECT_EQ(unprocessed.code, 429) << unprocessed.body;
  EXPECT_EQ(unprocessed.message(),
            "Cannot evict pod as it would violate the pod's disruption budget.");
  ASSERT_EQ(set_status("0"), 200);
  EXPECT_THAT(evict().body,
              HasSubstr("The disruption budget b needs 1 healthy pods and has 1 currently"));
  ASSERT_EQ(set_status("1"), 200);
  EXPECT_EQ(evict().code, 201);
  EXPECT_EQ(JsonAt(Get(budgets + "/b"), {"status", "disruptionsAllowed"}), "0");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
