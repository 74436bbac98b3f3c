// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/built_in.h"

#include <map>
#include <string>

#include "clientgo/testing/apiserver/types/json.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the members of a zero value, without those named `except`.
Json ZeroMembers(const runtime::Message& message, std::string_view except = {});

// Returns what Go writes for the zero value of a field; empty: nothing.
std::string ZeroOf(const runtime::Field& field) {
  if (field.omit_zero || field.number == 0) return {};
  const bool value = field.shape == runtime::Field::Shape::kOne && !field.pointer;
  if (value && field.message != nullptr) return ZeroMembers(*field.message).text();
  if (value && field.type == runtime::FieldType::kString) return "\"\"";
  if (value && field.type == runtime::FieldType::kQuantity) return "\"0\"";
  if (value &&
      (field.type == runtime::FieldType::kInt32 || field.type == runtime::FieldType::kInt64 ||
       field.type == runtime::FieldType::kIntOrString)) {
    return "0";
  }
  if (value && field.type == runtime::FieldType::kBool) return "false";
  return "null";
}

Json ZeroMembers(const runtime::Message& message, std::string_view except) {
  Json members = Json::Object();
  for (const runtime::Field& field : message.fields()) {
    if (field.name == except && !except.empty()) continue;
    if (field.name.empty()) {
      members.AddMembers(ZeroMembers(*field.message).text());
    } else {
      members.Add(field.name, Json::Raw(ZeroOf(field)));
    }
  }
  return members;
}

}  // namespace

const runtime::Message& ObjectMeta() {
  static const runtime::Message& message = *runtime::MessageNamed("meta.v1.ObjectMeta");
  return message;
}

const runtime::Message* FindMessage(const Resource& resource) {
  return resource.custom ? nullptr : runtime::FindMessage(resource.ApiVersion(), resource.kind);
}

std::string_view ZeroJson(const Resource& resource) {
  static const std::map<const runtime::Message*, std::string> all = [] {
    std::map<const runtime::Message*, std::string> zeros;
    for (const Resource& one : Resources()) {
      const runtime::Message* const message = FindMessage(one);
      if (message == nullptr) continue;
      zeros[message] = ZeroMembers(*message, "metadata").text();
    }
    return zeros;
  }();
  const auto at = all.find(FindMessage(resource));
  return at == all.end() ? std::string_view("{}") : std::string_view(at->second);
}

runtime::JsonDocument ZeroObject(const Resource& resource) {
  runtime::JsonDocument zero;
  const std::string_view json = ZeroJson(resource);
  zero.Parse(json.data(), json.size());
  return zero;
}

}  // namespace capstan::testing::apiserver
