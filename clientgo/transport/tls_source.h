// SPDX-License-Identifier: Apache-2.0
// TlsSource holds the current TlsMaterial and reads it again when a file changes. A rotated CA or
// client certificate needs no restart. Thread-safe. Mirrors client-go's cert rotation.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "capstan/error.h"
#include "capstan/file.h"
#include "capstan/mutex.h"
#include "capstan/transport/config.h"
#include "clientgo/transport/tls_material.h"

namespace capstan::transport {

class TlsSource {
 public:
  // Uses config.tls and config.get_client_certificate. Messages start with config.source.
  explicit TlsSource(const Config& config);

  // The first call reads and parses everything; its error names the file or field. Later calls
  // return the same object until a file or the plugin's certificate changes. A change that cannot
  // be used (half written, removed) is logged once, and the last good material stays.
  Expected<std::shared_ptr<const TlsMaterial>> Current();

 private:
  struct Version {
    std::array<FileStamp, 3> files = {};
    std::shared_ptr<const ClientCertificate> plugin = {};
    bool operator==(const Version&) const = default;
  };
  // `unusable` is set when the change cannot be used.
  Expected<std::shared_ptr<const TlsMaterial>> LoadIfChanged(std::optional<Error>& unusable);
  Expected<std::shared_ptr<const TlsMaterial>> Load(const Version& version) const;
  Version CurrentVersion() const;

  const TlsConfig config_;
  const std::function<std::shared_ptr<const ClientCertificate>()> get_client_certificate_;
  const std::string origin_;
  Mutex mu_;
  Version version_ CAPSTAN_GUARDED_BY(mu_) = {};
  std::shared_ptr<const TlsMaterial> material_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::transport
