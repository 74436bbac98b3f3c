// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/api/trust_bundle.h"

#include <utility>

#include "capstan/api/gvr.h"
#include "capstan/heap.h"
#include "capstan/interner.h"
#include "capstan/runtime/json_value.h"

namespace capstan::cainjector {
namespace {

std::string_view TextAt(const runtime::JsonValue& object,
                        std::initializer_list<std::string_view> path) {
  const runtime::JsonValue* value = runtime::FindPath(object, path);
  if (value == nullptr) return {};
  return runtime::AsString(*value).value_or(std::string_view());
}

ClusterTrustBundle::Labels LabelsOf(const runtime::JsonValue& object) {
  ClusterTrustBundle::Labels labels;
  const runtime::JsonValue* map = runtime::FindPath(object, {"metadata", "labels"});
  if (map == nullptr) return labels;
  for (const auto& [name, value] : runtime::JsonMembers(*map)) {
    if (const auto text = runtime::AsString(value)) labels.emplace(name, *text);
  }
  return labels;
}

runtime::ResourceType MakeType(std::string version) {
  static Interner bundles;
  return {.gvr = api::ClusterTrustBundlesResource(std::move(version)),
          .kind = "ClusterTrustBundle",
          .projection = {{"spec", "signerName"}, {"spec", "trustBundle"}, {"metadata", "labels"}},
          .decode = [](const runtime::ObjectIdentity& meta,
                       const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
            return runtime::MakeObject<ClusterTrustBundle>(
                meta, ClusterTrustBundle::Fields{
                          .signer_name = std::string(TextAt(value, {"spec", "signerName"})),
                          .trust_bundle = bundles.Intern(TextAt(value, {"spec", "trustBundle"})),
                          .labels = LabelsOf(value)});
          }};
}

}  // namespace

const runtime::ResourceType& ClusterTrustBundle::TypeV1() {
  static const runtime::ResourceType type = MakeType("v1");
  return type;
}

const runtime::ResourceType& ClusterTrustBundle::TypeV1Beta1() {
  static const runtime::ResourceType type = MakeType("v1beta1");
  return type;
}

ClusterTrustBundle::ClusterTrustBundle(const runtime::ObjectIdentity& meta, Fields fields)
    : Object(meta), fields_(std::move(fields)) {}

std::size_t ClusterTrustBundle::ByteSize() const {
  constexpr std::size_t kNodeBytes = HeapBlockBytes(sizeof(Labels::value_type) + 4 * sizeof(void*));
  std::size_t bytes = BlockBytes() + HeapBytesOf(fields_.signer_name);
  for (const auto& [name, value] : fields_.labels) {
    bytes += kNodeBytes + HeapBytesOf(name) + HeapBytesOf(value);
  }
  return bytes;
}

}  // namespace capstan::cainjector
