// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/cluster.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/api/event.h"
#include "capstan/api/lease.h"
#include "capstan/api/object_metadata.h"
#include "capstan/base64.h"
#include "capstan/interner.h"
#include "capstan/mutex.h"
#include "capstan/testing/certificates.h"
#include "capstan/thread.h"
#include "cmd/capstan/inspect/list_all.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"

namespace capstan::cmd::capstan_demo {
namespace {

constexpr std::string_view kWebhookSuffix = ".capstan-demo.example.com";

// R"("name":"x","namespace":"ns","annotations":{...})"
std::string Metadata(const runtime::ObjectKey& key, const Annotation& annotation) {
  std::string text = R"("metadata":{"name":")" + key.name + '"';
  if (!key.namespace_.empty()) text += R"(,"namespace":")" + key.namespace_ + '"';
  if (!annotation.key.empty()) {
    text += R"(,"annotations":{")" + std::string(annotation.key) + R"(":")" + annotation.value;
    text += "\"}";
  }
  return text + "}";
}

std::string Data(std::string_view key, std::string_view text) {
  return R"("data":{")" + std::string(key) + R"(":")" + Base64Encode(text) + "\"}";
}

constexpr std::string_view kSourceName = "capstan-demo-ca";
constexpr std::string_view kLeaseName = "cert-manager-cainjector-leader-election";

}  // namespace

const runtime::ResourceType& NamespaceType() {
  static const runtime::ResourceType type =
      api::MakeMetadataType({.gvr = {"", "v1", "namespaces"}, .kind = "Namespace"});
  return type;
}

const runtime::ResourceType& ConfigurationType(bool validating) {
  static const cainjector::TargetTypeOptions options{.bundles = std::make_shared<Interner>()};
  static const runtime::ResourceType validating_type =
      cainjector::MakeValidatingWebhookConfigurationType(options);
  static const runtime::ResourceType mutating_type =
      cainjector::MakeMutatingWebhookConfigurationType(options);
  return validating ? validating_type : mutating_type;
}

std::string Numbered(std::string_view prefix, int number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%05d", number);
  return std::string(prefix) + digits;
}

std::string NamespaceJson(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Namespace",)" + Metadata({"", name}, {}) + "}";
}

std::string SecretJson(const runtime::ObjectKey& key, const Annotation& annotation,
                       std::string_view data_key, std::string_view text) {
  return R"({"apiVersion":"v1","kind":"Secret",)" + Metadata(key, annotation) + "," +
         Data(data_key, text) + "}";
}

std::string CertificateJson(const runtime::ObjectKey& key, const std::string& secret) {
  return R"({"apiVersion":"cert-manager.io/v1","kind":"Certificate",)" + Metadata(key, {}) +
         R"(,"spec":{"secretName":")" + secret +
         R"(","dnsNames":["capstan-demo.example.com"],)"
         R"("issuerRef":{"name":"capstan-demo-has-none"}}})";
}

std::string ConfigurationJson(const ConfigurationOptions& options) {
  std::string webhooks;
  for (int i = 0; i < options.webhooks; ++i) {
    if (i > 0) webhooks += ',';
    webhooks += R"({"name":"w)" + std::to_string(i) + std::string(kWebhookSuffix) +
                R"(","admissionReviewVersions":["v1"],"sideEffects":"None","rules":[],)" +
                R"("clientConfig":{"service":{"namespace":")" + options.service_namespace +
                R"(","name":"webhook"}}})";
  }
  return R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":")" +
         std::string(options.validating ? "Validating" : "Mutating") + R"(WebhookConfiguration",)" +
         Metadata({"", options.name}, options.annotation) + R"(,"webhooks":[)" + webhooks + "]}";
}

std::string CaPatch(std::string_view pem) { return "{" + Data("ca.crt", pem) + "}"; }

std::string AnnotationPatch(const Annotation& annotation) {
  return R"({"metadata":{"annotations":{")" + std::string(annotation.key) + R"(":")" +
         annotation.value + R"("}}})";
}

constexpr int kWriters = 4;

Expected<void> ForEach(
    const std::stop_token& stop, int count,
    const std::function<Expected<void>(const std::stop_token& stop, int number)>& write) {
  std::atomic<int> next{0};
  Mutex mu;
  Expected<void> first_error;
  LinkedStopSource group(stop);
  const auto work = [&](const std::stop_token&) {
    for (int i = next++; i < count && !group.token().stop_requested(); i = next++) {
      auto one = write(group.token(), i);
      if (one) continue;
      const MutexLock lock(mu);
      if (first_error) first_error = std::move(one);
      group.RequestStop();
      return;
    }
  };
  {
    std::vector<std::jthread> writers;
    writers.reserve(kWriters);
    for (int i = 0; i < kWriters; ++i) {
      writers.push_back(StartThread("demo-writer", work));
    }
  }
  return first_error;
}

DemoCluster::DemoCluster(rest::Client& client, ClusterOptions options)
    : client_(client), options_(std::move(options)) {
  for (int i = 0; i < options_.configurations; ++i) {
    targets_[Numbered(kPrefix, serial_++)] = {.validating = i % 2 == 0};
  }
}

Expected<void> DemoCluster::Fill(const std::stop_token& stop,
                                 const std::function<void(int created)>& progress) {
  auto made = CreateNamespace(stop);
  if (made) made = RotateCa(stop);
  for (const auto& [name, target] : targets_) {
    if (made) made = CreateConfiguration(stop, name, target.validating);
  }
  if (!made) return made;
  const std::string data(options_.secret_bytes, 'x');
  return ForEach(stop, options_.secrets, [&](const std::stop_token& group, int i) {
    for (int tried = secrets_tried_; tried <= i;) {
      if (secrets_tried_.compare_exchange_weak(tried, i + 1)) break;
    }
    const runtime::ObjectKey key{options_.ns, Numbered("secret-", i)};
    auto one = client_.Create(group, cainjector::SecretMetadataType(), key.namespace_,
                              SecretJson(key, {}, "blob", data));
    if (!one) return Expected<void>(Err(one.error().Wrap("failed to create " + key.String())));
    progress(++secrets_created_);
    return Expected<void>();
  });
}

// An existing namespace is an error, because CleanUp deletes it.
Expected<void> DemoCluster::CreateNamespace(const std::stop_token& stop) {
  auto created = client_.Create(stop, NamespaceType(), {}, NamespaceJson(options_.ns));
  owns_namespace_ = created.has_value();
  if (created) return {};
  if (!IsAlreadyExists(created.error())) return Err(created.error());
  return Err(created.error().reason,
             "the namespace " + options_.ns +
                 " exists; if an earlier demo left it, run kubectl delete namespace " +
                 options_.ns);
}

Expected<void> DemoCluster::RotateCa(const std::stop_token& stop) {
  auto ca = testing::MakeCa({.common_name = "capstan demo CA " + std::to_string(++serial_),
                             .not_after = std::chrono::hours(24)});
  if (!ca) return Err(ca.error());
  current_ca_ = ca->cert_pem;
  const runtime::ObjectKey key{options_.ns, std::string(kSourceName)};
  const auto written =
      expected_bundle_.empty()
          ? client_.Create(
                stop, cainjector::SecretMetadataType(), options_.ns,
                SecretJson(key, {cainjector::kAllowDirectInjection, "true"}, "ca.crt", current_ca_))
          : client_.Patch(stop, cainjector::SecretMetadataType(), key, rest::PatchType::kMerge,
                          CaPatch(current_ca_));
  if (!written) return Err(written.error().Wrap("failed to write Secret " + key.String()));
  expected_bundle_ += current_ca_;
  return {};
}

Expected<void> DemoCluster::CreateConfiguration(const std::stop_token& stop,
                                                const std::string& name, bool validating) {
  auto created = client_.Create(
      stop, ConfigurationType(validating), {},
      ConfigurationJson({.name = name,
                         .validating = validating,
                         .annotation = {cainjector::kInjectCaFromSecret,
                                        options_.ns + "/" + std::string(kSourceName)},
                         .webhooks = options_.webhooks_each,
                         .service_namespace = options_.ns}));
  if (!created) return Err(created.error().Wrap("failed to create " + name));
  return {};
}

Expected<void> DemoCluster::AddConfiguration(const std::stop_token& stop) {
  const std::string name = Numbered(kPrefix, 10'000 + ++serial_);
  auto created = CreateConfiguration(stop, name, true);
  if (created) targets_[name] = {.validating = true, .late = true};
  return created;
}

Expected<void> DemoCluster::DeleteConfiguration(const std::stop_token& stop) {
  const auto first = targets_.begin();
  auto deleted =
      client_.Delete(stop, ConfigurationType(first->second.validating), {"", first->first});
  if (deleted) targets_.erase(first);
  return deleted;
}

bool DemoCluster::IsRight(const Target& target, const std::string& bundle) const {
  if (!target.late) return bundle == expected_bundle_;
  // The newest CA after any number of older ones, in order.
  const std::string_view all = expected_bundle_;
  return bundle.size() >= current_ca_.size() && bundle.size() <= all.size() &&
         all.substr(all.size() - bundle.size()) == bundle && bundle.rfind("-----BEGIN", 0) == 0;
}

bool DemoCluster::IsInSync(const cainjector::Injectable& configuration) const {
  const auto target = targets_.find(configuration.name());
  if (target == targets_.end()) return false;
  return std::all_of(
      configuration.fields().points.begin(), configuration.fields().points.end(),
      [&](const auto& webhook) { return IsRight(target->second, *webhook.ca_bundle); });
}

Expected<ReadBack> DemoCluster::Read(const std::stop_token& stop) {
  ReadBack result;
  for (const bool validating : {true, false}) {
    const auto compare = [&](const runtime::ObjectPtr& object) {
      const auto target = targets_.find(object->name());
      if (target == targets_.end()) return;
      ++result.configurations;
      const auto& configuration = static_cast<const cainjector::Injectable&>(*object);
      for (const auto& webhook : configuration.fields().points) {
        ++result.webhooks;
        if (IsRight(target->second, *webhook.ca_bundle)) {
          ++result.in_sync;
        } else if (result.first_difference.empty()) {
          result.first_difference = std::string(object->name()) + " " + webhook.name;
        }
      }
    };
    auto page = client_.List(stop, ConfigurationType(validating), rest::ListOptions{}, compare);
    if (!page) return Err(page.error());
  }
  return result;
}

Expected<void> DemoCluster::CleanUp(const std::stop_token& stop) {
  if (!owns_namespace_) return {};
  Expected<void> first_error;
  const auto keep_error = [&](Expected<void> deleted) {
    if (!deleted && !IsNotFound(deleted.error()) && first_error) first_error = std::move(deleted);
  };
  for (const auto& [name, target] : targets_) {
    keep_error(client_.Delete(stop, ConfigurationType(target.validating), {"", name}));
  }
  keep_error(client_.Delete(stop, cainjector::SecretMetadataType(),
                            {options_.ns, std::string(kSourceName)}));
  keep_error(ForEach(stop, secrets_tried_, [&](const std::stop_token& group, int i) {
    auto gone = client_.Delete(group, cainjector::SecretMetadataType(),
                               {options_.ns, Numbered("secret-", i)});
    return gone || IsNotFound(gone.error()) ? Expected<void>() : gone;
  }));
  keep_error(client_.Delete(stop, api::Lease::Type(), {options_.ns, std::string(kLeaseName)}));
  keep_error(DeleteEvents(stop));
  keep_error(client_.Delete(stop, NamespaceType(), {"", options_.ns}));
  return first_error;
}

// Events on cluster-scoped objects are in the namespace default.
Expected<void> DemoCluster::DeleteEvents(const std::stop_token& stop) {
  auto events = cli::inspect::ListAll(stop, client_, api::Event::Type(), {.namespace_ = "default"});
  if (!events) return Err(std::move(events.error()));
  for (const runtime::ObjectPtr& item : *events) {
    const auto& about = static_cast<const api::Event&>(*item).fields().involved_object;
    if (about.name.rfind(kPrefix, 0) != 0) continue;
    auto deleted = client_.Delete(stop, api::Event::Type(), {"default", std::string(item->name())});
    if (!deleted && !IsNotFound(deleted.error())) return deleted;
  }
  return {};
}

}  // namespace capstan::cmd::capstan_demo
