// SPDX-License-Identifier: Apache-2.0
// What would be written into targets: by certificate for people, and as the server-side apply for
// programs. Certificates are public; what is none is counted in bytes, never shown. Pure functions.
#pragma once

#include <string>

#include "cmd/capstan/inspect/status.h"
#include "cmd/capstan/inspect/terminal.h"

namespace cmd::capstan::inspect {

// Of what is in sync, nothing; of what is broken, why. Lines as in a diff: " " stays, "-" goes,
// "+" comes.
std::string DiffText(const Findings& findings, const Terminal& terminal);
// {"items":[{"kind","name","state","reason","message","patch":{...}}]}, all findings; the patch of
// those that are pending: the body that the manager would send, byte for byte.
std::string DiffJson(const Findings& findings);

}  // namespace cmd::capstan::inspect
