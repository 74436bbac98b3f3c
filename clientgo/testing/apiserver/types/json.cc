// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/json.h"

#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

Json::Json(std::string_view text) : text_(Quote(text)) {}

Json::Json(const runtime::JsonValue& value) : text_(runtime::ToJson(value)) {}

Json::Json(std::initializer_list<Member> members) : text_("{}") {
  for (const Member& member : members) Add(member.key, member.value);
}

Json Json::Raw(std::string json) {
  Json value;
  value.text_ = std::move(json);
  return value;
}

void Json::Add(std::string_view key, const Json& value) {
  if (value.text_.empty()) return;
  Open();
  text_.append(Quote(key)).append(":").append(value.text_).append("}");
}

void Json::AddMembers(std::string_view object) {
  if (object == "{}") return;
  Open();
  text_ += object.substr(1);
}

void Json::Open() {
  if (text_.empty()) text_ = "{}";
  text_.pop_back();
  if (text_.size() > 1) text_ += ',';
}

}  // namespace capstan::testing::apiserver
