// SPDX-License-Identifier: Apache-2.0
#include "capstan/api/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "clientgo/api/testing/decode.h"
#include "clientgo/runtime/testing/golden.h"

namespace capstan::api {
namespace {

using ::testing::HasSubstr;

const LeaseSpec kSpec = {.holder_identity = "host_1",
                         .lease_duration_seconds = 15,
                         .acquire_time = "2026-01-02T03:04:05.000006Z",
                         .renew_time = "2026-01-02T03:04:07.000006Z",
                         .lease_transitions = 2};

TEST(LeaseTest, DecodesALeaseOfARealServer) {
  const auto lease =
      MustDecode<TypedObject<Lease>>(TypeOf<Lease>(), runtime::ReadGolden("lease.json"));

  ASSERT_NE(lease, nullptr);
  EXPECT_EQ(lease->key(), "demo/lock");
  EXPECT_EQ(lease->resource_version(), "212");
  EXPECT_EQ(lease->spec, kSpec);
}

TEST(LeaseTest, AcceptsALeaseWithoutASpec) {
  const auto lease = MustDecode<TypedObject<Lease>>(TypeOf<Lease>(),
                                                    R"({"kind":"Lease","metadata":{"name":"n"}})");
  EXPECT_EQ(lease->spec, LeaseSpec{});
}

TEST(LeaseTest, KeepsOtherMetadataInAnUpdate) {
  const auto current = MustDecode<TypedObject<Lease>>(
      TypeOf<Lease>(),
      R"({"kind":"Lease","metadata":{"namespace":"ns","name":"n","uid":"u","resourceVersion":"5",)"
      R"("labels":{"l":"v"},"annotations":{"a":"\"b\""},"finalizers":["f"],)"
      R"("ownerReferences":[{"kind":"K","uid":"o"}],"managedFields":[{}]},"spec":{}})");
  Lease released = *current;
  released.spec = kSpec;
  released.spec.holder_identity = "";

  EXPECT_EQ(ToJson(released),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"n",)"
            R"("namespace":"ns","uid":"u","resourceVersion":"5","labels":{"l":"v"},)"
            R"("annotations":{"a":"\"b\""},"ownerReferences":[{"kind":"K","uid":"o"}],)"
            R"("finalizers":["f"]},"spec":{"holderIdentity":"","leaseDurationSeconds":15,)"
            R"("acquireTime":"2026-01-02T03:04:05.000006Z",)"
            R"("renewTime":"2026-01-02T03:04:07.000006Z","leaseTransitions":2}})");
}

TEST(LeaseTest, DecodesItsOwnJson) {
  LeaseSpec spec = kSpec;
  spec.holder_identity = "quote\" and \xc3\xa9";
  spec.strategy = "OldestEmulationVersion";
  spec.preferred_holder = "other";
  const std::string body =
      ToJson(Lease{.metadata = {.name = "n",
                                .namespace_ = "ns",
                                .labels = {{"app.kubernetes.io/managed-by", "capstan"}}},
                   .spec = spec});

  const auto lease = MustDecode<TypedObject<Lease>>(TypeOf<Lease>(), body);
  EXPECT_EQ(lease->key(), "ns/n");
  EXPECT_EQ(lease->spec, spec);
  EXPECT_THAT(body, HasSubstr(R"("labels":{"app.kubernetes.io/managed-by":"capstan"})"));
  EXPECT_EQ(body.find("resourceVersion"), std::string::npos);
}

}  // namespace
}  // namespace capstan::api
