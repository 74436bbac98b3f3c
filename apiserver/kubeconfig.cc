// SPDX-License-Identifier: Apache-2.0
#include "apiserver/kubeconfig.h"

#include "clientgo/util/base64.h"

namespace apiserver {

std::string FormatKubeconfig(std::string_view url, std::string_view ca_pem,
                             std::string_view token) {
  std::string text =
      "apiVersion: v1\nkind: Config\ncurrent-context: capstan\n"
      "contexts:\n- name: capstan\n  context: {cluster: capstan, user: capstan}\n"
      "clusters:\n- name: capstan\n  cluster:\n    server: \"";
  text += url;
  text += "\"\n";
  if (!ca_pem.empty()) {
    text += "    certificate-authority-data: " + clientgo::util::Base64Encode(ca_pem) + "\n";
  }
  text += "users:\n- name: capstan\n  user:";
  if (token.empty()) return text + " {}\n";
  return text + "\n    token: \"" + std::string(token) + "\"\n";
}

}  // namespace apiserver
