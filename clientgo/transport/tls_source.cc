// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/tls_source.h"

#include <string_view>
#include <utility>

#include "capstan/log.h"

namespace capstan::transport {

TlsSource::TlsSource(const Config& config)
    : config_(config.tls),
      get_client_certificate_(config.get_client_certificate),
      origin_(config.source) {}

TlsSource::Version TlsSource::CurrentVersion() const {
  const auto stamp = [](const std::string& data, const std::string& path) {
    return data.empty() ? StampOf(path) : FileStamp();
  };
  Version version{.files = {stamp(config_.ca_data, config_.ca_file),
                            stamp(config_.cert_data, config_.cert_file),
                            stamp(config_.key_data, config_.key_file)}};
  if (get_client_certificate_) version.plugin = get_client_certificate_();
  return version;
}

Expected<std::shared_ptr<const TlsMaterial>> TlsSource::Load(const Version& version) const {
  const auto read = [this](const std::string& data, const std::string& path,
                           std::string_view field) -> Expected<TlsMaterial::Pem> {
    const std::string prefix = origin_.empty() ? "" : origin_ + ": ";
    if (!data.empty()) return TlsMaterial::Pem{data, prefix + std::string(field) + "-data"};
    if (path.empty()) return TlsMaterial::Pem{"", prefix + std::string(field)};
    auto text = ReadFile(path);
    if (!text) return Err(text.error().Wrap(prefix + std::string(field)));
    if (text->empty()) {
      return Err(ErrorReason::kInvalidArgument,
                 prefix + std::string(field) + ": " + path + " is empty");
    }
    return TlsMaterial::Pem{std::move(*text), prefix + std::string(field) + " " + path};
  };
  auto ca = read(config_.ca_data, config_.ca_file, "certificate-authority");
  if (!ca) return Err(std::move(ca.error()));
  if (const auto& plugin = version.plugin) {
    return TlsMaterial::Parse(
        *ca, TlsMaterial::Pem{plugin->cert_pem, plugin->origin + ": the certificate"},
        TlsMaterial::Pem{plugin->key_pem, plugin->origin + ": the key"});
  }
  auto cert = read(config_.cert_data, config_.cert_file, "client-certificate");
  if (!cert) return Err(std::move(cert.error()));
  auto key = read(config_.key_data, config_.key_file, "client-key");
  if (!key) return Err(std::move(key.error()));
  return TlsMaterial::Parse(*ca, *cert, *key);
}

Expected<std::shared_ptr<const TlsMaterial>> TlsSource::Current() {
  std::optional<Error> unusable;
  auto current = LoadIfChanged(unusable);
  if (unusable) {
    WarningS("Failed to load changed TLS files, keeping the old ones", "err", *unusable);
  }
  return current;
}

Expected<std::shared_ptr<const TlsMaterial>> TlsSource::LoadIfChanged(
    std::optional<Error>& unusable) {
  MutexLock lock(mu_);
  // Taken before the files are read, so that the next call sees a change in between.
  Version version = CurrentVersion();
  if (material_ && version == version_) return material_;
  auto loaded = Load(version);
  version_ = std::move(version);
  if (loaded) {
    material_ = std::move(*loaded);
  } else if (!material_) {
    return loaded;
  } else {
    unusable = std::move(loaded.error());
  }
  return material_;
}

}  // namespace capstan::transport
