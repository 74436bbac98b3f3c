// SPDX-License-Identifier: Apache-2.0
#include "capstan/remotecommand/exec.h"

#include <charconv>
#include <stop_token>
#include <thread>
#include <utility>

#include "capstan/runtime/json_value.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/text.h"
#include "clientgo/remotecommand/pod_path.h"
#include "clientgo/transport/websocket.h"

namespace capstan::remotecommand {
namespace {

// A message begins with its channel. Mirrors k8s.io/apimachinery/pkg/util/remotecommand.
enum Channel : char { kInput = 0, kOutput = 1, kErrorOutput = 2, kStatus = 3 };
constexpr char kEndOfChannel[] = {'\xff', kInput};  // only with kWithEnds

constexpr char kWithEnds[] = "v5.channel.k8s.io";
constexpr char kWithoutEnds[] = "v4.channel.k8s.io";  // before Kubernetes 1.30

Query QueryOf(const ExecOptions& options) {
  Query query;
  if (!options.container.empty()) query.emplace_back("container", options.container);
  if (options.input) query.emplace_back("stdin", "true");
  query.emplace_back("stdout", "true");
  if (options.tty) {
    query.emplace_back("tty", "true");
  } else {
    query.emplace_back("stderr", "true");
  }
  for (const std::string& word : options.command) query.emplace_back("command", word);
  return query;
}

// Reads the Status of a command that has ended.
Expected<int> ExitCodeOf(std::string_view status) {
  const auto parsed = runtime::ParsedJson::Parse(status);
  if (!parsed) return Err(ErrorReason::kDecode, "the status of the command is not JSON");
  const runtime::JsonValue& root = parsed->root();
  if (runtime::GetString(root, "status") == "Success") return 0;
  const auto* const causes = runtime::FindPath(root, {"details", "causes"});
  if (causes != nullptr && runtime::GetString(root, "reason") == "NonZeroExitCode") {
    for (const runtime::JsonValue& cause : runtime::JsonElements(*causes)) {
      if (runtime::GetString(cause, "reason") != "ExitCode") continue;
      const std::string_view text = runtime::GetString(cause, "message");
      int code = 0;
      const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), code);
      if (failed == std::errc() && end == text.data() + text.size()) return code;
    }
  }
  return Err(ErrorReason::kInternalError, std::string(runtime::GetString(root, "message")));
}

// Sends the input on a thread of its own, because a command may write before it has read all.
class Sender {
 public:
  Sender(transport::WebSocket& socket, const std::string& input)
      : thread_([&socket, &input] { static_cast<void>(Send(socket, input)); }) {}

 private:
  static Expected<void> Send(transport::WebSocket& socket, std::string_view input) {
    while (!input.empty()) {
      std::string message(1, kInput);
      message += input.substr(0, kMessageBytes);
      input.remove_prefix(message.size() - 1);
      if (auto sent = socket.Write(message); !sent) return sent;
    }
    return socket.Write({kEndOfChannel, sizeof(kEndOfChannel)});
  }

  std::jthread thread_;
};

Expected<int> Receive(transport::WebSocket& socket, const ExecOptions& options) {
  for (;;) {
    const auto message = socket.Read(Clock::Duration::max());
    if (!message) return Err(message.error());
    if (!*message) {
      return Err(ErrorReason::kUnexpectedEof, "the connection ended before the command");
    }
    if ((*message)->empty()) continue;
    const std::string_view bytes = std::string_view(**message).substr(1);
    switch ((*message)->front()) {
      case kOutput:
        if (options.on_output && !bytes.empty()) options.on_output(bytes);
        break;
      case kErrorOutput:
        if (options.on_error_output && !bytes.empty()) options.on_error_output(bytes);
        break;
      case kStatus:
        return ExitCodeOf(bytes);
      default:  // the end of a channel
        break;
    }
  }
}

}  // namespace

Expected<int> Exec(rest::Client& client, const rest::CallOptions& call,
                   const runtime::ObjectKey& pod, const ExecOptions& options) {
  const std::string what = "failed to run a command in " + pod.String();
  if (options.command.empty()) {
    return Err(ErrorReason::kInvalidArgument, what + ": there is no command");
  }
  auto path = PodPath(pod, "exec", QueryOf(options));
  if (!path) return Err(std::move(path.error()));
  // A command may end before it has read its input. The Sender then waits until this stops it.
  std::stop_source ended;
  const std::stop_callback on_stop(call.stop, [&ended] { ended.request_stop(); });
  rest::CallOptions whole = call;
  whole.stop = ended.get_token();
  const transport::WebSocketHandshake handshake({kWithEnds, kWithoutEnds});
  const auto response = client.Stream(whole, handshake.Request(*std::move(path)));
  if (!response) return Err(response.error().Wrap(what));
  const auto socket = transport::WebSocket::Open(handshake, **response);
  if (!socket) return Err(socket.error().Wrap(what));
  if (options.input && (*socket)->protocol() != kWithEnds) {
    return Err(ErrorReason::kInvalidArgument,
               what + ": the server cannot end the input of a command; it needs Kubernetes 1.30");
  }
  std::optional<Sender> sender;
  if (options.input) sender.emplace(**socket, *options.input);
  auto code = Receive(**socket, options);
  if (sender) ended.request_stop();
  if (!code) return Err(code.error().Wrap(what));
  return code;
}

}  // namespace capstan::remotecommand
