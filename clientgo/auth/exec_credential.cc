// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/exec_credential.h"

#include <utility>

#include "clientgo/auth/credentials.h"
#include "clientgo/runtime/json.h"
#include "clientgo/util/base64.h"
#include "clientgo/util/time_format.h"

namespace clientgo::auth {
namespace {

using runtime::JsonBuffer;
using runtime::JsonValue;
using runtime::JsonWriter;
using util::Err;
using util::ErrorReason;

constexpr std::string_view kKind = "ExecCredential";

tl::unexpected<util::Error> Invalid(std::string why) {
  return Err(ErrorReason::kInvalidArgument, std::move(why));
}

void WriteText(JsonWriter& writer, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  runtime::WriteKey(writer, key);
  runtime::WriteString(writer, text);
}

void WriteCluster(JsonWriter& writer, const ExecCluster& cluster) {
  runtime::WriteKey(writer, "cluster");
  writer.StartObject();
  WriteText(writer, "server", cluster.server);
  WriteText(writer, "tls-server-name", cluster.tls_server_name);
  if (cluster.insecure_skip_tls_verify) {
    runtime::WriteKey(writer, "insecure-skip-tls-verify");
    writer.Bool(true);
  }
  WriteText(writer, "certificate-authority-data", util::Base64Encode(cluster.ca_data));
  WriteText(writer, "proxy-url", cluster.proxy_url);
  if (!cluster.config.empty()) {
    runtime::WriteKey(writer, "config");
    writer.RawValue(cluster.config.data(), cluster.config.size(), runtime::rapidjson::kObjectType);
  }
  writer.EndObject();
}

// A word of the answer that may be repeated: short, and nothing but letters, digits, '.', '/', '-'.
std::string Word(std::string_view text) {
  constexpr std::string_view kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./-";
  const bool harmless =
      text.size() <= 64 && text.find_first_not_of(kHarmless) == std::string_view::npos;
  return harmless ? "\"" + std::string(text) + "\"" : "something else";
}

util::Expected<std::string> Text(const JsonValue& status, std::string_view key) {
  const JsonValue* value = runtime::Find(status, key);
  if (value == nullptr || value->IsNull()) return std::string();
  if (!value->IsString()) return Invalid("status." + std::string(key) + " must be a string");
  return std::string(runtime::ToView(*value));
}

util::Expected<ExecStatus> ParseStatus(const JsonValue& json) {
  ExecStatus status;
  const std::pair<std::string_view, std::string*> texts[] = {
      {"token", &status.token},
      {"clientCertificateData", &status.cert_pem},
      {"clientKeyData", &status.key_pem},
  };
  for (const auto& [key, field] : texts) {
    auto text = Text(json, key);
    if (!text) return Err(std::move(text.error()));
    *field = std::move(*text);
  }
  if (status.token.empty() && status.cert_pem.empty() && status.key_pem.empty()) {
    return Invalid("the answer has neither a token nor a certificate");
  }
  if (status.cert_pem.empty() != status.key_pem.empty()) {
    return Invalid("the answer has only one of clientCertificateData and clientKeyData");
  }
  if (!IsHeaderValue(status.token)) {
    return Invalid("status.token holds a line break or another character that no token has");
  }
  const auto expiration = Text(json, "expirationTimestamp");
  if (!expiration) return Err(expiration.error());
  if (expiration->empty()) return status;
  status.expiration = util::ParseTime(*expiration);
  if (!status.expiration) return Invalid("status.expirationTimestamp is not an RFC 3339 time");
  return status;
}

}  // namespace

bool IsExecApiVersion(std::string_view api_version) {
  return api_version == "client.authentication.k8s.io/v1" ||
         api_version == "client.authentication.k8s.io/v1beta1";
}

std::string ExecInfo(const ExecConfig& config) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteText(writer, "kind", kKind);
  WriteText(writer, "apiVersion", config.api_version);
  runtime::WriteKey(writer, "spec");
  writer.StartObject();
  if (config.provide_cluster_info) WriteCluster(writer, config.cluster);
  runtime::WriteKey(writer, "interactive");
  writer.Bool(false);
  writer.EndObject();
  writer.EndObject();
  return buffer.GetString();
}

util::Expected<ExecStatus> ParseExecCredential(std::string answer, std::string_view api_version) {
  if (answer.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Invalid("the answer on its stdout is empty");
  }
  runtime::JsonParser parser;
  const auto root = parser.ParseInsitu(answer.data(), answer.size());
  if (!root || !(*root)->IsObject()) return Invalid("the answer on its stdout is no JSON object");
  if (const std::string_view kind = runtime::GetString(**root, "kind"); kind != kKind) {
    return Invalid("the answer's kind is " + Word(kind) + ", not \"ExecCredential\"");
  }
  if (const auto version = runtime::GetString(**root, "apiVersion"); version != api_version) {
    return Invalid("the answer's apiVersion is " + Word(version) +
                   ", but the kubeconfig asks for \"" + std::string(api_version) + "\"");
  }
  const JsonValue* status = runtime::Find(**root, "status");
  if (status == nullptr || !status->IsObject()) return Invalid("the answer has no status");
  return ParseStatus(*status);
}

}  // namespace clientgo::auth
