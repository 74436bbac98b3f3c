// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/webhook_client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "capstan/clientgo/transport/http1_transport.h"
#include "capstan/clientgo/util/logging.h"
#include "capstan/clientgo/util/thread.h"
#include "capstan/testing/apiserver/internal/validation.h"

namespace capstan::testing::apiserver {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::MutexLock;

constexpr std::size_t kTransportsMax = 64;
constexpr std::size_t kBodyBytesMax = 8U << 20U;

// Returns the text of Go's client for an error of the transport, where Go has one.
std::string GoText(const clientgo::util::Error& error, std::string_view host) {
  if (error.reason == ErrorReason::kConnectionRefused) {
    return "dial tcp " + std::string(host) + ": connect: connection refused";
  }
  if (error.reason == ErrorReason::kDeadlineExceeded) return "context deadline exceeded";
  return error.message;
}

// Returns client-go's error for a response that is not a success and has no Status.
std::string CodeText(int code, const std::string& body) {
  switch (code) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
      return body.empty() ? "unknown" : body;
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 503:
      return "the server is currently unable to handle the request";
    default:
      break;
  }
  if (code >= 500) {
    return "an error on the server (" + clientgo::util::Quoted(body.empty() ? "unknown" : body) +
           ") has prevented the request from succeeding";
  }
  return "the server responded with the status code " + std::to_string(code) +
         " but did not return more information";
}

Expected<std::string> ReadBody(clientgo::transport::HttpResponse& response) {
  std::string body;
  while (true) {
    const auto data = response.Read();
    if (!data) return Err(data.error());
    if (data->empty()) return body;
    body += *data;
    if (body.size() > kBodyBytesMax) {
      return Err(ErrorReason::kTransport,
                 "the response is longer than " + std::to_string(kBodyBytesMax) + " bytes");
    }
  }
}

}  // namespace

WebhookClient::~WebhookClient() {
  std::vector<std::jthread> threads;
  {
    const MutexLock lock(mu_);
    threads.swap(threads_);
  }
  for (std::jthread& thread : threads) thread.request_stop();
}

void WebhookClient::Send(Admission::Call call, std::string uid,
                         std::function<void(AdmissionResult)> done) {
  const MutexLock lock(mu_);
  jobs_.push_back({.call = std::move(call), .uid = std::move(uid), .done = std::move(done)});
  if (idle_ < jobs_.size() && threads_.size() < kThreadsMax) {
    threads_.push_back(clientgo::util::StartThread(
        "webhooks", [this](const std::stop_token& stop) { Run(stop); }));
  }
  changed_.NotifyOne();
}

void WebhookClient::Run(const std::stop_token& stop) {
  while (true) {
    Job job;
    {
      const MutexLock lock(mu_);
      ++idle_;
      changed_.Wait(mu_, stop, [&]() CAPSTAN_REQUIRES(mu_) { return !jobs_.empty(); });
      --idle_;
      if (stop.stop_requested()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    AdmissionResult result = Execute(stop, job);
    if (stop.stop_requested()) return;
    job.done(std::move(result));
  }
}

AdmissionResult WebhookClient::Execute(const std::stop_token& stop, const Job& job) {
  const Webhook& webhook = *job.call.webhook;
  if (!webhook.accepts_v1) {
    return tl::unexpected(std::string(
        "could not create admission objects: webhook does not accept AdmissionReview version v1, "
        "the only one of this server"));
  }
  const Webhook::Service& service = webhook.service;
  std::string url = webhook.url;
  if (url.empty()) {
    url = "https://" + service.name + "." + service.namespace_ +
          ".svc:" + std::to_string(service.port) + (service.path.starts_with('/') ? "" : "/") +
          service.path;
  }
  constexpr std::size_t kScheme = std::string_view("https://").size();
  const std::size_t slash = std::min(url.find('/', kScheme), url.size());
  std::string host = url.substr(kScheme, slash - kScheme);
  std::string target = url.substr(slash);
  if (target.empty()) target = "/";
  // kube-apiserver tells the webhook its time, in whole seconds.
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(job.call.timeout);
  const std::string query = "?timeout=" + std::to_string(seconds.count()) + "s";
  const auto failed = [&](const std::string& why) {
    return tl::unexpected("failed to call webhook: Post " + clientgo::util::Quoted(url + query) +
                          ": " + why);
  };
  if (webhook.url.empty()) {
    const std::string key =
        service.namespace_ + "/" + service.name + ":" + std::to_string(service.port);
    const auto address = services_.find(key);
    if (address == services_.end()) {
      return failed("service " + clientgo::util::Quoted(service.name) +
                    " not found; Options::webhook_services has no address for " +
                    clientgo::util::Quoted(key));
    }
    host = address->second;
  }
  const auto transport = TransportTo("https://" + host, webhook.ca_pem);
  if (!transport) {
    return tl::unexpected("could not get REST client: " + transport.error().message);
  }
  auto response = (*transport)
                      ->RoundTrip(stop, {.method = "POST",
                                         .target = target + query,
                                         .headers = {{"Content-Type", "application/json"},
                                                     {"Accept", "application/json, */*"},
                                                     {"User-Agent", "kube-apiserver-admission"}},
                                         .body = AdmissionReviewJson(job.call.request, job.uid),
                                         .timeout = job.call.timeout});
  if (!response) return failed(GoText(response.error(), host));
  const auto body = ReadBody(**response);
  if (!body) return failed(GoText(body.error(), host));
  const int code = (*response)->status();
  if (code < 200 || code > 299) {
    return tl::unexpected("failed to call webhook: " + CodeText(code, *body));
  }
  return ParseAdmissionReview(webhook, job.uid, *body);
}

Expected<WebhookClient::Transport> WebhookClient::TransportTo(const std::string& host,
                                                              const std::string& ca_pem) {
  const std::string key = host + "\n" + ca_pem;
  {
    const MutexLock lock(mu_);
    const auto known = transports_.find(key);
    if (known != transports_.end()) return known->second;
  }
  if (const auto why = WhyNoRootCertificates(ca_pem)) {
    return Err(ErrorReason::kInvalidArgument, *why);
  }
  auto made = clientgo::transport::NewHttp1Transport(
      {.host = host, .tls = {.ca_data = ca_pem}, .source = "webhook"});
  if (!made) return Err(std::move(made.error()));
  Transport transport = std::move(*made);
  const MutexLock lock(mu_);
  if (transports_.size() >= kTransportsMax) transports_.clear();
  transports_[key] = transport;
  return transport;
}

}  // namespace capstan::testing::apiserver
