// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authentication/service_account_tokens.h"

#include <algorithm>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::int64_t kLeewaySeconds = 60;  // for clocks that differ
constexpr std::string_view kKubernetes = "kubernetes.io";
constexpr char kCredentialId[] = "authentication.kubernetes.io/credential-id";
constexpr char kPodName[] = "authentication.kubernetes.io/pod-name";
constexpr char kPodUid[] = "authentication.kubernetes.io/pod-uid";
constexpr char kNodeName[] = "authentication.kubernetes.io/node-name";
constexpr char kNodeUid[] = "authentication.kubernetes.io/node-uid";

Json IdentityJson(const ObjectIdentity& object) {
  if (object.name.empty()) return {};
  return {{"name", object.name}, {"uid", OmitEmpty(object.uid)}};
}

ObjectIdentity IdentityAt(const runtime::JsonValue& object, std::string_view key) {
  const runtime::JsonValue& found = ObjectAt(object, key);
  return {.name = std::string(runtime::GetString(found, "name")),
          .uid = std::string(runtime::GetString(found, "uid"))};
}

// An audience of one may be a text.
std::vector<std::string> AudiencesOf(const runtime::JsonValue& claims) {
  if (const auto one = runtime::GetString(claims, "aud"); !one.empty()) return {std::string(one)};
  std::vector<std::string> audiences;
  for (const runtime::JsonValue& audience : ListAt(claims, "aud").GetArray()) {
    if (audience.IsString()) audiences.emplace_back(runtime::ToView(audience));
  }
  return audiences;
}

// Returns the list as Go prints it with %q: ["a" "b"].
std::string QuotedList(const std::vector<std::string>& texts) {
  return "[" + Join(texts, " ", [](const std::string& text) { return Quoted(text); }) + "]";
}

// Returns why the token is not valid at this time; empty: it is.
std::string WhyNotNow(const runtime::JsonValue& claims, std::int64_t now) {
  if (now + kLeewaySeconds < NumberAt(claims, "nbf")) {
    return "service account token is not valid yet";
  }
  if (now - kLeewaySeconds > NumberAt(claims, "exp")) return "service account token has expired";
  if (now + kLeewaySeconds < NumberAt(claims, "iat")) {
    return "service account token is issued in the future";
  }
  return {};
}

ServiceAccountTokens::Config WithAudiences(ServiceAccountTokens::Config config) {
  if (config.api_audiences.empty()) config.api_audiences = config.issuers;
  return config;
}

UserInfo UserOf(const TokenClaims& claims) {
  UserInfo user{
      .name = claims.account.User(), .uid = claims.account_uid, .groups = claims.account.Groups()};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) user.extra[key] = {value};
  };
  add(kCredentialId, claims.id.empty() ? "" : "JTI=" + claims.id);
  add(kPodName, claims.pod.name);
  add(kPodUid, claims.pod.uid);
  add(kNodeName, claims.node.name);
  add(kNodeUid, claims.node.uid);
  return user;
}

}  // namespace

// The members are in the order of Go's encoder, which sorts the keys of maps.
std::string TokenClaims::ToJson(std::string_view issuer) const {
  const Json kubernetes = {{"namespace", account.namespace_},
                           {"node", IdentityJson(node)},
                           {"pod", IdentityJson(pod)},
                           {"secret", IdentityJson(secret)},
                           {"serviceaccount", {{"name", account.name}, {"uid", account_uid}}},
                           {"warnafter", warn_after == 0 ? Json() : Json(warn_after)}};
  return Json({{"aud", Json::List(audiences)},
               {"exp", expires},
               {"iat", issued},
               {"iss", issuer},
               {"jti", OmitEmpty(id)},
               {kKubernetes, kubernetes},
               {"nbf", issued},
               {"sub", account.User()}})
      .text();
}

TokenClaims TokenClaims::Parse(const runtime::JsonValue& claims) {
  const runtime::JsonValue& kubernetes = ObjectAt(claims, kKubernetes);
  const ObjectIdentity account = IdentityAt(kubernetes, "serviceaccount");
  return {.account = {.namespace_ = std::string(runtime::GetString(kubernetes, "namespace")),
                      .name = account.name},
          .account_uid = account.uid,
          .audiences = AudiencesOf(claims),
          .id = std::string(runtime::GetString(claims, "jti")),
          .pod = IdentityAt(kubernetes, "pod"),
          .secret = IdentityAt(kubernetes, "secret"),
          .node = IdentityAt(kubernetes, "node"),
          .issued = NumberAt(claims, "iat"),
          .expires = NumberAt(claims, "exp"),
          .warn_after = NumberAt(kubernetes, "warnafter")};
}

ServiceAccountTokens::ServiceAccountTokens(const Storage& storage, Config config)
    : storage_(storage), config_(WithAudiences(std::move(config))) {}

Expected<void> ServiceAccountTokens::LoadKeys() {
  auto keys = TokenKeys::New(config_.signing_key_pem, config_.key_pem);
  if (!keys) return Err(std::move(keys.error()));
  keys_ = *std::move(keys);
  return {};
}

Expected<std::string> ServiceAccountTokens::Issue(const TokenClaims& claims) const {
  if (!keys_ || config_.issuers.empty()) {
    return Err(ErrorReason::kInvalidArgument, "this server issues no tokens: it has no issuer");
  }
  return keys_->Sign(claims.ToJson(config_.issuers.front()));
}

TokenResult ServiceAccountTokens::Authenticate(std::string_view token,
                                               const std::vector<std::string>& audiences,
                                               std::chrono::system_clock::time_point now) const {
  std::string error;
  const auto unverified = ParseJson(TokenKeys::UnverifiedClaims(token), &error);
  if (!keys_ || unverified == nullptr || !unverified->IsObject()) return std::nullopt;
  const std::string_view issuer = runtime::GetString(*unverified, "iss");
  const auto& issuers = config_.issuers;
  if (std::find(issuers.begin(), issuers.end(), issuer) == issuers.end()) return std::nullopt;
  const auto verified = keys_->Verify(token);
  if (!verified) return tl::unexpected(verified.error());
  const TokenClaims claims = TokenClaims::Parse(*unverified);
  auto matching = Intersect(claims.audiences, audiences);
  if (matching.empty()) {
    return tl::unexpected("token audiences " + QuotedList(claims.audiences) +
                          " is invalid for the target audiences " + QuotedList(audiences));
  }
  const std::int64_t seconds = std::chrono::system_clock::to_time_t(now);
  if (std::string why = WhyNotNow(*unverified, seconds); !why.empty()) {
    return tl::unexpected(std::move(why));
  }
  if (std::string why = FindGone(claims); !why.empty()) return tl::unexpected(std::move(why));
  return AuthenticatedToken{.user = UserOf(claims), .audiences = std::move(matching)};
}

std::string ServiceAccountTokens::FindGone(const TokenClaims& claims) const {
  const Resource& accounts = *FindResource("", "v1", "serviceaccounts");
  const ServiceAccountName& account = claims.account;
  const ObjectPtr found = storage_.Get(accounts, Key(account.namespace_, account.name));
  if (found == nullptr) return "serviceaccounts " + Quoted(account.name) + " not found";
  const std::string uid(Metadata(*ParseObject(*found), "uid"));
  if (uid != claims.account_uid) {
    return "service account UID (" + uid + ") does not match claim (" + claims.account_uid + ")";
  }
  std::string why = FindGone("secrets", account.namespace_, claims.secret, "secret");
  if (why.empty()) why = FindGone("pods", account.namespace_, claims.pod, "pod");
  // The node of a pod is only information.
  if (why.empty() && claims.pod.name.empty()) why = FindGone("nodes", "", claims.node, "node");
  return why;
}

std::string ServiceAccountTokens::FindGone(std::string_view plural, std::string_view ns,
                                           const ObjectIdentity& object,
                                           std::string_view what) const {
  if (object.name.empty()) return {};
  const ObjectPtr found = storage_.Get(*FindResource("", "v1", plural), Key(ns, object.name));
  if (found == nullptr) return "service account token has been invalidated";
  const std::string uid(Metadata(*ParseObject(*found), "uid"));
  if (uid == object.uid) return {};
  return std::string(what) + " UID (" + uid + ") does not match service account " +
         std::string(what) + " ref claim (" + object.uid + ")";
}

std::vector<std::string> Intersect(const std::vector<std::string>& a,
                                   const std::vector<std::string>& b) {
  std::vector<std::string> both;
  for (const std::string& text : a) {
    if (std::find(b.begin(), b.end(), text) != b.end()) both.push_back(text);
  }
  return both;
}

}  // namespace capstan::testing::apiserver
