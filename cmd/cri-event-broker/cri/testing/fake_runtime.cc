// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/cri/testing/fake_runtime.h"

#include <glog/logging.h>
#include <grpcpp/grpcpp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "cri/runtime_events.grpc.pb.h"

namespace capstan::cmd::cri_event_broker {
namespace {

using Writer = grpc::ServerWriter<runtime::v1::ContainerEventResponse>;

class CallStream final : public FakeStream {
 public:
  CallStream(int number, grpc::ServerContext& context, Writer& writer,
             const std::function<void(const std::function<bool()>&)>& wait)
      : number_(number), context_(context), writer_(writer), wait_(wait) {}
  bool Send(const Event& event) override {
    runtime::v1::ContainerEventResponse response;
    response.set_container_event_type(static_cast<runtime::v1::ContainerEventType>(event.type));
    response.set_created_at(event.created_at);
    // Unknown fields are kept and sent.
    CHECK(response.MergeFromString(event.other_fields));
    return writer_.Write(response);
  }
  void WaitUntilGone() override {
    wait_([this] { return context_.IsCancelled(); });
  }
  int number() const override { return number_; }

 private:
  const int number_;
  grpc::ServerContext& context_;
  Writer& writer_;
  const std::function<void(const std::function<bool()>&)>& wait_;
};

grpc::Status StatusOf(FakeRuntime::End end) {
  switch (end) {
    case FakeRuntime::End::kOk:
      return grpc::Status::OK;
    case FakeRuntime::End::kUnimplemented:
      return {grpc::StatusCode::UNIMPLEMENTED, "unknown method GetContainerEvents"};
    case FakeRuntime::End::kInternal:
      break;
  }
  return {grpc::StatusCode::INTERNAL, "the fake fails as scripted"};
}

}  // namespace

class FakeRuntime::Service final : public runtime::v1::RuntimeService::Service {
 public:
  Service(const std::string& path, Script script) : script_(std::move(script)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix://" + path, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    CHECK(server_ != nullptr) << path;
  }
  ~Service() override {
    shut_down_.request_stop();
    // A deadline in the past cancels running calls.
    server_->Shutdown(std::chrono::system_clock::now());
  }

  grpc::Status GetContainerEvents(grpc::ServerContext* context,
                                  const runtime::v1::GetEventsRequest* /*request*/,
                                  Writer* writer) override {
    const int number = ++calls_;
    calls_.notify_all();
    const std::function<void(const std::function<bool()>&)> wait =
        [this](const std::function<bool()>& gone) {
          // gRPC's synchronous server does not notify of a cancellation, so this polls.
          std::unique_lock<std::mutex> lock(mu_);
          while (!gone() && !shut_down_.stop_requested()) {
            changed_.wait_for(lock, shut_down_.get_token(), std::chrono::milliseconds(10),
                              [] { return false; });
          }
        };
    CallStream stream(number, *context, *writer, wait);
    return StatusOf(script_(stream));
  }

  int calls() const { return calls_; }
  void WaitForCalls(int count) const {
    for (int now = calls_; now < count; now = calls_) calls_.wait(now);
  }

 private:
  const Script script_;
  std::stop_source shut_down_;
  std::atomic<int> calls_ = 0;
  // Not Mutex, because gRPC's headers define macros with the names of its annotations.
  std::mutex mu_;
  std::condition_variable_any changed_;
  std::unique_ptr<grpc::Server> server_;
};

FakeRuntime::FakeRuntime(const std::string& path, Script script)
    : service_(std::make_unique<Service>(path, std::move(script))) {}
FakeRuntime::~FakeRuntime() = default;
int FakeRuntime::calls() const { return service_->calls(); }
void FakeRuntime::WaitForCalls(int count) const { service_->WaitForCalls(count); }

SilentSocket::SilentSocket(const std::string& path)
    : path_(path), listener_(socket(AF_UNIX, SOCK_STREAM, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  PCHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  PCHECK(listen(listener_, 8) == 0);
}

SilentSocket::~SilentSocket() {
  close(listener_);
  if (connection_ >= 0) close(connection_);
  unlink(path_.c_str());
}

void SilentSocket::Accept() {
  if (connection_ >= 0) close(connection_);
  connection_ = accept(listener_, nullptr, nullptr);
  PCHECK(connection_ >= 0);
}

void SilentSocket::Reset() {
  pollfd wait{.fd = connection_, .events = POLLIN, .revents = 0};
  PCHECK(poll(&wait, 1, -1) == 1);  // closing with the client's preface unread is a reset
  close(std::exchange(connection_, -1));
}

}  // namespace capstan::cmd::cri_event_broker
