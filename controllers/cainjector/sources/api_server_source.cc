// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/api_server_source.h"

#include <utility>

#include "clientgo/util/file.h"

namespace controllers::cainjector {
namespace {

using clientgo::util::MutexLock;

clientgo::transport::TlsConfig OnlyCa(clientgo::transport::TlsConfig tls) {
  return {.ca_data = std::move(tls.ca_data), .ca_file = std::move(tls.ca_file)};
}

}  // namespace

ApiServerSource::ApiServerSource(clientgo::transport::TlsConfig tls, bool keep_text)
    : tls_(OnlyCa(std::move(tls))), keep_text_(keep_text) {
  if (!tls_.ca_data.empty()) {
    const MutexLock lock(mu_);
    outcome_ = Read(tls_.ca_data);
    return;
  }
  Reload();
}

std::optional<std::string> ApiServerSource::Reference(std::string_view value) const {
  if (!AsksForInjection(annotation(), value)) return std::nullopt;
  return std::string(value);
}

ApiServerSource::Outcome ApiServerSource::Get(std::stop_token /*stop*/,
                                              std::string_view /*value*/) {
  const MutexLock lock(mu_);
  return outcome_;
}

bool ApiServerSource::Reload() {
  if (!tls_.ca_data.empty()) return false;
  Outcome outcome =
      Fail(Reason::kNoCaData, "the configuration of the connection to the API server names no CA");
  std::string text;
  if (!tls_.ca_file.empty()) {
    auto read = clientgo::util::ReadFile(tls_.ca_file);
    if (read) {
      outcome = Read(*read);
      text = *std::move(read);
    } else {
      text = "CA of the API server: " + read.error().message;
      outcome = Fail(Reason::kNoCaData, text);
    }
  }
  const MutexLock lock(mu_);
  outcome_ = std::move(outcome);
  const bool changed = text != text_;
  text_ = std::move(text);
  return changed;
}

ApiServerSource::Outcome ApiServerSource::Read(const std::string& pem) const {
  auto bundle = MakeSourceBundle("CA of the API server", pem, keep_text_);
  if (!bundle) return tl::unexpected(std::move(bundle.error()));
  return std::make_shared<const SourceBundle>(*std::move(bundle));
}

}  // namespace controllers::cainjector
