// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/manifests.h"

#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <cstdio>
#include <utility>

#include "clientgo/clientcmd/kubeconfig.h"
#include "clientgo/util/base64.h"
#include "clientgo/util/file.h"
#include "controllers/cainjector/rules/annotations.h"

namespace cmd::capstan::inspect {
namespace {

using clientgo::clientcmd::FileAndLine;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

constexpr std::size_t kBytesMax = 64U << 20U;

struct Kind {
  std::string_view group;
  std::string_view kind;
  bool namespaced = false;
};
constexpr std::array<Kind, 7> kKinds = {{
    {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
    {"apiregistration.k8s.io", "APIService"},
    {"apiextensions.k8s.io", "CustomResourceDefinition"},
    {"", "Secret", true},
    {"cert-manager.io", "Certificate", true},
    {"", "ConfigMap", true},
}};

// Null: it is of no matter here, as a Certificate of another group is.
const Kind* KindOf(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  const auto group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  for (const Kind& known : kKinds) {
    if (known.group == group && known.kind == kind) return &known;
  }
  return nullptr;
}

// 256 bits, in hexadecimal digits; empty: the system has none.
std::string RandomToken() {
  std::array<unsigned char, 32> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0) return {};
  std::string token;
  for (const unsigned char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    token += kDigits[byte >> 4U];
    token += kDigits[byte & 15U];
  }
  return token;
}

Expected<std::string> Read(const std::string& file) {
  if (file != "-") return clientgo::util::ReadFile(file);
  std::string text;
  std::array<char, 65536> part{};
  for (std::size_t size = 0; (size = std::fread(part.data(), 1, part.size(), stdin)) > 0;) {
    text.append(part.data(), size);
    if (text.size() > kBytesMax) {
      return Err(ErrorReason::kInvalidArgument, "stdin: more than 64 MiB; give it in parts");
    }
  }
  return text;
}

tl::unexpected<clientgo::util::Error> Bad(const std::string& file, const YAML::Mark& mark,
                                          const std::string& why) {
  return Err(ErrorReason::kInvalidArgument,
             FileAndLine(file == "-" ? "stdin" : file, mark) + ": " + why);
}

std::string Text(const YAML::Node& map, const char* key) {
  if (!map.IsMap()) return {};
  const YAML::Node value = map[key];
  return value && value.IsScalar() ? value.Scalar() : std::string();
}

// As the API server does: the texts of a Secret's stringData become data.
void MoveStringData(YAML::Node object) {
  const YAML::Node texts = object["stringData"];
  if (!texts || !texts.IsMap()) return;
  for (const auto& entry : texts) {
    object["data"][entry.first.Scalar()] = clientgo::util::Base64Encode(entry.second.Scalar());
  }
  object.remove("stringData");
}

// What only a server writes, and would refuse in a new object.
void ForgetServer(YAML::Node object) {
  for (const char* key : {"uid", "resourceVersion", "creationTimestamp", "generation",
                          "managedFields", "deletionTimestamp", "selfLink"}) {
    object["metadata"].remove(key);
  }
  object.remove("status");
}

// What is not looked at does not leave the file: no key, and no annotation that repeats one.
YAML::Node WithoutSecrets(const YAML::Node& secret) {
  YAML::Node kept;
  kept["apiVersion"] = secret["apiVersion"];
  kept["kind"] = secret["kind"];
  for (const char* key : {"name", "namespace"}) {
    if (secret["metadata"][key]) kept["metadata"][key] = secret["metadata"][key];
  }
  const YAML::Node annotations = secret["metadata"]["annotations"];
  for (const std::string_view name : {controllers::cainjector::kAllowDirectInjection,
                                      controllers::cainjector::kCertificateName}) {
    const std::string key(name);
    if (annotations.IsDefined() && annotations.IsMap() && annotations[key]) {
      kept["metadata"]["annotations"][key] = annotations[key];
    }
  }
  const YAML::Node data = secret["data"];
  if (data.IsDefined() && data.IsMap() && data["ca.crt"]) kept["data"]["ca.crt"] = data["ca.crt"];
  return kept;
}

}  // namespace

Manifests::Manifests(std::string token)
    : token_(std::move(token)),
      server_({.name = "manifests", .tls = false, .tokens = {{token_, "capstan"}}}) {}

Expected<std::unique_ptr<Manifests>> Manifests::Load(const std::vector<std::string>& files) {
  std::string token = RandomToken();
  if (token.empty()) return Err(ErrorReason::kUnknown, "the system gives no random bytes");
  std::unique_ptr<Manifests> manifests(new Manifests(std::move(token)));
  if (auto started = manifests->server_.Start(); !started) return Err(std::move(started.error()));
  for (const std::string& file : files) {
    auto text = Read(file);
    if (!text) return Err(std::move(text.error()));
    auto added = manifests->Add(file, *text);
    if (!added) return Err(std::move(added.error()));
  }
  auto client = clientgo::rest::Client::New(
      {.host = manifests->server_.url(), .bearer_token = manifests->token_});
  if (!client) return Err(std::move(client.error()));
  manifests->client_ = *std::move(client);
  return manifests;
}

Expected<void> Manifests::Add(const std::string& file, const std::string& text) {
  std::vector<YAML::Node> objects;
  try {
    for (const YAML::Node& document : YAML::LoadAll(text)) {
      const YAML::Node items = document.IsMap() ? document["items"] : YAML::Node();
      if (document.IsMap() && Text(document, "kind").ends_with("List") && items.IsSequence()) {
        for (const YAML::Node& item : items) objects.push_back(item);
      } else if (!document.IsNull()) {
        objects.push_back(document);
      }
    }
    for (YAML::Node& object : objects) {
      const std::string kind = Text(object, "kind");
      const std::string api_version = Text(object, "apiVersion");
      if (api_version.empty() || kind.empty() || !object["metadata"].IsMap()) {
        return Bad(file, object.Mark(),
                   "this is no Kubernetes object: it needs apiVersion, kind and metadata");
      }
      const Kind* const known = KindOf(api_version, kind);
      if (known == nullptr) {
        ++ignored_;
        continue;
      }
      MoveStringData(object);
      ForgetServer(object);
      if (known->namespaced && Text(object["metadata"], "namespace").empty()) {
        object["metadata"]["namespace"] = "default";
      }
      const YAML::Mark mark = object.Mark();
      const YAML::Node taken = kind == "Secret" ? WithoutSecrets(object) : object;
      auto json = clientgo::clientcmd::ToJson(taken);
      if (!json) return Bad(file, mark, json.error().message);
      auto created = server_.CreateObjects({*std::move(json)});
      if (!created) {
        return Bad(file, mark,
                   kind + " " + Text(object["metadata"], "name") + ": " + created.error().message);
      }
    }
  } catch (const YAML::Exception& error) {
    return Bad(file, error.mark, "this is no YAML: " + error.msg);
  }
  return {};
}

}  // namespace cmd::capstan::inspect
