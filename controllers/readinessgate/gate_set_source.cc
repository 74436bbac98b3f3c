// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gate_set_source.h"

#include <memory>
#include <utility>

#include "clientgo/api/config_map.h"
#include "clientgo/util/logging.h"
#include "controllers/readinessgate/why_unknown.h"
#include "controllers/runtime/cache_sync.h"

namespace controllers::readinessgate {

using clientgo::api::ConfigMap;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Kv;

GateSetSource::GateSetSource(const Collaborators& with, clientgo::runtime::ObjectKey config_map,
                             clientgo::cache::ReflectorOptions reflector)
    : with_(with),
      key_(std::move(config_map)),
      reflector_(std::move(reflector)),
      informers_(with.client, {.reflector = reflector_}) {
  informer_ = &informers_.ForType(
      ConfigMap::Type(),
      {.namespace_ = key_.namespace_, .field_selector = "metadata.name=" + key_.name});
  const auto changed = [this] { with_.on_change(); };
  const auto added = informer_->AddEventHandler(
      {.on_add = [changed](const ObjectPtr&, bool) { changed(); },
       .on_update = [changed](const ObjectPtr&, const ObjectPtr&) { changed(); },
       .on_delete = [changed](const ObjectPtr&, bool) { changed(); }});
  CHECK(added) << added.error().message;
}

void GateSetSource::Start(std::stop_token stop) { informers_.Start(std::move(stop)); }

bool GateSetSource::IsSettled() const {
  return informer_->HasSynced() || IsDenied(informer_->Status());
}

std::string GateSetSource::WhyUnknown() const {
  if (informer_->HasSynced()) return {};
  return readinessgate::WhyUnknown(*informer_, key_.namespace_);
}

clientgo::util::Expected<void> GateSetSource::Ready() const {
  if (informer_->HasSynced()) return {};
  return clientgo::util::Err(
      clientgo::util::ErrorReason::kUnknown,
      "gate sets: " + runtime::WhyNotSynced("configmaps/" + key_.String(), informer_->Status(),
                                            reflector_.clock.Now()));
}

bool GateSetSource::Refresh() {
  const auto config_map =
      std::static_pointer_cast<const ConfigMap>(informer_->store().GetByKey(key_.String()));
  if (config_map == nullptr) {
    if (!version_.empty()) {
      LOG(WARNING) << Kv("The ConfigMap with the gate sets is gone, keeping the last ones",
                         "configMap", key_.String());
      with_.reloads.Add({"gone"});
      version_.clear();
    }
    return false;
  }
  if (config_map->resource_version() == version_) return false;
  version_ = config_map->resource_version();
  auto sets = ParseGateSets(*config_map, sets_);
  if (!sets) {
    with_.reloads.Add({"invalid"});
    LOG(WARNING) << Kv("The gate sets are not valid, keeping the last ones", "configMap",
                       key_.String(), "err", sets.error());
    with_.events.Event({.api_version = "v1",
                        .kind = "ConfigMap",
                        .namespace_ = key_.namespace_,
                        .name = key_.name,
                        .uid = std::string(config_map->uid())},
                       clientgo::record::kEventTypeWarning, "InvalidGateSets",
                       sets.error().message + "; the last valid gate sets stay in use");
    return false;
  }
  with_.reloads.Add({"success"});
  sets_ = *std::move(sets);
  LOG(INFO) << Kv("Gate sets are read", "configMap", key_.String(), "sets", sets_.size());
  return true;
}

}  // namespace controllers::readinessgate
