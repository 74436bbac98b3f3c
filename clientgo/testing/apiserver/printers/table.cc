// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/printers/table.h"

#include "capstan/runtime/json_writer.h"
#include "clientgo/testing/apiserver/printers/printer_columns.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

std::string Definition(const PrinterColumn& column) {
  return R"({"name":)" + Quote(column.name) + R"(,"type":)" + Quote(column.type) + R"(,"format":)" +
         Quote(column.format) + R"(,"description":)" + Quote(column.description) +
         R"(,"priority":)" + std::to_string(column.priority) + "}";
}

std::string Row(const std::vector<PrinterColumn>& columns, std::string_view object_json,
                std::string_view include_object) {
  runtime::JsonDocument object;
  object.Parse(object_json.data(), object_json.size());
  std::string cells;
  for (const PrinterColumn& column : columns) {
    cells += (cells.empty() ? "" : ",") + column.cell(object);
  }
  std::string row = R"({"cells":[)" + cells + R"(],"object":)";
  if (include_object == "Object") {
    row += object_json;
  } else if (include_object == "None") {
    row += "null";
  } else {
    row += R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)" +
           runtime::ToJson(ObjectAt(object, "metadata")) + "}";
  }
  return row + "}";
}

}  // namespace

std::string TableJson(const Resource& resource, const std::vector<std::string_view>& objects,
                      const TableOptions& options) {
  const std::vector<PrinterColumn>& columns = *resource.columns;
  std::string definitions;
  for (const PrinterColumn& column : columns) {
    definitions += (definitions.empty() ? "" : ",") + Definition(column);
  }
  std::string rows;
  for (const std::string_view object : objects) {
    if (!rows.empty()) rows += ',';
    rows += Row(columns, object, options.include_object);
  }
  return R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{)" + options.metadata +
         R"(},"columnDefinitions":)" + (options.headers ? "[" + definitions + "]" : "null") +
         R"(,"rows":[)" + rows + "]}";
}

}  // namespace capstan::testing::apiserver
