// SPDX-License-Identifier: Apache-2.0
// Manifests serves Kubernetes objects from YAML or JSON files through a rest::Client, so that
// commands give the same answers for files as for a cluster. Nothing listens on a port. Manifests
// keeps the objects that matter for injection, and of a Secret only ca.crt and the annotations that
// the rules read.
//
// An error is one line with the file, the line of the document and the fix. It does not repeat the
// contents of a file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "capstan/clientcmd/manifest.h"
#include "capstan/error.h"
#include "capstan/rest/client.h"
#include "controllers/cainjector/targets/field_target.h"

namespace capstan::cmd::cli::inspect {

// Returns the objects of a file; "-" is stdin.
Expected<std::vector<clientcmd::Manifest>> ReadManifests(const std::string& file);

class Manifests {
 public:
  // Reads files, or stdin for "-". A file may hold several documents, and Lists.
  // Objects of `additional` kinds matter, too. kInvalidArgument: an object that the API server
  // would reject, or no object at all.
  static Expected<std::unique_ptr<Manifests>> Load(
      const std::vector<std::string>& files,
      const std::vector<cainjector::FieldTargetPtr>& additional = {});

  // Get and List return the objects. A Patch changes nothing and returns the object, as a dry run.
  rest::Client& client() { return *client_; }
  std::size_t ignored() const { return ignored_; }  // objects of other kinds

 private:
  std::unique_ptr<rest::Client> client_;
  std::size_t ignored_ = 0;
};

}  // namespace capstan::cmd::cli::inspect
