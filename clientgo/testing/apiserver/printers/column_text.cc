// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/printers/column_text.h"

#include <glog/logging.h>

#include <string>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/printers/kind_cells.h"

namespace capstan::testing::apiserver {
namespace {

using CellPath = std::vector<std::string_view>;

const runtime::JsonValue* FieldAt(const runtime::JsonValue& object, const CellPath& path) {
  const runtime::JsonValue* value = &object;
  for (const std::string_view name : path) {
    value = value->IsObject() ? runtime::Find(*value, name) : nullptr;
    if (value == nullptr) return nullptr;
  }
  return value;
}

std::size_t CountOf(const runtime::JsonValue* value) {
  if (value == nullptr) return 0;
  return value->IsObject() ? value->MemberCount() : value->IsArray() ? value->Size() : 0;
}

// Returns the JSON of a cell that shows a field.
std::string CellText(char op, const runtime::JsonValue* value, std::string_view otherwise) {
  switch (op) {
    case '#':
      return value != nullptr && value->IsInt64() ? std::to_string(value->GetInt64()) : "0";
    case '^':
    case '~':
      return value != nullptr && value->IsTrue() ? "true" : "false";
    case '@':
      return std::to_string(CountOf(value));
    default:
      break;
  }
  const bool empty =
      value == nullptr || (value->IsString() && value->GetStringLength() == 0) || value->IsNull();
  if (empty) return Quote(otherwise);
  if (value->IsString()) return Quote(runtime::ToView(*value));
  return op == '%' ? Quote(runtime::ToJson(*value)) : runtime::ToJson(*value);
}

std::string_view ColumnType(char op) {
  if (op == '#' || op == '@') return "integer";
  return op == '^' ? "boolean" : "string";
}

PrinterColumn ParseColumn(std::string_view text) {
  constexpr int kWide = 1;
  const int priority = text.starts_with('+') ? kWide : 0;
  if (priority != 0) text.remove_prefix(1);
  const std::size_t at = text.find_first_of("=%#^~@!");
  const std::string_view name = text.substr(0, at);
  if (at == std::string_view::npos) return name == "Name" ? NameColumn() : AgeColumn();
  const char op = text[at];
  text.remove_prefix(at + 1);
  PrinterColumn column{
      .name = std::string(name), .type = std::string(ColumnType(op)), .priority = priority};
  if (op == '!') {
    column.cell = FindCell(text);
    CHECK(column.cell) << "there is no cell " << text;
    return column;
  }
  const std::size_t question = text.find('?');
  const std::string_view otherwise =
      question == std::string_view::npos ? std::string_view() : text.substr(question + 1);
  column.cell = [op, path = Split(text.substr(0, question), '.'),
                 otherwise](const runtime::JsonValue& object) {
    return CellText(op, FieldAt(object, path), otherwise);
  };
  return column;
}

}  // namespace

std::vector<PrinterColumn> ParseColumns(std::string_view text) {
  std::vector<PrinterColumn> columns;
  for (const std::string_view column : Split(text, '|')) columns.push_back(ParseColumn(column));
  return columns;
}

}  // namespace capstan::testing::apiserver
