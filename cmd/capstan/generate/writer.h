// SPDX-License-Identifier: Apache-2.0
// The text of generated C++: a header with the structs of a version, and a source with their
// tables.
#pragma once

#include <string>

#include "cmd/capstan/generate/model.h"

namespace capstan::cmd::generate {

// Returns the path of the header in the folder of generated files: GROUP/VERSION/KIND, and ".h".
std::string HeaderPath(const Version& version);

std::string HeaderText(const Version& version);

// `definition` is the manifest, which the source keeps, so that the type's
// CustomResourceDefinition is what the types were made from.
std::string SourceText(const Version& version, const std::string& definition);

}  // namespace capstan::cmd::generate
