// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/api_server_source.h"

#include <array>
#include <utility>

#include "capstan/api/config_map.h"
#include "capstan/client.h"
#include "capstan/file.h"

namespace capstan::cainjector {
namespace {

// The namespaces in which kube-controller-manager writes the CA that every service account gets.
constexpr std::array<std::string_view, 2> kRootCaNamespaces = {"kube-system", "default"};
constexpr std::string_view kRootCa = "kube-root-ca.crt";

transport::TlsConfig OnlyCa(transport::TlsConfig tls) {
  return {.ca_data = std::move(tls.ca_data), .ca_file = std::move(tls.ca_file)};
}

}  // namespace

ApiServerSource::ApiServerSource(transport::TlsConfig tls) : tls_(OnlyCa(std::move(tls))) {
  if (!tls_.ca_data.empty()) {
    const MutexLock lock(mu_);
    outcome_ = Read(tls_.ca_data);
    return;
  }
  Reload();
}

ApiServerSource::Outcome ApiServerSource::GetFor(std::stop_token /*stop*/,
                                                 std::string_view /*value*/,
                                                 std::string_view /*target_namespace*/) {
  const MutexLock lock(mu_);
  return outcome_;
}

bool ApiServerSource::Reload() {
  if (!tls_.ca_data.empty()) return false;
  Outcome outcome =
      Fail(Reason::kNoCaData, "the configuration of the connection to the API server names no CA");
  std::string text;
  if (!tls_.ca_file.empty()) {
    auto read = ReadFile(tls_.ca_file);
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
  return MakeSourceBundle("CA of the API server", pem);
}

std::string ClusterApiServerSource::Describe(std::string_view /*value*/) const {
  return "the API server" + (place_.empty() ? "" : " (" + place_ + ")");
}

tl::expected<SourceBundlePtr, Failure> ClusterApiServerSource::GetFor(
    std::stop_token stop, std::string_view value, std::string_view target_namespace) {
  if (!source_) source_ = Find(stop);
  return source_->Get(std::move(stop), value, target_namespace);
}

std::unique_ptr<ApiServerSource> ClusterApiServerSource::Find(const std::stop_token& stop) {
  for (const std::string_view ns : kRootCaNamespaces) {
    const runtime::ObjectKey key{.namespace_ = std::string(ns), .name = std::string(kRootCa)};
    const auto found = capstan::Client<api::ConfigMap>(client_).Get(stop, key);
    if (!found) continue;
    transport::TlsConfig tls;
    tls.ca_data = (*found)->Find("ca.crt").value_or("");
    if (tls.ca_data.empty()) continue;
    place_ = "ConfigMap " + key.String();
    return std::make_unique<ApiServerSource>(std::move(tls));
  }
  place_ = "the CA of the kubeconfig";
  return std::make_unique<ApiServerSource>(client_.config().tls);
}

}  // namespace capstan::cainjector
