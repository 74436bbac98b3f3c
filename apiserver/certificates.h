// SPDX-License-Identifier: Apache-2.0
// Certificates: the embedded server's own CA, its serving certificate, and those it gives to
// clients. Made in memory, new for each server.
#pragma once

#include <string>
#include <vector>

#include "clientgo/testing/certificates.h"
#include "clientgo/util/error.h"

namespace apiserver {

struct Certificates {
  clientgo::testing::KeyPair ca = {};
  clientgo::testing::KeyPair serving = {};  // for localhost

  // `name` makes the CA's name unique where several servers' certificates meet in one trust store.
  static clientgo::util::Expected<Certificates> Make(const std::string& name);
  // A client's: the user is its common name, the groups its organizations.
  clientgo::util::Expected<clientgo::testing::KeyPair> MakeClient(
      const std::string& user, const std::vector<std::string>& groups) const;
};

}  // namespace apiserver
