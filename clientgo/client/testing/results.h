// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of Client<T>, on the embedded and on a real API server.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/client.h"
#include "clientgo/client/testing/kinds.h"

namespace capstan::testing {

struct RecordingWarnings final : rest::WarningHandler {
  void HandleWarning(int /*code*/, std::string_view /*agent*/, std::string_view text) override {
    texts.emplace_back(text);
  }
  std::vector<std::string> texts;
};

inline ConfigMap NewConfigMap(std::string ns, std::string name) {
  ConfigMap object;
  object.metadata.namespace_ = std::move(ns);
  object.metadata.name = std::move(name);
  object.data = {{"k", "1"}};
  return object;
}

// Returns the value, or an object with the name "failed" after a failure of the test.
template <class T>
Ptr<T> Value(Expected<Ptr<T>> result) {
  EXPECT_TRUE(result.has_value()) << result.error().message;
  if (result) return std::move(*result);
  T failed;
  failed.metadata.name = "failed";
  return MakeTypedObject(std::move(failed));
}

}  // namespace capstan::testing
