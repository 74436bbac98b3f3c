// SPDX-License-Identifier: Apache-2.0
#include "capstan/auth/exec_credential.h"

#include <algorithm>
#include <array>
#include <utility>

#include "capstan/auth/credentials.h"
#include "capstan/base64.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "capstan/time.h"
#include "clientgo/runtime/json.h"

namespace capstan::auth {
namespace {

constexpr std::string_view kKind = "ExecCredential";

tl::unexpected<Error> Invalid(std::string why) {
  return Err(ErrorReason::kInvalidArgument, std::move(why));
}

void WriteCluster(runtime::JsonWriter& writer, const ExecCluster& cluster) {
  writer.Key("cluster");
  writer.StartObject();
  runtime::WriteField(writer, "server", cluster.server);
  runtime::WriteField(writer, "tls-server-name", cluster.tls_server_name);
  if (cluster.insecure_skip_tls_verify) {
    writer.Key("insecure-skip-tls-verify");
    writer.Bool(true);
  }
  runtime::WriteField(writer, "certificate-authority-data", Base64Encode(cluster.ca_data));
  runtime::WriteField(writer, "proxy-url", cluster.proxy_url);
  if (cluster.disable_compression) {
    writer.Key("disable-compression");
    writer.Bool(true);
  }
  if (!cluster.config.empty()) {
    writer.Key("config");
    writer.RawValue(cluster.config);
  }
  writer.EndObject();
}

// Quotes a word of the output that cannot be a secret: short, with letters, digits and "./-" only.
std::string QuoteHarmless(std::string_view text) {
  constexpr std::string_view kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./-";
  const bool harmless =
      text.size() <= 64 && text.find_first_not_of(kHarmless) == std::string_view::npos;
  return harmless ? "\"" + std::string(text) + "\"" : "something else";
}

// Reads a text. Null leaves the field as it is.
Expected<void> ReadText(const runtime::JsonValue& value, std::string_view key, std::string& field) {
  if (value.IsNull()) return {};
  if (!value.IsString()) return Invalid("status." + std::string(key) + " must be a string");
  field = runtime::ToView(value);
  return {};
}

Expected<void> ReadExpiration(const runtime::JsonValue& value, ExecStatus& status) {
  status.expiration.reset();
  if (value.IsNull()) return {};
  std::string text;
  if (auto read = ReadText(value, "expirationTimestamp", text); !read) return read;
  if (IsZeroTime(text)) return {};  // there is no expiration
  status.expiration = ParseNearestTime(text);
  if (!status.expiration) return Invalid("status.expirationTimestamp is not an RFC 3339 time");
  return {};
}

// Reads a status into `status`. Go decodes members of the same name one after the other into the
// same field, so a later one wins, and null and {} keep what is there.
Expected<void> ReadStatus(const runtime::JsonValue& json, ExecStatus& status) {
  const std::pair<std::string_view, std::string*> texts[] = {
      {"token", &status.token},
      {"clientCertificateData", &status.cert_pem},
      {"clientKeyData", &status.key_pem},
  };
  for (const auto& [name, value] : runtime::JsonMembers(json)) {
    for (const auto& [key, field] : texts) {
      if (name != key) continue;
      if (auto read = ReadText(value, key, *field); !read) return read;
    }
    if (name != "expirationTimestamp") continue;
    if (auto read = ReadExpiration(value, status); !read) return read;
  }
  return {};
}

Expected<void> CheckStatus(const ExecStatus& status) {
  if (status.token.empty() && status.cert_pem.empty() && status.key_pem.empty()) {
    return Invalid("its output has neither a token nor a certificate");
  }
  if (status.cert_pem.empty() != status.key_pem.empty()) {
    return Invalid("its output has only one of clientCertificateData and clientKeyData");
  }
  if (!IsHeaderValue(status.token)) {
    return Invalid("status.token contains a line break or another character that no token has");
  }
  return {};
}

Expected<ExecStatus> ParseStatus(const runtime::JsonValue& root) {
  std::optional<ExecStatus> status;
  for (const auto& [name, value] : runtime::JsonMembers(root)) {
    if (name != "status") continue;
    if (value.IsNull()) {
      status.reset();
      continue;
    }
    if (!value.IsObject()) return Invalid("its output has no status");
    if (!status) status.emplace();
    if (auto read = ReadStatus(value, *status); !read) return Err(std::move(read.error()));
  }
  if (!status) return Invalid("its output has no status");
  if (auto usable = CheckStatus(*status); !usable) return Err(std::move(usable.error()));
  return *std::move(status);
}

// Returns a text of the output: "" if it is missing or null, and a text that is never valid if it
// has another type. As in Go, the last member of this name wins, and the case does not matter.
std::string_view LastText(const runtime::JsonValue& root, std::string_view key) {
  std::string_view text;
  for (const auto& [name, value] : runtime::JsonMembers(root)) {
    if (value.IsNull() || LowerAscii(name) != LowerAscii(key)) continue;
    if (!value.IsString()) return "no string";
    text = runtime::ToView(value);
  }
  return text;
}

constexpr std::size_t kBytesMax = 500;
constexpr std::string_view kHidden = "<hidden>";
// Words of a message are shorter, and tokens are at least this long. Paths and addresses may be
// longer, but contain a '/' or ':'.
constexpr std::size_t kSecretBytesMin = 24;

// A slash occurs in base64 and in paths. JSON may put a '\' before it.
bool IsSlash(char c) { return c == '/' || c == '\\'; }

bool IsSecretWord(std::string_view word) {
  if (word.size() < kSecretBytesMin) return false;
  if (word.find_first_of("0123456789") == std::string_view::npos) return false;
  // Lower case with dots is a host name.
  return word.find('.') == std::string_view::npos ||
         word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string_view::npos;
}

enum class Kind { kOther, kLower, kUpper, kDigit };

Kind KindOf(char c) {
  if (c >= 'a' && c <= 'z') return Kind::kLower;
  if (c >= 'A' && c <= 'Z') return Kind::kUpper;
  return c >= '0' && c <= '9' ? Kind::kDigit : Kind::kOther;
}

bool IsSecretCharacter(char c) {
  return KindOf(c) != Kind::kOther || std::string_view("+=_.-").find(c) != std::string_view::npos;
}

// Reports whether `text` is base64, which may have slashes anywhere, and not a path. In base64,
// lower case, upper case and digits alternate often. This misses 5 in 1000 secrets of 24 characters
// and less than 1 in 1000 of 32. It hides 4 in 1000 paths.
bool IsRandom(std::string_view text) {
  std::array<bool, 4> seen = {};
  std::size_t characters = 0;
  std::size_t turns = 0;
  Kind before = Kind::kOther;
  for (const char c : text) {
    const Kind kind = KindOf(c);
    if (kind == Kind::kOther) continue;
    if (before != Kind::kOther && kind != before) ++turns;
    seen[static_cast<std::size_t>(kind)] = true;
    before = kind;
    ++characters;
  }
  const auto has = [&](Kind kind) { return seen[static_cast<std::size_t>(kind)]; };
  if (text.size() < kSecretBytesMin || !has(Kind::kLower) || !has(Kind::kUpper)) return false;
  // A name like role/ClusterAdminRole also alternates, but has no digits.
  return has(Kind::kDigit) ? turns * 4 >= characters : turns * 5 >= characters * 2;
}

// Calls `append` for each longest run of characters that `is_part` accepts, and appends the other
// characters to `out`.
template <class IsPart, class Append>
void ForEachWord(std::string& out, std::string_view text, IsPart is_part, Append append) {
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_part);
    const auto size = static_cast<std::size_t>(end - text.begin());
    append(text.substr(0, size));
    if (size < text.size()) out += text[size];
    text.remove_prefix(std::min(size + 1, text.size()));
  }
}

std::string HideSecretWords(std::string_view text) {
  std::string out;
  const auto append_word = [&](std::string_view word) {
    out += IsSecretWord(word) ? kHidden : word;
  };
  const auto append_run = [&](std::string_view run) {
    if (IsRandom(run)) {
      out += kHidden;
    } else {
      ForEachWord(out, run, IsSecretCharacter, append_word);
    }
  };
  ForEachWord(
      out, text, [](char c) { return IsSecretCharacter(c) || IsSlash(c); }, append_run);
  return out;
}

void HideText(std::string& text, std::string_view secret) {
  if (secret.empty()) return;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), kHidden);
    at += kHidden.size();
  }
}

// Skips an escape sequence after its ESC, such as "[31m", and returns the rest.
std::string_view SkipEscapeSequence(std::string_view text) {
  if (!text.starts_with('[')) return text;
  const std::size_t end =
      text.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  return text.substr(std::min(end, text.size() - 1) + 1);
}

}  // namespace

bool IsExecApiVersion(std::string_view api_version) {
  return api_version == "client.authentication.k8s.io/v1" ||
         api_version == "client.authentication.k8s.io/v1beta1";
}

std::string ExecInfo(const ExecConfig& config) {
  runtime::JsonWriter writer;
  writer.StartObject();
  runtime::WriteField(writer, "kind", kKind);
  runtime::WriteField(writer, "apiVersion", config.api_version);
  writer.Key("spec");
  writer.StartObject();
  if (config.provide_cluster_info) WriteCluster(writer, config.cluster);
  writer.Key("interactive");
  writer.Bool(false);
  writer.EndObject();
  writer.EndObject();
  return std::move(writer).Take();
}

std::string ExecOutputAsJson(const ExecConfig& config, std::string out) {
  const std::size_t start = out.find_first_not_of(" \t\r\n");
  if (config.yaml_to_json == nullptr || start == std::string::npos || out[start] == '{') return out;
  auto json = config.yaml_to_json(out);
  return json ? *std::move(json) : out;
}

Expected<ExecStatus> ParseExecCredential(std::string out, std::string_view api_version) {
  if (out.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Invalid("its output is empty");
  }
  runtime::JsonParser parser;
  const auto root = parser.ParseInsitu(out.data(), out.size());
  if (!root || !(*root)->IsObject())
    return Invalid("its output is not an ExecCredential in JSON or YAML");
  // As in Go, the kind may be missing.
  if (const auto kind = LastText(**root, "kind"); !kind.empty() && kind != kKind) {
    return Invalid("the kind of its output is " + QuoteHarmless(kind) + ", not \"ExecCredential\"");
  }
  if (const auto version = LastText(**root, "apiVersion"); version != api_version) {
    return Invalid("the apiVersion of its output is " + QuoteHarmless(version) +
                   ", but the kubeconfig requests \"" + std::string(api_version) + "\"");
  }
  return ParseStatus(**root);
}

std::string OneLine(std::string_view text) {
  std::string out;
  while (!text.empty() && out.size() < kBytesMax) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '\x1b') {
      text = SkipEscapeSequence(text);
    } else if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f') {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      out += c;
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string ReadableStderr(std::string_view text, std::string_view out) {
  std::string readable(text);
  std::string copy(out);
  runtime::JsonParser parser;
  if (const auto root = parser.ParseInsitu(copy.data(), copy.size())) {
    if (const auto* status = runtime::Find(**root, "status")) {
      HideText(readable, runtime::GetString(*status, "token"));
    }
  }
  return OneLine(HideSecretWords(readable));
}

}  // namespace capstan::auth
