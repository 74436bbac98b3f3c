// SPDX-License-Identifier: Apache-2.0
// ParsedJson is a JSON text that was parsed, and owns its values. Movable. Immutable after Parse,
// so threads can share it.
#pragma once

#include <memory>
#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/runtime/json_value.h"

namespace capstan::runtime {

class CAPSTAN_EXPORT ParsedJson {
 public:
  // Fails with kDecode for invalid JSON, invalid UTF-8, a number beyond the range of double, and
  // nesting deeper than 10,100 levels. So functions that read the values must not be recursive
  // without a limit. Of members with the same name, the last one is kept, as in Go. `text` may hold
  // any bytes. It is copied.
  static Expected<ParsedJson> Parse(std::string_view text);

  ParsedJson(ParsedJson&&) noexcept;
  ParsedJson& operator=(ParsedJson&&) noexcept;
  ~ParsedJson();

  // The root and all values below it are valid as long as this object, also after a move.
  const JsonValue& root() const { return *root_; }

 private:
  struct Document;
  ParsedJson(std::unique_ptr<Document> document, const JsonValue& root);

  std::unique_ptr<Document> document_;
  const JsonValue* root_;
};

}  // namespace capstan::runtime
