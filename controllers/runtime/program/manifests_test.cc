// SPDX-License-Identifier: Apache-2.0
// Tests of the manifests: they have what a program uses, and nothing else.
#include "controllers/runtime/program/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stop_token>
#include <string>

#include "capstan/builder.h"
#include "capstan/client.h"
#include "capstan/controller_util.h"
#include "capstan/webhook/builder.h"

namespace {

struct Foo {
  capstan::ObjectMeta metadata;
  struct Status {
    int ready = 0;
  } status;
};
struct Bar {
  capstan::ObjectMeta metadata;
};
struct Node {
  capstan::ObjectMeta metadata;
};

}  // namespace

template <>
inline constexpr auto capstan::kKind<Foo> = Kind("manifests.io", "v1", "Foo", "foos")
                                                .Namespaced()
                                                .Status(Field("ready", &Foo::Status::ready));
template <>
inline constexpr auto capstan::kKind<Bar> =
    Kind("manifests.io", "v2", "Bar", "bars").ClusterScoped();
// The program does not use it.
template <>
[[maybe_unused]] inline constexpr auto capstan::kKind<Node> =
    Kind("", "v1", "Node", "nodes").ClusterScoped().Partial();

namespace capstan::program {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Compiled, and never called.
[[maybe_unused]] void UseThem(Manager& manager, const std::stop_token& stop) {
  static_cast<void>(ControllerFor<Foo>(manager).Owns<Bar>());
  ObjectMeta owned;
  static_cast<void>(SetControllerReference(Foo(), owned));
  const Client<Foo> foos(manager.client());
  static_cast<void>(foos.UpdateStatus(stop, Foo()));
  static_cast<void>(Client<Bar>(manager.client()).Apply(stop, Bar(), {.field_manager = "a"}));
  static_cast<void>(Client<Bar>(manager.client()).Delete(stop, {}));
  static_cast<void>(webhook::WebhookFor<Foo>(manager)
                        .Default([](Foo&) {})
                        .ValidateCreate([](const Foo&) {})
                        .ValidateDelete([](const Foo&) {})
                        .Complete());
}

TEST(ManifestsTest, HasTheRightsThatTheProgramUses) {
  const std::string text = RbacManifest("foo", "", detail::FirstUse());
  EXPECT_THAT(text, HasSubstr(R"(---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: foo
rules:
  - apiGroups: [""]
    resources: [events]
    verbs: [create, )"));
  EXPECT_THAT(text, HasSubstr(R"(  - apiGroups: [manifests.io]
    resources: [bars]
    verbs: [create, delete, list, patch, watch]
  - apiGroups: [manifests.io]
    resources: [foos]
    verbs: [list, watch]
  - apiGroups: [manifests.io]
    resources: [foos/status]
    verbs: [update]
)"));
  EXPECT_THAT(text, HasSubstr(R"(which OpenShift enables:
  # - apiGroups: [manifests.io]
  #   resources: [foos/finalizers]
  #   verbs: [update]
)"));
  EXPECT_THAT(text, Not(HasSubstr("nodes")));
  EXPECT_THAT(text, Not(HasSubstr("leases")));
}

TEST(ManifestsTest, HasTheLeaseOfAnElection) {
  EXPECT_THAT(RbacManifest("foo", "foo-lease", nullptr), HasSubstr(R"(kind: Role
metadata:
  name: foo
  namespace: foo
rules:
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    resourceNames: [foo-lease]
    verbs: [get, update]
)"));
}

TEST(ManifestsTest, HasTheWebhooksWithTheirOperations) {
  EXPECT_EQ(WebhookManifest("foo", nullptr), "");
  const std::string text = WebhookManifest("foo", detail::FirstUse());
  EXPECT_THAT(text, HasSubstr(R"(---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: foo
  annotations:
    cert-manager.io/inject-ca-from: foo/foo-webhook
webhooks:
  - name: vfoo-v1.foo.webhook
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig:
      service:
        name: foo-webhook
        namespace: foo
        path: /validate-manifests-io-v1-foo
    rules:
      - apiGroups: [manifests.io]
        apiVersions: [v1]
        resources: [foos]
        operations: [CREATE, DELETE]
)"));
  EXPECT_THAT(text, HasSubstr("path: /mutate-manifests-io-v1-foo"));
}

}  // namespace
}  // namespace capstan::program
