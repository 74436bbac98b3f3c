// SPDX-License-Identifier: Apache-2.0
#include "capstan/detail/uses.h"

#include <atomic>

namespace capstan::detail {
namespace {

constinit std::atomic<const Use*> first_use = nullptr;

}  // namespace

Use::Use(Type use, const KindInfo& of, std::string_view all_words, std::string_view part)
    : type(use), kind(of), words(all_words), subresource(part), next(first_use.load()) {
  while (!first_use.compare_exchange_weak(next, this)) {
  }
}

const Use* FirstUse() { return first_use.load(); }

}  // namespace capstan::detail
