// SPDX-License-Identifier: Apache-2.0
// Shows what would be written into targets: certificates as text, and the server-side apply as
// JSON. Certificates are public. Any other content is counted in bytes and never shown.
#pragma once

#include <string>

#include "cmd/capstan/inspect/status.h"
#include "cmd/capstan/inspect/terminal.h"

namespace capstan::cmd::cli::inspect {

// Returns the lines of a diff: " " stays, "-" is removed, "+" is added. A target in sync has none;
// a broken one has its reason.
std::string DiffText(const Findings& findings, const Terminal& terminal);
// Returns {"items":[{"kind","name","state","reason","message","patch":{...}}]} with all findings. A
// pending one has a patch: the body that the manager would send, byte for byte.
std::string DiffJson(const Findings& findings);

}  // namespace capstan::cmd::cli::inspect
