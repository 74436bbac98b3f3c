// SPDX-License-Identifier: Apache-2.0
// The rules of CertificateSigningRequests. Mirrors a part of pkg/apis/certificates/validation.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/base64.h"
#include "capstan/cert/certificate.h"
#include "capstan/cert/pem.h"
#include "capstan/logging.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

// Kubernetes shows no certificate in an error.
void CheckCertificate(const Place& certificate, FieldRules& rules) {
  const auto reject = [&](const std::string& why) {
    rules.InvalidAs(certificate, "\"<certificate data>\"", why);
  };
  const std::string text = Base64Decode(certificate.Text()).value_or("");
  if (text.empty()) return;
  cert::PemReader reader(text);
  int blocks = 0;
  while (const auto block = reader.Next()) {
    ++blocks;
    if (block->label != cert::kCertificateBlock) {
      return reject("only CERTIFICATE PEM blocks are allowed, found " + Quote(block->label));
    }
    if (block->has_headers) return reject("no PEM block headers are permitted");
    const auto parsed = cert::ParseCertificate(block->bytes);
    if (!parsed) return reject("x509: " + parsed.error().message);
  }
  if (blocks == 0) reject("must contain at least one CERTIFICATE PEM block");
}

std::vector<Place> ConditionsOf(const Place& request, std::string_view type) {
  std::vector<Place> found;
  for (const Place& condition : request["status"]["conditions"].Items()) {
    if (condition["type"].Text() == type) found.push_back(condition);
  }
  return found;
}

void CheckKeptConditions(const Place& live, const Place& next, FieldRules& rules) {
  for (const char* const type : {"Approved", "Denied", "Failed"}) {
    if (ConditionsOf(next, type).size() >= ConditionsOf(live, type).size()) continue;
    rules.Forbidden(next["status"]["conditions"],
                    std::string("updates may not remove a condition of type \"") + type + "\"");
  }
}

void CheckKeyUsages(const Place& usages, FieldRules& rules) {
  if (usages.Items().empty()) rules.Required(usages);
  for (const Place& usage : usages.Items()) {
    rules.ValueOneOf(usage, {"any",
                             "cert sign",
                             "client auth",
                             "code signing",
                             "content commitment",
                             "crl sign",
                             "data encipherment",
                             "decipher only",
                             "digital signature",
                             "email protection",
                             "encipher only",
                             "ipsec end system",
                             "ipsec tunnel",
                             "ipsec user",
                             "key agreement",
                             "key encipherment",
                             "microsoft sgc",
                             "netscape sgc",
                             "ocsp signing",
                             "s/mime",
                             "server auth",
                             "signing",
                             "timestamping"});
  }
  std::set<std::string_view> known;
  for (const Place& usage : usages.Items()) {
    if (!known.insert(usage.Text()).second) rules.Duplicate(usage);
  }
}

void CheckRequestConditions(const Place& conditions, FieldRules& rules) {
  std::set<std::string_view> types;
  for (const Place& condition : conditions.Items()) {
    const Place type = condition["type"];
    const Place status = condition["status"];
    if (type.Text().empty()) rules.Required(type);
    if (rules.RequireText(status)) {
      const bool fixed =
          type.Text() == "Approved" || type.Text() == "Denied" || type.Text() == "Failed";
      if (fixed) rules.OneOf(status, {"True"});
      if (!fixed) rules.OneOf(status, {"False", "True", "Unknown"});
    }
    const bool both = (type.Text() == "Approved" && types.contains("Denied")) ||
                      (type.Text() == "Denied" && types.contains("Approved"));
    if (both) {
      rules.Invalid(type.At(conditions.path()),
                    "Approved and Denied conditions are mutually exclusive");
    }
    if (!types.insert(type.Text()).second) rules.Duplicate(type);
  }
}

}  // namespace

void CheckSigningRequest(const Place& request, FieldRules& rules) {
  const Place spec = request["spec"];
  const std::string text = Base64Decode(spec["request"].Text()).value_or("");
  cert::PemReader reader(text);
  const auto block = reader.Next();
  if (!block || block->label != "CERTIFICATE REQUEST") {
    rules.InvalidText(spec["request"], "PEM block type must be CERTIFICATE REQUEST");
  }
  CheckKeyUsages(spec["usages"], rules);
  const Place signer = spec["signerName"];
  if (signer.Text() == "kubernetes.io/legacy-unknown") {
    rules.Invalid(signer, "the legacy signerName is not allowed via this API version");
  } else if (rules.RequireText(signer)) {
    const std::string_view name = signer.Text();
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) {
      rules.Invalid(signer,
                    "must be a fully qualified domain and path of the form "
                    "'example.com/signer-name'");
    } else {
      rules.Invalid(signer, SubdomainErrors(name.substr(0, slash)));
    }
  }
  const Place expiration = spec["expirationSeconds"];
  constexpr std::int64_t kLeast = 600;
  if (expiration.Number().value_or(kLeast) < kLeast) {
    rules.Invalid(expiration, "may not specify a duration less than 600 seconds (10 minutes)");
  }
  CheckRequestConditions(request["status"]["conditions"], rules);
  CheckCertificate(request["status"]["certificate"], rules);
}

void CheckSigningRequestStatus(const Place& live, const Place& next, FieldRules& rules) {
  CheckKeptConditions(live, next, rules);
  for (const char* const type : {"Approved", "Denied"}) {
    if (ConditionsOf(next, type).size() <= ConditionsOf(live, type).size()) continue;
    rules.Forbidden(next["status"]["conditions"],
                    std::string("updates may not add a condition of type \"") + type + "\"");
  }
  const Place before = live["status"]["certificate"];
  const Place after = next["status"]["certificate"];
  if (!before.Text().empty() && before.Text() != after.Text()) {
    rules.Forbidden(after, "updates may not modify existing certificate content");
  }
}

void CheckSigningRequestApproval(const Place& live, const Place& next, FieldRules& rules) {
  CheckKeptConditions(live, next, rules);
}

}  // namespace capstan::testing::apiserver
