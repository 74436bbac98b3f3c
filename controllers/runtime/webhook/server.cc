// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/server.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "capstan/httpserver/server.h"
#include "capstan/log.h"
#include "capstan/logging.h"
#include "capstan/mutex.h"
#include "capstan/serving.h"
#include "capstan/time.h"
#include "clientgo/util/deadlines.h"
#include "controllers/runtime/webhook/endpoints.h"
#include "controllers/runtime/webhook/recover.h"
#include "controllers/runtime/webhook/worker_pool.h"

namespace capstan::webhook {
namespace {

constexpr std::string_view kName = "webhook";
constexpr std::string_view kConvertPath = "/convert";
constexpr std::string_view kPlainText = "text/plain; charset=utf-8";
// The API server needs a connection for each request. There are some more than requests that can be
// at work or wait, so that the others get their 429.
constexpr std::size_t kConnectionsMin = 128;
constexpr std::size_t kMoreConnections = 20;
// timeoutSeconds of a webhook is at most 30.
constexpr std::chrono::nanoseconds kTimeoutMax = std::chrono::seconds(30);
// The time that a response may need to arrive.
constexpr std::chrono::nanoseconds kMarginMax = std::chrono::milliseconds(500);
// The time to send the last answers, once the drain_timeout is over.
constexpr std::chrono::nanoseconds kLastAnswers = std::chrono::seconds(1);

HttpAnswer Text(int status, std::string text) {
  return {.status = status, .content_type = std::string(kPlainText), .body = std::move(text)};
}

void Respond(httpserver::Exchange& exchange, HttpAnswer answer, httpserver::Headers headers = {}) {
  exchange.Respond(answer.status, std::move(answer.content_type), std::move(answer.body),
                   std::move(headers));
}

}  // namespace

struct Server::Rep {
  explicit Rep(ServerOptions server_options)
      : options(std::move(server_options)),
        clock(options.clock == nullptr ? Clock::Real() : *options.clock),
        metrics(options.metrics == nullptr ? nullptr : options.metrics->webhooks()) {}

  // Call is a request without a response. Other threads use only `deadline` and `stop`.
  struct Call {
    Call(const std::string& the_path, std::shared_ptr<httpserver::Exchange> the_exchange,
         Clock::TimePoint now, std::chrono::nanoseconds limit)
        : path(the_path), exchange(std::move(the_exchange)), start(now), deadline(now + limit) {}

    const std::string& path;
    std::shared_ptr<httpserver::Exchange>
        exchange;  // null: it has a response, or the client has left
    const Clock::TimePoint start;
    const Clock::TimePoint deadline;
    std::stop_source stop = {};
    Deadlines::Id timer = {};
    std::optional<std::stop_callback<std::function<void()>>> on_stop = {};
  };
  using CallPtr = std::shared_ptr<Call>;

  bool IsStarted() const {
    const MutexLock lock(mu);
    return started;
  }
  Expected<void> Register(const std::string& path, BodyHandler handler);
  // Reports whether the folder of the certificate has this file.
  bool HasFile(const std::string& name) const {
    std::error_code ignored;
    return std::filesystem::exists(options.cert_dir + "/" + name, ignored);
  }
  httpserver::ServerOptions HttpOptions() const;
  Expected<void> Listen();
  std::optional<std::chrono::nanoseconds> TimeoutOf(const httpserver::Request& request) const;
  // Runs on a worker.
  HttpAnswer Handle(const Call& call, const BodyHandler& handler, const HttpBody& body) const;
  // These run on the server's thread.
  void OnRequest(httpserver::Request request,
                 const std::shared_ptr<httpserver::Exchange>& exchange);
  void Watch(const CallPtr& call);
  void Finish(const CallPtr& call, HttpAnswer answer, httpserver::Headers headers = {});
  void Forget(Call& call);
  void StopCalls();
  // Returns false when `timeout` is over first.
  bool WaitUntilDrained(std::chrono::nanoseconds timeout);
  void Stop();

  const ServerOptions options;
  Clock& clock;
  WebhookMetrics* const metrics;
  std::map<std::string, BodyHandler> endpoints;  // by path
  Converters converters;
  std::set<CallPtr> calls;  // only the server's thread uses it

  mutable Mutex mu;
  CondVar changed;
  bool started CAPSTAN_GUARDED_BY(mu) = false;
  bool drained CAPSTAN_GUARDED_BY(mu) = false;

  // Null until Listen. The others post to `http`, so they end first.
  std::unique_ptr<httpserver::Server> http;
  std::unique_ptr<Deadlines> deadlines;
  std::unique_ptr<WorkerPool> pool;
};

Expected<void> Server::Rep::Register(const std::string& path, BodyHandler handler) {
  std::string problem;
  if (http != nullptr || IsStarted()) {
    problem = "the server has started; register webhooks before Manager::Start";
  } else if (path.empty() || path.front() != '/') {
    problem = "a path begins with a slash";
  } else if (!handler) {
    problem = "the handler is empty; pass a function";
  } else if (!endpoints.emplace(path, std::move(handler)).second) {
    problem = "the path is in use; register each webhook once";
  }
  if (!problem.empty()) {
    return Err(ErrorReason::kInvalidArgument, "webhook " + Quoted(path) + ": " + problem);
  }
  if (metrics != nullptr) metrics->Register(path);
  return {};
}

httpserver::ServerOptions Server::Rep::HttpOptions() const {
  const std::size_t connections =
      static_cast<std::size_t>(options.workers) + options.queue_max + kMoreConnections;
  httpserver::ServerOptions http_options{.name = std::string(kName),
                                         .address = options.host,
                                         .port = options.port,
                                         .body_bytes_max = options.body_bytes_max,
                                         .connections_max = std::max(kConnectionsMin, connections)};
  if (!converters.empty()) {
    http_options.body_bytes_max_by_path.emplace(kConvertPath, options.conversion_bytes_max);
  }
  const auto in_dir = [&](const std::string& name) {
    return name.empty() ? name : options.cert_dir + "/" + name;
  };
  UseServingTls({.cert_file = in_dir(options.cert_name),
                 .key_file = in_dir(options.key_name),
                 .options = options.tls,
                 .client_ca_file = in_dir(options.client_ca_name)},
                options.metrics, http_options);
  return http_options;
}

Expected<void> Server::Rep::Listen() {
  if (http != nullptr || endpoints.empty()) return {};
  if (options.workers <= 0) {
    return Err(ErrorReason::kInvalidArgument, "webhook server: invalid ServerOptions::workers " +
                                                  std::to_string(options.workers) +
                                                  "; set at least 1");
  }
  http = std::make_unique<httpserver::Server>(
      HttpOptions(),
      [this](httpserver::Request request, std::shared_ptr<httpserver::Exchange> exchange) {
        OnRequest(std::move(request), exchange);
      });
  deadlines = std::make_unique<Deadlines>(clock);
  pool = std::make_unique<WorkerPool>(std::string(kName), options.workers, options.queue_max);
  if (const auto begun = http->Start(); !begun) {
    Stop();
    http.reset();
    auto error = begun.error().Wrap("webhook server");
    if (!HasFile(options.cert_name) || !HasFile(options.key_name)) {
      error.message +=
          "; mount the certificate there, or set --webhook-cert-path (ServerOptions::cert_dir)";
    }
    return Err(std::move(error));
  }
  InfoS("Serving webhooks", "host", options.host, "port", http->port());
  return {};
}

std::optional<std::chrono::nanoseconds> Server::Rep::TimeoutOf(
    const httpserver::Request& request) const {
  const std::string_view text = request.Query("timeout");
  const auto timeout = text.empty() ? options.timeout : ParseDuration(text);
  if (!timeout || timeout->count() <= 0) return std::nullopt;
  return std::min(*timeout, kTimeoutMax);
}

void Server::Rep::OnRequest(httpserver::Request request,
                            const std::shared_ptr<httpserver::Exchange>& exchange) {
  const auto endpoint = endpoints.find(request.path);
  if (endpoint == endpoints.end()) return Respond(*exchange, Text(404, "404 page not found\n"));
  if (!options.client_ca_name.empty() && !(request.client && request.client->trusted)) {
    return Respond(*exchange, Text(401, "a client certificate is required\n"));
  }
  const auto timeout = TimeoutOf(request);
  if (!timeout) return Respond(*exchange, Text(400, "timeout is not a duration such as 10s\n"));

  const auto limit = *timeout - std::min(*timeout / 10, kMarginMax);
  const auto call = std::make_shared<Call>(endpoint->first, exchange, clock.Now(), limit);
  HttpBody body{.content_type = std::string(request.Header("Content-Type")),
                .body = std::move(request.body)};
  Watch(call);
  const bool queued = pool->Push(
      [this, call, &handler = endpoint->second, body = std::move(body)]() -> std::function<void()> {
        if (call->stop.stop_requested()) return nullptr;  // nobody waits any more
        HttpAnswer answer = Handle(*call, handler, body);
        // What a function returns because of its stop, or of the deadline that also requests it, is
        // no decision.
        if (call->stop.stop_requested() || clock.Now() >= call->deadline) return nullptr;
        return [this, call, answer = std::move(answer)]() mutable {
          http->Post([this, call, answer = std::move(answer)]() mutable {
            Finish(call, std::move(answer));
          });
        };
      });
  if (queued) return;
  Finish(call, Text(429, "too many requests, try again later\n"), {{"Retry-After", "1"}});
}

void Server::Rep::Watch(const CallPtr& call) {
  calls.insert(call);
  if (metrics != nullptr) metrics->AddInFlight(call->path, 1);
  call->timer = deadlines->Add(call->deadline - call->start, call->stop);
  const std::weak_ptr<Call> weak = call;
  call->on_stop.emplace(call->stop.get_token(), [this, weak] {
    http->Post([this, weak] {
      const CallPtr late = weak.lock();
      if (late != nullptr) Finish(late, Text(504, "the webhook took too long\n"));
    });
  });
  call->exchange->OnClose([this, weak] {
    const CallPtr left = weak.lock();
    if (left == nullptr || left->exchange == nullptr) return;
    left->exchange.reset();
    Forget(*left);
    left->stop.request_stop();
    calls.erase(left);
  });
}

HttpAnswer Server::Rep::Handle(const Call& call, const BodyHandler& handler,
                               const HttpBody& body) const {
  HttpAnswer answer;
  const auto panic = Recover([&] {
    answer = handler({call.stop.get_token(), call.deadline}, body);
  });
  if (!panic) return answer;
  if (metrics != nullptr) metrics->OnPanic();
  ErrorS("Observed a panic in webhook", "webhook", call.path, "panic", *panic);
  return Text(500, "internal server error\n");
}

void Server::Rep::Finish(const CallPtr& call, HttpAnswer answer, httpserver::Headers headers) {
  const auto exchange = std::exchange(call->exchange, nullptr);
  if (exchange == nullptr) return;
  Forget(*call);
  if (metrics != nullptr) {
    metrics->OnResponse(call->path, answer.status, clock.Now() - call->start);
  }
  Respond(*exchange, std::move(answer), std::move(headers));
  calls.erase(call);
}

void Server::Rep::Forget(Call& call) {
  deadlines->Remove(call.timer);
  call.on_stop.reset();
  if (metrics != nullptr) metrics->AddInFlight(call.path, -1);
}

void Server::Rep::StopCalls() {
  for (const CallPtr& call : calls) call->stop.request_stop();
}

bool Server::Rep::WaitUntilDrained(std::chrono::nanoseconds timeout) {
  const MutexLock lock(mu);
  return clock.WaitUntil(mu, changed, {}, clock.Now() + timeout,
                         [&]() CAPSTAN_REQUIRES(mu) { return drained; });
}

void Server::Rep::Stop() {
  if (http != nullptr) http->Stop();
  pool.reset();
  deadlines.reset();
}

Server::Server(ServerOptions options) : rep_(std::make_unique<Rep>(std::move(options))) {}

Server::~Server() { rep_->Stop(); }

Expected<void> Server::Register(const std::string& path, AdmissionHandler handler) {
  BodyHandler endpoint;
  if (handler) endpoint = AdmissionEndpoint(path, std::move(handler), rep_->metrics);
  return rep_->Register(path, std::move(endpoint));
}

Expected<void> Server::RegisterBody(const std::string& path, BodyHandler handler) {
  return rep_->Register(path, std::move(handler));
}

Expected<void> Server::RegisterConverter(const std::string& group, const std::string& kind,
                                         Converter converter) {
  if (!converter) {
    return Err(ErrorReason::kInvalidArgument,
               "conversion of " + kind + ": the converter is empty; pass a function");
  }
  if (rep_->converters.empty()) {
    auto registered = rep_->Register(std::string(kConvertPath),
                                     ConversionEndpoint(rep_->converters, rep_->metrics));
    if (!registered) return registered;
  }
  if (rep_->http == nullptr &&
      rep_->converters.emplace(std::pair(group, kind), std::move(converter)).second) {
    return {};
  }
  return Err(ErrorReason::kInvalidArgument,
             "conversion of " + kind + ": declare it once, before Manager::Start");
}

Expected<void> Server::Listen() { return rep_->Listen(); }

std::uint16_t Server::port() const { return rep_->http == nullptr ? 0 : rep_->http->port(); }

Check Server::StartedChecker() {
  return [rep = rep_.get()]() -> Expected<void> {
    if (rep->IsStarted()) return {};
    return Err(ErrorReason::kServiceUnavailable, "webhook server has not been started yet");
  };
}

Expected<void> Server::Begin(std::stop_token /*stop*/) {
  if (auto listening = rep_->Listen(); !listening) return listening;
  const MutexLock lock(rep_->mu);
  rep_->started = true;
  return {};
}

void Server::End() {
  {
    const MutexLock lock(rep_->mu);
    rep_->started = false;
  }
  if (rep_->http == nullptr) return;
  rep_->http->Drain([rep = rep_.get()] {
    const MutexLock lock(rep->mu);
    rep->drained = true;
    rep->changed.NotifyAll();
  });
  if (!rep_->WaitUntilDrained(rep_->options.drain_timeout)) {
    WarningS("Stopping webhooks that are still at work", "timeout",
             FormatDuration(rep_->options.drain_timeout));
    rep_->http->Post([rep = rep_.get()] { rep->StopCalls(); });
    rep_->WaitUntilDrained(kLastAnswers);
  }
  rep_->Stop();
}

Expected<Server*> AddServer(Manager& manager, ServerOptions options) {
  if (manager.started() || manager.FindRunnable(kName) != nullptr) {
    return Err(ErrorReason::kInvalidArgument,
               "a Manager has one webhook server; add it once, before Manager::Start");
  }
  if (options.clock == nullptr) options.clock = &manager.clock();
  if (options.metrics == nullptr) options.metrics = manager.options().cluster.metrics;
  const std::chrono::nanoseconds grace = manager.options().graceful_shutdown_timeout;
  if (grace.count() >= 0) options.drain_timeout = std::min(options.drain_timeout, grace / 4 * 3);
  auto server = std::make_unique<Server>(std::move(options));
  Server* const added = server.get();
  manager.readyz().Add(std::string(kName), added->StartedChecker());
  manager.Add(std::move(server), Manager::Group::kServer);
  return added;
}

Expected<Server*> ServerFor(Manager& manager) {
  auto* const server = dynamic_cast<Server*>(manager.FindRunnable(kName));
  if (server != nullptr) return server;
  return AddServer(manager, {});
}

}  // namespace capstan::webhook
