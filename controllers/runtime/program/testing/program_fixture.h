// SPDX-License-Identifier: Apache-2.0
// ProgramFixture has an embedded API server and its kubeconfig, for tests that run a program.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/temp_dir.h"
#include "controllers/runtime/program/testing/process.h"

namespace capstan {

class ProgramFixture : public ::testing::Test {
 protected:
  // The kubeconfig has this token.
  explicit ProgramFixture(testing::apiserver::Options options = {}, const std::string& token = "")
      : server_(std::move(options)) {
    EXPECT_TRUE(server_.Start().has_value());
    kubeconfig_ = dir_.Write("kubeconfig", server_.Kubeconfig(token));
  }
  // Adds the arguments that reach the server and serve metrics on a free port.
  std::vector<std::string> With(std::vector<std::string> more) const {
    more.push_back("--kubeconfig=" + kubeconfig_);
    more.emplace_back("--metrics-listen-address=127.0.0.1:0");
    return more;
  }

  const testing::TempDir dir_;
  testing::apiserver::Server server_;
  std::string kubeconfig_;
};

}  // namespace capstan
