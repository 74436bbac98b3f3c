// SPDX-License-Identifier: Apache-2.0
#include "clientgo/clientcmd/kubeconfig_fields.h"

#include <charconv>
#include <filesystem>

#include "clientgo/runtime/json.h"
#include "clientgo/util/base64.h"

namespace clientgo::clientcmd {
namespace {

using runtime::JsonBuffer;
using runtime::JsonWriter;

constexpr int kDepthMax = 64;
constexpr std::size_t kBytesMax = 8U << 20U;

// Go's YAML reader decides the same way; a quoted scalar is a string, whatever it holds.
void WriteScalar(JsonWriter& writer, const YAML::Node& node) {
  const std::string& text = node.Scalar();
  double number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = ec == std::errc() && end == text.data() + text.size();
  if (node.Tag() == "?" && (text == "true" || text == "false")) {
    writer.Bool(text == "true");
  } else if (node.Tag() == "?" && is_number &&
             text.find_first_not_of("0123456789-.eE+") == std::string::npos) {
    writer.RawValue(text.data(), text.size(), runtime::rapidjson::kNumberType);
  } else {
    runtime::WriteString(writer, text);
  }
}

// False: too deep, or too long.
bool WriteNode(JsonBuffer& buffer, JsonWriter& writer, const YAML::Node& node, int depth = 0) {
  if (depth > kDepthMax || buffer.GetSize() > kBytesMax) return false;
  if (node.IsMap()) {
    writer.StartObject();
    for (const auto& entry : node) {
      runtime::WriteKey(writer, entry.first.Scalar());
      if (!WriteNode(buffer, writer, entry.second, depth + 1)) return false;
    }
    writer.EndObject();
  } else if (node.IsSequence()) {
    writer.StartArray();
    for (const YAML::Node& item : node) {
      if (!WriteNode(buffer, writer, item, depth + 1)) return false;
    }
    writer.EndArray();
  } else if (node.IsScalar()) {
    WriteScalar(writer, node);
  } else {
    writer.Null();
  }
  return true;
}

}  // namespace

util::Expected<std::string> ToJson(const YAML::Node& node) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  if (WriteNode(buffer, writer, node)) return std::string(buffer.GetString(), buffer.GetSize());
  return util::Err(util::ErrorReason::kInvalidArgument,
                   "more than " + std::to_string(kDepthMax) + " levels or " +
                       std::to_string(kBytesMax >> 20U) + " MiB are not supported");
}

std::string FileAndLine(const std::string& path, const YAML::Mark& mark) {
  return mark.is_null() ? path : path + ":" + std::to_string(mark.line + 1);
}

Fields::Fields(std::string file, const YAML::Node& map, std::string where)
    : file_(std::move(file)), map_(map), where_(std::move(where)) {
  if (map_ && !map_.IsNull() && !map_.IsMap()) FailAt(map_, "must be a map");
}

bool Fields::Has(const std::string& name) const {
  if (error_ || !map_ || !map_.IsMap()) return false;
  const YAML::Node value = map_[name];
  return value && !value.IsNull();
}

std::string Fields::String(const std::string& name) {
  if (!Has(name)) return {};
  const YAML::Node value = map_[name];
  if (value.IsScalar()) return value.Scalar();
  FailAt(value, name + " must be a string");
  return {};
}

bool Fields::Bool(const std::string& name) {
  bool result = false;
  if (Has(name) && !YAML::convert<bool>::decode(map_[name], result)) {
    Fail(name, name + " must be true or false");
  }
  return result;
}

std::vector<std::string> Fields::Strings(const std::string& name) {
  std::vector<std::string> texts;
  if (!Has(name)) return texts;
  const YAML::Node list = map_[name];
  if (!list.IsSequence()) FailAt(list, name + " must be a list of strings");
  for (const YAML::Node& item : list) {
    if (!item.IsScalar()) FailAt(item, name + " must be a list of strings");
    texts.push_back(item.Scalar());
  }
  if (error_) texts.clear();
  return texts;
}

std::vector<std::pair<std::string, std::vector<std::string>>> Fields::StringLists(
    const std::string& name) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  if (!Has(name)) return lists;
  Fields map = Map(name);
  if (!map.error()) {
    for (const auto& entry : map_[name]) {
      const std::string key = entry.first.Scalar();
      lists.emplace_back(key, map.Strings(key));
    }
  }
  Adopt(map);
  return lists;
}

std::string Fields::Data(const std::string& name) {
  const std::string text = String(name);
  auto data = util::Base64Decode(text);
  if (data && (text.empty() || !data->empty())) return std::move(*data);
  Fail(name, name + " is not valid base64");
  return {};
}

std::string Fields::Path(const std::string& name) { return Absolute(String(name)); }

std::string Fields::Absolute(std::string path) const {
  if (path.empty() || path.front() == '/') return path;
  return (std::filesystem::absolute(file_).parent_path() / path).lexically_normal();
}

std::string Fields::PartName(const std::string& name) const {
  return where_.empty() ? name : where_ + ": " + name;
}

Fields Fields::Map(const std::string& name) {
  return {file_, Has(name) ? YAML::Node(map_[name]) : YAML::Node(), PartName(name)};
}

std::vector<Fields> Fields::Maps(const std::string& name) {
  std::vector<Fields> maps;
  if (!Has(name)) return maps;
  const YAML::Node list = map_[name];
  if (!list.IsSequence()) FailAt(list, name + " must be a list");
  for (const YAML::Node& item : list) maps.emplace_back(file_, item, PartName(name));
  if (error_) maps.clear();
  return maps;
}

std::string Fields::Json(const std::string& name) {
  if (!Has(name)) return {};
  auto json = ToJson(map_[name]);
  if (json) return std::move(*json);
  Fail(name, name + ": " + json.error().message);
  return {};
}

void Fields::Require(const std::string& name) {
  if (!error_ && String(name).empty()) Fail(name, name + " is missing");
}

void Fields::Fail(const std::string& name, const std::string& why) {
  FailAt(Has(name) ? YAML::Node(map_[name]) : map_, why);
}

void Fields::FailAt(const YAML::Node& at, const std::string& why) {
  if (error_) return;
  const YAML::Mark mark = at ? at.Mark() : YAML::Mark::null_mark();
  error_ = util::Error{
      .reason = util::ErrorReason::kInvalidArgument,
      .message = FileAndLine(file_, mark) + ": " + (where_.empty() ? "" : where_ + ": ") + why};
}

void Fields::Adopt(const Fields& part) {
  if (!error_) error_ = part.error_;
}

}  // namespace clientgo::clientcmd
