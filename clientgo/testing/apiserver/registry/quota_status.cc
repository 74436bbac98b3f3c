// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/quota_status.h"

#include <string_view>
#include <vector>

#include "capstan/log.h"
#include "clientgo/testing/apiserver/admission/quota.h"

namespace capstan::testing::apiserver {
namespace {

const Resource& Quotas() {
  static const Resource& quotas = *FindResource("", "v1", "resourcequotas");
  return quotas;
}

Json ToJson(const Amounts& amounts) {
  Json json = Json::Object();
  for (const auto& [name, amount] : amounts) json.Add(name, amount.Text());
  return json;
}

// Sets the value at this path of the status of a quota.
Result<Written> SetStatus(Registry& registry, std::string_view ns, std::string_view quota,
                          std::string_view manager, std::string_view path, const Json& value) {
  const WriteRequest request{.resource = &Quotas(),
                             .namespace_ = std::string(ns),
                             .name = std::string(quota),
                             .subresource = "status",
                             .field_manager = std::string(manager),
                             .in_process = true};
  const Json patch = Json::List({Json{{"op", "add"}, {"path", path}, {"value", value}}});
  return registry.Patch(request, PatchKind::kJson, patch.text());
}

}  // namespace

std::optional<Status> ChargeQuotas(Registry& registry, const PluginRequest& request,
                                   const runtime::JsonDocument& next, bool dry_run) {
  auto charges = ChargesOf(request, next);
  if (!charges) return std::move(charges.error());
  if (dry_run) return std::nullopt;
  for (const QuotaCharge& charge : *charges) {
    const auto set = SetStatus(registry, request.namespace_, charge.quota, "kube-apiserver",
                               "/status/used", ToJson(charge.used));
    if (!set) return set.error();
  }
  return std::nullopt;
}

void QuotaController::Observe(const Resource& resource, const Event& event) {
  if (!resource.namespaced) return;
  const std::string ns = event.key.substr(0, event.key.find('/'));
  if (&resource == &Quotas()) {
    if (event.type == EventType::kAdded) ++quotas_[ns];
    if (event.type == EventType::kDeleted && --quotas_[ns] == 0) quotas_.erase(ns);
  }
  if (quotas_.contains(ns)) Add({.resource = &Quotas(), .key = ns});
}

void QuotaController::Process(const Item& item) {
  std::vector<ObjectPtr> quotas;
  storage_.Visit(Quotas(), item.key, storage_.resource_version(), "",
                 [&](const Storage::Entry& entry) {
                   quotas.push_back(entry.object);
                   return true;
                 });
  for (const ObjectPtr& object : quotas) {
    const auto quota = ParseObject(*object);
    const Amounts hard = ParseAmounts(ObjectAt(ObjectAt(*quota, "spec"), "hard"));
    const Amounts used = UsageOf(storage_, item.key, *quota, hard);
    const runtime::JsonValue& status = ObjectAt(*quota, "status");
    const bool same = Json(ObjectAt(status, "hard")) == ToJson(hard) &&
                      Json(ObjectAt(status, "used")) == ToJson(used);
    if (same) continue;
    const std::string name(Metadata(*quota, "name"));
    const auto set = SetStatus(registry_, item.key, name, "kube-controller-manager", "/status",
                               {{"hard", ToJson(hard)}, {"used", ToJson(used)}});
    if (set) continue;
    WarningS("Failed to update a quota", "namespace", item.key, "name", name, "err",
             set.error().message);
  }
}

}  // namespace capstan::testing::apiserver
