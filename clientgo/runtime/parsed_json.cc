// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/parsed_json.h"

#include <string>
#include <utility>

#include "clientgo/runtime/json.h"
#include "clientgo/runtime/repeated_members.h"

namespace capstan::runtime {

struct ParsedJson::Document {
  std::string text;  // parsed in place
  JsonParser parser;
};

Expected<ParsedJson> ParsedJson::Parse(std::string_view text) {
  auto document = std::make_unique<Document>();
  document->text = text;
  const auto root = document->parser.ParseInsitu(document->text.data(), document->text.size());
  if (!root) return Err(root.error());
  KeepLastMembers(const_cast<JsonValue&>(**root));
  return ParsedJson(std::move(document), **root);
}

ParsedJson::ParsedJson(std::unique_ptr<Document> document, const JsonValue& root)
    : document_(std::move(document)), root_(&root) {}
ParsedJson::ParsedJson(ParsedJson&&) noexcept = default;
ParsedJson& ParsedJson::operator=(ParsedJson&&) noexcept = default;
ParsedJson::~ParsedJson() = default;

}  // namespace capstan::runtime
