// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/endpoints.h"

#include <gtest/gtest.h>

#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cmd::cli::inspect {
namespace {

TEST(VerifyServersTest, HasNoResultWhenTheUserStopsIt) {
  cainjector::FakeCluster cluster;
  const std::string name = R"({"metadata":{"name":"t","resourceVersion":"1"},)";
  const std::string path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  cluster.PutObject(
      path + "?fieldSelector=metadata.name%3Dt",
      cainjector::ListJson(
          name + R"("webhooks":[{"name":"w","clientConfig":{"url":"https://a.example.com"}}]})"));
  std::stop_source stop;
  const cainjector::EndpointCheck check(
      *cluster.client, [&](const auto&, const auto&) -> Expected<std::vector<std::string>> {
        stop.request_stop();
        return Err(ErrorReason::kCanceled, "canceled");
      });
  Finding finding;
  finding.target = &cainjector::ValidatingWebhookTarget();
  finding.object = cainjector::Decode(
      finding.target->type(), cainjector::WebhookJson(*finding.target, "t", "ns/ca", {"x"}));

  const auto servers = VerifyServers(stop.get_token(), check, {finding});

  ASSERT_FALSE(servers.has_value()) << ServersJson(*servers);
  EXPECT_EQ(servers.error().reason, ErrorReason::kCanceled);
}

}  // namespace
}  // namespace capstan::cmd::cli::inspect
