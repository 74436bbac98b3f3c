// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/clientcmd/manifest.h"

#include <yaml-cpp/yaml.h>

#include <utility>

#include "capstan/clientgo/clientcmd/internal/yaml.h"

namespace capstan::clientgo::clientcmd {
namespace {

bool IsList(const YAML::Node& document) {
  if (!document.IsMap()) return false;
  const YAML::Node kind = document["kind"];
  const YAML::Node items = document["items"];
  return kind.IsDefined() && kind.IsScalar() && kind.Scalar().ends_with("List") &&
         items.IsDefined() && items.IsSequence();
}

}  // namespace

util::Expected<std::vector<Manifest>> ParseManifests(std::string_view text,
                                                     const std::string& name) {
  std::vector<Manifest> manifests;
  const auto add = [&](const YAML::Node& object) -> util::Expected<void> {
    std::string where = FileAndLine(name, object.Mark());
    auto json = ToJson(object);
    if (!json) return util::Err(json.error().reason, where + ": " + json.error().message);
    manifests.push_back({.json = *std::move(json), .where = std::move(where)});
    return {};
  };
  try {
    for (const YAML::Node& document : YAML::LoadAll(std::string(text))) {
      if (IsList(document)) {
        for (const YAML::Node& item : document["items"]) {
          if (auto added = add(item); !added) return util::Err(std::move(added.error()));
        }
      } else if (!document.IsNull()) {
        if (auto added = add(document); !added) return util::Err(std::move(added.error()));
      }
    }
  } catch (const YAML::Exception& error) {
    return util::Err(util::ErrorReason::kInvalidArgument,
                     FileAndLine(name, error.mark) + ": not YAML: " + Problem(error));
  }
  return manifests;
}

}  // namespace capstan::clientgo::clientcmd
