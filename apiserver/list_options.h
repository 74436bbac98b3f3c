// SPDX-License-Identifier: Apache-2.0
// ListOptions: the query parameters of list and watch, checked as the real API server checks them;
// and the continue token of a paged list. Pure functions.
// Mirrors k8s.io/apimachinery/pkg/apis/meta/internalversion/validation and apiserver's storage.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/selectors.h"
#include "apiserver/status.h"
#include "httpserver/server.h"

namespace apiserver {

struct ListOptions {
  Selector selector;
  // As given; the number is 0 for "" and "0".
  std::string resource_version;
  std::uint64_t version_number = 0;
  std::string resource_version_match;
  std::int64_t limit = 0;
  std::string continue_token;
  bool allow_bookmarks = false;
  std::optional<bool> send_initial_events;
  std::optional<std::chrono::seconds> timeout;
};

Result<ListOptions> ParseListOptions(const Resource& resource, const httpserver::Request& request,
                                     bool watch, bool watch_list_enabled);

// A resourceVersion as a number; else why it is none, in Go's words.
tl::expected<std::uint64_t, std::string> ParseVersion(std::string_view text);

struct ContinueToken {
  static constexpr std::int64_t kInconsistent = -1;  // go on with what is there now
  std::int64_t version = 0;
  std::string after;  // the last key of the page before

  std::string Encode() const;
  static Result<ContinueToken> Decode(std::string_view text);
};

}  // namespace apiserver
