// SPDX-License-Identifier: Apache-2.0
#include "apiserver/certificates.h"

#include <utility>

namespace apiserver {

using clientgo::util::Err;
using clientgo::util::Expected;

Expected<Certificates> Certificates::Make(const std::string& name) {
  auto ca = clientgo::testing::MakeCa({.common_name = name + "-ca"});
  if (!ca) return Err(std::move(ca.error()));
  auto serving = clientgo::testing::MakeLocalhostCertificate(*ca);
  if (!serving) return Err(std::move(serving.error()));
  return Certificates{.ca = *std::move(ca), .serving = *std::move(serving)};
}

Expected<clientgo::testing::KeyPair> Certificates::MakeClient(
    const std::string& user, const std::vector<std::string>& groups) const {
  return clientgo::testing::MakeCertificate(
      ca, {.common_name = user, .client_auth = true, .organizations = groups});
}

}  // namespace apiserver
