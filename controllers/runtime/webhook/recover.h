// SPDX-License-Identifier: Apache-2.0
// Recover calls functions of users. Internal to this folder.
#pragma once

#include <exception>
#include <optional>
#include <string>

namespace capstan::webhook {

// Calls `function`, and returns the text of the exception that it throws. This is one of the few
// places that catch exceptions: a bug that one object triggers must not end the process.
template <class F>
std::optional<std::string> Recover(const F& function) {
  try {
    function();
    return std::nullopt;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace capstan::webhook
