// SPDX-License-Identifier: Apache-2.0
// ApiHandler: from an HTTP request to a verb and back: authentication, faults, the request log,
// routing, and the answer. Lives on the server's thread, as everything it refers to.
// Mirrors the handler chain of k8s.io/apiserver/pkg/server/config.go.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "apiserver/authenticator.h"
#include "apiserver/faults.h"
#include "apiserver/registry.h"
#include "apiserver/request_info.h"
#include "apiserver/request_log.h"
#include "apiserver/storage.h"
#include "apiserver/watcher.h"
#include "httpserver/server.h"

namespace apiserver {

class ApiHandler {
 public:
  struct Parts {
    Storage& storage;
    Registry& registry;
    Watchers& watchers;
    Faults& faults;
    RequestLog& log;
    const Authenticator& authenticator;
    bool watch_list = true;
    std::function<void(std::chrono::milliseconds, std::function<void()>)> run_after;
  };
  explicit ApiHandler(Parts parts) : parts_(std::move(parts)) {}

  void Handle(httpserver::Request request, std::shared_ptr<httpserver::Exchange> exchange);

 private:
  // One request on its way.
  struct Call {
    httpserver::Request request;
    RequestInfo info;
    RequestMatch match;
    UserInfo user;
    std::shared_ptr<httpserver::Exchange> exchange;
    bool withhold_bookmarks = false;
  };

  void HandleResource(Call call);
  void Execute(Call& call);
  bool RefuseUnservable(Call& call);
  void Get(Call& call);
  void List(Call& call);
  void Watch(Call& call);
  void Write(Call& call);
  void Patch(Call& call, const WriteRequest& write);
  void Delete(Call& call);
  void DeleteCollection(Call& call);

  // False: answered with 401 or 403.
  bool Authenticate(Call& call);
  static WriteRequest NewWriteRequest(const Call& call);
  void Reply(const Call& call, int code, std::string body) const;
  void Fail(const Call& call, const Status& status) const;
  void ReplyObject(const Call& call, int code, const Object& object) const;
  void ReplyWritten(const Call& call, const Result<Written>& written) const;

  Parts parts_;
};

}  // namespace apiserver
