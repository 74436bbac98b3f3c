// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/manifests.h"

#include <yaml-cpp/yaml.h>

#include <array>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include "capstan/clientgo/clientcmd/internal/yaml.h"
#include "capstan/clientgo/runtime/resource_type.h"
#include "capstan/clientgo/transport/http_transport.h"
#include "capstan/clientgo/util/base64.h"
#include "capstan/clientgo/util/file.h"
#include "capstan/clientgo/util/text.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cmd::cli::inspect {
namespace {

using clientgo::clientcmd::FileAndLine;
using clientgo::transport::HttpResponse;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

constexpr std::size_t kBytesMax = 64U << 20U;

struct Kind {
  std::string_view group;
  std::string_view kind;
  std::string_view plural;
  bool namespaced = false;
};
constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::array<Kind, 7> kKinds = {{
    {kAdmission, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations"},
    {kAdmission, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations"},
    {"apiregistration.k8s.io", "APIService", "apiservices"},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions"},
    {"", "Secret", "secrets", true},
    {"cert-manager.io", "Certificate", "certificates", true},
    {"", "ConfigMap", "configmaps", true},
}};

// Returns null for a kind that does not matter for injection, such as a Certificate of another
// group.
const Kind* KindOf(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  const auto group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  for (const Kind& known : kKinds) {
    if (known.group == group && known.kind == kind) return &known;
  }
  return nullptr;
}

class TextResponse final : public HttpResponse {
 public:
  TextResponse(int status, std::string text) : status_(status), text_(std::move(text)) {}

  int status() const override { return status_; }
  const clientgo::transport::Headers& headers() const override { return headers_; }
  Expected<std::string_view> Read(clientgo::util::Clock::Duration /*max_silence*/) override {
    return std::exchange(read_, true) ? std::string_view() : std::string_view(text_);
  }

 private:
  const int status_;
  const std::string text_;
  const clientgo::transport::Headers headers_ = {{"Content-Type", "application/json"}};
  bool read_ = false;
};

// ObjectTransport answers requests from memory. Thread-safe once it is filled.
class ObjectTransport final : public clientgo::transport::HttpTransport {
 public:
  // Returns false when there is such an object already.
  bool Add(const Kind& kind, const std::string& ns, const std::string& name, std::string json) {
    const clientgo::runtime::ResourceType type{
        .gvr = {std::string(kind.group), "v1", std::string(kind.plural)},
        .kind = std::string(kind.kind),
        .namespaced = kind.namespaced,
        .projection = {},
        .decode = {}};
    return objects_
        .emplace(type.Path(ns, name), Stored{type.Path(""), type.Path(ns), std::move(json)})
        .second;
  }

  Expected<std::unique_ptr<HttpResponse>> RoundTrip(
      std::stop_token /*stop*/, const clientgo::transport::HttpRequest& request) override {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const auto object = objects_.find(path);
    if (object != objects_.end()) return std::make_unique<TextResponse>(200, object->second.json);
    // "api/v1" or "apis/<group>/v1", then pairs of a plural and a name. A list has no last name.
    const auto parts = clientgo::util::Split(path, '/');
    const std::size_t root_size = path.starts_with("/api/") ? 2 : 3;
    const bool is_list = parts.size() <= root_size || (parts.size() - root_size) % 2 == 1;
    if (is_list) return std::make_unique<TextResponse>(200, ListJson(path));
    return std::make_unique<TextResponse>(
        404, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" +
                 std::string(parts[parts.size() - 2]) + R"( \")" +
                 clientgo::util::PercentDecode(parts.back()) +
                 R"(\" not found","reason":"NotFound","code":404})");
  }

 private:
  struct Stored {
    std::string all_namespaces;  // the path of its list
    std::string one_namespace;
    std::string json;
  };

  std::string ListJson(const std::string& path) const {
    std::string items;
    for (const auto& [key, stored] : objects_) {
      if (path != stored.all_namespaces && path != stored.one_namespace) continue;
      items += (items.empty() ? "" : ",") + stored.json;
    }
    return R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)" +
           items + "]}";
  }

  std::map<std::string, Stored> objects_;  // by path
};

Expected<std::string> Read(const std::string& file) {
  if (file != "-") return clientgo::util::ReadFile(file);
  std::string text;
  std::array<char, 65536> part{};
  for (std::size_t size = 0; (size = std::fread(part.data(), 1, part.size(), stdin)) > 0;) {
    text.append(part.data(), size);
    if (text.size() > kBytesMax) {
      return Err(ErrorReason::kInvalidArgument, "stdin: more than 64 MiB; split the input");
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

// Moves the texts of a Secret's stringData to data, as the API server does.
void MoveStringData(YAML::Node object) {
  const YAML::Node texts = object["stringData"];
  if (!texts || !texts.IsMap()) return;
  for (const auto& entry : texts) {
    object["data"][entry.first.Scalar()] = clientgo::util::Base64Encode(entry.second.Scalar());
  }
  object.remove("stringData");
}

// Removes the fields that only the API server sets.
void RemoveServerFields(YAML::Node object) {
  for (const char* key : {"uid", "resourceVersion", "creationTimestamp", "generation",
                          "managedFields", "deletionTimestamp", "selfLink"}) {
    object["metadata"].remove(key);
  }
  object.remove("status");
}

// Returns a Secret without its private data, also without annotations that repeat it.
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

// Returns why the API server would reject the object; empty: this check found nothing.
std::string Invalid(const Kind& kind, const YAML::Node& object) {
  const std::string name = Text(object["metadata"], "name");
  if (name.empty()) return "metadata.name is missing";
  if (!clientgo::util::IsDnsSubdomain(name)) return "metadata.name is not a DNS subdomain";
  const std::string api_version = Text(object, "apiVersion");
  const std::string served = (kind.group.empty() ? "" : std::string(kind.group) + "/") + "v1";
  if (api_version != served) return "apiVersion is not supported; use " + served;
  if (kind.kind == "APIService") {
    const YAML::Node spec = object["spec"].IsDefined() ? object["spec"] : YAML::Node();
    if (name != Text(spec, "version") + "." + Text(spec, "group")) {
      return "metadata.name must be spec.version + \".\" + spec.group";
    }
  }
  const YAML::Node data = object["data"];
  if (kind.kind == "Secret" && data.IsDefined() && data.IsMap() &&
      !clientgo::util::Base64Decode(Text(data, "ca.crt"))) {
    return "data[ca.crt] is not base64";
  }
  return {};
}

// Loader fills a transport from files.
class Loader {
 public:
  explicit Loader(ObjectTransport& transport) : transport_(transport) {}

  Expected<void> AddFile(const std::string& file, const std::string& text) {
    try {
      for (const YAML::Node& document : YAML::LoadAll(text)) {
        const YAML::Node items = document.IsMap() ? document["items"] : YAML::Node();
        if (document.IsMap() && Text(document, "kind").ends_with("List") && items.IsSequence()) {
          for (const YAML::Node& item : items) {
            if (auto added = AddObject(file, item); !added) return added;
          }
        } else if (!document.IsNull()) {
          if (auto added = AddObject(file, document); !added) return added;
        }
      }
    } catch (const YAML::Exception& error) {
      return Bad(file, error.mark, "not YAML: " + error.msg);
    }
    return {};
  }
  std::size_t ignored() const { return ignored_; }

 private:
  Expected<void> AddObject(const std::string& file, YAML::Node object) {
    const YAML::Mark mark = object.Mark();
    const std::string kind = Text(object, "kind");
    const std::string api_version = Text(object, "apiVersion");
    if (api_version.empty() || kind.empty() || !object["metadata"].IsMap()) {
      return Bad(file, mark, "not a Kubernetes object: apiVersion, kind and metadata are required");
    }
    const Kind* const known = KindOf(api_version, kind);
    if (known == nullptr) {
      ++ignored_;
      return {};
    }
    MoveStringData(object);
    RemoveServerFields(object);
    if (known->namespaced && Text(object["metadata"], "namespace").empty()) {
      object["metadata"]["namespace"] = "default";
    }
    const std::string name = Text(object["metadata"], "name");
    const std::string subject = kind + " " + name + ": ";
    if (const std::string why = Invalid(*known, object); !why.empty()) {
      return Bad(file, mark, subject + why);
    }
    auto json = clientgo::clientcmd::ToJson(kind == "Secret" ? WithoutSecrets(object) : object);
    if (!json) return Bad(file, mark, json.error().message);
    const std::string ns = known->namespaced ? Text(object["metadata"], "namespace") : "";
    if (!transport_.Add(*known, ns, name, *std::move(json))) {
      return Bad(file, mark, subject + "an earlier document defines it, too");
    }
    return {};
  }

  ObjectTransport& transport_;
  std::size_t ignored_ = 0;
};

}  // namespace

Expected<std::vector<std::string>> ReadObjects(const std::string& file) {
  const auto text = Read(file);
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string> objects;
  try {
    for (const YAML::Node& document : YAML::LoadAll(*text)) {
      if (document.IsNull()) continue;
      std::vector<YAML::Node> nodes;
      if (Text(document, "kind") == "List") {
        for (const YAML::Node& item : document["items"]) nodes.push_back(item);
      } else {
        nodes.push_back(document);
      }
      for (const YAML::Node& node : nodes) {
        auto json = clientgo::clientcmd::ToJson(node);
        if (!json) return tl::unexpected(std::move(json.error()));
        objects.push_back(*std::move(json));
      }
    }
  } catch (const YAML::Exception& error) {
    return Bad(file, error.mark, "not valid YAML: " + error.msg);
  }
  return objects;
}

Expected<std::unique_ptr<Manifests>> Manifests::Load(const std::vector<std::string>& files) {
  auto transport = std::make_unique<ObjectTransport>();
  Loader loader(*transport);
  for (const std::string& file : files) {
    auto text = Read(file);
    if (!text) return Err(std::move(text.error()));
    if (auto added = loader.AddFile(file, *text); !added) return Err(std::move(added.error()));
  }
  auto manifests = std::make_unique<Manifests>();
  manifests->ignored_ = loader.ignored();
  manifests->client_ = std::make_unique<clientgo::rest::Client>(
      clientgo::rest::Config{.host = "http://manifests"}, std::move(transport));
  return manifests;
}

}  // namespace capstan::cmd::cli::inspect
