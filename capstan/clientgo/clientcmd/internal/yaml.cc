// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/clientcmd/internal/yaml.h"

#include <charconv>
#include <cstddef>
#include <system_error>

#include "capstan/clientgo/runtime/json_writer.h"

namespace capstan::clientgo::clientcmd {
namespace {

using runtime::JsonWriter;

constexpr int kDepthMax = 64;
constexpr std::size_t kBytesMax = 8U << 20U;

// Go's YAML reader decides the same way. A quoted scalar is always a string.
void WriteScalar(JsonWriter& writer, const YAML::Node& node) {
  const std::string& text = node.Scalar();
  double number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = ec == std::errc() && end == text.data() + text.size();
  if (node.Tag() == "?" && (text == "true" || text == "false")) {
    writer.Bool(text == "true");
  } else if (node.Tag() == "?" && is_number &&
             text.find_first_not_of("0123456789-.eE+") == std::string::npos) {
    writer.RawValue(text);
  } else {
    writer.String(text);
  }
}

// Returns false when the node is too deep or too long.
bool WriteNode(JsonWriter& writer, const YAML::Node& node, int depth = 0) {
  if (depth > kDepthMax || writer.text().size() > kBytesMax) return false;
  if (node.IsMap()) {
    writer.StartObject();
    for (const auto& entry : node) {
      writer.Key(entry.first.Scalar());
      if (!WriteNode(writer, entry.second, depth + 1)) return false;
    }
    writer.EndObject();
  } else if (node.IsSequence()) {
    writer.StartArray();
    for (const YAML::Node& item : node) {
      if (!WriteNode(writer, item, depth + 1)) return false;
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
  JsonWriter writer;
  if (WriteNode(writer, node)) return writer.text();
  return util::Err(util::ErrorReason::kInvalidArgument,
                   "more than " + std::to_string(kDepthMax) + " levels or " +
                       std::to_string(kBytesMax >> 20U) + " MiB are not supported");
}

std::string FileAndLine(const std::string& path, const YAML::Mark& mark) {
  return mark.is_null() ? path : path + ":" + std::to_string(mark.line + 1);
}

std::string Problem(const YAML::Exception& error) {
  return error.msg.substr(0, error.msg.find(':'));
}

}  // namespace capstan::clientgo::clientcmd
