// SPDX-License-Identifier: Apache-2.0
// Client: the verbs of the Kubernetes API over an HttpTransport. All calls block, take CallOptions
// (or just a stop token) first, and are thread-safe. Responses are decoded as they stream in: only
// what the ResourceType keeps is ever in memory.
//
// A verb fails with kInvalidArgument, and sends nothing, when a namespace, name or subresource is
// "." or "..", or contains "/" or "%", and when an object of a namespaced type has no namespace.
// List and Watch without a namespace cover all of them.
//
// Unary requests are retried as client-go does: at most ten times on 429 and 5xx with an integer
// Retry-After, and a GET on a broken connection after 1 s. A retry that would begin after the
// deadline is not waited for: the last answer is returned. Differs: a "too large resourceVersion"
// answer is returned at once, since waiting 10 times for it takes 40 s; an answer to anything but a
// List has 65 s to begin (kAnswerTimeout), where client-go waits without end.
// Mirrors k8s.io/client-go/rest and dynamic.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/auth/credentials.h"
#include "clientgo/rest/config.h"
#include "clientgo/rest/metrics.h"
#include "clientgo/rest/server_availability.h"
#include "clientgo/runtime/decoder.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/transport/http_transport.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"

namespace clientgo::rest {

// How long the response of a Get, Create, Update, Patch or Delete may take to begin. An API server
// ends such a request after 60 s (--request-timeout).
inline constexpr std::chrono::milliseconds kAnswerTimeout = std::chrono::seconds(65);

// What ends a call before its answer does. A stop token converts to it.
struct CallOptions {
  CallOptions() = default;
  CallOptions(std::stop_token the_stop)  // NOLINT(google-explicit-constructor)
      : stop(std::move(the_stop)) {}
  CallOptions(std::stop_token the_stop, util::Clock::TimePoint the_deadline)
      : stop(std::move(the_stop)), deadline(the_deadline) {}

  std::stop_token stop;  // kCanceled
  // The end of the whole call, with its retries and the body (kDeadlineExceeded); of a watch, the
  // end of its life. On the client's clock.
  util::Clock::TimePoint deadline = util::Clock::TimePoint::max();
  // How long the response of one attempt may take to begin (kDeadlineExceeded). 0: no limit for a
  // List, kAnswerTimeout for other unary calls; for a watch the longest silence that it may have.
  std::chrono::milliseconds answer_timeout{0};
};

struct ListOptions {
  std::string namespace_ = {};  // empty: all
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  std::int64_t limit = 0;
  std::string continue_token = {};
  // Watch only.
  bool allow_watch_bookmarks = false;
  bool send_initial_events = false;
  std::chrono::seconds timeout{0};  // timeoutSeconds; 0: the server's choice
};

enum class PatchType { kJson, kMerge, kStrategicMerge, kApply };

struct WriteOptions {
  std::string field_manager = {};
  bool force = false;  // apply only
  bool dry_run = false;
  std::string subresource = {};
  // Create of a subresource: the object that has it, such as the pod of an "eviction".
  std::string name = {};
  // The type of the answer, where a subresource's answer is of another kind: the Scale of "scale",
  // or api::Status::Type() for "eviction" and "binding". nullptr: the type of the object.
  // Not owned; used during the call.
  const runtime::ResourceType* answer_type = nullptr;
};

struct DeleteOptions {
  std::string uid = {};               // precondition
  std::string resource_version = {};  // precondition
};

// An open watch. One thread reads it; destroying it closes the connection.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Blocks for the next event; nullopt: the stream ended as it should (timeoutSeconds). Errors as
  // HttpResponse::Read, among them kDeadlineExceeded when the server was silent for `max_silence`,
  // plus kDecode for bytes that are no event.
  virtual util::Expected<std::optional<runtime::WatchEvent>> Next(
      util::Clock::Duration max_silence) = 0;
  util::Expected<std::optional<runtime::WatchEvent>> Next() {
    return Next(util::Clock::Duration::max());
  }
};

struct ClientOptions {
  util::Clock& clock = util::Clock::Real();
  MetricsProvider* metrics = nullptr;  // not owned; outlives the client
  // Null: NewCredentials of the Config. Else shared with other clients of the same Config.
  std::shared_ptr<auth::Credentials> credentials = {};
  // The view of the server that this client reports to. Null: a view of its own. Else that of
  // another client of the same server, which outlives this one.
  ServerAvailability* availability = nullptr;
  // How long its own view spreads the return of waiting callers after an outage.
  util::Clock::Duration recovery_spread = std::chrono::milliseconds(200);
};

class Client {
 public:
  // The transport may be a test's.
  Client(Config config, std::unique_ptr<transport::HttpTransport> transport,
         ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  // Over HTTP/1.1, as the config says.
  static util::Expected<std::unique_ptr<Client>> New(Config config, ClientOptions options = {});

  util::Expected<runtime::ObjectPtr> Get(const CallOptions& call, const runtime::ResourceType& type,
                                         const runtime::ObjectKey& key);
  // One page. A List has no limit of time: before the first byte a dead server is found by TCP, and
  // afterwards silence of 30 s ends it (kUnexpectedEof). `on_item` runs on this thread for each
  // object as it is decoded; when the call fails afterwards, what it was given is not a list.
  util::Expected<runtime::ListMeta> List(const CallOptions& call, const runtime::ResourceType& type,
                                         const ListOptions& options,
                                         const std::function<void(runtime::ObjectPtr)>& on_item);
  util::Expected<std::unique_ptr<Watcher>> Watch(const CallOptions& call,
                                                 const runtime::ResourceType& type,
                                                 const ListOptions& options);
  // The Watcher decodes through `type`, which outlives it: a temporary does not compile.
  util::Expected<std::unique_ptr<Watcher>> Watch(const CallOptions& call,
                                                 const runtime::ResourceType&& type,
                                                 const ListOptions& options) = delete;
  // `body` is the JSON object. The answer is decoded through `type`, or options.answer_type.
  util::Expected<runtime::ObjectPtr> Create(const CallOptions& call,
                                            const runtime::ResourceType& type, std::string_view ns,
                                            std::string body, const WriteOptions& options = {});
  util::Expected<runtime::ObjectPtr> Update(const CallOptions& call,
                                            const runtime::ResourceType& type,
                                            const runtime::ObjectKey& key, std::string body,
                                            const WriteOptions& options = {});
  util::Expected<runtime::ObjectPtr> Patch(const CallOptions& call,
                                           const runtime::ResourceType& type,
                                           const runtime::ObjectKey& key, PatchType patch_type,
                                           std::string body, const WriteOptions& options = {});
  util::Expected<void> Delete(const CallOptions& call, const runtime::ResourceType& type,
                              const runtime::ObjectKey& key, const DeleteOptions& options = {});

  const Config& config() const;
  // What retries wait on while the server cannot be reached. Thread-safe.
  ServerAvailability& availability() const;

 private:
  struct Rep;
  explicit Client(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

// Get with the type known: T has `static const runtime::ResourceType& Type()`.
template <class T>
util::Expected<std::shared_ptr<const T>> Get(const CallOptions& call, Client& client,
                                             const runtime::ObjectKey& key) {
  auto object = client.Get(call, T::Type(), key);
  if (!object) return tl::unexpected(std::move(object.error()));
  return std::static_pointer_cast<const T>(std::move(*object));
}

}  // namespace clientgo::rest
