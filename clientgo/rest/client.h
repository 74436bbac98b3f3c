// SPDX-License-Identifier: Apache-2.0
// Client: the verbs of the Kubernetes API over an HttpTransport. All calls block, take the stop
// token first, and are thread-safe. Responses are decoded as they stream in: only what the
// ResourceType keeps is ever in memory.
//
// Unary requests are retried as client-go does: at most ten times on 429 and 5xx with an integer
// Retry-After, and a GET on a broken connection after 1 s. Differs: a "too large resourceVersion"
// answer is returned at once, since waiting 10 times for it takes 40 s.
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

#include "clientgo/auth/credentials.h"
#include "clientgo/rest/config.h"
#include "clientgo/rest/metrics.h"
#include "clientgo/rest/server_availability.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/runtime/watch_event.h"
#include "clientgo/transport/http_transport.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"

namespace clientgo::rest {

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
  // HttpResponse::Read, plus kDecode for bytes that are no event.
  virtual util::Expected<std::optional<runtime::WatchEvent>> Next() = 0;
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

  util::Expected<runtime::ObjectPtr> Get(std::stop_token stop, const runtime::ResourceType& type,
                                         const runtime::ObjectKey& key);
  // One page. `on_item` runs on this thread for each object as it is decoded; when the call fails
  // afterwards, what it was given is not a list.
  util::Expected<runtime::ListMeta> List(std::stop_token stop, const runtime::ResourceType& type,
                                         const ListOptions& options,
                                         const std::function<void(runtime::ObjectPtr)>& on_item);
  util::Expected<std::unique_ptr<Watcher>> Watch(std::stop_token stop,
                                                 const runtime::ResourceType& type,
                                                 const ListOptions& options);
  // `body` is the JSON object. The answer is decoded through `type`.
  util::Expected<runtime::ObjectPtr> Create(std::stop_token stop, const runtime::ResourceType& type,
                                            std::string_view ns, std::string body,
                                            const WriteOptions& options = {});
  util::Expected<runtime::ObjectPtr> Update(std::stop_token stop, const runtime::ResourceType& type,
                                            const runtime::ObjectKey& key, std::string body,
                                            const WriteOptions& options = {});
  util::Expected<runtime::ObjectPtr> Patch(std::stop_token stop, const runtime::ResourceType& type,
                                           const runtime::ObjectKey& key, PatchType patch_type,
                                           std::string body, const WriteOptions& options = {});
  util::Expected<void> Delete(std::stop_token stop, const runtime::ResourceType& type,
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
util::Expected<std::shared_ptr<const T>> Get(std::stop_token stop, Client& client,
                                             const runtime::ObjectKey& key) {
  auto object = client.Get(std::move(stop), T::Type(), key);
  if (!object) return tl::unexpected(std::move(object.error()));
  return std::static_pointer_cast<const T>(std::move(*object));
}

}  // namespace clientgo::rest
