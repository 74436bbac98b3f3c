// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/api/trust_bundle.h"

#include <utility>

#include "capstan/clientgo/api/gvr.h"
#include "capstan/clientgo/runtime/json_value.h"
#include "capstan/clientgo/util/heap.h"
#include "capstan/clientgo/util/interner.h"

namespace capstan::controllers::cainjector::api {
namespace {

using clientgo::runtime::FindPath;
using clientgo::runtime::JsonValue;
using clientgo::runtime::ObjectIdentity;
using clientgo::runtime::ObjectPtr;
using clientgo::runtime::ResourceType;
using clientgo::util::HeapBytesOf;

std::string_view TextAt(const JsonValue& object, std::initializer_list<std::string_view> path) {
  const JsonValue* value = FindPath(object, path);
  if (value == nullptr) return {};
  return clientgo::runtime::AsString(*value).value_or(std::string_view());
}

ClusterTrustBundle::Labels LabelsOf(const JsonValue& object) {
  ClusterTrustBundle::Labels labels;
  const JsonValue* map = FindPath(object, {"metadata", "labels"});
  if (map == nullptr) return labels;
  for (const auto& [name, value] : clientgo::runtime::JsonMembers(*map)) {
    if (const auto text = clientgo::runtime::AsString(value)) labels.emplace(name, *text);
  }
  return labels;
}

ResourceType MakeType(std::string version) {
  static clientgo::util::Interner bundles;
  return {.gvr = clientgo::api::ClusterTrustBundlesResource(std::move(version)),
          .kind = "ClusterTrustBundle",
          .projection = {{"spec", "signerName"}, {"spec", "trustBundle"}, {"metadata", "labels"}},
          .decode = [](const ObjectIdentity& meta,
                       const JsonValue& value) -> clientgo::util::Expected<ObjectPtr> {
            return clientgo::runtime::MakeObject<ClusterTrustBundle>(
                meta, ClusterTrustBundle::Fields{
                          .signer_name = std::string(TextAt(value, {"spec", "signerName"})),
                          .trust_bundle = bundles.Intern(TextAt(value, {"spec", "trustBundle"})),
                          .labels = LabelsOf(value)});
          }};
}

}  // namespace

const ResourceType& ClusterTrustBundle::TypeV1() {
  static const ResourceType type = MakeType("v1");
  return type;
}

const ResourceType& ClusterTrustBundle::TypeV1Beta1() {
  static const ResourceType type = MakeType("v1beta1");
  return type;
}

ClusterTrustBundle::ClusterTrustBundle(const ObjectIdentity& meta, Fields fields)
    : Object(meta), fields_(std::move(fields)) {}

std::size_t ClusterTrustBundle::ByteSize() const {
  constexpr std::size_t kNodeBytes =
      clientgo::util::HeapBlockBytes(sizeof(Labels::value_type) + 4 * sizeof(void*));
  std::size_t bytes = BlockBytes() + HeapBytesOf(fields_.signer_name);
  for (const auto& [name, value] : fields_.labels) {
    bytes += kNodeBytes + HeapBytesOf(name) + HeapBytesOf(value);
  }
  return bytes;
}

}  // namespace capstan::controllers::cainjector::api
