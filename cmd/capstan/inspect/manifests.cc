// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/manifests.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include "capstan/base64.h"
#include "capstan/file.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/text.h"
#include "capstan/transport/http_transport.h"
#include "capstan/unstructured.h"
#include "cmd/capstan/inspect/kinds.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/rules/trust_bundle_reference.h"

namespace capstan::cmd::cli::inspect {
namespace {

constexpr std::size_t kBytesMax = 64U << 20U;

struct Kind {
  std::string_view group;
  std::string_view kind;
  std::string_view plural;
  bool namespaced = false;
  std::string_view version = "v1";
};
constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::array<Kind, 8> kKinds = {{
    {kAdmission, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations"},
    {kAdmission, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations"},
    {"apiregistration.k8s.io", "APIService", "apiservices"},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions"},
    {"", "Secret", "secrets", true},
    {"cert-manager.io", "Certificate", "certificates", true},
    {"", "ConfigMap", "configmaps", true},
    {"certificates.k8s.io", "ClusterTrustBundle", "clustertrustbundles"},
}};

// Returns the kinds that matter for injection. They refer to the texts of `additional`.
std::vector<Kind> KindsWith(const std::vector<cainjector::FieldTargetPtr>& additional) {
  std::vector<Kind> kinds(kKinds.begin(), kKinds.end());
  for (const cainjector::FieldTargetPtr& target : additional) {
    const auto& [gvr, kind, namespaced, fields, encoding] = target->options;
    kinds.push_back({gvr.group, kind, gvr.resource, namespaced, gvr.version});
  }
  return kinds;
}

class TextResponse final : public transport::HttpResponse {
 public:
  TextResponse(int status, std::string text) : status_(status), text_(std::move(text)) {}

  int status() const override { return status_; }
  const transport::Headers& headers() const override { return headers_; }
  Expected<std::string_view> Read(Clock::Duration /*max_silence*/) override {
    return std::exchange(read_, true) ? std::string_view() : std::string_view(text_);
  }

 private:
  const int status_;
  const std::string text_;
  const transport::Headers headers_ = {{"Content-Type", "application/json"}};
  bool read_ = false;
};

// ObjectTransport answers requests from memory. Thread-safe once it is filled.
class ObjectTransport final : public transport::HttpTransport {
 public:
  // Returns false when there is such an object already.
  bool Add(const Kind& kind, const Unstructured& object) {
    const std::string& ns = object.metadata.namespace_;
    const std::string& name = object.metadata.name;
    const runtime::ResourceType type{
        .gvr = {std::string(kind.group), std::string(kind.version), std::string(kind.plural)},
        .kind = std::string(kind.kind),
        .namespaced = kind.namespaced,
        .projection = {},
        .decode = {}};
    return objects_
        .emplace(type.Path(ns, name), Stored{type.Path(""), type.Path(ns), object.ToJson(), name,
                                             object.metadata.labels})
        .second;
  }

  Expected<std::unique_ptr<transport::HttpResponse>> RoundTrip(
      std::stop_token /*stop*/, const transport::HttpRequest& request) override {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const auto object = objects_.find(path);
    if (object != objects_.end()) return std::make_unique<TextResponse>(200, object->second.json);
    // "api/v1" or "apis/<group>/v1", then pairs of a plural and a name. A list has no last name.
    const auto parts = Split(path, '/');
    const std::size_t root_size = path.starts_with("/api/") ? 2 : 3;
    const bool is_list = parts.size() <= root_size || (parts.size() - root_size) % 2 == 1;
    if (is_list) {
      const std::string query = PercentDecode(request.target.substr(path.size()));
      return std::make_unique<TextResponse>(200, ListJson(path, query));
    }
    return std::make_unique<TextResponse>(
        404, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" +
                 std::string(parts[parts.size() - 2]) + R"( \")" + PercentDecode(parts.back()) +
                 R"(\" not found","reason":"NotFound","code":404})");
  }

 private:
  struct Stored {
    std::string all_namespaces;  // the path of its list
    std::string one_namespace;
    std::string json;
    std::string name;
    std::map<std::string, std::string> labels;
  };

  // Returns the value of "NAME=" in a query, or "".
  static std::string_view Parameter(std::string_view query, std::string_view name) {
    for (const std::string_view part : Split(query.substr(!query.empty()), '&')) {
      if (part.starts_with(name)) return part.substr(name.size());
    }
    return {};
  }
  // Returns whether the selectors in `query` select an object. The Inspector uses one label and one
  // name.
  static bool Selects(std::string_view query, const Stored& stored) {
    constexpr std::string_view kByName = "metadata.name=";
    const std::string_view fields = Parameter(query, "fieldSelector=");
    if (fields.starts_with(kByName) && fields.substr(kByName.size()) != stored.name) return false;
    const std::string_view label = Parameter(query, "labelSelector=");
    if (label.empty()) return true;
    const auto found = stored.labels.find(std::string(label.substr(0, label.find('='))));
    return found != stored.labels.end() && label.ends_with("=" + found->second);
  }

  std::string ListJson(const std::string& path, std::string_view query) const {
    std::string items;
    for (const auto& [key, stored] : objects_) {
      if (path != stored.all_namespaces && path != stored.one_namespace) continue;
      if (!Selects(query, stored)) continue;
      items += (items.empty() ? "" : ",") + stored.json;
    }
    return R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)" +
           items + "]}";
  }

  std::map<std::string, Stored> objects_;  // by path
};

// Returns the name of a file for messages.
std::string NameOf(const std::string& file) { return file == "-" ? "stdin" : file; }

Expected<std::string> Read(const std::string& file) {
  if (file != "-") return ReadFile(file);
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

std::string Text(const Unstructured& object, const Unstructured::Path& path) {
  return object.Get<std::string>(path).value_or("");
}

// Removes what only the API server sets.
void RemoveServerFields(Unstructured& object) {
  ObjectMeta& metadata = object.metadata;
  metadata = {.name = std::move(metadata.name),
              .namespace_ = std::move(metadata.namespace_),
              .labels = std::move(metadata.labels),
              .annotations = std::move(metadata.annotations)};
  object.Remove({"status"});
}

// Returns a Secret without its private data, also without annotations that repeat it. A text in
// stringData replaces the one in data, as in the API server.
Expected<Unstructured> WithoutSecrets(const Unstructured& secret) {
  Unstructured kept(secret.api_version(), secret.kind());
  kept.metadata.name = secret.metadata.name;
  kept.metadata.namespace_ = secret.metadata.namespace_;
  for (const std::string_view name :
       {cainjector::kAllowDirectInjection, cainjector::kCertificateName}) {
    const auto found = secret.metadata.annotations.find(std::string(name));
    if (found != secret.metadata.annotations.end()) kept.metadata.annotations.insert(*found);
  }
  std::string ca = Text(secret, {"data", "ca.crt"});
  if (!Base64Decode(ca)) {
    return Err(ErrorReason::kInvalidArgument, "data[ca.crt] is not base64");
  }
  if (const auto text = secret.Get<std::string>({"stringData", "ca.crt"})) {
    ca = Base64Encode(*text);
  }
  if (!ca.empty()) {
    if (auto set = kept.Set({"data", "ca.crt"}, ca); !set) return Err(std::move(set.error()));
  }
  return kept;
}

// Returns why the API server would reject the object, or "" if this check found nothing.
std::string Invalid(const Kind& kind, const Unstructured& object) {
  const std::string& name = object.metadata.name;
  if (name.empty()) return "metadata.name is missing";
  const bool is_trust_bundle = kind.kind == "ClusterTrustBundle";
  if (is_trust_bundle && !cainjector::IsTrustBundleName(name)) {
    return "metadata.name is not one of a ClusterTrustBundle";
  }
  if (!is_trust_bundle && !IsDnsSubdomain(name)) {
    return "metadata.name is not a DNS subdomain";
  }
  // Kubernetes before 1.37 has this version, with the same fields.
  if (is_trust_bundle && object.api_version() == "certificates.k8s.io/v1beta1") return {};
  const std::string served =
      (kind.group.empty() ? "" : std::string(kind.group) + "/") + std::string(kind.version);
  if (object.api_version() != served) return "apiVersion is not supported; use " + served;
  if (kind.kind == "APIService" &&
      name != Text(object, {"spec", "version"}) + "." + Text(object, {"spec", "group"})) {
    return "metadata.name must be spec.version + \".\" + spec.group";
  }
  return {};
}

// Sets the name that the API server would choose. Its five last characters are a number here.
void ReplaceGeneratedName(Unstructured& object, std::size_t number) {
  ObjectMeta& metadata = object.metadata;
  if (!metadata.name.empty() || metadata.generate_name.empty()) return;
  std::string digits = std::to_string(number);
  metadata.name = metadata.generate_name +
                  std::string(5 - std::min<std::size_t>(digits.size(), 5), '0') + digits;
}

// Loader fills a transport from manifests.
class Loader {
 public:
  Loader(ObjectTransport& transport, std::vector<Kind> kinds)
      : transport_(transport), kinds_(std::move(kinds)) {}

  Expected<void> Add(const clientcmd::Manifest& manifest) {
    const auto bad = [&](const std::string& why) {
      return Err(ErrorReason::kInvalidArgument, manifest.where + ": " + why);
    };
    auto object = Unstructured::FromJson(manifest.json);
    if (!object || object->api_version().empty()) {
      return bad("not a Kubernetes object: apiVersion, kind and metadata are required" +
                 (object ? "" : "; " + object.error().message));
    }
    const Kind* const known = KindOf(object->api_version(), object->kind());
    if (known == nullptr) {
      ++ignored_;
      return {};
    }
    ReplaceGeneratedName(*object, generated_++);
    const std::string subject = object->kind() + " " + object->metadata.name + ": ";
    if (const std::string why = Invalid(*known, *object); !why.empty()) return bad(subject + why);
    if (object->kind() == "Secret") object = WithoutSecrets(*object);
    if (!object) return bad(subject + object.error().message);
    RemoveServerFields(*object);
    std::string& ns = object->metadata.namespace_;
    if (!known->namespaced) ns.clear();
    if (known->namespaced && ns.empty()) ns = "default";
    if (!transport_.Add(*known, *object)) {
      return bad(subject + "an earlier document defines it, too");
    }
    added_.push_back({.kind = known,
                      .key = {.namespace_ = ns, .name = object->metadata.name},
                      .where = manifest.where});
    return {};
  }

  // Reads each target as the commands do. A target that they could not read would be left out.
  Expected<void> CheckTargets(rest::Client& client,
                              const std::vector<const cainjector::Target*>& targets) const {
    for (const Added& added : added_) {
      for (const cainjector::Target* target : targets) {
        const auto& gvr = target->type().gvr;
        if (gvr.group != added.kind->group || gvr.resource != added.kind->plural) continue;
        const auto object = client.Get({}, target->content_type(), added.key);
        if (object || IsNotFound(object.error())) continue;
        return Err(ErrorReason::kInvalidArgument,
                   added.where + ": " + object.error().message +
                       "; the API server rejects this object: correct or remove the value");
      }
    }
    return {};
  }

  std::size_t ignored() const { return ignored_; }
  bool empty() const { return added_.empty() && ignored_ == 0; }

 private:
  struct Added {
    const Kind* kind = nullptr;
    runtime::ObjectKey key = {};
    std::string where = {};
  };

  // Returns null for a kind that does not matter for injection, such as a Certificate of another
  // group.
  const Kind* KindOf(std::string_view api_version, std::string_view kind) const {
    const std::size_t slash = api_version.find('/');
    const auto group =
        slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
    for (const Kind& known : kinds_) {
      if (known.group == group && known.kind == kind) return &known;
    }
    return nullptr;
  }

  ObjectTransport& transport_;
  const std::vector<Kind> kinds_;
  std::vector<Added> added_;
  std::size_t ignored_ = 0;
  std::size_t generated_ = 0;
};

}  // namespace

Expected<std::vector<clientcmd::Manifest>> ReadManifests(const std::string& file) {
  const auto text = Read(file);
  if (!text) return Err(text.error());
  return clientcmd::ParseManifests(*text, NameOf(file));
}

Expected<std::unique_ptr<Manifests>> Manifests::Load(
    const std::vector<std::string>& files,
    const std::vector<cainjector::FieldTargetPtr>& additional) {
  auto transport = std::make_unique<ObjectTransport>();
  Loader loader(*transport, KindsWith(additional));
  for (const std::string& file : files) {
    const auto objects = ReadManifests(file);
    if (!objects) return Err(objects.error());
    for (const clientcmd::Manifest& object : *objects) {
      if (auto added = loader.Add(object); !added) return Err(std::move(added.error()));
    }
  }
  if (loader.empty()) {
    return Err(
        ErrorReason::kInvalidArgument,
        NameOf(files.front()) + (files.size() > 1 ? " and the other files" : "") + ": no objects");
  }
  auto manifests = std::make_unique<Manifests>();
  manifests->ignored_ = loader.ignored();
  manifests->client_ = std::make_unique<rest::Client>(rest::Config{.host = "http://manifests"},
                                                      std::move(transport));
  const auto checked =
      loader.CheckTargets(*manifests->client_, AllTargets({.additional = additional}));
  if (!checked) return Err(checked.error());
  return manifests;
}

}  // namespace capstan::cmd::cli::inspect
