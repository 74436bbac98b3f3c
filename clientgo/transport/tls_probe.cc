// SPDX-License-Identifier: Apache-2.0
#include "capstan/transport/tls_probe.h"

#include <netdb.h>

#include <array>
#include <utility>

#include "clientgo/transport/resolver.h"
#include "clientgo/transport/socket.h"
#include "clientgo/transport/tls_stream.h"

namespace capstan::transport {

struct TlsProbe::Parts {
  Resolver resolver;
  const std::shared_ptr<const TlsMaterial> material = TlsMaterial::WithoutAnchors();
};

TlsProbe::TlsProbe() : parts_(std::make_unique<Parts>()) {}
TlsProbe::~TlsProbe() = default;

Expected<std::vector<std::string>> TlsProbe::PeerCertificates(std::stop_token stop,
                                                              const Server& server,
                                                              std::chrono::milliseconds timeout) {
  const auto found = parts_->resolver.ResolveInTurn(stop, server.host, server.port, timeout);
  if (!found) return Err(found.error());
  Socket socket;
  socket.set_deadline(found->deadline);
  socket.set_idle_timeout(Socket::kNoTimeout);
  const std::stop_callback cancel(stop, [&socket] { socket.Cancel(); });
  const auto connected =
      socket.Connect(InterleaveFamilies(found->endpoints), {.timeout = Socket::kNoTimeout});
  if (!connected) return Err(connected.error());
  TlsStream stream(socket, *parts_->material);
  auto shaken = stream.Handshake(server.name, /*insecure_skip_verify=*/true);
  if (!shaken && !stream.ClientPartDone()) return Err(std::move(shaken.error()));
  return stream.PeerCertificates();
}

Expected<std::vector<std::string>> TlsProbe::Addresses(const std::stop_token& stop,
                                                       const std::string& host,
                                                       std::chrono::milliseconds timeout) {
  const auto found = parts_->resolver.ResolveInTurn(stop, host, "443", timeout);
  if (!found) return Err(found.error());
  std::vector<std::string> addresses;
  for (const Endpoint& endpoint : InterleaveFamilies(found->endpoints)) {
    std::array<char, NI_MAXHOST> text{};
    const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address);
    if (getnameinfo(address, endpoint.size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) ==
        0) {
      addresses.emplace_back(text.data());
    }
  }
  if (addresses.empty()) addresses.push_back(host);
  return addresses;
}

}  // namespace capstan::transport
