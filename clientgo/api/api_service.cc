// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/api_service.h"

#include <utility>

#include "clientgo/api/ca_bundle.h"
#include "clientgo/api/gvr.h"
#include "clientgo/runtime/json.h"

namespace clientgo::api {

ApiService::ApiService(const runtime::ObjectMeta& meta, KeptStrings annotations, Fields fields)
    : Object(meta), annotations_(std::move(annotations)), fields_(std::move(fields)) {}

std::size_t ApiService::ByteSize() const {
  return sizeof *this + TextSize() + annotations_.HeapBytes();
}

runtime::ResourceType MakeApiServiceType(ApiServiceTypeOptions options) {
  auto keys = std::make_shared<const KeptStrings::Keys>(std::move(options.annotations));
  auto paths = AnnotationPaths(*keys);
  paths.push_back({"metadata", "deletionTimestamp"});
  paths.push_back({"spec", "caBundle"});
  paths.push_back({"spec", "insecureSkipTLSVerify"});
  paths.push_back({"spec", "service", "name"});
  for (auto& path : ManagerEntriesPaths(options.field_manager)) paths.push_back(std::move(path));
  auto decode = [keys, bundles = std::move(options.bundles),
                 manager = std::move(options.field_manager)](
                    const runtime::ObjectMeta& meta,
                    const runtime::JsonValue& value) -> util::Expected<runtime::ObjectPtr> {
    auto bundle = DecodeCaBundle(runtime::Find(value, "spec"), "the spec", *bundles);
    if (!bundle) return util::Err(std::move(bundle.error()));
    const runtime::JsonValue* skip = runtime::FindPath(value, {"spec", "insecureSkipTLSVerify"});
    return std::make_shared<const ApiService>(
        meta, KeptStrings(keys, runtime::FindPath(value, {"metadata", "annotations"})),
        ApiService::Fields{
            .ca_bundle = *std::move(bundle),
            .has_service = runtime::FindPath(value, {"spec", "service", "name"}) != nullptr,
            .insecure_skip_tls_verify = skip != nullptr && skip->IsTrue(),
            .deleting = IsDeleting(value),
            .manager_entries = FindManagerEntries(value, manager)});
  };
  return {.gvr = ApiServicesResource(),
          .kind = "APIService",
          .projection = runtime::Projection(paths),
          .decode = std::move(decode)};
}

}  // namespace clientgo::api
