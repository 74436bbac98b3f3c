// SPDX-License-Identifier: Apache-2.0
#include "capstan/rest/client.h"

#include <vector>

#include "capstan/log.h"
#include "clientgo/rest/http_client.h"
#include "clientgo/rest/negotiation.h"
#include "clientgo/rest/request_builder.h"

namespace capstan::rest {

namespace {

// A read of fewer bytes has returned everything that had arrived. Transports return up to 16 KiB or
// more at once.
constexpr std::size_t kLargeReadBytes = std::size_t{8} * 1024;
// A log may be silent for long. TCP, or a PING of HTTP/2, detects a dead server.
constexpr std::chrono::milliseconds kNoIdleTimeout = std::chrono::hours(24 * 365);

// FrameReader reads the frames of a body, one at a time.
class FrameReader {
 public:
  FrameReader(transport::HttpResponse& response, std::unique_ptr<runtime::FrameFilter> filter)
      : response_(response), filter_(std::move(filter)) {}

  // Returns true if filter() has a frame, and false at the normal end of the body.
  Expected<bool> Next(Clock::Duration max_silence = Clock::Duration::max()) {
    for (;;) {
      Scan();
      scanned_ = false;
      if (!found_ || *found_) return found_;
      if (ended_) return false;
      auto bytes = response_.Read(max_silence);
      if (!bytes) return Err(std::move(bytes.error()));
      bytes_ = *bytes;
      last_read_bytes_ = bytes_.size();
      if (!bytes_.empty()) continue;
      ended_ = true;
      const std::size_t before = filter_->frames();
      auto finished = filter_->Finish();
      if (!finished) return Err(std::move(finished.error()));
      return filter_->frames() != before;
    }
  }
  runtime::FrameFilter& filter() { return *filter_; }

  // Reports whether Next returns without a read. It invalidates the frame that Next has returned.
  bool HasNext() {
    Scan();
    return ended_ || !found_ || *found_;
  }
  std::size_t last_read_bytes() const { return last_read_bytes_; }

 private:
  void Scan() {
    if (!std::exchange(scanned_, true)) found_ = ScanReceived();
  }
  // Passes received bytes to the filter, up to the end of a frame. False: there is no whole frame.
  Expected<bool> ScanReceived() {
    while (!bytes_.empty()) {
      auto taken = filter_->Feed(bytes_);
      if (!taken) return Err(std::move(taken.error()));
      bytes_.remove_prefix(*taken);
      if (filter_->HasFrame()) return true;
    }
    return false;
  }

  transport::HttpResponse& response_;
  const std::unique_ptr<runtime::FrameFilter> filter_;
  std::string_view bytes_;  // received, and not yet passed to the filter
  std::size_t last_read_bytes_ = 0;
  bool scanned_ = false;          // Next has not returned the result of the last scan
  Expected<bool> found_ = false;  // this result
  bool ended_ = false;
};

class StreamWatcher final : public Watcher {
 public:
  StreamWatcher(const runtime::ResourceType& type,
                std::unique_ptr<transport::HttpResponse> response)
      : type_(type),
        response_(std::move(response)),
        frames_(*response_, NewFilter(*response_, type.projection.watch(),
                                      {.identity = &runtime::WatchIdentityProjection()}, true)) {}

  Expected<std::optional<runtime::WatchEvent>> Next(Clock::Duration max_silence) override {
    auto more = frames_.Next(max_silence);
    if (!more) return Err(std::move(more.error()));
    if (!*more) return std::nullopt;
    runtime::FrameFilter& filter = frames_.filter();
    auto event =
        runtime::DecodeWatchEvent(type_, filter.frame(), filter.frame_size(), filter.exceeded());
    if (!event) return Err(std::move(event.error()));
    return std::move(*event);
  }

  bool CanSuspend() const override { return response_->CanSuspend(); }
  std::optional<Clock::TimePoint> Suspend(transport::Waker& waker) override {
    if (frames_.HasNext()) return std::nullopt;
    return response_->Suspend(waker);
  }
  Backlog CheckBacklog() override {
    if (frames_.HasNext()) return Backlog::kReceived;
    return frames_.last_read_bytes() < kLargeReadBytes ? Backlog::kNone : Backlog::kUnknown;
  }
  std::optional<ContentType> content_type() const override { return ContentTypeOf(*response_); }

 private:
  const runtime::ResourceType& type_;
  const std::unique_ptr<transport::HttpResponse> response_;
  FrameReader frames_;
};

Expected<runtime::ObjectPtr> ReadObject(const runtime::ResourceType& type,
                                        transport::HttpResponse& response) {
  FrameReader frames(response, NewFilter(response, type.projection.object(), {}));
  std::optional<Expected<runtime::ObjectPtr>> object;
  for (;;) {
    auto more = frames.Next();
    if (!more) return Err(std::move(more.error()));
    if (!*more) break;
    if (object) return Err(ErrorReason::kDecode, "more than one object in the response");
    runtime::FrameFilter& filter = frames.filter();
    object = runtime::DecodeObject(type, filter.frame(), filter.frame_size());
  }
  if (!object) return Err(ErrorReason::kDecode, "the response is empty");
  return std::move(*object);
}

Expected<runtime::ListMeta> ReadList(const runtime::ResourceType& type,
                                     transport::HttpResponse& response,
                                     const std::function<void(runtime::ObjectPtr)>& on_item) {
  FrameReader frames(response, NewFilter(response, type.projection.list(),
                                         {.framing = runtime::FrameFilter::Framing::kList,
                                          .identity = &runtime::IdentityProjection()}));
  std::optional<runtime::ListMeta> meta;
  std::vector<runtime::UndecodableObject> undecodable;
  for (;;) {
    auto more = frames.Next();
    if (!more) return Err(std::move(more.error()));
    if (!*more) break;
    if (meta) return Err(ErrorReason::kDecode, "more than one object in the response");
    runtime::FrameFilter& filter = frames.filter();
    if (filter.frame_type() == runtime::FrameFilter::FrameType::kDocument) {
      auto decoded = runtime::DecodeListMeta(filter.frame(), filter.frame_size());
      if (!decoded) return Err(std::move(decoded.error()));
      meta = std::move(*decoded);
      continue;
    }
    auto item =
        runtime::DecodeListItem(type, filter.frame(), filter.frame_size(), filter.exceeded());
    if (item) {
      on_item(std::move(*item));
    } else {
      WarningS("Failed to decode an object of a list", "kind", type.kind, "object",
               item.error().key, "err", item.error().error);
      undecodable.push_back(std::move(item.error()));
    }
  }
  if (!meta) return Err(ErrorReason::kDecode, "the response is empty");
  meta->undecodable = std::move(undecodable);
  return std::move(*meta);
}

Expected<RawResponse> ReadRaw(transport::HttpResponse& response, std::size_t bytes_max) {
  RawResponse raw{.content_type =
                      std::string(transport::FindHeader(response.headers(), "Content-Type"))};
  for (;;) {
    const auto bytes = response.Read();
    if (!bytes) return Err(bytes.error());
    if (bytes->empty()) return raw;
    if (bytes->size() > bytes_max - raw.body.size()) {
      return Err(ErrorReason::kRequestEntityTooLarge,
                 "the response has more than " + std::to_string(bytes_max) + " bytes");
    }
    raw.body.append(*bytes);
  }
}

Expected<void> DiscardBody(transport::HttpResponse& response) {
  for (;;) {
    auto bytes = response.Read();
    if (!bytes) return Err(std::move(bytes.error()));
    if (bytes->empty()) return {};
  }
}

Config WithDefaults(Config config) {
  if (config.user_agent.empty()) {
    config.user_agent = DefaultUserAgent(program_invocation_short_name, "");
  }
  return config;
}

// Sends a unary request and decodes its response.
template <class Decode>
auto Do(HttpClient& http, const CallOptions& call, Expected<transport::HttpRequest> request,
        const Decode& decode) -> decltype(decode(std::declval<transport::HttpResponse&>())) {
  if (!request) return Err(std::move(request.error()));
  const auto start = http.clock().Now();
  const std::string method = request->method;
  const auto response = http.Send(call, std::move(*request));
  auto result = response ? decode(**response) : Err(response.error());
  http.ObserveDuration(method, start);
  return result;
}

// Sends a unary request whose response is one object of `type`.
Expected<runtime::ObjectPtr> DoObject(HttpClient& http, const CallOptions& call,
                                      const runtime::ResourceType& type,
                                      Expected<transport::HttpRequest> request) {
  return Do(http, call, std::move(request),
            [&](transport::HttpResponse& response) { return ReadObject(type, response); });
}

// `make` returns the request for WriteOptions.
template <class Make>
Expected<runtime::ObjectPtr> DoWrite(HttpClient& http, const CallOptions& call,
                                     const runtime::ResourceType& type, const WriteOptions& options,
                                     const Make& make) {
  const runtime::ResourceType& answer = AnswerType(type, options);
  if (!options.metadata_only_answer) return DoObject(http, call, answer, make(options));
  runtime::ResourceType metadata = answer;
  metadata.metadata_only = true;
  WriteOptions with_type = options;
  with_type.answer_type = &metadata;
  return DoObject(http, call, metadata, make(with_type));
}

}  // namespace

Client::Client(Config config, std::unique_ptr<transport::HttpTransport> transport,
               ClientOptions options)
    : config_(WithDefaults(std::move(config))),
      negotiation_(std::make_unique<ContentNegotiation>(config_.content_type, options.metrics)),
      http_(std::make_unique<HttpClient>(config_, std::move(transport), std::move(options))) {}

Client::Client(Config config, std::unique_ptr<HttpClient> http, MetricsProvider* metrics)
    : config_(std::move(config)),
      negotiation_(std::make_unique<ContentNegotiation>(config_.content_type, metrics)),
      http_(std::move(http)) {}

Client::~Client() = default;

Expected<std::unique_ptr<Client>> Client::New(Config config, ClientOptions options) {
  config = WithDefaults(std::move(config));
  MetricsProvider* const metrics = options.metrics;
  auto http = HttpClient::New(config, std::move(options));
  if (!http) return Err(std::move(http.error()));
  return std::unique_ptr<Client>(new Client(std::move(config), *std::move(http), metrics));
}

ServerAvailability& Client::availability() const { return http_->availability(); }

// Sends a read, and once more if the server refuses protobuf.
template <class Read>
auto Client::InContentType(const runtime::ResourceType& type, const Read& read)
    -> decltype(read(ContentType::kJson)) {
  auto result = read(negotiation_->For(type));
  if (result || !negotiation_->Refused(type, result.error())) return result;
  return read(ContentType::kJson);
}

Expected<runtime::ObjectPtr> Client::Get(const CallOptions& call, const runtime::ResourceType& type,
                                         const runtime::ObjectKey& key, const GetOptions& options) {
  const runtime::ResourceType& answer = AnswerType(type, options);
  return InContentType(answer, [&](ContentType content_type) {
    return DoObject(*http_, call, answer, GetRequest(type, key, options, content_type));
  });
}

Expected<runtime::ListMeta> Client::List(const CallOptions& call, const runtime::ResourceType& type,
                                         const ListOptions& options,
                                         const std::function<void(runtime::ObjectPtr)>& on_item) {
  return InContentType(type, [&](ContentType content_type) {
    auto request = ListRequest(type, options, content_type);
    if (request) request->compression = config_.list_compression;
    return Do(*http_, call, std::move(request),
              [&](transport::HttpResponse& response) { return ReadList(type, response, on_item); });
  });
}

Expected<std::unique_ptr<Watcher>> Client::Watch(const CallOptions& call,
                                                 const runtime::ResourceType& type,
                                                 const ListOptions& options) {
  auto response = InContentType(type, [&](ContentType content_type) -> HttpClient::Result {
    auto request = WatchRequest(type, options, content_type);
    if (!request) return Err(std::move(request.error()));
    // kube-apiserver compresses a watch only if it begins with a list: each event becomes a gzip
    // member of its own.
    if (options.send_initial_events) request->compression = config_.list_compression;
    return http_->SendOnce(call, std::move(*request));
  });
  if (!response) return Err(std::move(response.error()));
  return std::make_unique<StreamWatcher>(type, std::move(*response));
}

Expected<runtime::ObjectPtr> Client::Create(const CallOptions& call,
                                            const runtime::ResourceType& type, std::string_view ns,
                                            std::string body, const WriteOptions& options) {
  return DoWrite(*http_, call, type, options, [&](const WriteOptions& with) {
    return CreateRequest(type, ns, std::move(body), with);
  });
}

Expected<runtime::ObjectPtr> Client::Update(const CallOptions& call,
                                            const runtime::ResourceType& type,
                                            const runtime::ObjectKey& key, std::string body,
                                            const WriteOptions& options) {
  return DoWrite(*http_, call, type, options, [&](const WriteOptions& with) {
    return UpdateRequest(type, key, std::move(body), with);
  });
}

Expected<runtime::ObjectPtr> Client::Patch(const CallOptions& call,
                                           const runtime::ResourceType& type,
                                           const runtime::ObjectKey& key, PatchType patch_type,
                                           std::string body, const WriteOptions& options) {
  return DoWrite(*http_, call, type, options, [&](const WriteOptions& with) {
    return PatchRequest(type, key, patch_type, std::move(body), with);
  });
}

Expected<void> Client::Delete(const CallOptions& call, const runtime::ResourceType& type,
                              const runtime::ObjectKey& key, const DeleteOptions& options) {
  return Do(*http_, call, DeleteRequest(type, key, options), DiscardBody);
}

Expected<void> Client::DeleteCollection(const CallOptions& call, const runtime::ResourceType& type,
                                        const ListOptions& list, const DeleteOptions& options) {
  return Do(*http_, call, DeleteCollectionRequest(type, list, options), DiscardBody);
}

Expected<void> Client::Evict(const CallOptions& call, const runtime::ObjectKey& pod,
                             const DeleteOptions& options) {
  return Do(*http_, call, EvictRequest(pod, options), DiscardBody);
}

Expected<void> Client::Bind(const CallOptions& call, const runtime::ObjectKey& pod,
                            std::string_view node, std::string_view uid) {
  return Do(*http_, call, BindRequest(pod, node, uid), DiscardBody);
}

Expected<std::unique_ptr<transport::HttpResponse>> Client::Stream(const CallOptions& call,
                                                                  transport::HttpRequest request) {
  request.answer_timeout = kAnswerTimeout;
  request.idle_timeout = kNoIdleTimeout;
  return http_->SendOnce(call, std::move(request));
}

Expected<RawResponse> Client::GetRaw(const CallOptions& call, std::string path,
                                     const RawGetOptions& options) {
  if (!path.starts_with('/')) {
    return Err(ErrorReason::kInvalidArgument, "the path \"" + path + "\" does not begin with /");
  }
  const std::string name = path;
  transport::HttpRequest request{.target = std::move(path)};
  request.headers.emplace_back("Accept", options.accept);
  request.answer_timeout = kAnswerTimeout;
  request.compression = config_.list_compression;
  auto raw = Do(*http_, call, std::move(request), [&](transport::HttpResponse& response) {
    return ReadRaw(response, options.body_bytes_max);
  });
  if (!raw) return Err(raw.error().Wrap("failed to get " + name));
  return raw;
}

}  // namespace capstan::rest
