// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/cluster.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "clientgo/api/event.h"
#include "clientgo/api/lease.h"
#include "clientgo/testing/certificates.h"
#include "cmd/capstan/demo/objects.h"
#include "cmd/capstan/demo/parallel.h"
#include "cmd/capstan/inspect/list_all.h"
#include "controllers/cainjector/rules/annotations.h"

namespace cmd::capstan::demo {

using clientgo::rest::ListOptions;
using clientgo::rest::PatchType;
using clientgo::runtime::ObjectKey;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Err;
using clientgo::util::Expected;
using controllers::cainjector::api::WebhookConfiguration;

namespace {

constexpr std::string_view kSourceName = "capstan-demo-ca";
constexpr std::string_view kLeaseName = "cert-manager-cainjector-leader-election";

}  // namespace

DemoCluster::DemoCluster(clientgo::rest::Client& client, ClusterOptions options)
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
  // The same bytes in every Secret: neither server nor client can tell.
  const std::string data(options_.secret_bytes, 'x');
  return ForEach(stop, options_.secrets, [&](const std::stop_token& group, int i) {
    for (int tried = secrets_tried_; tried <= i;) {
      if (secrets_tried_.compare_exchange_weak(tried, i + 1)) break;
    }
    const ObjectKey key{options_.ns, Numbered("secret-", i)};
    auto one =
        client_.Create(group, SecretType(), key.namespace_, SecretJson(key, {}, "blob", data));
    if (!one) return Expected<void>(Err(one.error().Wrap("failed to create " + key.String())));
    progress(++secrets_created_);
    return Expected<void>();
  });
}

// Another's is left alone, and so is all that is in it.
Expected<void> DemoCluster::CreateNamespace(const std::stop_token& stop) {
  auto created = client_.Create(stop, NamespaceType(), {}, NamespaceJson(options_.ns));
  owns_namespace_ = created.has_value();
  if (created) return {};
  if (!IsAlreadyExists(created.error())) return Err(created.error());
  return Err(created.error().reason,
             "the namespace " + options_.ns +
                 " exists, and the demo deletes what it made in it: when it is left of an earlier "
                 "demo, kubectl delete namespace " +
                 options_.ns);
}

Expected<void> DemoCluster::RotateCa(const std::stop_token& stop) {
  const bool create = expected_bundle_.empty();
  auto ca =
      clientgo::testing::MakeCa({.common_name = "capstan demo CA " + std::to_string(++serial_),
                                 .not_after = std::chrono::hours(24)});
  if (!ca) return Err(ca.error());
  current_ca_ = ca->cert_pem;
  auto written = WriteSource(stop, create);
  if (written) expected_bundle_ += current_ca_;
  return written;
}

Expected<void> DemoCluster::WriteSource(const std::stop_token& stop, bool create) {
  const ObjectKey key{options_.ns, std::string(kSourceName)};
  auto written =
      create
          ? client_.Create(stop, SecretType(), options_.ns,
                           SecretJson(key, {controllers::cainjector::kAllowDirectInjection, "true"},
                                      "ca.crt", current_ca_))
          : client_.Patch(stop, SecretType(), key, PatchType::kMerge, CaPatch(current_ca_));
  if (!written) return Err(written.error().Wrap("failed to write Secret " + key.String()));
  return {};
}

Expected<void> DemoCluster::CreateConfiguration(const std::stop_token& stop,
                                                const std::string& name, bool validating) {
  auto created = client_.Create(
      stop, ConfigurationType(validating), {},
      ConfigurationJson({.name = name,
                         .validating = validating,
                         .annotation = {controllers::cainjector::kInjectCaFromSecret,
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

Expected<ReadBack> DemoCluster::Read(const std::stop_token& stop) {
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
    if (!page) return Err(page.error());
  }
  return result;
}

Expected<void> DemoCluster::CleanUp(const std::stop_token& stop) {
  if (!owns_namespace_) return {};
  Expected<void> first_error;
  const auto note = [&](Expected<void> deleted) {
    if (!deleted && !IsNotFound(deleted.error()) && first_error) first_error = std::move(deleted);
  };
  for (const auto& [name, target] : targets_) {
    note(client_.Delete(stop, ConfigurationType(target.validating), {"", name}));
  }
  note(client_.Delete(stop, SecretType(), {options_.ns, std::string(kSourceName)}));
  note(ForEach(stop, secrets_tried_, [&](const std::stop_token& group, int i) {
    auto gone = client_.Delete(group, SecretType(), {options_.ns, Numbered("secret-", i)});
    return gone || IsNotFound(gone.error()) ? Expected<void>() : gone;
  }));
  note(client_.Delete(stop, clientgo::api::Lease::Type(), {options_.ns, std::string(kLeaseName)}));
  note(DeleteEvents(stop));
  note(client_.Delete(stop, NamespaceType(), {"", options_.ns}));
  return first_error;
}

// Those on the demo's configurations, which are in no namespace, are in default.
Expected<void> DemoCluster::DeleteEvents(const std::stop_token& stop) {
  auto events =
      inspect::ListAll(stop, client_, clientgo::api::Event::Type(), {.namespace_ = "default"});
  if (!events) return Err(std::move(events.error()));
  for (const ObjectPtr& item : *events) {
    const auto& about = static_cast<const clientgo::api::Event&>(*item).fields().involved_object;
    if (about.name.rfind(kPrefix, 0) != 0) continue;
    auto deleted =
        client_.Delete(stop, clientgo::api::Event::Type(), {"default", std::string(item->name())});
    if (!deleted && !IsNotFound(deleted.error())) return deleted;
  }
  return {};
}

}  // namespace cmd::capstan::demo
