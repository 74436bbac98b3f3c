// SPDX-License-Identifier: Apache-2.0
// Audit: every caBundle in the cluster of the kinds that have one: who wrote it (from
// metadata.managedFields), what asks for its injection, and when it expires; also those that nobody
// manages. A CA bundle is public; what is none is counted in bytes, never shown.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/rest/client.h"
#include "clientgo/util/error.h"
#include "cmd/capstan/inspect/terminal.h"
#include "controllers/cainjector/rules/bundle.h"

namespace cmd::capstan::inspect {

struct AuditEntry {
  std::string kind = {};
  std::string name = {};
  std::string place = {};    // "webhooks[x.example.com]", "spec", "spec.conversion"
  std::string owners = {};   // field managers, "a, b"; empty: nobody owns the field
  std::string managed = {};  // the annotation that asks for injection; empty: none
  std::size_t bytes = 0;     // 0: there is no bundle
  std::size_t certificates = 0;
  controllers::cainjector::CertificateTime expires =
      controllers::cainjector::CertificateTime::max();
};

// By kind, then by name, then in the object's order. What has a place for a bundle and none is
// there, too, if injection is asked for.
clientgo::util::Expected<std::vector<AuditEntry>> Audit(const std::stop_token& stop,
                                                        clientgo::rest::Client& client);

std::string AuditTable(const std::vector<AuditEntry>& entries,
                       controllers::cainjector::CertificateTime now, const Terminal& terminal);
std::string AuditJson(const std::vector<AuditEntry>& entries,
                      controllers::cainjector::CertificateTime now);

}  // namespace cmd::capstan::inspect
