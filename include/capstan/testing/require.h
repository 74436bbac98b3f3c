// SPDX-License-Identifier: Apache-2.0
// Require and Value are checks for tests with any test framework, or with none. They throw
// std::runtime_error, which GoogleTest, Catch2 and doctest report as a failure with its text.
//
//   const auto client = testing::Value(rest::Client::New(config), "a client");
//   testing::Require(testing::Eventually([&] { return foos.Get({}, key).has_value(); }),
//                   "the Foo is there");
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "capstan/error.h"

namespace capstan::testing {

// Ends the test with the text `what` unless the condition is true.
inline void Require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

// Returns the value of a result. Ends the test after an error, with "<what>: <message>".
template <class T>
T Value(Expected<T> result, const std::string& what) {
  if (!result) throw std::runtime_error(what + ": " + result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace capstan::testing
