// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/testing/objects.h"

#include "clientgo/util/base64.h"
#include "controllers/cainjector/rules/annotations.h"

namespace controllers::cainjector {
namespace {

using clientgo::util::Base64Encode;

std::string Metadata(const std::string& ns, const std::string& name,
                     const Annotations& annotations) {
  std::string json = R"("metadata":{)";
  if (!ns.empty()) json += R"("namespace":")" + ns + R"(",)";
  json += R"("name":")" + name + R"(","annotations":{)";
  for (const auto& [key, value] : annotations) {
    if (!json.ends_with('{')) json += ",";
    json += "\"" + std::string(key) + R"(":")" + value + "\"";
  }
  return json + "}}";
}

std::string CaBundle(const std::string& bundle) {
  return bundle.empty() ? "" : R"(,"caBundle":")" + Base64Encode(bundle) + "\"";
}

std::string Webhooks(const std::string& bundle) {
  const std::string common = R"("sideEffects":"None","admissionReviewVersions":["v1"],)";
  return R"("webhooks":[{"name":"url.example.com",)" + common +
         R"("clientConfig":{"url":"https://x.example.com")" + CaBundle(bundle) +
         R"(}},{"name":"service.example.com",)" + common +
         R"("clientConfig":{"service":{"namespace":"ns","name":"hook"})" + CaBundle(bundle) + "}}]";
}

std::string ApiServiceSpec(const std::string& name, const std::string& bundle) {
  return R"("spec":{"group":")" + name +
         R"(.example.com","version":"v1","groupPriorityMinimum":1,"versionPriority":1,)"
         R"("service":{"namespace":"ns","name":"api"})" +
         CaBundle(bundle) + "}";
}

std::string CrdSpec(const std::string& name, const std::string& bundle) {
  return R"("spec":{"group":"example.com","scope":"Namespaced","names":{"plural":")" + name +
         R"(s","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,)"
         R"("schema":{"openAPIV3Schema":{"type":"object"}}}],)"
         R"("conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
         R"("clientConfig":{"service":{"namespace":"ns","name":"convert"})" +
         CaBundle(bundle) + "}}}}";
}

}  // namespace

std::string StoredSecret(const std::string& ca_crt, const std::string& name,
                         const Annotations& annotations) {
  return R"({"apiVersion":"v1","kind":"Secret",)" + Metadata("ns", name, annotations) +
         R"(,"data":{"ca.crt":")" + Base64Encode(ca_crt) + R"("}})";
}

std::string StoredCertificateSecret(const std::string& ca_crt, const std::string& certificate,
                                    const std::string& name) {
  return StoredSecret(ca_crt, name, {{kCertificateName, certificate}});
}

std::string StoredCertificate(const std::string& name, const std::string& secret_name) {
  return R"({"apiVersion":"cert-manager.io/v1","kind":"Certificate",)" + Metadata("ns", name, {}) +
         R"(,"spec":{"secretName":")" + secret_name + R"("}})";
}

std::string StoredConfigMap(const std::string& name, bool labelled, const std::string& data_key,
                            const std::string& value) {
  std::string escaped;
  for (const char c : value) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":")" + name +
         "\"" + (labelled ? R"(,"labels":{"cache.capstan.dev/enabled":"true"})" : "") +
         R"(},"data":{")" + data_key + R"(":")" + escaped + R"("}})";
}

std::string TargetName(const Target& target, const std::string& name) {
  if (target.type().kind == "APIService") return "v1." + name + ".example.com";
  if (target.type().kind == "CustomResourceDefinition") return name + "s.example.com";
  return name;
}

std::string StoredTarget(const Target& target, const std::string& name,
                         const Annotations& annotations, const std::string& bundle) {
  const std::string& kind = target.type().kind;
  std::string spec = Webhooks(bundle);
  if (kind == "APIService") spec = ApiServiceSpec(name, bundle);
  if (kind == "CustomResourceDefinition") spec = CrdSpec(name, bundle);
  return R"({"apiVersion":")" + target.type().gvr.ApiVersion() + R"(","kind":")" + kind + R"(",)" +
         Metadata("", TargetName(target, name), annotations) + "," + spec + "}";
}

}  // namespace controllers::cainjector
