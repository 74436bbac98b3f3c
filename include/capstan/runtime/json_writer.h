// SPDX-License-Identifier: Apache-2.0
// JsonWriter writes one JSON document as compact UTF-8 text. It writes commas and colons itself.
//
//   JsonWriter writer;
//   writer.StartObject();
//   writer.Key("replicas");
//   writer.Int(3);
//   writer.EndObject();
//   std::string text = std::move(writer).Take();
//
// The caller balances the brackets and writes a key before each member of an object. Texts must be
// UTF-8. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/export.h"
#include "capstan/runtime/json_value.h"

namespace capstan::runtime {

class CAPSTAN_EXPORT JsonWriter {
 public:
  JsonWriter() = default;

  void StartObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void StartArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view key);

  void String(std::string_view text);
  void Int(int number) { Int64(number); }
  void Int64(std::int64_t number);
  void Uint64(std::uint64_t number);
  // Writes the shortest text that reads back as `number`. JSON has no NaN and no infinity, so these
  // become null.
  void Double(double number);
  void Bool(bool value) { RawValue(value ? "true" : "false"); }
  void Null() { RawValue("null"); }
  // Writes a value that is JSON text already. REQUIRES: `json` is one valid value.
  void RawValue(std::string_view json);
  // Writes a copy of a parsed value.
  void Value(const JsonValue& value) { RawValue(ToJson(value)); }

  // The text so far.
  const std::string& text() const { return text_; }
  std::string Take() && { return std::move(text_); }

 private:
  void Open(char bracket);
  void Close(char bracket);
  void BeginValue();  // writes a comma if one is needed
  void Quote(std::string_view text);

  std::string text_;
  bool needs_comma_ = false;
};

// Writes a member with a string, unless `value` is empty.
CAPSTAN_EXPORT void WriteField(JsonWriter& writer, std::string_view key, std::string_view value);

}  // namespace capstan::runtime
