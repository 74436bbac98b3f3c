// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/trust_bundle_validation.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/cert/certificate.h"
#include "capstan/cert/pem.h"
#include "clientgo/testing/apiserver/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr const char* kBundle = "spec.trustBundle";
constexpr const char* kSigner = "spec.signerName";
constexpr std::size_t kBytesMax = std::size_t{1024} * 1024;

void Add(std::vector<Cause>& causes, const std::string& field, std::string_view value,
         const std::vector<std::string>& errors) {
  for (const std::string& error : errors) causes.push_back(InvalidValue(field, value, error));
}

void ValidateName(std::string_view name, std::string_view signer, std::vector<Cause>& causes) {
  if (signer.empty()) {
    if (name.find(':') == std::string_view::npos) {
      Add(causes, "metadata.name", name, SubdomainErrors(name));
    } else {
      Add(causes, "metadata.name", name,
          {R"(ClusterTrustBundle without signer name must not have ":" in its name)"});
    }
    return;
  }
  std::string prefix = std::string(signer) + ":";
  std::replace(prefix.begin(), prefix.end(), '/', ':');
  if (name.starts_with(prefix)) {
    Add(causes, "metadata.name", name, SubdomainErrors(name.substr(prefix.size())));
  } else {
    Add(causes, "metadata.name", name,
        {"ClusterTrustBundle for signerName " + std::string(signer) +
         " must be named with prefix " + prefix});
  }
}

void ValidateSigner(std::string_view signer, std::vector<Cause>& causes) {
  const std::size_t slash = signer.find('/');
  if (slash == std::string_view::npos || signer.find('/', slash + 1) != std::string_view::npos) {
    Add(causes, kSigner, signer,
        {"must be a fully qualified domain and path of the form 'example.com/signer-name'"});
    return;
  }
  const std::string_view domain = signer.substr(0, slash);
  Add(causes, kSigner, domain, SubdomainErrors(domain));
  if (domain.find('.') == std::string_view::npos) {
    Add(causes, kSigner, domain,
        {"should be a domain with at least two segments separated by dots"});
  }
  Add(causes, kSigner, signer.substr(slash + 1), SubdomainErrors(signer.substr(slash + 1)));
}

// Returns what is wrong with one block; empty: nothing.
std::string BlockError(const cert::PemBlock& block) {
  if (block.label != cert::kCertificateBlock) {
    return " has bad block type: " + std::string(block.label);
  }
  if (block.has_headers) return " has PEM block headers";
  const auto certificate = cert::ParseCertificate(block.bytes);
  if (!certificate) return " does not parse as X.509";
  return certificate->is_ca ? "" : " does not have the CA bit set";
}

void ValidatePem(std::string_view pem, std::vector<Cause>& causes) {
  if (pem.size() > kBytesMax) {
    causes.push_back(
        {.reason = "FieldValueTooLong",
         .message = "Too long: may not be more than " + std::to_string(kBytesMax) + " bytes",
         .field = kBundle});
    return;
  }
  const auto reject = [&](const std::string& why) {
    causes.push_back(InvalidValue(kBundle, "<value omitted>", why));
  };
  std::map<std::string, std::vector<std::size_t>> entries;  // by DER
  bool good = true;
  cert::PemReader reader(pem);
  std::size_t count = 0;
  for (; const auto block = reader.Next(); ++count) {
    const std::string why = BlockError(*block);
    if (!why.empty()) reject("entry " + std::to_string(count) + why);
    good = good && why.empty();
    entries[block->bytes].push_back(count);
  }
  if (!good) return;
  if (entries.empty()) reject("at least one trust anchor must be provided");
  for (const auto& [bytes, indices] : entries) {
    if (indices.size() == 1) continue;
    std::string text;
    for (const std::size_t index : indices)
      text += (text.empty() ? "" : " ") + std::to_string(index);
    reject("duplicate trust anchor (indices [" + text + "])");
  }
}

}  // namespace

std::vector<Cause> ValidateTrustBundle(const runtime::JsonValue& object) {
  std::vector<Cause> causes;
  const runtime::JsonValue& spec = ObjectAt(object, "spec");
  const std::string_view signer = runtime::GetString(spec, "signerName");
  const std::string_view name = runtime::GetString(ObjectAt(object, "metadata"), "name");
  if (!name.empty()) ValidateName(name, signer, causes);
  if (!signer.empty()) ValidateSigner(signer, causes);
  ValidatePem(runtime::GetString(spec, "trustBundle"), causes);
  return causes;
}

}  // namespace capstan::testing::apiserver
