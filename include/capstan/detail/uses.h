// SPDX-License-Identifier: Apache-2.0
// Uses are what a program asks of an API server. Each function template that sends a request adds
// its own use to a list when a program compiles it for a kind, so the list is complete before
// main(). The flags --print-rbac and --print-webhooks of RunManager print it.
//
// The list is written before main() and while a library is loaded. Reading it is thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "capstan/export.h"
#include "capstan/kind.h"

namespace capstan::detail {

struct CAPSTAN_EXPORT Use {
  enum class Type {
    kRequest,          // words: the verbs of RBAC
    kMutatingWebhook,  // words: the operations that call it
    kValidatingWebhook,
  };

  // Adds itself to the list, for as long as the program.
  Use(Type use, const KindInfo& of, std::string_view all_words, std::string_view part);

  Type type;
  const KindInfo& kind;
  std::string_view words;        // "create patch"
  std::string_view subresource;  // "": the object itself
  const Use* next = nullptr;
};

// Returns the first use, whose `next` is the second one; null: there is none.
CAPSTAN_EXPORT const Use* FirstUse();

// Words is a text that is an argument of a template.
template <std::size_t N>
struct Words {
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is one
  constexpr Words(const char (&literal)[N]) { std::copy_n(literal, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }

  char text[N] = {};
};

template <Words kWords>
inline constexpr Words kText = kWords;

template <class T, Use::Type kType, Words kWords, Words kSubresource>
inline const Use kUse{kType, kKind<T>.info(), kText<kWords>.view(), kText<kSubresource>.view()};

// Adds the use to the list of a program that compiles the call. It does nothing when it runs, and
// nothing for Unstructured.
template <class T, Words kVerbs, Words kSubresource = "">
void MarkRequest() {
  if constexpr (DeclaredKind<T>) {
    static_cast<void>(&kUse<T, Use::Type::kRequest, kVerbs, kSubresource>);
  }
}
template <class T, Use::Type kType, Words kOperations>
void MarkWebhook() {
  static_cast<void>(&kUse<T, kType, kOperations, "">);
}

}  // namespace capstan::detail
