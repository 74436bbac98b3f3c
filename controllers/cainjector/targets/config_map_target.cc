// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/config_map_target.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/api/gvr.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {
namespace {

Expected<Injectable::Fields> DecodeConfigMap(const runtime::JsonValue& object, Interner& bundles) {
  const runtime::JsonValue* named =
      runtime::FindPath(object, {"metadata", "annotations", kInjectCaKey});
  const std::string_view key =
      named == nullptr ? std::string_view("ca.crt") : runtime::AsString(*named).value_or("");
  Injectable::Fields fields;
  if (!IsDataKey(key)) {
    fields.exclusion = Injectable::Exclusion::kBadKey;
    return fields;
  }
  const runtime::JsonValue* data = runtime::Find(object, "data");
  const std::string_view text =
      data == nullptr ? std::string_view() : runtime::GetString(*data, key);
  fields.points.push_back({.name = std::string(key), .ca_bundle = bundles.Intern(text)});
  return fields;
}

TargetOptions ConfigMapOptions() {
  TargetTypeOptions options = CommonTypeOptions();
  // SourceLoops reads these two.
  options.annotations.insert(options.annotations.begin(),
                             {std::string(kInjectCaKey), std::string(kAllowInjectionInto)});
  auto annotations = options.annotations;
  auto type = MakeInjectableType({.gvr = api::ConfigMapsResource(),
                                  .kind = "ConfigMap",
                                  .namespaced = true,
                                  .paths = {{"data"}},
                                  .decode = DecodeConfigMap},
                                 std::move(options));
  auto cached_type = AnnotationsType(type, std::move(annotations));
  return {.content_type = std::move(type),
          .cached_type = std::move(cached_type),
          .write_bundles =
              [](runtime::JsonWriter& writer, const Injectable& object,
                 const std::vector<std::string>& bundles) {
                writer.Key("data");
                writer.StartObject();
                runtime::WriteField(writer, object.fields().points.front().name, bundles.front());
                writer.EndObject();
              },
          .force = false,
          .place_may_move = true,
          .label_selector = std::string(kInjectableConfigMaps),
          .optional = true,
          .size_limit = {.bytes_max = std::size_t{1024} * 1024,
                         .subject = "kube-apiserver accepts at most ",
                         .unit = " bytes of data in a ConfigMap"}};
}

}  // namespace

const Target& ConfigMapTarget() {
  static const Target target(ConfigMapOptions());
  return target;
}

}  // namespace capstan::cainjector
