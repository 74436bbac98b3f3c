// SPDX-License-Identifier: Apache-2.0
// The columns that a CustomResourceDefinition declares.
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "clientgo/testing/apiserver/printers/human_duration.h"
#include "clientgo/testing/apiserver/printers/json_path.h"
#include "clientgo/testing/apiserver/printers/printer_columns.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kNull = "null";
constexpr double kIntegerMax = 9e18;

// Returns the JSON of a cell. A value of another type than the column's is not shown.
std::string CellOf(std::string_view type, const runtime::JsonValue& value) {
  const std::string json = runtime::ToJson(value);
  if (value.IsNull()) return std::string(kNull);
  if (type == "string") return value.IsString() ? json : Quote(json);
  if (type == "date") {
    return value.IsString() ? Quote(AgeText(runtime::ToView(value))) : std::string(kNull);
  }
  if (type == "integer" && value.IsDouble() && std::abs(value.GetDouble()) < kIntegerMax) {
    return std::to_string(static_cast<std::int64_t>(value.GetDouble()));
  }
  const bool fits = (type == "integer" || type == "number") ? value.IsNumber()
                                                            : type == "boolean" && value.IsBool();
  return fits ? json : std::string(kNull);
}

PrinterColumn ColumnFrom(const runtime::JsonValue& definition) {
  const std::string path(runtime::GetString(definition, "jsonPath"));
  const std::string type(runtime::GetString(definition, "type"));
  const runtime::JsonValue* const priority = runtime::Find(definition, "priority");
  PrinterColumn column{
      .name = std::string(runtime::GetString(definition, "name")),
      .type = type,
      .format = std::string(runtime::GetString(definition, "format")),
      .description = std::string(runtime::GetString(definition, "description")),
      .priority = priority != nullptr && priority->IsInt() ? priority->GetInt() : 0};
  if (column.description.empty()) {
    column.description = "Custom resource definition column (in JSONPath format): " + path;
  }
  column.cell = [type, parsed = JsonPath::Parse(path)](const runtime::JsonValue& object) {
    const runtime::JsonValue* const value = parsed ? parsed->FindFirst(object) : nullptr;
    return value == nullptr ? std::string(kNull) : CellOf(type, *value);
  };
  return column;
}

}  // namespace

std::vector<PrinterColumn> CustomColumns(const runtime::JsonValue& version) {
  std::vector<PrinterColumn> columns = {NameColumn()};
  const runtime::JsonValue& definitions = ListAt(version, "additionalPrinterColumns");
  for (const runtime::JsonValue& definition : definitions.GetArray()) {
    if (definition.IsObject()) columns.push_back(ColumnFrom(definition));
  }
  if (!definitions.Empty()) return columns;
  const Json definition = {
      {"name", "Age"},
      {"type", "date"},
      {"jsonPath", ".metadata.creationTimestamp"},
      {"description",
       "CreationTimestamp is a timestamp representing the server time when this object was "
       "created."}};
  runtime::JsonDocument age;
  age.Parse(definition.text().c_str());
  columns.push_back(ColumnFrom(age));
  return columns;
}

}  // namespace capstan::testing::apiserver
