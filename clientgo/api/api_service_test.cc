// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/api_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "clientgo/api/decode_testing.h"
#include "clientgo/runtime/testing/golden.h"

namespace clientgo::api {
namespace {

using ::testing::StartsWith;

constexpr const char* kAnnotation = "cert-manager.io/inject-ca-from";

class ApiServiceTest : public ::testing::Test {
 protected:
  std::shared_ptr<const ApiService> Decode(const std::string& spec, const std::string& meta = "") {
    return MustDecode<ApiService>(type_, R"({"kind":"APIService","metadata":{"name":"v1.x.io")" +
                                             meta + R"(},"spec":)" + spec + "}");
  }
  runtime::ResourceType type_ = MakeApiServiceType(
      {.annotations = {kAnnotation}, .bundles = std::make_shared<util::Interner>()});
};

TEST_F(ApiServiceTest, ReadsWhatARealServerSends) {
  const auto service = MustDecode<ApiService>(type_, runtime::ReadGolden("api_service.json"));

  ASSERT_NE(service, nullptr);
  EXPECT_EQ(service->key(), "v1.metrics.demo.io");
  EXPECT_EQ(service->Annotation(kAnnotation), "demo/serving");
  EXPECT_THAT(*service->fields().ca_bundle, StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_TRUE(service->fields().has_service);
  EXPECT_FALSE(service->fields().insecure_skip_tls_verify);
  EXPECT_FALSE(service->fields().deleting);
}

TEST_F(ApiServiceTest, TellsWhereNoBundleMayBe) {
  const auto local = Decode(R"({"group":"x.io","version":"v1"})");
  EXPECT_FALSE(local->fields().has_service);
  EXPECT_EQ(*local->fields().ca_bundle, "");
  EXPECT_FALSE(Decode(R"({"service":null})")->fields().has_service);

  EXPECT_TRUE(Decode(R"({"insecureSkipTLSVerify":true,"service":{"name":"s"}})")
                  ->fields()
                  .insecure_skip_tls_verify);
  EXPECT_FALSE(Decode(R"({"insecureSkipTLSVerify":false})")->fields().insecure_skip_tls_verify);
}

TEST_F(ApiServiceTest, KnowsThatItIsBeingDeleted) {
  EXPECT_TRUE(Decode("{}", R"(,"deletionTimestamp":"2026-01-02T03:04:05Z")")->fields().deleting);
}

TEST_F(ApiServiceTest, ABundleIsBase64) {
  const auto object =
      DecodeBody(type_, R"({"kind":"APIService","metadata":{"name":"n"},"spec":{"caBundle":"?"}})");
  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().message, "bad APIService n: caBundle of the spec is not base64");
}

TEST_F(ApiServiceTest, LivesAtItsPath) {
  EXPECT_EQ(type_.Path("", "n"), "/apis/apiregistration.k8s.io/v1/apiservices/n");
}

}  // namespace
}  // namespace clientgo::api
