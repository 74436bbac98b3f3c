// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/yaml_text.h"

#include <algorithm>
#include <utility>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/yaml/parse.h"

namespace capstan::testing::apiserver {
namespace {

void AddRepeats(const yaml::Value& value, std::vector<yaml::Member>& repeats) {
  for (const yaml::Member& repeat : value.repeats) repeats.push_back(repeat);
  for (const yaml::Member& member : value.members) AddRepeats(*member.value, repeats);
  for (const yaml::ValuePtr& item : value.items) AddRepeats(*item, repeats);
}

}  // namespace

tl::expected<std::string, std::string> JsonFromYaml(std::string_view text,
                                                    std::vector<std::string>& repeats) {
  const auto value = yaml::Parse(text, "line");
  auto json = value ? yaml::ToJson(**value) : Err(value.error());
  if (!json) {
    // "line:3: invalid YAML: ..." is "yaml: line 3: ..." in Go.
    constexpr std::string_view kInvalid = "invalid YAML: ";
    std::string why = json.error().message;
    if (why.starts_with("line:")) why[4] = ' ';
    if (const auto at = why.find(kInvalid); at != std::string::npos) why.erase(at, kInvalid.size());
    return tl::unexpected("yaml: " + why);
  }
  std::vector<yaml::Member> found;
  AddRepeats(**value, found);
  std::ranges::stable_sort(found, {}, &yaml::Member::line);
  for (const yaml::Member& repeat : found) {
    repeats.push_back("line " + std::to_string(repeat.line) + ": key " + Quote(repeat.key) +
                      " already set in map");
  }
  return *std::move(json);
}

}  // namespace capstan::testing::apiserver
