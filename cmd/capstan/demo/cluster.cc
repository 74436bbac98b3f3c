// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/cluster.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "clientgo/api/gvr.h"
#include "clientgo/api/object_metadata.h"
#include "clientgo/api/webhook_configuration.h"
#include "clientgo/testing/certificates.h"
#include "clientgo/util/base64.h"
#include "clientgo/util/interner.h"
#include "clientgo/util/mutex.h"
#include "clientgo/util/thread.h"

namespace cmd::capstan::demo {

using clientgo::api::MakeMetadataType;
using clientgo::api::WebhookConfiguration;
using clientgo::rest::ListOptions;
using clientgo::rest::PatchType;
using clientgo::runtime::ObjectKey;
using clientgo::runtime::ObjectPtr;
using clientgo::runtime::ResourceType;
using clientgo::util::Expected;

namespace {

constexpr int kWriters = 4;
constexpr std::string_view kSourceName = "capstan-demo-ca";
constexpr std::string_view kPrefix = "capstan-demo-";
constexpr std::string_view kWebhookSuffix = ".capstan-demo.example.com";

const ResourceType& NamespaceType() {
  static const ResourceType type =
      MakeMetadataType({.gvr = {"", "v1", "namespaces"}, .kind = "Namespace"});
  return type;
}

const ResourceType& SecretType() {
  static const ResourceType type = MakeMetadataType(
      {.gvr = clientgo::api::SecretsResource(), .kind = "Secret", .namespaced = true});
  return type;
}

std::string Numbered(std::string_view prefix, int number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%05d", number);
  return std::string(prefix) + digits;
}

std::string SecretJson(const std::string& ns, const std::string& name, const std::string& data) {
  return R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":")" + name +
         R"(","namespace":")" + ns + R"("},"data":{"blob":")" + data + R"("}})";
}

Expected<void> IgnoreAlreadyExists(const Expected<ObjectPtr>& created) {
  if (created || IsAlreadyExists(created.error())) return {};
  return clientgo::util::Err(created.error());
}

}  // namespace

const ResourceType& ConfigurationType(bool validating) {
  static const clientgo::api::WebhookTypeOptions options{
      .bundles = std::make_shared<clientgo::util::Interner>()};
  static const ResourceType validating_type =
      clientgo::api::MakeValidatingWebhookConfigurationType(options);
  static const ResourceType mutating_type =
      clientgo::api::MakeMutatingWebhookConfigurationType(options);
  return validating ? validating_type : mutating_type;
}

DemoCluster::DemoCluster(clientgo::rest::Client& client, ClusterOptions options)
    : client_(client), options_(std::move(options)) {
  for (int i = 0; i < options_.configurations; ++i) {
    targets_[Numbered(kPrefix, serial_++)] = {.validating = i % 2 == 0};
  }
}

Expected<void> DemoCluster::Fill(std::stop_token stop,
                                 const std::function<void(int created)>& progress) {
  const std::string ns =
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + options_.ns + R"("}})";
  auto made = IgnoreAlreadyExists(client_.Create(stop, NamespaceType(), {}, ns));
  if (made) made = RotateCa(stop);
  for (const auto& [name, target] : targets_) {
    if (made) made = CreateConfiguration(stop, name, target.validating);
  }
  if (!made) return made;
  // The same bytes in every Secret: neither server nor client can tell, and filling stays quick.
  const std::string data = clientgo::util::Base64Encode(std::string(options_.secret_bytes, 'x'));
  std::atomic<int> next{0};
  std::atomic<int> created{0};
  clientgo::util::Mutex mu;
  Expected<void> first_error;
  clientgo::util::LinkedStopSource group(stop);
  const auto write = [&](const std::stop_token&) {
    for (int i = next++; i < options_.secrets && !group.token().stop_requested(); i = next++) {
      const std::string body = SecretJson(options_.ns, Numbered("secret-", i), data);
      auto one =
          IgnoreAlreadyExists(client_.Create(group.token(), SecretType(), options_.ns, body));
      if (!one) {
        clientgo::util::MutexLock lock(mu);
        if (first_error) first_error = std::move(one);
        group.RequestStop();
        return;
      }
      progress(++created);
    }
  };
  {
    std::vector<std::jthread> writers;
    writers.reserve(kWriters);
    for (int i = 0; i < kWriters; ++i) {
      writers.push_back(clientgo::util::StartThread("demo-writer", write));
    }
  }
  return first_error;
}

Expected<void> DemoCluster::RotateCa(std::stop_token stop) {
  const bool create = expected_bundle_.empty();
  auto ca =
      clientgo::testing::MakeCa({.common_name = "capstan demo CA " + std::to_string(++serial_),
                                 .not_after = std::chrono::hours(24)});
  if (!ca) return clientgo::util::Err(ca.error());
  current_ca_ = ca->cert_pem;
  auto written = WriteSource(stop, create);
  if (written) expected_bundle_ += current_ca_;
  return written;
}

Expected<void> DemoCluster::WriteSource(std::stop_token stop, bool create) {
  const std::string data =
      R"("data":{"ca.crt":")" + clientgo::util::Base64Encode(current_ca_) + R"("}})";
  const ObjectKey key{options_.ns, std::string(kSourceName)};
  if (!create) {
    auto patched = client_.Patch(stop, SecretType(), key, PatchType::kMerge, "{" + data);
    if (!patched) return clientgo::util::Err(patched.error());
    return {};
  }
  const std::string body =
      R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":")" + key.name +
      R"(","namespace":")" + key.namespace_ +
      R"(","annotations":{"cert-manager.io/allow-direct-injection":"true"}},)" + data;
  auto created = client_.Create(stop, SecretType(), options_.ns, body);
  if (!created)
    return clientgo::util::Err(created.error().Wrap("failed to create " + key.String()));
  return {};
}

Expected<void> DemoCluster::CreateConfiguration(std::stop_token stop, const std::string& name,
                                                bool validating) {
  std::string webhooks;
  for (int i = 0; i < options_.webhooks_each; ++i) {
    if (i > 0) webhooks += ',';
    // No rule: nothing is ever sent to it, whatever cluster this runs on.
    webhooks += R"({"name":"w)" + std::to_string(i) + std::string(kWebhookSuffix) +
                R"(","admissionReviewVersions":["v1"],"sideEffects":"None","rules":[],)" +
                R"("clientConfig":{"service":{"namespace":")" + options_.ns +
                R"(","name":"webhook"}}})";
  }
  const std::string kind = validating ? "Validating" : "Mutating";
  const std::string body = R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":")" + kind +
                           R"(WebhookConfiguration","metadata":{"name":")" + name +
                           R"(","annotations":{"cert-manager.io/inject-ca-from-secret":")" +
                           options_.ns + "/" + std::string(kSourceName) + R"("}},"webhooks":[)" +
                           webhooks + "]}";
  auto created = client_.Create(stop, ConfigurationType(validating), {}, body);
  if (!created) return clientgo::util::Err(created.error().Wrap("failed to create " + name));
  return {};
}

Expected<void> DemoCluster::AddConfiguration(std::stop_token stop) {
  const std::string name = Numbered(kPrefix, 10'000 + ++serial_);
  auto created = CreateConfiguration(stop, name, true);
  if (created) targets_[name] = {.validating = true, .late = true};
  return created;
}

Expected<void> DemoCluster::DeleteConfiguration(std::stop_token stop) {
  const auto first = targets_.begin();
  auto deleted =
      client_.Delete(stop, ConfigurationType(first->second.validating), {"", first->first});
  if (deleted) targets_.erase(first);
  return deleted;
}

bool DemoCluster::IsRight(const Target& target, const std::string& bundle) const {
  if (!target.late) return bundle == expected_bundle_;
  // The newest CA, and before it any number of older ones, in their order.
  const std::string_view all = expected_bundle_;
  return bundle.size() >= current_ca_.size() && bundle.size() <= all.size() &&
         all.substr(all.size() - bundle.size()) == bundle && bundle.rfind("-----BEGIN", 0) == 0;
}

bool DemoCluster::IsInSync(const WebhookConfiguration& configuration) const {
  const auto target = targets_.find(configuration.name());
  if (target == targets_.end()) return false;
  return std::all_of(
      configuration.webhooks().begin(), configuration.webhooks().end(),
      [&](const auto& webhook) { return IsRight(target->second, *webhook.ca_bundle); });
}

Expected<ReadBack> DemoCluster::Read(std::stop_token stop) {
  ReadBack result;
  for (const bool validating : {true, false}) {
    const auto compare = [&](const ObjectPtr& object) {
      const auto target = targets_.find(object->name());
      if (target == targets_.end()) return;
      ++result.configurations;
      const auto& configuration = static_cast<const WebhookConfiguration&>(*object);
      for (const auto& webhook : configuration.webhooks()) {
        ++result.webhooks;
        if (IsRight(target->second, *webhook.ca_bundle)) {
          ++result.in_sync;
        } else if (result.first_difference.empty()) {
          result.first_difference = std::string(object->name()) + " " + webhook.name;
        }
      }
    };
    auto page = client_.List(stop, ConfigurationType(validating), ListOptions{}, compare);
    if (!page) return clientgo::util::Err(page.error());
  }
  return result;
}

Expected<void> DemoCluster::CleanUp(std::stop_token stop) {
  Expected<void> first_error;
  const auto note = [&](Expected<void> deleted) {
    if (!deleted && !IsNotFound(deleted.error()) && first_error) first_error = std::move(deleted);
  };
  for (const auto& [name, target] : targets_) {
    note(client_.Delete(stop, ConfigurationType(target.validating), {"", name}));
  }
  note(client_.Delete(stop, SecretType(), {options_.ns, std::string(kSourceName)}));
  for (int i = 0; i < options_.secrets; ++i) {
    note(client_.Delete(stop, SecretType(), {options_.ns, Numbered("secret-", i)}));
  }
  note(client_.Delete(stop, NamespaceType(), {"", options_.ns}));
  return first_error;
}

}  // namespace cmd::capstan::demo
