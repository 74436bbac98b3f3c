// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/protobuf/leaf.h"

#include <chrono>
#include <cmath>
#include <cstring>

#include "capstan/base64.h"
#include "capstan/quantity.h"
#include "capstan/runtime/json_filter.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/time.h"
#include "clientgo/runtime/json.h"
#include "clientgo/runtime/protobuf/quoted.h"

namespace capstan::runtime {
namespace {

void Append(std::string_view text, std::vector<char>& out) {
  out.insert(out.end(), text.begin(), text.end());
}

void AppendNumber(std::int64_t number, std::vector<char>& out) {
  Append(std::to_string(number), out);
}

// An empty message is Go's zero time, which is null in JSON. Like Go, a Time has whole seconds.
std::string AppendTime(std::string_view message, bool micro, std::vector<char>& out) {
  constexpr std::int64_t kFirst = -62'167'219'200;     // of the year 0
  constexpr std::int64_t kLast = 253'402'300'799;      // of the year 9999
  constexpr std::int64_t kZeroTime = -62'135'596'800;  // 0001-01-01
  std::string error;
  const auto seconds =
      static_cast<std::int64_t>(OneField(message, 1, WireType::kVarint, error).integer);
  const auto nanos =
      static_cast<std::int32_t>(OneField(message, 2, WireType::kVarint, error).integer);
  if (!error.empty()) return error;
  if (message.empty() || (seconds == kZeroTime && (nanos == 0 || !micro))) {
    Append("null", out);
    return {};
  }
  if (seconds < kFirst || seconds > kLast) return "proto: a year that is not 0 to 9999";
  const Time time{std::chrono::seconds(seconds)};
  if (!micro) {
    AppendQuoted(FormatTime(time), out);
  } else {
    const auto fraction =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::nanoseconds(nanos));
    AppendQuoted(FormatTime(MicroTime(time) + fraction), out);
  }
  return {};
}

std::string AppendIntOrString(std::string_view message, std::vector<char>& out) {
  enum : std::uint64_t { kInt = 0, kString = 1 };
  std::string error;
  const std::uint64_t type = OneField(message, 1, WireType::kVarint, error).integer;
  const std::uint64_t number = OneField(message, 2, WireType::kVarint, error).integer;
  const std::string_view text = OneField(message, 3, WireType::kBytes, error).bytes;
  if (!error.empty()) return error;
  if (type == kInt) {
    AppendNumber(static_cast<std::int32_t>(number), out);
  } else if (type == kString) {
    AppendQuoted(text, out);
  } else {
    return "proto: impossible IntOrString.Type";
  }
  return {};
}

std::string AppendQuantity(std::string_view message, std::vector<char>& out) {
  Quantity quantity;
  WireReader reader(message);
  WireHeader field;
  std::string_view text;
  while (reader.Next(field, text)) {
    if (field.number != 1) continue;
    if (field.type != WireType::kBytes) return WrongWireType(field, "1");
    const auto parsed = Quantity::Parse(text);
    if (!parsed) return "quantities must match the regular expression of resource.Quantity";
    quantity = *parsed;
  }
  AppendQuoted(quantity.ToString(), out);
  return reader.error();
}

// The text may come from a tenant, so it is parsed: otherwise it could add members to its owner.
std::string AppendJson(std::string_view message, std::size_t depth_max, std::vector<char>& out) {
  static const Projection all = Projection::All();
  std::string error;
  const std::string_view text = OneField(message, 1, WireType::kBytes, error).bytes;
  if (!error.empty()) return error;
  if (text.empty()) {
    Append("null", out);
    return {};
  }
  std::string copy(text);
  JsonParser parser;
  const auto parsed = parser.ParseInsitu(copy.data(), copy.size());
  if (!parsed) return parsed.error().message;
  JsonFilter filter(all, {.depth_max = depth_max});  // removes white space
  if (const auto taken = filter.Feed(text); !taken) return taken.error().message;
  if (!filter.HasFrame() && !filter.Finish()) return "bad JSON";
  Append({filter.frame(), filter.frame_size()}, out);
  return {};
}

std::string AppendStrings(std::string_view message, std::vector<char>& out) {
  WireReader reader(message);
  WireHeader field;
  std::string_view text;
  bool first = true;
  out.push_back('[');
  while (reader.Next(field, text)) {
    if (field.number != 1) continue;
    if (field.type != WireType::kBytes) return WrongWireType(field, "1");
    if (!std::exchange(first, false)) out.push_back(',');
    AppendQuoted(text, out);
  }
  out.push_back(']');
  return reader.error();
}

}  // namespace

bool FitsWireType(const Field& field, WireType type) {
  if (field.shape == Field::Shape::kMap) return type == WireType::kBytes;
  const bool packed = field.shape == Field::Shape::kList && type == WireType::kBytes;
  switch (field.type) {
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kBool:
      return type == WireType::kVarint || packed;
    case FieldType::kDouble:
      return type == WireType::kFixed64 || packed;
    default:
      return type == WireType::kBytes;
  }
}

bool IsZeroLeaf(const Field& field, const WireValue& value) {
  switch (field.type) {
    case FieldType::kString:
    case FieldType::kBytes:
    case FieldType::kTime:
    case FieldType::kMicroTime:
      return value.bytes.empty();
    case FieldType::kInt32:
      return static_cast<std::int32_t>(value.integer) == 0;
    case FieldType::kInt64:
    case FieldType::kBool:
    case FieldType::kDouble:
      return value.integer == 0;
    default:
      return false;
  }
}

std::string AppendLeaf(const Field& field, const WireValue& value, std::size_t depth_max,
                       std::vector<char>& out) {
  std::string error;
  switch (field.type) {
    case FieldType::kMessage:
      break;
    case FieldType::kString:
      AppendQuoted(value.bytes, out);
      break;
    case FieldType::kBytes:
      out.push_back('"');
      Append(Base64Encode(value.bytes), out);
      out.push_back('"');
      break;
    case FieldType::kInt32:
      AppendNumber(static_cast<std::int32_t>(value.integer), out);
      break;
    case FieldType::kInt64:
      AppendNumber(static_cast<std::int64_t>(value.integer), out);
      break;
    case FieldType::kBool:
      Append(value.integer != 0 ? "true" : "false", out);
      break;
    case FieldType::kDouble: {
      double number = 0;
      std::memcpy(&number, &value.integer, sizeof number);
      if (!std::isfinite(number)) return "json: unsupported value";
      JsonWriter writer;
      writer.Double(number);
      Append(writer.text(), out);
      break;
    }
    case FieldType::kIntOrString:
      return AppendIntOrString(value.bytes, out);
    case FieldType::kQuantity:
      return AppendQuantity(value.bytes, out);
    case FieldType::kTime:
      return AppendTime(value.bytes, false, out);
    case FieldType::kMicroTime:
      return AppendTime(value.bytes, true, out);
    case FieldType::kDuration: {
      const auto nanoseconds = OneField(value.bytes, 1, WireType::kVarint, error).integer;
      AppendQuoted(FormatDuration(std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds))),
                   out);
      break;
    }
    case FieldType::kJson:
      return AppendJson(value.bytes, depth_max, out);
    case FieldType::kStrings:
      return AppendStrings(value.bytes, out);
  }
  return error;
}

}  // namespace capstan::runtime
