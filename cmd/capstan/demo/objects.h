// SPDX-License-Identifier: Apache-2.0
// The objects of the demo, as JSON for a POST, and the types they are written through. Pure
// functions. Names and values are the demo's own: none needs to be escaped.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"

namespace cmd::capstan::demo {

inline constexpr std::string_view kPrefix = "capstan-demo-";

const clientgo::runtime::ResourceType& NamespaceType();
const clientgo::runtime::ResourceType& SecretType();
const clientgo::runtime::ResourceType& CertificateType();
// The webhook configurations as the demo reads them: name and bundle of each webhook.
const clientgo::runtime::ResourceType& ConfigurationType(bool validating);

struct Annotation {
  std::string_view key = {};  // empty: none
  std::string value = {};
};

// "capstan-demo-00012".
std::string Numbered(std::string_view prefix, int number);
std::string NamespaceJson(const std::string& name);
// With one key; `text` is not encoded yet.
std::string SecretJson(const clientgo::runtime::ObjectKey& key, const Annotation& annotation,
                       std::string_view data_key, std::string_view text);
// A Certificate that is kept in the Secret of that name, of an issuer that nobody has.
std::string CertificateJson(const clientgo::runtime::ObjectKey& key, const std::string& secret);

struct ConfigurationOptions {
  std::string name;
  bool validating = true;
  Annotation annotation;
  int webhooks = 1;
  std::string service_namespace;
};
// Its webhooks have no rule: nothing is ever sent to them, whatever cluster this runs on.
std::string ConfigurationJson(const ConfigurationOptions& options);

// {"data":{"ca.crt":...}} and {"metadata":{"annotations":{...}}}, as merge patches.
std::string CaPatch(std::string_view pem);
std::string AnnotationPatch(const Annotation& annotation);

}  // namespace cmd::capstan::demo
