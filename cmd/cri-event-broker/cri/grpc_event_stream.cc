// SPDX-License-Identifier: Apache-2.0
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "cmd/cri-event-broker/event_stream.h"
#include "cri/runtime_events.grpc.pb.h"

namespace capstan::cmd::cri_event_broker {
namespace {

constexpr int kReceiveMax = 16 * 1024 * 1024;  // bytes, as in the kubelet; gRPC's default is 4 MiB

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kReceiveMax);
  // One attempt is one connection, so gRPC's retries and backoff are disabled.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  // Detects a runtime that is alive but never responds. grpc-go closes connections that ping more
  // often than once in five minutes.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 6 * 60 * 1000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20 * 1000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  return arguments;
}

class GrpcEventStream final : public EventStream {
 public:
  explicit GrpcEventStream(const std::string& endpoint)
      : channel_(
            grpc::CreateCustomChannel(endpoint, grpc::InsecureChannelCredentials(), Arguments())) {}

  StreamEnd Read(EventStreamHandler& handler) override {
    if (!Connect()) return {.unimplemented = false, .message = "cancelled while connecting"};
    // After a failed connection the call fails at once, with the reason.
    bool connected = channel_->GetState(false) == GRPC_CHANNEL_READY;
    if (connected) handler.OnConnected();
    const auto stub = runtime::v1::RuntimeService::NewStub(channel_);
    const auto reader = stub->GetContainerEvents(&context_, runtime::v1::GetEventsRequest());
    runtime::v1::ContainerEventResponse event;
    while (reader->Read(&event)) {
      if (!std::exchange(connected, true)) handler.OnConnected();
      handler.OnEvent(event.container_event_type(), event.created_at());
    }
    const grpc::Status status = reader->Finish();
    if (status.ok()) {
      return {.unimplemented = false,
              .message =
                  "the runtime ended the stream (CRI-O does so while enable_pod_events is "
                  "off)"};
    }
    return {.unimplemented = status.error_code() == grpc::StatusCode::UNIMPLEMENTED,
            .message = status.error_message()};
  }

  void Cancel() override {
    cancelled_ = true;
    context_.TryCancel();
  }

 private:
  // Waits until the connection is made or refused. Returns false when cancelled.
  bool Connect() {
    // Polls, because there is no call yet that Cancel could cancel.
    constexpr auto kPoll = std::chrono::milliseconds(100);
    for (;;) {
      const grpc_connectivity_state state = channel_->GetState(true);
      if (cancelled_) return false;
      if (state != GRPC_CHANNEL_IDLE && state != GRPC_CHANNEL_CONNECTING) return true;
      channel_->WaitForStateChange(state, std::chrono::system_clock::now() + kPoll);
    }
  }

  std::shared_ptr<grpc::Channel> channel_;
  grpc::ClientContext context_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace

std::unique_ptr<EventStream> NewGrpcEventStream(const std::string& endpoint) {
  return std::make_unique<GrpcEventStream>(endpoint);
}

}  // namespace capstan::cmd::cri_event_broker
