// SPDX-License-Identifier: Apache-2.0
// Label and field selectors: the whole label grammar, and the field paths that kube-apiserver
// supports for the kinds here. Mirrors k8s.io/apimachinery/pkg/labels and fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/label_selector.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Reports whether an object with these labels, a map, meets all requirements.
bool MatchesLabels(const std::vector<LabelRequirement>& requirements,
                   const runtime::JsonValue& labels);

struct FieldRequirement {
  std::string path = {};            // in the object
  std::string_view otherwise = {};  // the path that is read if the first has no text
  std::string_view fallback = {};   // the text of a missing value
  std::string value = {};
  bool equal = true;
};

Result<std::vector<FieldRequirement>> ParseFieldSelector(const Resource& resource,
                                                         std::string_view text);

class Selector {
 public:
  Selector() = default;
  static Result<Selector> Parse(const Resource& resource, std::string_view labels,
                                std::string_view fields);
  bool empty() const { return labels_.empty() && fields_.empty(); }
  bool Matches(const Object& object) const;
  // Returns false when no object with this key ("namespace/name", or "name") matches. It does not
  // parse the object: like kube-apiserver, a list of one name costs little.
  bool MayMatchKey(std::string_view key) const;

 private:
  std::vector<LabelRequirement> labels_;
  std::vector<FieldRequirement> fields_;
};

}  // namespace capstan::testing::apiserver
