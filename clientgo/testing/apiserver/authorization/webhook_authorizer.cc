// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/webhook_authorizer.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "capstan/time.h"
#include "capstan/transport/http1_transport.h"
#include "clientgo/testing/apiserver/types/client_errors.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::size_t kRememberedMax = 8192;
// Larger questions are not remembered.
constexpr std::size_t kQuestionBytesMax = 10'000;
constexpr std::size_t kReplyBytesMax = 8U << 20U;
constexpr int kAttemptsMax = 5;

struct ReviewUrl {
  std::string host;  // with the scheme
  std::string path;
};

ReviewUrl ParseReviewUrl(std::string_view text) {
  const std::size_t scheme = text.find("://");
  const std::size_t authority = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t path = std::min(text.find('/', authority), text.size());
  ReviewUrl url{.host = std::string(text.substr(0, path)), .path = std::string(text.substr(path))};
  while (url.path.ends_with('/')) url.path.pop_back();
  if (url.path.empty()) url.path = "/";
  return url;
}

struct WebhookReply {
  int code = 0;
  std::string content_type = {};
  std::string body = {};

  bool Succeeded() const { return code >= 200 && code <= 206; }
  bool MayBeRetried() const { return code == 429 || code == 500 || code == 504; }
};

Expected<WebhookReply> RoundTrip(const std::stop_token& stop, transport::HttpTransport& transport,
                                 const transport::HttpRequest& request) {
  auto response = transport.RoundTrip(stop, request);
  if (!response) return Err(std::move(response.error()));
  WebhookReply reply{
      .code = (*response)->status(),
      .content_type = std::string(transport::FindHeader((*response)->headers(), "Content-Type"))};
  while (true) {
    const auto data = (*response)->Read();
    if (!data) return Err(data.error());
    if (data->empty()) return reply;
    reply.body += *data;
    if (reply.body.size() > kReplyBytesMax) {
      return Err(ErrorReason::kTransport, "the response is longer than 8 MiB");
    }
  }
}

// Returns the error of a response that is not a success.
std::string FailureText(const WebhookReply& reply) {
  std::string ignored;
  const auto status = ParseJson(reply.body, &ignored);
  if (status != nullptr && status->IsObject() && StringAt(*status, "kind") == "Status") {
    return StringAt(*status, "message");
  }
  return ServerErrorText(reply.code, reply.content_type, reply.body);
}

}  // namespace

Expected<std::shared_ptr<WebhookAuthorizer>> WebhookAuthorizer::New(
    WebhookAuthorizerOptions options) {
  const rest::Config& server = options.server;
  auto transport = transport::NewHttp1Transport({.host = ParseReviewUrl(server.host).host,
                                                 .proxy_url = server.proxy_url,
                                                 .tls = server.tls,
                                                 .source = server.source});
  if (!transport) return Err(std::move(transport.error()));
  std::shared_ptr<WebhookAuthorizer> made(
      new WebhookAuthorizer(std::move(options), *std::move(transport)));
  if (auto usable = made->credentials_->Check(); !usable) return Err(std::move(usable.error()));
  return made;
}

WebhookAuthorizer::WebhookAuthorizer(WebhookAuthorizerOptions options,
                                     std::unique_ptr<transport::HttpTransport> transport)
    : options_(std::move(options)),
      transport_(std::move(transport)),
      credentials_(rest::NewCredentials(options_.server, Clock::Real())) {}

AccessDecision WebhookAuthorizer::Authorize(const AccessAttributes& attributes,
                                            AccessReviews& reviews) {
  const ReviewConditions::Outcome outcome = options_.conditions.Match(attributes);
  if (!outcome.error.empty()) return Failure(outcome.error);
  if (!outcome.matches) return {};
  std::string spec = ToValidUtf8(AccessReviewSpec(attributes, options_.version).text());
  const std::string question = options_.name + "/" + spec;
  if (const AccessDecision* const known = reviews.Find(question)) return *known;
  if (const auto known = remembered_.find(question);
      known != remembered_.end() && Clock::Real().Now() < known->second.until) {
    return known->second.decision;
  }
  reviews.Add(
      question,
      [this, spec = std::move(spec)](const std::stop_token& stop) { return Send(stop, spec); },
      [this, question](const AccessReviewReply& reply) {
        AccessDecision decision = Decide(reply);
        if (decision.evaluation.empty()) Remember(question, decision);
        return decision;
      });
  return {};
}

AccessReviewReply WebhookAuthorizer::Send(const std::stop_token& stop,
                                          const std::string& spec) const {
  const ReviewUrl url = ParseReviewUrl(options_.server.host);
  Clock& clock = Clock::Real();
  transport::HttpRequest request{
      .method = "POST",
      .target = url.path + "?timeout=" + FormatDuration(options_.timeout),
      .headers = {{"Content-Type", "application/json"},
                  {"Accept", "application/json, */*"},
                  {"User-Agent", "kube-apiserver"}},
      .body = Json({{"kind", "SubjectAccessReview"},
                    {"apiVersion", "authorization.k8s.io/" + options_.version},
                    {"metadata", Json::Object()},
                    {"spec", Json::Raw(spec)},
                    {"status", {{"allowed", false}}}})
                  .text(),
      .timeout = options_.timeout};
  const auto credential = credentials_->Current(stop, clock.After(options_.timeout));
  if (!credential) return tl::unexpected(credential.error().message);
  if (!(*credential)->authorization.empty()) {
    request.headers.emplace_back("Authorization", (*credential)->authorization);
  }
  Clock::Duration pause = std::chrono::milliseconds(500);
  for (int attempt = 1;; ++attempt) {
    const auto reply = RoundTrip(stop, *transport_, request);
    if (!reply) {
      const std::string address = url.host.substr(std::min(url.host.find("://"), url.host.size()));
      return tl::unexpected(
          "Post " + Quoted(url.host + request.target) + ": " +
          GoErrorText(reply.error(), std::string_view(address).substr(address.empty() ? 0 : 3)));
    }
    if (reply->Succeeded()) return reply->body;
    const bool last = attempt == kAttemptsMax || stop.stop_requested();
    if (last || !reply->MayBeRetried()) return tl::unexpected(FailureText(*reply));
    clock.SleepFor(stop, pause);
    pause = pause * 3 / 2;
  }
}

AccessDecision WebhookAuthorizer::Decide(const AccessReviewReply& reply) const {
  if (!reply) return Failure(reply.error());
  std::string error;
  const auto review = ParseJson(*reply, &error);
  if (review == nullptr) return Failure(error);
  // Go takes what is missing from the type that it expects.
  const std::string version = "authorization.k8s.io/" + options_.version;
  const auto may_be = [&](const char* key, std::string_view expected) {
    const runtime::JsonValue* const value = runtime::FindNonNull(*review, key);
    return value == nullptr || (value->IsString() && runtime::ToView(*value) == expected);
  };
  if (!review->IsObject() || !may_be("kind", "SubjectAccessReview") ||
      !may_be("apiVersion", version)) {
    return Failure("expected a SubjectAccessReview of " + version + " from the webhook");
  }
  const runtime::JsonValue* const given = runtime::FindNonNull(*review, "status");
  if (given != nullptr && !given->IsObject()) return Failure("the status is no object");
  const runtime::JsonValue& status = ObjectAt(*review, "status");
  for (const char* const key : {"allowed", "denied", "reason"}) {
    const runtime::JsonValue* const value = runtime::FindNonNull(status, key);
    const bool text = key == std::string_view("reason");
    if (value == nullptr || (text ? value->IsString() : value->IsBool())) continue;
    return Failure("status." + std::string(key) + " has the wrong type");
  }
  const auto is_true = [&](const char* key) {
    const runtime::JsonValue* const value = runtime::Find(status, key);
    return value != nullptr && value->IsTrue();
  };
  AccessDecision decision{.allowed = is_true("allowed"),
                          .denied = is_true("denied"),
                          .reason = StringAt(status, "reason")};
  if (decision.allowed && decision.denied) {
    decision.allowed = false;
    decision.evaluation = "webhook subject access review returned both allow and deny response";
  }
  return decision;
}

AccessDecision WebhookAuthorizer::Failure(std::string why) const {
  return {.denied = options_.deny_on_failure, .evaluation = std::move(why)};
}

void WebhookAuthorizer::Remember(const std::string& question, const AccessDecision& decision) {
  const Clock::Duration ttl =
      decision.allowed ? options_.authorized_ttl : options_.unauthorized_ttl;
  if (ttl <= Clock::Duration::zero() || question.size() > kQuestionBytesMax) return;
  if (remembered_.size() >= kRememberedMax) remembered_.clear();
  remembered_.insert_or_assign(question,
                               Remembered{.decision = decision, .until = Clock::Real().After(ttl)});
}

}  // namespace capstan::testing::apiserver
