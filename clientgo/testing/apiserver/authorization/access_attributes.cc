// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/access_attributes.h"

#include <algorithm>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

std::string Denial(const AccessAttributes& attributes) {
  const std::string who = "User " + Quoted(attributes.user.name) + " cannot " + attributes.verb;
  if (!attributes.IsResource()) return who + " path " + Quoted(attributes.path);
  std::string resource = attributes.resource;
  if (!attributes.subresource.empty()) resource += "/" + attributes.subresource;
  return who + " resource " + Quoted(resource) + " in API group " + Quoted(attributes.group) +
         (attributes.namespace_.empty() ? " at the cluster scope"
                                        : " in the namespace " + Quoted(attributes.namespace_));
}

}  // namespace

std::string WithoutMarkup(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else {
      safe += c;
    }
  }
  return safe;
}

Status Forbidden(const AccessAttributes& attributes, std::string_view reason) {
  std::string why = WithoutMarkup(Denial(attributes));
  if (!reason.empty()) why.append(": ").append(reason);
  if (!attributes.IsResource()) return ForbiddenPath(why);
  return ForbiddenBecause(
      {.group = attributes.group, .plural = attributes.resource, .kind = attributes.resource},
      attributes.name, why);
}

std::string Aggregate(const std::vector<std::string>& errors) {
  std::vector<std::string> distinct;
  for (const std::string& error : errors) {
    if (std::find(distinct.begin(), distinct.end(), error) == distinct.end()) {
      distinct.push_back(error);
    }
  }
  const std::string text = Join(distinct, ", ");
  return distinct.size() > 1 ? "[" + text + "]" : text;
}

}  // namespace capstan::testing::apiserver
