// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/quota_controller.h"

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

}  // namespace

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
    const WriteRequest request{.resource = &Quotas(),
                               .namespace_ = item.key,
                               .name = std::string(Metadata(*quota, "name")),
                               .subresource = "status",
                               .field_manager = "kube-controller-manager",
                               .in_process = true};
    const Json patch =
        Json::List({Json{{"op", "add"},
                         {"path", "/status"},
                         {"value", {{"hard", ToJson(hard)}, {"used", ToJson(used)}}}}});
    const auto patched = registry_.Patch(request, PatchKind::kJson, patch.text());
    if (patched) continue;
    WarningS("Failed to update a quota", "namespace", item.key, "name", request.name, "err",
             patched.error().message);
  }
}

}  // namespace capstan::testing::apiserver
