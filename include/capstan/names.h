// SPDX-License-Identifier: Apache-2.0
// The names of clientgo/util/error.h that a controller's author writes, in the namespace capstan,
// and IgnoreNotFound and IgnoreAlreadyExists. Mirrors controller-runtime's client.IgnoreNotFound.
//
//   return IgnoreNotFound(foos.Delete(stop, key));
#pragma once

#include "capstan/error.h"

namespace capstan {

// Returns success if the result is a value or the error NotFound. Returns any other error.
template <class T>
Expected<void> IgnoreNotFound(const Expected<T>& result) {
  if (result || IsNotFound(result.error())) return {};
  return tl::unexpected(result.error());
}

// Returns success if the result is a value or the error AlreadyExists. Returns any other error.
template <class T>
Expected<void> IgnoreAlreadyExists(const Expected<T>& result) {
  if (result || IsAlreadyExists(result.error())) return {};
  return tl::unexpected(result.error());
}

}  // namespace capstan
