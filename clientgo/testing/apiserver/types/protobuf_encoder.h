// SPDX-License-Identifier: Apache-2.0
// Writes objects that are JSON in Kubernetes' protobuf, byte for byte as Go does: fields in the
// order of their numbers, values that are no pointers also when they are zero, maps in the order of
// their keys. Mirrors k8s.io/apimachinery/pkg/runtime/serializer/protobuf. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/runtime/json_value.h"
#include "clientgo/runtime/protobuf/api_types.h"

namespace capstan::testing::apiserver {

// Returns the fields of `object`. A member that the message lacks is left out.
std::string EncodeMessage(const runtime::Message& message, const runtime::JsonValue& object);

// Returns a whole object with its envelope. `object` has a kind and an apiVersion. Empty: the kind
// has no protobuf.
std::string ProtobufFromJson(const runtime::JsonValue& object);

// The same for an object that is a JSON text.
std::string ProtobufFromText(std::string_view json);

// Returns an event of a watch with its length. `object` is what ProtobufFromJson returns.
std::string EncodeWatchEvent(std::string_view type, std::string_view object);

// Returns what is written before the items of a list, whose kind, apiVersion and metadata
// `list_head` has. `items_bytes` is the sum of their sizes, as EncodeListItem returns them;
// kProtobufTail is written behind them.
std::string EncodeListHead(const runtime::JsonValue& list_head, std::size_t items_bytes);
std::string EncodeListItem(const runtime::Message& message, const runtime::JsonValue& item);
inline constexpr std::string_view kProtobufTail("\x1a\0\x22\0", 4);  // of every envelope

}  // namespace capstan::testing::apiserver
