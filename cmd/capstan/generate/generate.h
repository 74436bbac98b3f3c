// SPDX-License-Identifier: Apache-2.0
// `capstan generate types` writes the C++ types of CustomResourceDefinitions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "capstan/clientcmd/manifest.h"
#include "capstan/error.h"

namespace capstan::cmd::generate {

// Written is a header with its source.
struct Written {
  std::string header = {};  // the path
  std::string kind = {};    // "Issuer, cert-manager.io/v1"
  std::size_t structs = 0;
  std::size_t fields = 0;
  std::vector<std::string> notes = {};  // what the types do not keep as fields
};

// Writes the types of all versions of all definitions among `manifests` to the folder `out`, which
// is created. Other objects are left out. Files that are there already are replaced.
// kInvalidArgument: a definition is invalid, or there is none, and nothing is written then; or a
// file cannot be written.
Expected<std::vector<Written>> WriteTypes(const std::vector<clientcmd::Manifest>& manifests,
                                          const std::string& out);

}  // namespace capstan::cmd::generate
