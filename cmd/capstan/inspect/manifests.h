// SPDX-License-Identifier: Apache-2.0
// Manifests serves the Kubernetes objects of YAML or JSON files from an embedded API server on
// loopback, so that files and clusters are checked by the same code. It keeps only sources and
// targets, and of a Secret only ca.crt and the annotations that the rules read. A random token
// protects the server.
//
// An error is one line with the file, the document's line and the fix. It quotes no text of the
// file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/server.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/error.h"

namespace cmd::capstan::inspect {

class Manifests {
 public:
  // Reads files, or stdin for "-". A file may contain several documents and Lists.
  static clientgo::util::Expected<std::unique_ptr<Manifests>> Load(
      const std::vector<std::string>& files);

  clientgo::rest::Client& client() { return *client_; }
  std::size_t ignored() const { return ignored_; }  // objects of other kinds

 private:
  explicit Manifests(std::string token);
  clientgo::util::Expected<void> Add(const std::string& file, const std::string& text);

  const std::string token_;
  apiserver::Server server_;
  std::unique_ptr<clientgo::rest::Client> client_;
  std::size_t ignored_ = 0;
};

}  // namespace cmd::capstan::inspect
