// SPDX-License-Identifier: Apache-2.0
#include "capstan/api/object_metadata.h"

#include <memory>
#include <utility>

#include "capstan/api/packed_string_map.h"
#include "clientgo/runtime/json.h"

namespace capstan::api {
namespace {

class AnnotatedObjectMetadata final : public ObjectMetadata {
 public:
  AnnotatedObjectMetadata(const runtime::ObjectIdentity& meta, PackedStringMap annotations)
      : ObjectMetadata(meta), annotations_(std::move(annotations)) {}

  std::optional<std::string_view> Annotation(std::string_view name) const override {
    return annotations_.Find(name);
  }
  std::size_t ByteSize() const override { return BlockBytes() + annotations_.HeapBytes(); }

 private:
  PackedStringMap annotations_;
};

}  // namespace

runtime::ResourceType MakeMetadataType(MetadataTypeOptions options) {
  auto keys = std::make_shared<const PackedStringMap::Keys>(std::move(options.annotations));
  auto decode = [keys, bytes_max = options.annotation_bytes_max](
                    const runtime::ObjectIdentity& meta,
                    const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
    PackedStringMap annotations(keys, runtime::FindPath(value, {"metadata", "annotations"}),
                                bytes_max);
    if (annotations.empty()) return runtime::MakeObject<ObjectMetadata>(meta);
    return runtime::MakeObject<AnnotatedObjectMetadata>(meta, std::move(annotations));
  };
  return {.gvr = std::move(options.gvr),
          .kind = std::move(options.kind),
          .namespaced = options.namespaced,
          .metadata_only = true,
          .projection = runtime::Projection(AnnotationPaths(*keys)),
          .decode = std::move(decode)};
}

bool IsDeleting(const runtime::JsonValue& object) {
  const runtime::JsonValue* at = runtime::FindPath(object, {"metadata", "deletionTimestamp"});
  return at != nullptr && !at->IsNull();
}

}  // namespace capstan::api
