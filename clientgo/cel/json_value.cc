// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/json_value.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace capstan::cel {
namespace {

using runtime::JsonValue;

class JsonMapView : public Map {
 public:
  explicit JsonMapView(const JsonValue& json) : json_(json) {}

  std::size_t size() const override { return json_.MemberCount(); }
  std::optional<Value> Find(const Value& key) const override {
    const auto* const name = key.Get<std::string>();
    const JsonValue* const member = name == nullptr ? nullptr : runtime::Find(json_, *name);
    if (member == nullptr) return std::nullopt;
    return ValueOfJson(*member);
  }
  std::vector<Value> Keys() const override {
    std::vector<Value> keys;
    keys.reserve(json_.MemberCount());
    for (const auto& member : json_.GetObject()) {
      keys.push_back(Value::String(std::string(runtime::ToView(member.name))));
    }
    return keys;
  }

 private:
  const JsonValue& json_;
};

class JsonListView : public List {
 public:
  explicit JsonListView(const JsonValue& json) : json_(json) {}
  std::size_t size() const override { return json_.Size(); }
  Value At(std::size_t index) const override {
    return ValueOfJson(json_[static_cast<runtime::rapidjson::SizeType>(index)]);
  }

 private:
  const JsonValue& json_;
};

}  // namespace

Value ValueOfJson(const JsonValue& json) {
  if (json.IsObject()) return Value::Of(std::make_shared<const JsonMapView>(json));
  if (json.IsArray()) return Value::Of(std::make_shared<const JsonListView>(json));
  if (json.IsString()) return Value::String(std::string(runtime::ToView(json)));
  if (json.IsBool()) return Value::Bool(json.GetBool());
  if (json.IsInt64()) return Value::Int(json.GetInt64());
  if (json.IsNumber()) return Value::Double(json.GetDouble());
  return {};
}

}  // namespace capstan::cel
