// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/connection.h"

#include <utility>

namespace capstan::transport {
namespace {

using std::chrono::milliseconds;

// client-go's limit for a handshake in which the peer sends nothing.
constexpr milliseconds kHandshakeTimeout = std::chrono::seconds(10);
constexpr std::size_t kProxyHeadBytesMax = std::size_t{16} * 1024;

}  // namespace

Connection::Connection(const Route& route, std::shared_ptr<const TlsMaterial> material, Http2 http2)
    : route_(route), material_(std::move(material)), http2_(http2) {}

Error Connection::Wrap(Error error) const {
  if (IsCanceled(error)) return error;
  error.message.insert(0, route_.server.HostPort() + ": ");
  return error;
}

Error Connection::BlameProxy(Error error) const {
  // The proxy is not to blame for the caller's own limits.
  if (IsCanceled(error) || error.reason == ErrorReason::kDeadlineExceeded) return error;
  error = Wrap(error.Wrap("proxy " + route_.proxy->address.HostPort()));
  error.reason = ErrorReason::kProxy;
  return error;
}

void Connection::Begin(std::string_view step, const OnStep& on_step) {
  step_ = step;
  if (on_step) on_step(step, endpoint_);
}

Expected<void> Connection::ConnectTo(const std::stop_token& stop, Dialing& dialing,
                                     const ServerAddress& address, const OnStep& on_step) {
  Begin("resolving the host name", on_step);
  auto found = dialing.resolver.Resolve(stop, address.host, address.port, socket_.deadline());
  if (!found) return Err(std::move(found.error()));
  Begin("connecting", on_step);
  auto connected = socket_.Connect(dialing.order.Sort(*found), dialing.options);
  if (!connected) return Err(std::move(connected.error()));
  endpoint_ = *connected;
  return {};
}

Expected<void> Connection::Open(const std::stop_token& stop, Dialing& dialing,
                                const OnStep& on_step) {
  const ServerAddress& address = route_.proxy ? route_.proxy->address : route_.server;
  if (auto connected = ConnectTo(stop, dialing, address, on_step); !connected) {
    return Err(route_.proxy ? BlameProxy(std::move(connected.error()))
                            : Wrap(std::move(connected.error())));
  }
  auto prepared = Prepare(on_step);
  if (prepared) {
    dialing.order.OnWorked(*endpoint_);
  } else if (!IsCanceled(prepared.error())) {
    dialing.order.OnFailed(*endpoint_);
  }
  return prepared;
}

// Makes a TCP connection ready for requests.
Expected<void> Connection::Prepare(const OnStep& on_step) {
  if (!route_.server.tls) return {};
  socket_.set_idle_timeout(kHandshakeTimeout);
  if (route_.proxy) {
    Begin("the proxy's CONNECT", on_step);
    if (auto opened = OpenTunnel(); !opened) return Err(BlameProxy(std::move(opened.error())));
  }
  Begin("TLS handshake", on_step);
  tls_.emplace(socket_, *material_);
  auto shaken =
      tls_->Handshake(route_.name_to_verify, route_.insecure_skip_verify, http2_ == Http2::kAuto);
  if (!shaken) return Err(Wrap(std::move(shaken.error())));
  return {};
}

Expected<void> Connection::OpenTunnel() {
  const std::string server = route_.server.HostPort();
  std::string request = "CONNECT " + server + " HTTP/1.1\r\nHost: " + server + "\r\n";
  if (!route_.proxy->authorization.empty()) {
    request += "Proxy-Authorization: " + route_.proxy->authorization + "\r\n";
  }
  if (auto written = socket_.Write(request + "\r\n"); !written) return written;
  // Reads byte by byte, because the bytes after the head are the server's.
  std::string head;
  while (head.size() < 4 || head.compare(head.size() - 4, 4, "\r\n\r\n") != 0) {
    char byte = 0;
    auto count = socket_.Read(&byte, 1);
    if (!count) return Err(std::move(count.error()));
    if (*count == 0 && head.empty()) return Err(ErrorReason::kProxy, "it closed the connection");
    if (*count == 0 || head.size() > kProxyHeadBytesMax) {
      return Err(ErrorReason::kProxy, "it is not an HTTP proxy");
    }
    head += byte;
  }
  constexpr std::string_view kVersion = "HTTP/1.";
  const std::string status = head.substr(0, head.find('\r'));
  if (status.substr(0, kVersion.size()) != kVersion || status.size() < 12) {
    return Err(ErrorReason::kProxy, "it is not an HTTP proxy");
  }
  if (status[9] == '2') return {};
  const std::string reason = status.substr(9);
  return Err(
      ErrorReason::kProxy,
      "CONNECT refused: " + reason +
          (reason.substr(0, 3) == "407" ? "; set user and password in the proxy's URL" : ""));
}

Expected<std::size_t> Connection::Read(char* out, std::size_t size) {
  auto count = tls_ ? tls_->Read(out, size) : socket_.Read(out, size);
  if (!count) return Err(Wrap(std::move(count.error())));
  return count;
}

Expected<bool> Connection::AwaitInput(milliseconds timeout) {
  if (tls_ && !tls_->IsQuiet()) return true;
  auto ready = socket_.AwaitInput(timeout);
  if (!ready) return Err(Wrap(std::move(ready.error())));
  return ready;
}

bool Connection::IsQuiet() {
  if (tls_ && !socket_.IsQuiet()) {
    char byte = 0;
    const auto count = tls_->TryRead(&byte, 1);
    if (!count || *count >= 0) return false;
  }
  return socket_.IsQuiet() && (!tls_ || tls_->IsQuiet());
}

Expected<void> Connection::Write(std::string_view bytes) {
  auto written = tls_ ? tls_->Write(bytes) : socket_.Write(bytes);
  if (!written) return Err(Wrap(std::move(written.error())));
  return written;
}

Expected<std::ptrdiff_t> Connection::TryRead(char* out, std::size_t size) {
  auto count = tls_ ? tls_->TryRead(out, size) : socket_.TryRead(out, size);
  if (!count) return Err(Wrap(std::move(count.error())));
  return count;
}

Expected<void> Connection::TryWrite(std::string_view bytes) {
  if (!tls_) {
    unsent_ = bytes;
    return Flush();
  }
  auto written = tls_->TryWrite(bytes);
  if (!written) return Err(Wrap(std::move(written.error())));
  return written;
}

Expected<void> Connection::Flush() {
  if (!tls_) {
    auto count = socket_.TryWrite(unsent_);
    if (!count) return Err(Wrap(std::move(count.error())));
    unsent_.erase(0, *count);
    return {};
  }
  auto flushed = tls_->Flush();
  if (!flushed) return Err(Wrap(std::move(flushed.error())));
  return flushed;
}

}  // namespace capstan::transport
