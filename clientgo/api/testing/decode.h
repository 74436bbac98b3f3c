// SPDX-License-Identifier: Apache-2.0
// Test support that decodes a body with the filter and the decoders, as the REST client does.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_filter.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::api {

inline Expected<runtime::ObjectPtr> DecodeBody(const runtime::ResourceType& type,
                                               std::string_view body) {
  runtime::JsonFilter filter(type.projection.object(), {});
  const auto taken = filter.Feed(body);
  if (!taken) return Err(taken.error());
  if (!filter.HasFrame()) return Err(ErrorReason::kUnexpectedEof, "no frame");
  return runtime::DecodeObject(type, filter.frame(), filter.frame_size());
}

// Decodes an object, and fails the test on an error.
template <class T>
runtime::ObjectPtrTo<T> MustDecode(const runtime::ResourceType& type, std::string_view body) {
  auto object = DecodeBody(type, body);
  if (!object) {
    ADD_FAILURE() << object.error().message;
    return nullptr;
  }
  return runtime::DynamicObjectCast<T>(*object);
}

template <class T>
std::vector<runtime::ObjectPtrTo<T>> MustDecodeList(const runtime::ResourceType& type,
                                                    std::string_view body) {
  using Filter = runtime::JsonFilter;
  std::vector<runtime::ObjectPtrTo<T>> items;
  Filter filter(type.projection.list(), {.framing = Filter::Framing::kList});
  while (!body.empty()) {
    const auto taken = filter.Feed(body);
    if (!taken) {
      ADD_FAILURE() << taken.error().message;
      break;
    }
    body.remove_prefix(*taken);
    if (!filter.HasFrame() || filter.frame_type() != Filter::FrameType::kItem) continue;
    auto item = runtime::DecodeListItem(type, filter.frame(), filter.frame_size());
    if (!item) {
      ADD_FAILURE() << item.error().error.message;
      break;
    }
    items.push_back(runtime::DynamicObjectCast<T>(*item));
  }
  return items;
}

}  // namespace capstan::api
