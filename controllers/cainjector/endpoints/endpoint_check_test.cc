// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/endpoint_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "capstan/base64.h"
#include "capstan/testing/certificates.h"
#include "controllers/cainjector/endpoints/service_addresses.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kService = R"({"service":{"namespace":"shop","name":"orders","port":8443})";
constexpr const char* kSlices =
    "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?labelSelector="
    "kubernetes.io%2Fservice-name%3Dorders";

class EndpointCheckTest : public ::testing::Test {
 protected:
  EndpointCheckTest() {
    PutService(R"("ports":[{"name":"metrics","port":9402},{"name":"https","port":8443}])");
    PutEndpoints(R"({"addresses":["10.0.0.7"],"conditions":{"ready":true}})");
    Serve("10.0.0.7:9443", ca_);
  }

  // A server at this address presents a certificate of `ca` for orders.shop.svc.
  void Serve(const std::string& address, const testing::KeyPair& ca,
             const std::string& name = "orders.shop.svc") {
    const auto leaf = testing::MakeCertificate(ca, {.common_name = "x", .dns_names = {name}});
    served_[address] = ParseBundle(leaf->cert_pem)->front().der;
  }
  void PutService(const std::string& spec) {
    cluster_.PutObject("/api/v1/namespaces/shop/services/orders",
                       R"({"apiVersion":"v1","kind":"Service","metadata":{"namespace":"shop",)"
                       R"("name":"orders","resourceVersion":"1"},"spec":{)" +
                           spec + "}}");
  }
  void PutEndpoints(const std::string& endpoints) {
    cluster_.PutObject(
        kSlices,
        ListJson(R"({"metadata":{"namespace":"shop","name":"orders-a","resourceVersion":"1"},)"
                 R"("ports":[{"name":"metrics","port":9402},{"name":"https","port":9443}],)"
                 R"("endpoints":[)" +
                 endpoints + "]}"));
  }
  // A webhook configuration with one webhook for each client configuration without its end.
  void PutWebhooks(const std::vector<std::string>& client_configs) {
    std::string webhooks;
    for (const std::string& config : client_configs) {
      webhooks += std::string(webhooks.empty() ? "" : ",") + R"({"name":"w)" +
                  std::to_string(webhooks.empty() ? 0 : 1) + R"(","clientConfig":)" + config +
                  R"(,"caBundle":")" + Base64Encode(ca_.cert_pem) + R"("}})";
    }
    cluster_.PutObject(
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?fieldSelector="
        "metadata.name%3Dt",
        ListJson(R"({"metadata":{"name":"t","resourceVersion":"1"},"webhooks":[)" + webhooks +
                 "]}"));
  }
  // Verifies the servers of one target.
  Expected<std::vector<EndpointResult>> Run(
      const std::string& resource = "validatingwebhookconfigurations",
      const std::string& name = "t") {
    const EndpointCheck check(
        *cluster_.client,
        [this](std::stop_token /*stop*/,
               const transport::TlsProbe::Server& server) -> Expected<std::vector<std::string>> {
          const std::string address = server.host + ":" + server.port;
          probed_.push_back(address + " " + server.name);
          if (const auto failing = failing_.find(address); failing != failing_.end()) {
            return Err(failing->second, failing->second == ErrorReason::kTransport
                                            ? "tls: the server's response is not TLS"
                                            : "failed");
          }
          const auto found = served_.find(address);
          if (found == served_.end()) return Err(ErrorReason::kConnectionRefused, "refused");
          return std::vector<std::string>{found->second};
        },
        [this](const std::stop_token& /*stop*/, const std::string& host) {
          const auto found = addresses_.find(host);
          return found == addresses_.end() ? std::vector{host} : found->second;
        });
    const auto read = check.Read({}, resource, {name});
    if (!read) return Err(read.error());
    std::vector<EndpointResult> results;
    if (read->front() == nullptr) return results;
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    for (const TargetServer& server : read->front()->servers()) {
      results.push_back(Judge(server, check.Ask({}, server.reference), *server.ca_bundle, now));
    }
    return results;
  }
  EndpointResult OnlyResult() {
    auto results = Run();
    EXPECT_TRUE(results.has_value()) << results.error().message;
    EXPECT_THAT(*results, SizeIs(1));
    return results->front();
  }
  EndpointOutcome OnlyOutcome() { return OnlyResult().verdict.outcome; }

  FakeCluster cluster_;
  const testing::KeyPair ca_ = *testing::MakeCa({.common_name = "ca"});
  const testing::KeyPair other_ca_ = *testing::MakeCa({.common_name = "ca"});
  std::map<std::string, std::string> served_;                  // DER by address
  std::map<std::string, ErrorReason> failing_;                 // by address
  std::map<std::string, std::vector<std::string>> addresses_;  // by host name
  std::vector<std::string> probed_;
};

TEST_F(EndpointCheckTest, VerifiesTheEndpointOfAServiceByTheServicesName) {
  PutWebhooks({kService});

  const EndpointResult result = OnlyResult();

  EXPECT_EQ(result.verdict.outcome, EndpointOutcome::kVerified) << result.verdict.message;
  EXPECT_EQ(result.place, "webhook \"w0\"");
  EXPECT_EQ(result.server, "orders.shop.svc:8443");
  EXPECT_EQ(result.address, "10.0.0.7:9443");
  EXPECT_TRUE(result.verdict.expires.has_value());
  EXPECT_THAT(probed_, ElementsAre("10.0.0.7:9443 orders.shop.svc"));
}

TEST_F(EndpointCheckTest, NamesTheReplicaThatServesAFormerCertificate) {
  PutEndpoints(R"({"addresses":["10.0.0.7"]},{"addresses":["10.0.0.8"]},)"
               R"({"addresses":["10.0.0.9"]})");
  Serve("10.0.0.8:9443", other_ca_);
  PutWebhooks({kService});

  const EndpointResult result = OnlyResult();

  EXPECT_EQ(result.verdict.outcome, EndpointOutcome::kUnknownAuthority);
  EXPECT_EQ(result.address, "10.0.0.8:9443");
}

TEST_F(EndpointCheckTest, VerifiesFiveReplicasAtMost) {
  std::string endpoints;
  for (int i = 1; i <= 9; ++i) {
    const std::string host = "10.0.0." + std::to_string(i);
    Serve(host + ":9443", ca_);
    endpoints += (i == 1 ? "" : ",") + std::string(R"({"addresses":[")") + host + "\"]}";
  }
  PutEndpoints(endpoints);
  PutWebhooks({kService});

  EXPECT_EQ(OnlyOutcome(), EndpointOutcome::kVerified);
  EXPECT_THAT(probed_, SizeIs(kServiceAddressesMax));
}

TEST_F(EndpointCheckTest, VerifiesADualStackServiceAtTheAddressesOfItsFirstFamily) {
  PutService(R"("ipFamilies":["IPv6","IPv4"],"ports":[{"name":"https","port":8443}])");
  const auto slice = [](const std::string& family, const std::string& address,
                        const std::string& ready) {
    return R"({"metadata":{"namespace":"shop","name":")" + family +
           R"(","resourceVersion":"1"},"addressType":")" + family +
           R"(","ports":[{"name":"https","port":9443}],"endpoints":[{"addresses":[")" + address +
           R"("],"conditions":{"ready":)" + ready + "}}]}";
  };
  PutWebhooks({kService});
  Serve("fd00::7:9443", ca_);  // the pod listens only there

  cluster_.PutObject(kSlices, ListJson(slice("IPv4", "10.0.0.7", "true") + "," +
                                       slice("IPv6", "fd00::7", "true")));
  served_.erase("10.0.0.7:9443");
  EXPECT_EQ(OnlyOutcome(), EndpointOutcome::kVerified);
  EXPECT_THAT(probed_, ElementsAre("fd00::7:9443 orders.shop.svc"));

  Serve("10.0.0.7:9443", ca_);
  cluster_.PutObject(kSlices, ListJson(slice("IPv4", "10.0.0.7", "true") + "," +
                                       slice("IPv6", "fd00::7", "false")));
  EXPECT_EQ(OnlyResult().address, "10.0.0.7:9443") << "as kube-aggregator does";
}

TEST_F(EndpointCheckTest, ReportsAServiceWithoutReadyEndpoint) {
  PutWebhooks({kService});
  PutEndpoints(R"({"addresses":["10.0.0.7"],"conditions":{"ready":false}})");
  EXPECT_EQ(OnlyOutcome(), EndpointOutcome::kNoEndpoints);
  EXPECT_EQ(OnlyResult().verdict.message, "Service shop/orders has no ready endpoint");

  PutService(R"("ports":[{"port":443}])");
  EXPECT_EQ(OnlyResult().verdict.message, "Service shop/orders has no TCP port 8443");

  cluster_.Fail("GET /api/v1/namespaces/shop/services/orders", 404, "NotFound", "not found");
  EXPECT_EQ(OnlyResult().verdict.message, "Service shop/orders does not exist");
  EXPECT_THAT(probed_, IsEmpty());
}

TEST_F(EndpointCheckTest, VerifiesTheTcpPortOfTwoPortsWithOneNumber) {
  PutService(R"("ports":[{"name":"metrics","port":8443,"protocol":"UDP"},)"
             R"({"name":"https","port":8443,"protocol":"TCP"}])");
  PutWebhooks({kService});
  EXPECT_EQ(OnlyOutcome(), EndpointOutcome::kVerified);
  EXPECT_THAT(probed_, ElementsAre("10.0.0.7:9443 orders.shop.svc"));

  PutService(R"("ports":[{"name":"https","port":8443,"protocol":"UDP"}])");
  EXPECT_EQ(OnlyResult().verdict.message, "Service shop/orders has no TCP port 8443");
}

// Unless it runs with --enable-aggregator-routing.
TEST_F(EndpointCheckTest, ReportsAHeadlessServiceThatTheApiServerCannotCall) {
  PutService(R"("clusterIP":"None","ports":[{"name":"https","port":8443}])");
  PutWebhooks({kService});

  const EndpointResult result = OnlyResult();

  EXPECT_EQ(result.verdict.outcome, EndpointOutcome::kNoEndpoints);
  EXPECT_EQ(result.verdict.message,
            "Service shop/orders is headless; the API server calls a Service at its cluster IP");
  EXPECT_THAT(probed_, IsEmpty());
}

TEST_F(EndpointCheckTest, ListsAllReplicasOfAServiceOnly) {
  const EndpointCheck check(
      *cluster_.client,
      [](std::stop_token /*stop*/, const transport::TlsProbe::Server& /*server*/) {
        return std::vector<std::string>{};
      },
      [](const std::stop_token& /*stop*/, const std::string& host) { return std::vector{host}; });
  const ServerReference service{.service = {.namespace_ = "shop", .name = "orders"}, .port = 8443};
  PutEndpoints(R"({"addresses":["10.0.0.7"]},{"addresses":["10.0.0.8"]})");
  EXPECT_TRUE(check.Ask({}, service).all_replicas);
  EXPECT_FALSE(check.Ask({}, service, /*replicas_max=*/1).all_replicas);

  PutService(R"("type":"ExternalName","externalName":"orders.example.com")");
  EXPECT_FALSE(check.Ask({}, service).all_replicas);
  EXPECT_FALSE(check.Ask({}, {.host = "10.0.0.7"}).all_replicas) << "it may be a load balancer";
}

TEST_F(EndpointCheckTest, ReportsAMissingRightAsUnknown) {
  PutWebhooks({kService});
  cluster_.Fail("GET /apis/discovery.k8s.io", 403, "Forbidden", "endpointslices is forbidden");

  const EndpointResult result = OnlyResult();

  EXPECT_EQ(result.verdict.outcome, EndpointOutcome::kUnknown);
  EXPECT_THAT(result.verdict.message,
              AllOf(HasSubstr("the endpoints of Service shop/orders"), HasSubstr("forbidden")));
}

TEST_F(EndpointCheckTest, ConnectsToTheNameOfAnExternalService) {
  PutService(R"("type":"ExternalName","externalName":"orders.example.com")");
  Serve("orders.example.com:8443", ca_);
  PutWebhooks({kService});

  EXPECT_EQ(OnlyOutcome(), EndpointOutcome::kVerified);
  EXPECT_THAT(probed_, ElementsAre("orders.example.com:8443 orders.shop.svc"));
}

TEST_F(EndpointCheckTest, VerifiesTheHostOfAUrl) {
  Serve("hooks.example.com:443", ca_, "hooks.example.com");
  Serve("fd00::1:8443", ca_, "hooks.example.com");
  PutWebhooks(
      {R"({"url":"https://hooks.example.com/validate?x=1")", R"({"url":"https://[fd00::1]:8443")"});

  const auto results = Run();

  ASSERT_TRUE(results.has_value()) << results.error().message;
  ASSERT_THAT(*results, SizeIs(2));
  EXPECT_EQ((*results)[0].server, "hooks.example.com:443");
  EXPECT_EQ((*results)[0].verdict.outcome, EndpointOutcome::kVerified);
  EXPECT_EQ((*results)[1].server, "[fd00::1]:8443");
  EXPECT_EQ((*results)[1].verdict.outcome, EndpointOutcome::kNameMismatch);
}

TEST_F(EndpointCheckTest, VerifiesEachAddressOfAHostName) {
  PutWebhooks({R"({"url":"https://hooks.example.com")"});
  addresses_["hooks.example.com"] = {"10.0.0.1", "10.0.0.2"};
  Serve("10.0.0.1:443", ca_, "hooks.example.com");
  Serve("10.0.0.2:443", other_ca_, "hooks.example.com");
  EXPECT_EQ(OnlyResult().verdict.outcome, EndpointOutcome::kUnknownAuthority);
  EXPECT_EQ(OnlyResult().address, "10.0.0.2:443");

  // A client tries the next address.
  addresses_["hooks.example.com"] = {"10.0.0.9", "10.0.0.1"};
  EXPECT_EQ(OnlyOutcome(), EndpointOutcome::kVerified);
  addresses_["hooks.example.com"] = {"10.0.0.7", "10.0.0.8", "10.0.0.9"};
  failing_["10.0.0.7:443"] = ErrorReason::kDeadlineExceeded;
  probed_.clear();
  EXPECT_EQ(OnlyOutcome(), EndpointOutcome::kTimeout);
  EXPECT_THAT(probed_, SizeIs(2)) << "two may take the whole time of a handshake";
}

TEST_F(EndpointCheckTest, VerifiesEachAddressOfAnExternalName) {
  PutService(R"("type":"ExternalName","externalName":"orders.example.com")");
  addresses_["orders.example.com"] = {"10.0.0.1", "fd00::2"};
  Serve("10.0.0.1:8443", ca_);
  Serve("fd00::2:8443", other_ca_);
  PutWebhooks({kService});

  EXPECT_EQ(OnlyResult().address, "[fd00::2]:8443");
  EXPECT_EQ(OnlyOutcome(), EndpointOutcome::kUnknownAuthority);
}

TEST_F(EndpointCheckTest, AcceptsEveryUrlThatTheApiServerCalls) {
  Serve("hooks.example.com:443", ca_, "hooks.example.com");
  Serve("hooks.example.com.:443", ca_, "hooks.example.com");
  for (const std::string url : {"HTTPS://hooks.example.com", "https://hooks.example.com:/validate",
                                "https://hooks.example.com.", "https://hooks.example.com.:443/"}) {
    PutWebhooks({R"({"url":")" + url + "\""});
    EXPECT_EQ(OnlyOutcome(), EndpointOutcome::kVerified) << url;
  }
  EXPECT_EQ(probed_.back(), "hooks.example.com.:443 hooks.example.com");
}

TEST_F(EndpointCheckTest, TellsFailuresOfTheConnectionApart) {
  PutWebhooks({kService});
  const std::map<ErrorReason, EndpointOutcome> expected = {
      {ErrorReason::kConnectionRefused, EndpointOutcome::kRefused},
      {ErrorReason::kUnexpectedEof, EndpointOutcome::kRefused},
      {ErrorReason::kDeadlineExceeded, EndpointOutcome::kTimeout},
      {ErrorReason::kNoSuchHost, EndpointOutcome::kNoSuchHost},
      {ErrorReason::kTooManyRequests, EndpointOutcome::kUnknown},
      {ErrorReason::kTransport, EndpointOutcome::kNotTls}};
  for (const auto& [reason, outcome] : expected) {
    failing_["10.0.0.7:9443"] = reason;
    EXPECT_EQ(OnlyOutcome(), outcome) << ToString(reason);
  }
}

TEST_F(EndpointCheckTest, ReadsAnApiService) {
  const std::string path =
      "/apis/apiregistration.k8s.io/v1/"
      "apiservices?fieldSelector=metadata.name%3Dv1.orders.example.com";
  const auto put = [&](const std::string& spec) {
    cluster_.PutObject(path, ListJson(R"({"metadata":{"name":"v1.orders.example.com",)"
                                      R"("resourceVersion":"1"},"spec":)" +
                                      spec + "}"));
  };
  put(std::string(kService) + R"(,"caBundle":")" + Base64Encode(ca_.cert_pem) + R"("})");
  const auto results = Run("apiservices", "v1.orders.example.com");
  ASSERT_TRUE(results.has_value()) << results.error().message;
  ASSERT_THAT(*results, SizeIs(1));
  EXPECT_EQ(results->front().verdict.outcome, EndpointOutcome::kVerified);

  put(std::string(kService) + R"(,"insecureSkipTLSVerify":true})");
  EXPECT_THAT(*Run("apiservices", "v1.orders.example.com"), IsEmpty());
}

TEST_F(EndpointCheckTest, ReadsTheConversionOfADefinitionByAGet) {
  cluster_.PutObject(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/prices.example.com",
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":)"
      R"({"name":"prices.example.com","resourceVersion":"1"},"spec":{"conversion":{"strategy":)"
      R"("Webhook","webhook":{"clientConfig":)" +
          std::string(kService) + "}}}}}");

  const auto results = Run("customresourcedefinitions", "prices.example.com");

  ASSERT_TRUE(results.has_value()) << results.error().message;
  ASSERT_THAT(*results, SizeIs(1));
  EXPECT_EQ(results->front().verdict.outcome, EndpointOutcome::kNoBundle);
}

TEST_F(EndpointCheckTest, ReadsSeveralTargetsInOneRequestAndInTheirOrder) {
  const auto item = [](const std::string& name) {
    return R"({"metadata":{"name":")" + name +
           R"(","resourceVersion":"1"},"webhooks":[{"name":"w","clientConfig":{"url":"https://)" +
           name + R"(.example.com"}}]})";
  };
  cluster_.PutObject("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
                     ListJson(item("a") + "," + item("b") + "," + item("c")));
  const EndpointCheck check(*cluster_.client);

  const auto read = check.Read({}, "validatingwebhookconfigurations", {"c", "gone", "a"});

  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_THAT(*read, SizeIs(3));
  EXPECT_EQ((*read)[0]->servers().front().reference.host, "c.example.com");
  EXPECT_EQ((*read)[1], nullptr);
  EXPECT_EQ((*read)[2]->servers().front().reference.host, "a.example.com");
  EXPECT_EQ(cluster_.Count(""), 1U);
}

TEST_F(EndpointCheckTest, HasNoResultForAKindWithoutServers) {
  EXPECT_THAT(*Run("configmaps", "ns/trust"), IsEmpty());
  EXPECT_EQ(cluster_.Count(""), 0U);
}

}  // namespace
}  // namespace capstan::cainjector
