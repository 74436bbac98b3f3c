// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/access_review.h"

namespace capstan::testing::apiserver {
namespace {

Json ResourceAttributes(const AccessAttributes& attributes) {
  return {{"namespace", OmitEmpty(attributes.namespace_)},
          {"verb", OmitEmpty(attributes.verb)},
          {"group", OmitEmpty(attributes.group)},
          {"version", OmitEmpty(attributes.version)},
          {"resource", OmitEmpty(attributes.resource)},
          {"subresource", OmitEmpty(attributes.subresource)},
          {"name", OmitEmpty(attributes.name)}};
}

Json Extra(const UserInfo& user) {
  Json extra;
  for (const auto& [key, values] : user.extra) extra.Add(key, Json::List(values));
  return extra;
}

}  // namespace

const AccessDecision* AccessReviews::Find(const std::string& question) const {
  const auto known = answers_.find(question);
  return known == answers_.end() ? nullptr : &known->second;
}

void AccessReviews::Add(const std::string& question,
                        std::function<AccessReviewReply(const std::stop_token& stop)> send,
                        std::function<AccessDecision(const AccessReviewReply& reply)> decide) {
  calls_.push_back(
      {.send = std::move(send),
       .answer = [this, question, decide = std::move(decide)](const AccessReviewReply& reply) {
         answers_.insert_or_assign(question, decide(reply));
       }});
}

Json AccessReviewSpec(const AccessAttributes& attributes, std::string_view version) {
  const UserInfo& user = attributes.user;
  Json spec;
  if (attributes.IsResource()) {
    spec.Add("resourceAttributes", ResourceAttributes(attributes));
  } else {
    spec.Add("nonResourceAttributes",
             {{"path", attributes.path}, {"verb", OmitEmpty(attributes.verb)}});
  }
  spec.Add("user", OmitEmpty(user.name));
  spec.Add(version == "v1beta1" ? "group" : "groups", OmitEmptyList(user.groups));
  spec.Add("extra", Extra(user));
  spec.Add("uid", OmitEmpty(user.uid));
  return spec;
}

}  // namespace capstan::testing::apiserver
