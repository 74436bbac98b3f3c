// SPDX-License-Identifier: Apache-2.0
#include "httpserver/tls_file_source.h"

#include <utility>

namespace httpserver {

using clientgo::util::Err;
using clientgo::util::Expected;
using clientgo::util::StampOf;

TlsFileSource::TlsFileSource(std::string cert_file, std::string key_file, TlsOptions options)
    : cert_file_(std::move(cert_file)),
      key_file_(std::move(key_file)),
      options_(std::move(options)) {}

Expected<std::shared_ptr<const TlsFiles>> TlsFileSource::Read() const {
  auto cert = clientgo::util::ReadFile(cert_file_);
  if (!cert) return Err(cert.error().Wrap("TLS certificate"));
  auto key = clientgo::util::ReadFile(key_file_);
  if (!key) return Err(key.error().Wrap("TLS key"));
  auto files = std::make_shared<TlsFiles>();
  files->cert_pem = *std::move(cert);
  files->key_pem = *std::move(key);
  files->options = options_;
  return files;
}

Expected<std::shared_ptr<const TlsFiles>> TlsFileSource::Current() {
  // Before the files are read: a change in between is then seen by the next call.
  const std::array stamps = {StampOf(cert_file_), StampOf(key_file_)};
  if (files_ != nullptr && stamps == stamps_) return files_;
  auto files = Read();
  stamps_ = stamps;
  if (!files) return files;
  files_ = *std::move(files);
  return files_;
}

}  // namespace httpserver
