// SPDX-License-Identifier: Apache-2.0
// A new project: a kind, its controller, their test, an image, a chart and a workflow. template/ is
// the project widget-operator with the kind Widget, whose names are replaced.
#pragma once

#include <string>
#include <vector>

#include "capstan/error.h"

namespace capstan::cmd::project {

struct NewProject {
  std::string name = {};   // of the program and of the folder: "foo-operator"
  std::string kind = {};   // "Foo"
  std::string group = {};  // "example.com"
};

// Writes the project into the folder `parent`/name, which must not exist, and returns the paths of
// its files. kInvalidArgument: one line with the wrong name and the remedy; nothing is written.
Expected<std::vector<std::string>> WriteProject(const NewProject& project,
                                                const std::string& parent);

}  // namespace capstan::cmd::project
