// SPDX-License-Identifier: Apache-2.0
// Interner holds equal strings once. A string and its entry live as long as a result of Intern, so
// nothing accumulates.
//
// It is for values that many cached objects repeat, such as a CA bundle in 400 webhook
// configurations. Two strings are equal exactly when their pointers are. Thread-safe. The strings
// may outlive the Interner. There is no upstream; Go's caches hold a copy in each object.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan {

class CAPSTAN_EXPORT Interner {
 public:
  Interner();
  ~Interner();
  Interner(const Interner&) = delete;
  Interner& operator=(const Interner&) = delete;

  std::shared_ptr<const std::string> Intern(std::string_view text);
  // Return the number of distinct strings, and the heap bytes of their text.
  std::size_t Size() const;
  std::size_t ByteSize() const;

 private:
  struct Table;
  std::shared_ptr<Table> table_;
};

}  // namespace capstan
