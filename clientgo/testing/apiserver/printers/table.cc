// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/printers/table.h"

#include "clientgo/testing/apiserver/printers/printer_columns.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

Json Definition(const PrinterColumn& column) {
  return {{"name", column.name},
          {"type", column.type},
          {"format", column.format},
          {"description", column.description},
          {"priority", column.priority}};
}

Json Row(const std::vector<PrinterColumn>& columns, std::string_view object_json,
         const TableOptions& options) {
  runtime::JsonDocument object;
  object.Parse(object_json.data(), object_json.size());
  std::vector<Json> cells;
  cells.reserve(columns.size());
  for (const PrinterColumn& column : columns) cells.push_back(Json::Raw(column.cell(object)));
  Json shown = {{"kind", "PartialObjectMetadata"},
                {"apiVersion", options.form.ApiVersion()},
                {"metadata", ObjectAt(object, "metadata")}};
  if (options.include_object == "Object") shown = Json::Raw(std::string(object_json));
  if (options.include_object == "None") shown = nullptr;
  return {{"cells", Json::List(cells)}, {"object", shown}};
}

}  // namespace

Json TableJson(const Resource& resource, const std::vector<std::string_view>& objects,
               const TableOptions& options) {
  std::vector<Json> definitions;
  definitions.reserve(resource.columns->size());
  for (const PrinterColumn& column : *resource.columns) definitions.push_back(Definition(column));
  std::vector<Json> rows;
  rows.reserve(objects.size());
  for (const std::string_view object : objects) {
    rows.push_back(Row(*resource.columns, object, options));
  }
  return {{"kind", "Table"},
          {"apiVersion", options.form.ApiVersion()},
          {"metadata", options.metadata},
          {"columnDefinitions", options.headers ? Json::List(definitions) : Json(nullptr)},
          {"rows", Json::List(rows)}};
}

}  // namespace capstan::testing::apiserver
