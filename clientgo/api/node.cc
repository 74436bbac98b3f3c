// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/node.h"

#include <memory>

#include "clientgo/api/gvr.h"

namespace clientgo::api {

const runtime::ResourceType& Node::Type() {
  static const runtime::ResourceType type = {
      .gvr = NodesResource(),
      .kind = "Node",
      .namespaced = false,
      .projection = {{"status", "conditions", "type"}, {"status", "conditions", "status"}},
      .decode = [](const runtime::ObjectMeta& meta,
                   const runtime::JsonValue& value) -> util::Expected<runtime::ObjectPtr> {
        return std::make_shared<const Node>(meta, DecodeConditions(value));
      }};
  return type;
}

}  // namespace clientgo::api
