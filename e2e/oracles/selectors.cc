// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/storage/selectors.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/apps/v1/deployment.h"
#include "capstan/kind.h"
#include "capstan/label_selector.h"
#include "capstan/text.h"
#include "capstan/typed_object.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {
namespace {

using capstan::LabelSelector;
using Labels = LabelSelector::Labels;
using capstan::testing::apiserver::Object;
using capstan::testing::apiserver::Selector;

// The objects that a label selector is tried on. peer/selectors.go has the same.
const std::vector<Labels>& LabelSets() {
  static const std::vector<Labels> sets = {
      {},
      {{"a", ""}},
      {{"a", "1"}},
      {{"a", "2"}},
      {{"a", "b"}},
      {{"a", "10"}},
      {{"b", "1"}},
      {{"a", "1"}, {"b", "1"}},
      {{"a", "1"}, {"b", "2"}},
      {{"a", "in"}, {"in", "a"}},
      {{"notin", "1"}},
      {{"x.io/a", "1"}},
      {{"x.io/a", "2"}, {"a", "1"}},
      {{"a", "-5"}},
      {{"a", "A"}},
      {{"a", "9223372036854775807"}},
  };
  return sets;
}

Object NewObject(const Labels& labels) {
  std::string members;
  for (const auto& [key, value] : labels) {
    members.append(members.empty() ? "\"" : ",\"")
        .append(key)
        .append("\":\"")
        .append(value)
        .append("\"");
  }
  const std::string head = R"({"metadata":)";
  const std::string metadata = R"({"labels":{)" + members + "}}";
  Object object;
  object.text = head + metadata + "}";
  object.metadata_begin = static_cast<std::uint32_t>(head.size());
  object.metadata_end = static_cast<std::uint32_t>(head.size() + metadata.size());
  return object;
}

const std::vector<Object>& Objects() {
  static const std::vector<Object> objects = [] {
    std::vector<Object> made;
    for (const Labels& labels : LabelSets()) made.push_back(NewObject(labels));
    return made;
  }();
  return objects;
}

std::string MatchesOf(const LabelSelector& selector) {
  std::string matches;
  for (const Labels& labels : LabelSets()) matches += selector.Matches(labels) ? '1' : '0';
  return matches;
}

// Returns an answer that says so if the text of the selector does not select the same.
std::string VerdictOf(const LabelSelector& selector) {
  std::string matches = MatchesOf(selector);
  const auto again = LabelSelector::Parse(selector.String());
  if (again && MatchesOf(*again) == matches) return matches;
  return "its text is another selector: " + selector.String();
}

}  // namespace

std::string ParseLabelSelector(std::string_view input) {
  const auto* const pods = capstan::testing::apiserver::FindResource("", "v1", "pods");
  const auto selector = Selector::Parse(*pods, input, "");
  std::string matches;
  if (selector) {
    for (const Object& object : Objects()) matches += selector->Matches(object) ? '1' : '0';
  }
  if (const auto other = LabelSelector::Parse(input)) {
    const std::string same = VerdictOf(*other);
    if (same != matches) return "the two parsers differ: " + same + " and " + matches;
  } else if (selector) {
    return "only the second parser refuses: " + matches;
  }
  return selector ? matches : std::string(kRefused);
}

std::string ReadSelectorOfKind(std::string_view input) {
  using capstan::api::apps::v1::Deployment;
  const auto deployment = capstan::FromJson<Deployment>(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"selector":)" +
      std::string(input) + "}}");
  if (!deployment) return std::string(kRefused);
  const auto selector = LabelSelector::From((*deployment)->spec.selector);
  return selector ? VerdictOf(*selector) : std::string(kRefused);
}

std::string ParseFieldSelector(std::string_view input) {
  const auto* const config_maps = capstan::testing::apiserver::FindResource("", "v1", "configmaps");
  const auto requirements = capstan::testing::apiserver::ParseFieldSelector(*config_maps, input);
  if (!requirements) return std::string(kRefused);
  std::vector<std::string> lines;
  for (const auto& requirement : *requirements) {
    lines.push_back(requirement.path + (requirement.equal ? "=" : "!=") + Plain(requirement.value) +
                    " ");
  }
  std::sort(lines.begin(), lines.end());
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

}  // namespace e2e::oracles
