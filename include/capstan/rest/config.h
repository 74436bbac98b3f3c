// SPDX-License-Identifier: Apache-2.0
// Config describes the API server to use, how to verify it, and the credentials.
// clientcmd::LoadConfig finds one like kubectl and controller-runtime do. Mirrors
// k8s.io/client-go/rest.Config. Plain data; copy freely.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/auth/credentials.h"
#include "capstan/auth/exec_credential.h"
#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/transport/config.h"
#include "capstan/transport/http_transport.h"

namespace capstan::rest {

// The user to impersonate. An empty user_name: no impersonation.
struct CAPSTAN_EXPORT ImpersonationConfig {
  std::string user_name = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::vector<std::pair<std::string, std::vector<std::string>>> extra = {};
};

// ContentType is the encoding in which a client asks for objects.
enum class ContentType {
  // application/vnd.kubernetes.protobuf for the reads of built-in kinds, and of the metadata of all
  // kinds; application/json for all others, and where the server has no protobuf.
  kProtobuf,
  kJson,
};

// Only the first of token file, token, username and exec that is set is used.
struct CAPSTAN_EXPORT Config {
  std::string host = {};  // "https://10.0.0.1:6443", with an optional path prefix
  // "http://[user:password@]proxy:3128"; empty: from the environment. Never logged.
  std::string proxy_url = {};
  transport::TlsConfig tls = {};
  transport::Implementation http_transport = transport::Implementation::kCapstan;
  transport::Http2 http2 = transport::Http2::kAuto;
  // Selects whether lists are requested compressed, including the list of a watch (WATCH-LIST).
  // client-go requests all responses compressed unless DisableCompression is set.
  transport::Compression list_compression = transport::Compression::kAuto;
  // Bodies of writes and their answers are always JSON.
  ContentType content_type = ContentType::kProtobuf;
  std::string bearer_token = {};  // never logged
  // Read again within a minute of a change, and after a 401. Until the file can be read,
  // `bearer_token` is sent.
  std::string bearer_token_file = {};
  std::string username = {};
  std::string password = {};                  // never logged
  std::optional<auth::ExecConfig> exec = {};  // not with a client certificate in `tls`
  ImpersonationConfig impersonate = {};
  std::string user_agent = {};
  double qps = -1;  // < 0: no client-side limit, as in controller-runtime since 0.21
  int burst = 10;
  // The time limit of a whole call, including retries and the body. For a watch, the time limit of
  // the response headers. 0: only the limits of CallOptions. client-go also ends watches after this
  // time.
  std::chrono::milliseconds timeout{0};

  std::string source = {};  // where this came from, for messages: "in-cluster" or a path
  std::string user = {};    // the user entry in `source`: "user \"admin\""
};

// Returns "capstan-controller-manager/0.1.0 (linux/amd64) kubernetes/<commit>" for version
// "0.1.0+<commit>". Empty parts become "unknown".
CAPSTAN_EXPORT std::string DefaultUserAgent(std::string_view program, std::string_view version);

// Returns the credentials of `config`, never null. Their Check() returns an error if they cannot
// work. `clock` and `metrics` (of an exec plugin, not owned) must outlive them. Clients of one
// Config may share them (ClientOptions::credentials), so that a plugin runs once for all.
CAPSTAN_EXPORT std::shared_ptr<auth::Credentials> NewCredentials(
    const Config& config, Clock& clock, auth::MetricsProvider* metrics = nullptr);

// Reports whether the credentials come from the exec plugin. Other credentials have precedence over
// it.
CAPSTAN_EXPORT bool UsesExecPlugin(const Config& config);

// Returns the headers Impersonate-User, -Uid, -Group (one for each group) and -Extra-<key>. Fails
// with kInvalidArgument for a value that a header cannot contain, and for other fields without a
// user.
CAPSTAN_EXPORT Expected<transport::Headers> ImpersonationHeaders(
    const ImpersonationConfig& impersonate);

// Returns what an operator can do about a failed request: one sentence without a full stop.
// Programs log it when their first request fails. docs/startup-errors.md lists the texts. Returns
// an empty string if the error is enough. Pure function.
CAPSTAN_EXPORT std::string Remedy(const Error& error, const Config& config);

}  // namespace capstan::rest
