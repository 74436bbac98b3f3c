// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/client.h"

#include <cerrno>
#include <utility>

#include "clientgo/rest/request_builder.h"
#include "clientgo/rest/requester.h"
#include "clientgo/rest/response_decoder.h"

namespace clientgo::rest {

using util::Err;
using util::Expected;

namespace {

void SetDefaults(Config& config) {
  if (!config.user_agent.empty()) return;
  config.user_agent = DefaultUserAgent(program_invocation_short_name, "");
}

}  // namespace

struct Client::Rep {
  Rep(Config config_in, std::unique_ptr<Requester> requester_in)
      : config(std::move(config_in)), requester(std::move(requester_in)) {}

  // A unary request whose answer is one object of `type`.
  Expected<runtime::ObjectPtr> DoObject(const CallOptions& call, const runtime::ResourceType& type,
                                        Expected<transport::HttpRequest> request) {
    return Do<runtime::ObjectPtr>(
        call, std::move(request),
        [&type](transport::HttpResponse& response) { return ReadObject(type, response); });
  }

  template <class T, class Decode>
  Expected<T> Do(const CallOptions& call, Expected<transport::HttpRequest> request,
                 const Decode& decode) {
    if (!request) return Err(std::move(request.error()));
    const auto start = requester->clock().Now();
    const std::string method = request->method;
    auto response = requester->Do(call, std::move(*request));
    Expected<T> result = Err(util::Error{});
    if (response) {
      result = decode(**response);
    } else {
      result = Err(std::move(response.error()));
    }
    requester->ObserveDuration(method, start);
    return result;
  }

  const Config config;
  const std::unique_ptr<Requester> requester;
};

Client::Client(Config config, std::unique_ptr<transport::HttpTransport> transport,
               ClientOptions options) {
  SetDefaults(config);
  auto requester = std::make_unique<Requester>(config, std::move(transport), std::move(options));
  rep_ = std::make_unique<Rep>(std::move(config), std::move(requester));
}

Client::Client(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}

Client::~Client() = default;

Expected<std::unique_ptr<Client>> Client::New(Config config, ClientOptions options) {
  SetDefaults(config);
  auto requester = Requester::New(config, std::move(options));
  if (!requester) return Err(std::move(requester.error()));
  auto rep = std::make_unique<Rep>(std::move(config), *std::move(requester));
  return std::unique_ptr<Client>(new Client(std::move(rep)));
}

const Config& Client::config() const { return rep_->config; }

ServerAvailability& Client::availability() const { return rep_->requester->availability(); }

Expected<runtime::ObjectPtr> Client::Get(const CallOptions& call, const runtime::ResourceType& type,
                                         const runtime::ObjectKey& key) {
  return rep_->DoObject(call, type, GetRequest(type, key));
}

Expected<runtime::ListMeta> Client::List(const CallOptions& call, const runtime::ResourceType& type,
                                         const ListOptions& options,
                                         const std::function<void(runtime::ObjectPtr)>& on_item) {
  return rep_->Do<runtime::ListMeta>(
      call, ListRequest(type, options),
      [&](transport::HttpResponse& response) { return ReadList(type, response, on_item); });
}

Expected<std::unique_ptr<Watcher>> Client::Watch(const CallOptions& call,
                                                 const runtime::ResourceType& type,
                                                 const ListOptions& options) {
  auto request = WatchRequest(type, options);
  if (!request) return Err(std::move(request.error()));
  auto response = rep_->requester->DoOnce(call, std::move(*request));
  if (!response) return Err(std::move(response.error()));
  return NewWatcher(type, std::move(*response));
}

Expected<runtime::ObjectPtr> Client::Create(const CallOptions& call,
                                            const runtime::ResourceType& type, std::string_view ns,
                                            std::string body, const WriteOptions& options) {
  return rep_->DoObject(call, AnswerType(type, options),
                        CreateRequest(type, ns, std::move(body), options));
}

Expected<runtime::ObjectPtr> Client::Update(const CallOptions& call,
                                            const runtime::ResourceType& type,
                                            const runtime::ObjectKey& key, std::string body,
                                            const WriteOptions& options) {
  return rep_->DoObject(call, AnswerType(type, options),
                        UpdateRequest(type, key, std::move(body), options));
}

Expected<runtime::ObjectPtr> Client::Patch(const CallOptions& call,
                                           const runtime::ResourceType& type,
                                           const runtime::ObjectKey& key, PatchType patch_type,
                                           std::string body, const WriteOptions& options) {
  return rep_->DoObject(call, AnswerType(type, options),
                        PatchRequest(type, key, patch_type, std::move(body), options));
}

Expected<void> Client::Delete(const CallOptions& call, const runtime::ResourceType& type,
                              const runtime::ObjectKey& key, const DeleteOptions& options) {
  return rep_->Do<void>(call, DeleteRequest(type, key, options), DiscardBody);
}

}  // namespace clientgo::rest
