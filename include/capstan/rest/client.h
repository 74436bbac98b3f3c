// SPDX-License-Identifier: Apache-2.0
// Client has the verbs of the Kubernetes API, over an HttpTransport. All calls block, are
// thread-safe, and take CallOptions (or a stop token) first. Responses are decoded while they are
// received, so only the fields that the ResourceType keeps are in memory.
//
// A verb fails with kInvalidArgument, and sends nothing, when a namespace, name or subresource is
// "." or "..", or contains "/" or "%", and when an object of a namespaced type has no namespace.
// List and Watch without a namespace cover all namespaces.
//
// Unary requests are retried like in client-go: at most ten times on 429 and 5xx with an integer
// Retry-After, and a GET on a broken connection after 1 s. A retry that would begin after the
// deadline does not happen; the last response is returned. Differs: a "too large resourceVersion"
// response is returned at once, since ten retries take 40 s. The response to anything but a List
// must begin within 65 s (kAnswerTimeout), where client-go has no limit. Mirrors
// k8s.io/client-go/rest and dynamic.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/auth/credentials.h"
#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/config.h"
#include "capstan/rest/metrics.h"
#include "capstan/rest/server_availability.h"
#include "capstan/rest/warnings.h"
#include "capstan/runtime/decoder.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/transport/http_transport.h"

namespace capstan::rest {

// The time within which the response of a Get, Create, Update, Patch or Delete must begin. An API
// server ends such a request after 60 s (--request-timeout).
inline constexpr std::chrono::milliseconds kAnswerTimeout = std::chrono::seconds(65);

// CallOptions limit a call. A stop token converts to CallOptions.
struct CAPSTAN_EXPORT CallOptions {
  CallOptions() = default;
  CallOptions(std::stop_token the_stop)  // NOLINT(google-explicit-constructor)
      : stop(std::move(the_stop)) {}
  CallOptions(std::stop_token the_stop, Clock::TimePoint the_deadline)
      : stop(std::move(the_stop)), deadline(the_deadline) {}

  std::stop_token stop;  // kCanceled
  // The end of the whole call, including retries and the body (kDeadlineExceeded). For a watch, the
  // end of the stream. On the client's clock.
  Clock::TimePoint deadline = Clock::TimePoint::max();
  // The time within which the response of one attempt must begin (kDeadlineExceeded). 0: no limit
  // for a List, kAnswerTimeout for other unary calls, and the longest allowed silence for a watch.
  std::chrono::milliseconds answer_timeout{0};
};

struct CAPSTAN_EXPORT GetOptions {
  // "0": any version, from the server's memory. Empty: the newest version.
  std::string resource_version = {};
  std::string subresource = {};  // "status", "scale"
  // The type of the response, if the subresource returns another kind. See WriteOptions.
  const runtime::ResourceType* answer_type = nullptr;
};

struct CAPSTAN_EXPORT ListOptions {
  std::string namespace_ = {};  // empty: all namespaces
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  std::int64_t limit = 0;
  std::string continue_token = {};
  // Watch only.
  bool allow_watch_bookmarks = false;
  bool send_initial_events = false;
  std::chrono::seconds timeout{0};  // timeoutSeconds; 0: the server decides
};

enum class PatchType { kJson, kMerge, kStrategicMerge, kApply };

// FieldValidation is what the server does with unknown and duplicate fields in the body of a write.
// Mirrors the fieldValidation of metav1.CreateOptions, UpdateOptions and PatchOptions.
enum class FieldValidation {
  kServerDefault,  // kWarn since Kubernetes 1.27
  kIgnore,         // drops unknown fields, and keeps the last of duplicate ones
  kWarn,           // as kIgnore, with a Warning header for each
  kStrict,         // rejects the request (kBadRequest)
};

struct CAPSTAN_EXPORT WriteOptions {
  // The owner of the written fields in managedFields. Empty: the start of the User-Agent. An apply
  // requires it.
  std::string field_manager = {};
  // Apply only: takes over fields that other managers own. Without it such a field is a kConflict.
  bool force = false;
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kServerDefault;
  std::string subresource = {};
  // For Create of a subresource: the name of the object, such as the pod of an "eviction".
  std::string name = {};
  // The type of the response, if a subresource returns another kind: the Scale of "scale", or
  // api::Status::Type() for "eviction" and "binding". nullptr: the type of the object. Not owned;
  // used during the call.
  const runtime::ResourceType* answer_type = nullptr;
  // The server answers with the object's metadata alone, which is less work for it. All other
  // fields of the returned object are those of an empty one.
  bool metadata_only_answer = false;
};

// PropagationPolicy is what happens to the objects that have the deleted one as their owner.
// Mirrors metav1.DeletionPropagation.
enum class PropagationPolicy {
  kServerDefault,  // kBackground for most kinds
  kOrphan,         // they stay, without this owner
  kBackground,     // the garbage collector deletes them afterwards
  kForeground,     // the object stays, with a deletionTimestamp, until they are deleted
};

struct CAPSTAN_EXPORT DeleteOptions {
  std::string uid = {};               // precondition
  std::string resource_version = {};  // precondition
  PropagationPolicy propagation_policy = PropagationPolicy::kServerDefault;
  // For Pods: the time between the SIGTERM and the end of the processes. 0: at once.
  std::optional<std::chrono::seconds> grace_period = {};
  bool dry_run = false;
};

struct CAPSTAN_EXPORT RawGetOptions {
  std::string accept = "application/json";
  // A longer body fails with kRequestEntityTooLarge.
  std::size_t body_bytes_max = std::size_t{16} << 20U;
};

// RawResponse is the response to a GetRaw.
struct CAPSTAN_EXPORT RawResponse {
  std::string content_type = {};
  std::string body = {};
};

// Watcher is an open watch. One thread reads it. Its destructor closes the connection.
class CAPSTAN_EXPORT Watcher {
 public:
  virtual ~Watcher() = default;
  // Blocks for the next event. nullopt: the stream ended normally (timeoutSeconds). Errors are
  // those of HttpResponse::Read, such as kDeadlineExceeded when the server was silent for
  // `max_silence`, and kDecode for bytes that are not an event.
  virtual Expected<std::optional<runtime::WatchEvent>> Next(Clock::Duration max_silence) = 0;
  Expected<std::optional<runtime::WatchEvent>> Next() { return Next(Clock::Duration::max()); }

  // As in HttpResponse, for Next instead of Read.
  virtual bool CanSuspend() const { return false; }
  virtual std::optional<Clock::TimePoint> Suspend(transport::Waker& /*waker*/) {
    return std::nullopt;
  }

  // Backlog is what is known about the events that Next has not returned.
  enum class Backlog {
    kReceived,  // Next returns without reading the connection
    kUnknown,   // Next reads the connection
    kNone,      // Next reads the connection, and the last read returned everything that had arrived
  };
  // Returns the backlog, so that a reader can do once what it would do for each event. Does not
  // wait.
  virtual Backlog CheckBacklog() { return Backlog::kUnknown; }

  // Returns the encoding of the events, which the server chose; nullopt: not known.
  virtual std::optional<ContentType> content_type() const { return std::nullopt; }
};

struct CAPSTAN_EXPORT ClientOptions {
  Clock& clock = Clock::Real();
  MetricsProvider* metrics = nullptr;  // not owned; outlives the client
  // Gets the warnings in the responses. Not owned; outlives the client. nullptr: a WarningLogger of
  // this client, which logs each text once.
  WarningHandler* warning_handler = nullptr;
  // Credentials to share with other clients of the same Config. Null: NewCredentials of the Config.
  std::shared_ptr<auth::Credentials> credentials = {};
  // The ServerAvailability of another client of the same server, which must outlive this client.
  // Null: this client has its own.
  ServerAvailability* availability = nullptr;
  // The time over which waiting callers resume after an outage, for a client with its own
  // ServerAvailability.
  Clock::Duration recovery_spread = std::chrono::milliseconds(200);
};

class ContentNegotiation;
class HttpClient;

class CAPSTAN_EXPORT Client {
 public:
  // For tests, which may pass their own transport.
  Client(Config config, std::unique_ptr<transport::HttpTransport> transport,
         ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  // Connects with the settings of the config.
  static Expected<std::unique_ptr<Client>> New(Config config, ClientOptions options = {});

  Expected<runtime::ObjectPtr> Get(const CallOptions& call, const runtime::ResourceType& type,
                                   const runtime::ObjectKey& key, const GetOptions& options = {});
  // Reads one page. A List has no time limit: TCP detects a dead server before the first byte, and
  // afterwards a silence of 30 s ends the call (kUnexpectedEof). `on_item` runs on this thread for
  // each decoded object. If the call fails later, these objects are not a list.
  Expected<runtime::ListMeta> List(const CallOptions& call, const runtime::ResourceType& type,
                                   const ListOptions& options,
                                   const std::function<void(runtime::ObjectPtr)>& on_item);
  Expected<std::unique_ptr<Watcher>> Watch(const CallOptions& call,
                                           const runtime::ResourceType& type,
                                           const ListOptions& options);
  // The Watcher keeps a reference to `type`, so a temporary does not compile.
  Expected<std::unique_ptr<Watcher>> Watch(const CallOptions& call,
                                           const runtime::ResourceType&& type,
                                           const ListOptions& options) = delete;
  // `body` is the JSON object. The response is decoded with `type`, or with options.answer_type.
  Expected<runtime::ObjectPtr> Create(const CallOptions& call, const runtime::ResourceType& type,
                                      std::string_view ns, std::string body,
                                      const WriteOptions& options = {});
  Expected<runtime::ObjectPtr> Update(const CallOptions& call, const runtime::ResourceType& type,
                                      const runtime::ObjectKey& key, std::string body,
                                      const WriteOptions& options = {});
  Expected<runtime::ObjectPtr> Patch(const CallOptions& call, const runtime::ResourceType& type,
                                     const runtime::ObjectKey& key, PatchType patch_type,
                                     std::string body, const WriteOptions& options = {});
  Expected<void> Delete(const CallOptions& call, const runtime::ResourceType& type,
                        const runtime::ObjectKey& key, const DeleteOptions& options = {});
  // Deletes the objects that `list` selects, like a Delete of each one. A failure leaves the rest.
  // `list.limit` deletes at most so many. The preconditions of `options` apply to each object.
  Expected<void> DeleteCollection(const CallOptions& call, const runtime::ResourceType& type,
                                  const ListOptions& list, const DeleteOptions& options = {});

  // Creates the Pod's subresource "eviction": the server deletes the Pod, unless that breaks a
  // PodDisruptionBudget (kTooManyRequests, which is retried only with a Retry-After).
  Expected<void> Evict(const CallOptions& call, const runtime::ObjectKey& pod,
                       const DeleteOptions& options = {});
  // Creates the Pod's subresource "binding", which assigns the Pod to a Node as a scheduler does.
  // Fails with kConflict if the Pod has a Node. A non-empty `uid` is a precondition.
  Expected<void> Bind(const CallOptions& call, const runtime::ObjectKey& pod, std::string_view node,
                      std::string_view uid = {});

  // Reads a path that is not a resource, such as "/version" or "/apis", with the retries of a Get.
  // `path` begins with "/", is escaped and may have a query. Mirrors AbsPath(path).DoRaw() of
  // client-go's rest.Request.
  Expected<RawResponse> GetRaw(const CallOptions& call, std::string path,
                               const RawGetOptions& options = {});

  // Sends a GET once, and returns the response for the caller to read: for a body without a known
  // end, such as a log, and for another protocol (HttpRequest::upgrade). A status that is neither
  // 2xx nor the 101 of an upgrade is an error. The call's deadline ends the response as well.
  Expected<std::unique_ptr<transport::HttpResponse>> Stream(const CallOptions& call,
                                                            transport::HttpRequest request);

  const Config& config() const { return config_; }
  // Retries wait on this while the server cannot be reached. Thread-safe.
  ServerAvailability& availability() const;

 private:
  Client(Config config, std::unique_ptr<HttpClient> http, MetricsProvider* metrics);
  template <class Read>
  auto InContentType(const runtime::ResourceType& type, const Read& read)
      -> decltype(read(ContentType::kJson));

  const Config config_;
  const std::unique_ptr<ContentNegotiation> negotiation_;
  const std::unique_ptr<HttpClient> http_;
};

}  // namespace capstan::rest
