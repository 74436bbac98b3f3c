// SPDX-License-Identifier: Apache-2.0
// Audit lists every caBundle in the cluster, including unmanaged ones: its owner (from
// metadata.managedFields), the annotation that requests it, and its expiry. A CA bundle is public.
// Any other content is counted in bytes and never shown.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/rest/client.h"
#include "cmd/capstan/inspect/terminal.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/rules/bundle.h"

namespace capstan::cmd::cli::inspect {

struct AuditEntry {
  std::string kind = {};
  std::string name = {};
  // "webhooks[x.example.com]", "spec", "spec.conversion", "spec.providers[0].caBundle"
  std::string place = {};
  std::string owners = {};   // field managers, "a, b"; empty: the field has no owner
  std::string managed = {};  // the annotation that requests injection; empty: none
  std::size_t bytes = 0;     // 0: there is no bundle
  std::size_t certificates = 0;
  cainjector::BundleExpiry expiry = {};
};

// Returns the entries by kind, by name, then in the object's order. A place without a bundle is
// included if the object requests injection. Reads the four kinds, and the optional ones that
// `options` enable.
Expected<std::vector<AuditEntry>> Audit(const std::stop_token& stop, rest::Client& client,
                                        const cainjector::CaInjectorOptions& options = {});

std::string AuditTable(const std::vector<AuditEntry>& entries, cainjector::CertificateTime now,
                       const Terminal& terminal);
std::string AuditJson(const std::vector<AuditEntry>& entries, cainjector::CertificateTime now);

}  // namespace capstan::cmd::cli::inspect
