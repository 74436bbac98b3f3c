// SPDX-License-Identifier: Apache-2.0
#include "capstan/rest/config.h"

#include <algorithm>

#include "capstan/text.h"
#include "clientgo/auth/exec_plugin.h"

namespace capstan::rest {
namespace {

#if defined(__x86_64__)
constexpr std::string_view kArch = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kArch = "arm64";
#else
constexpr std::string_view kArch = "unknown";
#endif
constexpr std::size_t kCommitLength = 7;

// Returns " (user "admin" of /home/u/.kube/config)", with the parts that are known.
std::string Origin(const Config& config) {
  if (config.source.empty()) return {};
  return " (" + (config.user.empty() ? "" : config.user + " of ") + config.source + ")";
}

std::string DescribeCertificate(const transport::TlsConfig& tls) {
  if (!tls.cert_data.empty()) return "the client certificate";
  if (!tls.cert_file.empty()) return "the client certificate in the file " + tls.cert_file;
  return "requests without credentials";
}

// Escapes the key of an extra field. Characters that a header name cannot contain are
// percent-encoded. The key becomes lower case, as the server does anyway.
std::string EscapeHeaderKey(std::string_view key) {
  constexpr std::string_view kToken = "!#$&'*+-.^_`|~";
  return LowerAscii(PercentEncode(key, kToken));
}

// Names may be any UTF-8, but a line break would start another header.
bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c == '\x7f'; });
}

}  // namespace

std::string DefaultUserAgent(std::string_view program, std::string_view version) {
  const auto or_unknown = [](std::string_view text) {
    return std::string(text.empty() ? "unknown" : text);
  };
  program = program.substr(program.rfind('/') + 1);
  const std::size_t plus = version.find('+');
  const std::string_view commit =
      plus == std::string_view::npos ? "" : version.substr(plus + 1, kCommitLength);
  version = version.substr(0, version.find_first_of("-+"));
  return or_unknown(program) + "/" + or_unknown(version) + " (linux/" + std::string(kArch) +
         ") kubernetes/" + or_unknown(commit);
}

std::shared_ptr<auth::Credentials> NewCredentials(const Config& config, Clock& clock,
                                                  auth::MetricsProvider* metrics) {
  const std::string origin = Origin(config);
  if (!config.bearer_token_file.empty()) {
    return auth::NewTokenFile(config.bearer_token_file, clock, config.bearer_token);
  }
  if (!config.bearer_token.empty()) {
    return auth::NewStaticCredentials(auth::BearerAuthorization(config.bearer_token),
                                      "the token" + origin);
  }
  if (!config.username.empty()) {  // a password alone is not sent, as in client-go
    return auth::NewStaticCredentials(auth::BasicAuthorization(config.username, config.password),
                                      "the username and password" + origin);
  }
  if (UsesExecPlugin(config)) {
    return std::make_shared<auth::ExecPlugin>(
        *config.exec, auth::ExecPlugin::Options{.clock = clock, .metrics = metrics});
  }
  return auth::NewStaticCredentials("", DescribeCertificate(config.tls) + origin);
}

bool UsesExecPlugin(const Config& config) {
  return config.exec && config.bearer_token.empty() && config.bearer_token_file.empty() &&
         config.username.empty() && config.password.empty() && config.tls.cert_data.empty() &&
         config.tls.cert_file.empty();
}

Expected<transport::Headers> ImpersonationHeaders(const ImpersonationConfig& impersonate) {
  transport::Headers headers;
  const bool more =
      !impersonate.uid.empty() || !impersonate.groups.empty() || !impersonate.extra.empty();
  if (impersonate.user_name.empty()) {
    if (!more) return headers;
    return Err(ErrorReason::kInvalidArgument,
               "requesting uid, groups or user-extra without impersonating a user; set as");
  }
  headers.emplace_back("Impersonate-User", impersonate.user_name);
  if (!impersonate.uid.empty()) headers.emplace_back("Impersonate-Uid", impersonate.uid);
  for (const std::string& group : impersonate.groups) {
    headers.emplace_back("Impersonate-Group", group);
  }
  for (const auto& [key, values] : impersonate.extra) {
    for (const std::string& value : values) {
      headers.emplace_back("Impersonate-Extra-" + EscapeHeaderKey(key), value);
    }
  }
  for (const auto& [name, value] : headers) {
    if (HasControlCharacter(value)) {
      return Err(ErrorReason::kInvalidArgument,
                 "impersonation: the value for " + name +
                     " contains a line break or another control character");
    }
  }
  return headers;
}

std::string Remedy(const Error& error, const Config& config) {
  const std::string where = config.source.empty() ? "the configuration" : config.source;
  switch (error.reason) {
    case ErrorReason::kCertificate:
      return "compare the CA (certificate-authority) and the server's name (tls-server-name) in " +
             where + " with the server's certificate, and its dates with the clock";
    case ErrorReason::kUnauthorized:
      return "renew or replace this credential";
    case ErrorReason::kForbidden:
      return "grant this user the right, by a Role or ClusterRole and its binding";
    case ErrorReason::kConnectionRefused:
      return "start the API server, or correct its address in " + where;
    case ErrorReason::kNoSuchHost:
      return "correct the server's name in " + where + ", or this machine's DNS";
    case ErrorReason::kProxy:
      return config.proxy_url.empty() ? "correct HTTPS_PROXY, or exempt the server in NO_PROXY"
                                      : "correct proxy-url in " + where;
    case ErrorReason::kUnexpectedEof:
    case ErrorReason::kDeadlineExceeded:
    case ErrorReason::kTransport:
      return "check what is between here and the server: firewalls, load balancers";
    case ErrorReason::kCredentials:
      return "run the command by hand, as this process's user";
    default:
      return {};
  }
}

}  // namespace capstan::rest
