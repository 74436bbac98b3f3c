// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/serving_files.h"

#include <arpa/inet.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "capstan/file.h"
#include "cmd/test-server/write_file.h"

namespace capstan::cmd::test_server {
namespace {

constexpr mode_t kPublic = 0644;
constexpr mode_t kPrivate = 0600;
constexpr std::chrono::hours kYear(24 * 365);

bool IsIpAddress(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> ignored = {};
  return inet_pton(AF_INET, text.c_str(), ignored.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), ignored.data()) == 1;
}

Expected<void> Make(const std::string& cert_file, const std::string& key_file,
                    const std::string& address) {
  const auto ca = testing::MakeCa({.common_name = "kube-apiserver-ca", .not_after = kYear});
  if (!ca) return Err(ca.error());
  testing::CertificateOptions options{
      .common_name = "kube-apiserver",
      .not_after = kYear,
      .dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
      .ip_addresses = {"127.0.0.1", "::1"}};
  if (IsIpAddress(address) && address != "127.0.0.1" && address != "::1") {
    options.ip_addresses.push_back(address);
  }
  const auto pair = testing::MakeCertificate(*ca, options);
  if (!pair) return Err(pair.error());
  std::error_code ignored;  // a missing folder is reported when the files are written
  std::filesystem::create_directories(std::filesystem::path(cert_file).parent_path(), ignored);
  if (auto ok = WriteFile(cert_file, pair->cert_pem + ca->cert_pem, kPublic); !ok) return ok;
  return WriteFile(key_file, pair->key_pem, kPrivate);
}

}  // namespace

Expected<testing::KeyPair> ServingFiles::ReadOrMake(const std::string& address) const {
  if (cert_file.empty() != key_file.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "--tls-cert-file and --tls-private-key-file need each other; set both");
  }
  const bool in_folder = cert_file.empty();
  const std::string cert = in_folder ? cert_dir + "/apiserver.crt" : cert_file;
  const std::string key = in_folder ? cert_dir + "/apiserver.key" : key_file;
  if (in_folder && !std::filesystem::exists(cert) && !std::filesystem::exists(key)) {
    if (auto made = Make(cert, key, address); !made) return Err(std::move(made.error()));
  }
  auto cert_pem = ReadFile(cert);
  if (!cert_pem) return Err(std::move(cert_pem.error()));
  auto key_pem = ReadFile(key);
  if (!key_pem) return Err(std::move(key_pem.error()));
  return testing::KeyPair{.cert_pem = *std::move(cert_pem), .key_pem = *std::move(key_pem)};
}

}  // namespace capstan::cmd::test_server
