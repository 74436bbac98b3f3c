// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/namespace.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/api/event.h"
#include "capstan/api/lease.h"
#include "capstan/api/object_metadata.h"
#include "capstan/base64.h"
#include "capstan/rest/pager.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/require.h"
#include "capstan/thread.h"
#include "capstan/typed_object.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/readinessgate/gates/objects.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace capstan::cmd::capstan_demo {
namespace {

constexpr int kWriters = 4;
constexpr std::string_view kPartOf = "app.kubernetes.io/part-of";
constexpr std::string_view kDemo = "capstan-demo";
// The Secrets that one request deletes. An API server ends a request after 60 s.
constexpr int kDeletedAtOnce = 1000;

std::string Member(std::string_view key, std::string_view value) {
  return '"' + std::string(key) + R"(":")" + std::string(value) + '"';
}

}  // namespace

const runtime::ResourceType& NamespaceType() {
  static const runtime::ResourceType type =
      api::MakeMetadataType({.gvr = {"", "v1", "namespaces"}, .kind = "Namespace"});
  return type;
}

const runtime::ResourceType& PodType() {
  static const runtime::ResourceType type =
      readinessgate::MakePodType({.annotations = {std::string(readinessgate::kReadyKey),
                                                  std::string(readinessgate::kStatusKey)}});
  return type;
}

std::string DemoSelector() { return std::string(kPartOf).append("=").append(kDemo); }

std::string DataMember(std::string_view key, std::string_view text) {
  return R"("data":{)" + Member(key, Base64Encode(text)) + "}";
}

std::string Numbered(std::string_view prefix, int number) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%05d", number);
  return std::string(prefix) + digits.data();
}

void ForEach(const std::stop_token& stop, int count, const std::function<void(int)>& call) {
  std::atomic<int> next{0};
  std::array<std::exception_ptr, kWriters> errors;
  {
    std::vector<std::jthread> writers;
    writers.reserve(kWriters);
    for (std::exception_ptr& error : errors) {
      writers.push_back(StartThread("demo-writer", [&](const std::stop_token& /*joined*/) {
        try {
          for (int i = next++; i < count && !stop.stop_requested(); i = next++) call(i);
        } catch (...) {
          error = std::current_exception();
          next = count;
        }
      }));
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

void Namespace::Create(const runtime::ResourceType& type, const std::string& object,
                       const std::string& members, const Annotation& annotation) const {
  const runtime::ObjectKey key{type.namespaced ? name : "", object};
  const std::string json =
      "{" + Member("apiVersion", type.gvr.ApiVersion()) + "," + Member("kind", type.kind) +
      R"(,"metadata":{)" + Member("name", key.name) + "," + Member("namespace", key.namespace_) +
      R"(,"labels":{)" + Member(kPartOf, kDemo) + R"(},"annotations":{)" +
      (annotation.key.empty() ? "" : Member(annotation.key, annotation.value)) + "}}" +
      (members.empty() ? "" : ",") + members + "}";
  Expected<runtime::ObjectPtr> created;
  (void)testing::Eventually([&] {
    created = client.Create(stop, type, key.namespace_, json);
    return created || !IsForbidden(created.error()) || type.kind != "Pod";
  });
  testing::Value(std::move(created), "failed to create " + type.kind + " " + key.String());
}

void Namespace::CreateWebhooks(const runtime::ResourceType& type, const std::string& object,
                               int webhooks, const Annotation& annotation) const {
  std::string items;
  for (int i = 0; i < webhooks; ++i) {
    items +=
        (i > 0 ? "," : "") + (R"({"name":"w)" + std::to_string(i)) +
        R"(.capstan-demo.example.com","admissionReviewVersions":["v1"],"sideEffects":"None",)" +
        R"("rules":[],"clientConfig":{"service":{"name":"webhook",)" + Member("namespace", name) +
        "}}}";
  }
  Create(type, object, R"("webhooks":[)" + items + "]", annotation);
}

void Namespace::PatchSecret(const std::string& secret, const std::string& members) const {
  testing::Value(client.Patch(stop, cainjector::SecretMetadataType(), {name, secret},
                              rest::PatchType::kMerge, "{" + members + "}"),
                 "failed to write Secret " + name + "/" + secret);
}

Expected<void> Namespace::CleanUp(int secrets) const {
  Expected<void> first_error;
  const auto keep_error = [&](Expected<void> deleted) {
    if (!deleted && !IsNotFound(deleted.error()) && first_error) first_error = std::move(deleted);
  };
  for (const auto* target :
       {&cainjector::ValidatingWebhookTarget(), &cainjector::MutatingWebhookTarget()}) {
    keep_error(
        client.DeleteCollection({}, target->content_type(), {.label_selector = DemoSelector()}));
  }
  for (const auto* type :
       {&PodType(), &cainjector::CertManagerCertificate::Type(), &TypeOf<api::Lease>()}) {
    keep_error(client.DeleteCollection({}, *type, {.namespace_ = name}));
  }
  for (; secrets > 0; secrets -= kDeletedAtOnce) {
    keep_error(client.DeleteCollection({}, cainjector::SecretMetadataType(),
                                       {.namespace_ = name, .limit = kDeletedAtOnce}));
  }
  // Events on cluster-scoped objects are in the namespace default.
  const auto events = rest::ListAll({}, client, TypeOf<api::Event>(), {.namespace_ = "default"});
  if (!events) keep_error(Err(events.error().Wrap("failed to list the Events")));
  for (const auto& event : events ? events->items : std::vector<runtime::ObjectPtr>()) {
    const auto& about = static_cast<const TypedObject<api::Event>&>(*event).involved_object;
    if (!about.name.starts_with(kDemo)) continue;
    keep_error(client.Delete({}, TypeOf<api::Event>(), {"default", std::string(event->name())}));
  }
  keep_error(client.Delete({}, NamespaceType(), {"", name}));
  return first_error;
}

}  // namespace capstan::cmd::capstan_demo
