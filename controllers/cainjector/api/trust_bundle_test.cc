// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/api/trust_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "clientgo/api/testing/decode.h"

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

runtime::ObjectPtrTo<ClusterTrustBundle> Decoded(
    const std::string& metadata, const std::string& spec,
    const runtime::ResourceType& type = ClusterTrustBundle::TypeV1()) {
  return api::MustDecode<ClusterTrustBundle>(
      type, R"({"kind":"ClusterTrustBundle","metadata":{"name":"b","resourceVersion":"1")" +
                metadata + R"(},"spec":)" + spec + "}");
}

TEST(ClusterTrustBundleTest, KeepsSignerBundleAndLabels) {
  const auto bundle = Decoded(R"(,"labels":{"team":"web","b":""})",
                              R"({"signerName":"example.com/foo","trustBundle":"PEM"})");

  EXPECT_EQ(bundle->signer_name(), "example.com/foo");
  EXPECT_EQ(bundle->trust_bundle(), "PEM");
  EXPECT_THAT(bundle->labels(), ElementsAre(Pair("b", ""), Pair("team", "web")));
}

TEST(ClusterTrustBundleTest, AcceptsMissingFieldsAndOtherTypes) {
  for (const std::string spec :
       {"{}", "null", "7", R"({"signerName":7,"trustBundle":["PEM"]})", "[]"}) {
    const auto bundle = Decoded(R"(,"labels":{"a":7})", spec);
    EXPECT_THAT(bundle->signer_name(), IsEmpty());
    EXPECT_THAT(bundle->trust_bundle(), IsEmpty());
    EXPECT_THAT(bundle->labels(), IsEmpty());
  }
}

TEST(ClusterTrustBundleTest, HoldsEqualBundlesOfBothVersionsOnce) {
  const std::string spec = R"({"trustBundle":")" + std::string(1000, 'x') + "\"}";

  const auto v1 = Decoded("", spec);
  const auto v1beta1 = Decoded("", spec, ClusterTrustBundle::TypeV1Beta1());

  EXPECT_EQ(&v1->trust_bundle(), &v1beta1->trust_bundle());
  EXPECT_LT(v1->ByteSize(), 1000U);
}

}  // namespace
}  // namespace capstan::cainjector
