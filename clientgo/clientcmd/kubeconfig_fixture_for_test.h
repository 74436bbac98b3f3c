// SPDX-License-Identifier: Apache-2.0
// KubeconfigTest: kubeconfig files written for one test, and what is read from them. Tests only.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "clientgo/clientcmd/config.h"
#include "clientgo/testing/temp_dir.h"

namespace clientgo::clientcmd {

// A kubeconfig with one cluster, user and context; `cluster` and `user` are the maps' YAML.
inline std::string Kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
         "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
         "clusters:\n- name: k\n  cluster: " +
         cluster + "\nusers:\n- name: u\n  user: " + user + "\n";
}

inline constexpr char kServer[] = "{server: \"https://10.0.0.1:6443\"}";

class KubeconfigTest : public ::testing::Test {
 protected:
  util::Expected<rest::Config> Load(const std::string& text, const std::string& context = "") {
    return LoadKubeconfig({dir_.Write("config", text)}, context);
  }
  // The message of the error, which must be kInvalidArgument and name the file.
  std::string WhyNot(const std::string& text, const std::string& context = "") {
    auto config = Load(text, context);
    if (config) return "accepted";
    EXPECT_EQ(config.error().reason, util::ErrorReason::kInvalidArgument);
    EXPECT_THAT(config.error().message, ::testing::HasSubstr(dir_.Path("config")));
    return config.error().message;
  }
  const testing::TempDir dir_;
};

}  // namespace clientgo::clientcmd
