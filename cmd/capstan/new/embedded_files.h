// SPDX-License-Identifier: Apache-2.0
// The files of template/, which the build embeds in the program.
#pragma once

#include <string_view>
#include <vector>

namespace capstan::cmd::project {

struct EmbeddedFile {
  std::string_view path;  // "chart/Chart.yaml"
  std::string_view text;
};

const std::vector<EmbeddedFile>& EmbeddedFiles();

}  // namespace capstan::cmd::project
