// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/credentials.h"

#include <algorithm>
#include <utility>

#include "clientgo/auth/credentials.h"
#include "clientgo/auth/exec_plugin.h"
#include "clientgo/util/text.h"

namespace clientgo::rest {
namespace {

// " (user "admin" of /home/u/.kube/config)", as far as it is known.
std::string Origin(const Config& config) {
  if (config.source.empty()) return {};
  return " (" + (config.user.empty() ? "" : config.user + " of ") + config.source + ")";
}

std::string DescribeCertificate(const transport::TlsConfig& tls) {
  if (!tls.cert_data.empty()) return "the client certificate";
  if (!tls.cert_file.empty()) return "the client certificate in the file " + tls.cert_file;
  return "requests without credentials";
}

// The key of an extra: what a header's name cannot hold is percent-encoded. Lower case, as the
// server makes it anyway.
std::string EscapeHeaderKey(std::string_view key) {
  constexpr std::string_view kToken = "!#$&'*+-.^_`|~";
  return util::LowerAscii(util::PercentEncode(key, kToken));
}

// Names may be any UTF-8; what ends a line would start another header.
bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

}  // namespace

std::shared_ptr<auth::Credentials> NewCredentials(const Config& config, util::Clock& clock,
                                                  auth::MetricsProvider* metrics) {
  const std::string origin = Origin(config);
  if (!config.bearer_token.empty()) {
    return auth::NewStaticCredentials(auth::BearerAuthorization(config.bearer_token),
                                      "the token" + origin);
  }
  if (!config.bearer_token_file.empty()) {
    return std::make_shared<auth::TokenFile>(config.bearer_token_file, clock);
  }
  if (!config.username.empty() || !config.password.empty()) {
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

util::Expected<transport::Headers> ImpersonationHeaders(const ImpersonationConfig& impersonate) {
  transport::Headers headers;
  const bool more =
      !impersonate.uid.empty() || !impersonate.groups.empty() || !impersonate.extra.empty();
  if (impersonate.user_name.empty()) {
    if (!more) return headers;
    return util::Err(util::ErrorReason::kInvalidArgument,
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
      return util::Err(util::ErrorReason::kInvalidArgument,
                       "impersonation: the value for " + name +
                           " holds a line break or another control character");
    }
  }
  return headers;
}

}  // namespace clientgo::rest
