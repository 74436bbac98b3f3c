// SPDX-License-Identifier: Apache-2.0
// FixOf returns the kubectl command for the first broken link. The reader replaces the words in
// capitals and provides the file ca.crt. Text from objects is quoted for the shell.
#pragma once

#include <string>
#include <string_view>

#include "cmd/capstan/inspect/inspector.h"

namespace capstan::cmd::cli::inspect {

// SourceObjects names the objects that the bundle comes from, as far as they are known.
struct SourceObjects {
  runtime::ObjectKey object = {};  // the object that the annotation names
  std::string data_key = "ca.crt";
  runtime::ObjectKey secret = {};  // the Certificate's Secret, otherwise `object`
};
SourceObjects ObjectsOf(const Finding& finding, std::string_view secret_name);

// Returns the finding with the first broken source of a list as its only source. Returns the
// finding itself when no source of a list is broken.
Finding FirstBroken(const Finding& finding);
// Returns an empty string if nothing is broken. When the state is unknown, returns the command that
// checks it, and never a right for the caller.
std::string FixOf(const Finding& finding, const SourceObjects& objects);
// Returns that command for a finding whose state is unknown, with one more flag of explain.
std::string FixUnknown(const Finding& finding, const std::string& flag = {});
// Message and fix for a kind that the manager's flags disable.
std::string NotWatched(const Finding& finding);
std::string FixNotWatched(const Finding& finding);
// Returns the fix for a target that does not request injection.
std::string FixNotRequested(const Finding& finding);

// Quotes the text as one word for sh, if necessary.
std::string ShellQuoted(std::string_view text);

}  // namespace capstan::cmd::cli::inspect
