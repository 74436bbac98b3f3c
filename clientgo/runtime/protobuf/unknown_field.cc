// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/protobuf/unknown_field.h"

#include <vector>

namespace capstan::runtime {
namespace {

using Node = Projection::Node;

std::string UnknownPath(const Message& message, const Node& node) {
  if (node.keep_all) return {};
  for (const Node& child : node.children) {
    const Field* const field = message.Find(child.key);
    if (field == nullptr) return child.key;
    if (field->type != FieldType::kMessage || child.keep_all) continue;
    std::string below;
    if (field->shape == Field::Shape::kMap) {
      for (const Node& entry : child.children) {
        if (below.empty()) below = UnknownPath(*field->message, entry);
      }
    } else if (field->message->form() == Message::Union::kNone) {
      below = UnknownPath(*field->message, child);
    }
    if (!below.empty()) return child.key + "." + below;
  }
  return {};
}

}  // namespace

// A WireProjection has a path that the type did not ask for: that of a Status.
std::string UnknownField(const Message& message, const Node& object) {
  if (object.keep_all) return {};
  Node declared = object;
  std::erase_if(declared.children, [](const Node& child) { return child.key == "message"; });
  return UnknownPath(message, declared);
}

}  // namespace capstan::runtime
