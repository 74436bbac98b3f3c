// SPDX-License-Identifier: Apache-2.0
// Interner: equal strings are held once. A string lives as long as somebody holds what Intern
// returned, and its entry goes with it: nothing accumulates.
//
// For values that repeat over many cached objects (a CA bundle in 400 webhook configurations); two
// results are equal exactly when their pointers are. Thread-safe. The strings may outlive the
// Interner. No upstream: Go's caches hold a copy in each object.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace clientgo::util {

class Interner {
 public:
  Interner();
  ~Interner();
  Interner(const Interner&) = delete;
  Interner& operator=(const Interner&) = delete;

  std::shared_ptr<const std::string> Intern(std::string_view text);
  // Distinct strings held now, and the heap bytes of their text.
  std::size_t Size() const;
  std::size_t ByteSize() const;

 private:
  struct Table;
  std::shared_ptr<Table> table_;
};

}  // namespace clientgo::util
