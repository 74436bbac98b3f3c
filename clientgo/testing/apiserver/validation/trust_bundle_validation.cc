// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_rules.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cert/certificate.h"
#include "capstan/cert/pem.h"
#include "capstan/logging.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::size_t kBytesMax = std::size_t{1024} * 1024;

void CheckName(const Place& field, std::string_view signer, FieldRules& rules) {
  const std::string_view name = field.Text();
  if (name.empty()) return;
  if (signer.empty()) {
    if (name.find(':') == std::string_view::npos) {
      rules.Subdomain(field);
    } else {
      rules.Invalid(field,
                    R"(ClusterTrustBundle without signer name must not have ":" in its name)");
    }
    return;
  }
  std::string prefix = std::string(signer) + ":";
  std::replace(prefix.begin(), prefix.end(), '/', ':');
  if (name.starts_with(prefix)) {
    rules.Invalid(field, SubdomainErrors(name.substr(prefix.size())));
  } else {
    rules.Invalid(field, "ClusterTrustBundle for signerName " + std::string(signer) +
                             " must be named with prefix " + prefix);
  }
}

void CheckSigner(const Place& field, FieldRules& rules) {
  const std::string_view signer = field.Text();
  if (signer.empty()) return;
  const std::size_t slash = signer.find('/');
  if (slash == std::string_view::npos || signer.find('/', slash + 1) != std::string_view::npos) {
    rules.Invalid(field,
                  "must be a fully qualified domain and path of the form "
                  "'example.com/signer-name'");
    return;
  }
  const std::string_view domain = signer.substr(0, slash);
  const std::string_view path = signer.substr(slash + 1);
  for (const std::string& error : SubdomainErrors(domain)) {
    rules.InvalidAs(field, Quoted(domain), error);
  }
  if (domain.find('.') == std::string_view::npos) {
    rules.InvalidAs(field, Quoted(domain),
                    "should be a domain with at least two segments separated by dots");
  }
  for (const std::string& error : SubdomainErrors(path)) {
    rules.InvalidAs(field, Quoted(path), error);
  }
}

// Returns what is wrong with one block, or "".
std::string BlockError(const cert::PemBlock& block) {
  if (block.label != cert::kCertificateBlock) {
    return " has bad block type: " + std::string(block.label);
  }
  if (block.has_headers) return " has PEM block headers";
  const auto certificate = cert::ParseCertificate(block.bytes);
  if (!certificate) return " does not parse as X.509";
  return certificate->is_ca ? "" : " does not have the CA bit set";
}

void CheckPem(const Place& field, FieldRules& rules) {
  const std::string_view pem = field.Text();
  if (pem.size() > kBytesMax) {
    rules.TooLong(field, kBytesMax);
    return;
  }
  const auto reject = [&](const std::string& why) {
    rules.InvalidAs(field, R"("<value omitted>")", why);
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
    const auto text = [](std::size_t index) { return std::to_string(index); };
    reject("duplicate trust anchor (indices [" + Join(indices, " ", text) + "])");
  }
}

}  // namespace

void CheckTrustBundle(const Place& object, FieldRules& rules) {
  const Place spec = object["spec"];
  const Place signer = spec["signerName"];
  CheckName(object["metadata"]["name"], signer.Text(), rules);
  CheckSigner(signer, rules);
  CheckPem(spec["trustBundle"], rules);
}

}  // namespace capstan::testing::apiserver
