// SPDX-License-Identifier: Apache-2.0
// Mend: the kubectl command for the first broken link. Pure functions. Words in capitals, and the
// file ca.crt, are the reader's to fill in. What comes from objects is quoted for the shell.
#pragma once

#include <string>
#include <string_view>

#include "cmd/capstan/inspect/inspector.h"

namespace cmd::capstan::inspect {

// Where the bundle comes from, as far as it is known.
struct SourceObjects {
  clientgo::runtime::ObjectKey object = {};  // what the annotation names
  std::string data_key = "ca.crt";
  clientgo::runtime::ObjectKey secret = {};  // a Certificate's; else the object, if it is one
};
SourceObjects ObjectsOf(const Finding& finding, std::string_view secret_name);

// Empty: nothing is to be done. Of what was not found out: how to find it out; never a right for
// the one who asks.
std::string Mend(const Finding& finding, const SourceObjects& objects);
// Of a target that asks for no injection.
// Of a kind that the manager was told to leave alone.
std::string NotWatched(const Finding& finding);
std::string MendNotWatched(const Finding& finding);
std::string MendNotAsked(const Finding& finding);

// As one word for sh; as it is when that is a word already.
std::string ShellQuoted(std::string_view text);

}  // namespace cmd::capstan::inspect
