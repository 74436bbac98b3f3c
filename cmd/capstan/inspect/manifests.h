// SPDX-License-Identifier: Apache-2.0
// Manifests: Kubernetes objects in YAML or JSON files, as an API server of their own: what is asked
// of a cluster can be asked of files, with the same answers. The server is the embedded one, on
// loopback, and ends with this; of the objects it takes those that injection is about, and of a
// Secret only ca.crt and what the rules look at. Who does not have its token, which is random and
// told to nobody, reads nothing.
//
// Bad input is one line that names the file, the document's line and the remedy. No text of a file
// is repeated in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clientgo/rest/client.h"
#include "clientgo/testing/apiserver/server.h"
#include "clientgo/util/error.h"

namespace cmd::capstan::inspect {

class Manifests {
 public:
  // Files, or "-" for stdin. Each may hold several documents, and Lists.
  static clientgo::util::Expected<std::unique_ptr<Manifests>> Load(
      const std::vector<std::string>& files);

  clientgo::rest::Client& client() { return *client_; }
  std::size_t ignored() const { return ignored_; }  // objects of other kinds

 private:
  explicit Manifests(std::string token);
  clientgo::util::Expected<void> Add(const std::string& file, const std::string& text);

  const std::string token_;
  clientgo::testing::apiserver::Server server_;
  std::unique_ptr<clientgo::rest::Client> client_;
  std::size_t ignored_ = 0;
};

}  // namespace cmd::capstan::inspect
