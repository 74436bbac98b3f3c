// SPDX-License-Identifier: Apache-2.0
// Node (core/v1): its conditions, and nothing else. Immutable; safe to read from any thread.
#pragma once

#include <string_view>
#include <utility>

#include "clientgo/api/condition.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"

namespace clientgo::api {

class Node final : public runtime::Object {
 public:
  static const runtime::ResourceType& Type();
  Node(const runtime::ObjectMeta& meta, Conditions conditions)
      : Object(meta), conditions_(std::move(conditions)) {}

  const Condition* FindCondition(std::string_view type) const {
    return api::FindCondition(conditions_, type);
  }
  const Conditions& conditions() const { return conditions_; }
  std::size_t ByteSize() const override {
    return sizeof *this + TextSize() + HeapBytes(conditions_);
  }

 private:
  Conditions conditions_;
};

}  // namespace clientgo::api
