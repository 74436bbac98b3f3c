// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/client.h"

#include <cerrno>
#include <utility>

#include "clientgo/rest/cpprest_transport.h"
#include "clientgo/rest/request_builder.h"
#include "clientgo/rest/requester.h"
#include "clientgo/rest/response_decoder.h"

namespace clientgo::rest {

using util::Err;
using util::Expected;

struct Client::Rep {
  Rep(Config config_in, std::unique_ptr<HttpTransport> transport, ClientOptions options)
      : config(std::move(config_in)), requester(config, std::move(transport), options) {}

  // A unary request whose answer is one object.
  Expected<runtime::ObjectPtr> DoObject(const std::stop_token& stop,
                                        const runtime::ResourceType& type, HttpRequest request) {
    return Do<runtime::ObjectPtr>(stop, std::move(request), [&type](HttpResponse& response) {
      return ReadObject(type, response);
    });
  }

  template <class T, class Decode>
  Expected<T> Do(const std::stop_token& stop, HttpRequest request, const Decode& decode) {
    const auto start = requester.clock().Now();
    const std::string method = request.method;
    auto response = requester.Do(stop, std::move(request));
    Expected<T> result = Err(util::Error{});
    if (response) {
      result = decode(**response);
    } else {
      result = Err(std::move(response.error()));
    }
    requester.ObserveDuration(method, start);
    return result;
  }

  const Config config;
  Requester requester;
};

Client::Client(Config config, std::unique_ptr<HttpTransport> transport, ClientOptions options) {
  if (config.user_agent.empty()) {
    config.user_agent = DefaultUserAgent(program_invocation_short_name, "");
  }
  rep_ = std::make_unique<Rep>(std::move(config), std::move(transport), options);
}

Client::~Client() = default;

Expected<std::unique_ptr<Client>> Client::New(Config config, ClientOptions options) {
  auto transport = NewCpprestTransport(config);
  if (!transport) return Err(std::move(transport.error()));
  // A token file that is not there is better said now than by every request.
  auto token = TokenSource(config.bearer_token, config.bearer_token_file, options.clock).Token();
  if (!token) return Err(std::move(token.error()));
  return std::make_unique<Client>(std::move(config), std::move(*transport), options);
}

const Config& Client::config() const { return rep_->config; }

Expected<runtime::ObjectPtr> Client::Get(std::stop_token stop, const runtime::ResourceType& type,
                                         const runtime::ObjectKey& key) {
  return rep_->DoObject(stop, type, GetRequest(type, key));
}

Expected<runtime::ListMeta> Client::List(std::stop_token stop, const runtime::ResourceType& type,
                                         const ListOptions& options,
                                         const std::function<void(runtime::ObjectPtr)>& on_item) {
  return rep_->Do<runtime::ListMeta>(stop, ListRequest(type, options), [&](HttpResponse& response) {
    return ReadList(type, response, on_item);
  });
}

Expected<std::unique_ptr<Watcher>> Client::Watch(std::stop_token stop,
                                                 const runtime::ResourceType& type,
                                                 const ListOptions& options) {
  auto response = rep_->requester.DoOnce(stop, WatchRequest(type, options));
  if (!response) return Err(std::move(response.error()));
  return NewWatcher(type, std::move(*response));
}

Expected<runtime::ObjectPtr> Client::Create(std::stop_token stop, const runtime::ResourceType& type,
                                            std::string_view ns, std::string body,
                                            const WriteOptions& options) {
  return rep_->DoObject(stop, type, CreateRequest(type, ns, std::move(body), options));
}

Expected<runtime::ObjectPtr> Client::Update(std::stop_token stop, const runtime::ResourceType& type,
                                            const runtime::ObjectKey& key, std::string body,
                                            const WriteOptions& options) {
  return rep_->DoObject(stop, type, UpdateRequest(type, key, std::move(body), options));
}

Expected<runtime::ObjectPtr> Client::Patch(std::stop_token stop, const runtime::ResourceType& type,
                                           const runtime::ObjectKey& key, PatchType patch_type,
                                           std::string body, const WriteOptions& options) {
  return rep_->DoObject(stop, type, PatchRequest(type, key, patch_type, std::move(body), options));
}

Expected<void> Client::Delete(std::stop_token stop, const runtime::ResourceType& type,
                              const runtime::ObjectKey& key, const DeleteOptions& options) {
  return rep_->Do<void>(stop, DeleteRequest(type, key, options), DiscardBody);
}

}  // namespace clientgo::rest
