// SPDX-License-Identifier: Apache-2.0
#include "apiserver/list_options.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "apiserver/request_info.h"
#include "clientgo/util/base64.h"

namespace apiserver {
namespace {

template <class Integer>
std::optional<Integer> ParseNumber(std::string_view text) {
  Integer value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

tl::unexpected<Status> NotANumber(const std::string& text) {
  const bool digits = text.find_first_not_of("-0123456789") == std::string::npos;
  return tl::unexpected(BadRequest("strconv.ParseInt: parsing \"" + text +
                                   "\": " + (digits ? "value out of range" : "invalid syntax")));
}

// As SetListOptionsDefaults: a watch from any state starts with the state, and says where that
// ends.
void ApplyDefaults(ListOptions& options) {
  if (options.send_initial_events || !options.resource_version_match.empty()) return;
  if (!options.resource_version.empty() && options.resource_version != "0") return;
  options.send_initial_events = true;
  options.resource_version_match = "NotOlderThan";
}

std::vector<Cause> CheckWatch(const ListOptions& options, bool watch_list_enabled) {
  std::vector<Cause> causes;
  const std::string& match = options.resource_version_match;
  if (options.send_initial_events) {
    if (match != "NotOlderThan") {
      causes.push_back(ForbiddenField(
          "resourceVersionMatch",
          "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    }
    if (!watch_list_enabled) {
      causes.push_back(ForbiddenField(
          "sendInitialEvents",
          "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"));
    }
  }
  if (match.empty()) return causes;
  if (!options.send_initial_events) {
    causes.push_back(ForbiddenField(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (match != "NotOlderThan") {
    causes.push_back(NotSupported("resourceVersionMatch", "\"" + match + "\"", "\"NotOlderThan\""));
  }
  if (!options.continue_token.empty()) {
    causes.push_back(ForbiddenField("resourceVersionMatch",
                                    "resourceVersionMatch is forbidden when continue is provided"));
  }
  return causes;
}

std::vector<Cause> CheckList(const ListOptions& options) {
  std::vector<Cause> causes;
  const std::string& match = options.resource_version_match;
  if (options.send_initial_events) {
    causes.push_back(
        ForbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (match.empty()) return causes;
  if (options.resource_version.empty()) {
    causes.push_back(
        ForbiddenField("resourceVersionMatch",
                       "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  }
  if (!options.continue_token.empty()) {
    causes.push_back(ForbiddenField("resourceVersionMatch",
                                    "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (match != "Exact" && match != "NotOlderThan") {
    causes.push_back(NotSupported("resourceVersionMatch", "\"" + match + "\"",
                                  R"("Exact", "NotOlderThan", "")"));
  }
  if (match == "Exact" && options.resource_version == "0") {
    causes.push_back(
        ForbiddenField("resourceVersionMatch",
                       R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")"));
  }
  return causes;
}

Result<void> ReadVersion(ListOptions& options, bool watch) {
  // With a continue token no version is allowed at all; who continues says so.
  if (options.resource_version.empty() || !options.continue_token.empty()) return {};
  const auto number = ParseVersion(options.resource_version);
  if (number) {
    options.version_number = *number;
    return {};
  }
  // The real server really answers a watch with 500.
  if (watch) return tl::unexpected(InternalError(number.error()));
  return tl::unexpected(BadRequest("invalid resource version: " + number.error()));
}

// base64url without padding, as Go's RawURLEncoding.
std::string ToUrlAlphabet(std::string text) {
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  while (text.ends_with('=')) text.pop_back();
  return text;
}

std::string FromUrlAlphabet(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  while (text.size() % 4 != 0) text += '=';
  return text;
}

}  // namespace

Result<ListOptions> ParseListOptions(const Resource& resource, const httpserver::Request& request,
                                     bool watch, bool watch_list_enabled) {
  ListOptions options;
  options.resource_version = request.Query("resourceVersion");
  options.resource_version_match = request.Query("resourceVersionMatch");
  options.continue_token = request.Query("continue");
  options.allow_bookmarks = IsTrue(request.Query("allowWatchBookmarks"));
  if (const auto text = request.Query("sendInitialEvents"); !text.empty()) {
    options.send_initial_events = IsTrue(text);
  }
  if (const std::string text(request.Query("limit")); !text.empty()) {
    const auto limit = ParseNumber<std::int64_t>(text);
    if (!limit) return NotANumber(text);
    options.limit = std::max<std::int64_t>(*limit, 0);
  }
  if (const std::string text(request.Query("timeoutSeconds")); !text.empty()) {
    const auto timeout = ParseNumber<std::int64_t>(text);
    if (!timeout) return NotANumber(text);
    if (*timeout > 0) options.timeout = std::chrono::seconds(*timeout);
  }
  if (watch && watch_list_enabled) ApplyDefaults(options);
  auto causes = watch ? CheckWatch(options, watch_list_enabled) : CheckList(options);
  if (!causes.empty()) return tl::unexpected(InvalidOptions("ListOptions", std::move(causes)));
  if (auto parsed = ReadVersion(options, watch); !parsed) {
    return tl::unexpected(std::move(parsed.error()));
  }
  auto selector =
      Selector::Parse(resource, request.Query("labelSelector"), request.Query("fieldSelector"));
  if (!selector) return tl::unexpected(std::move(selector.error()));
  options.selector = std::move(*selector);
  return options;
}

tl::expected<std::uint64_t, std::string> ParseVersion(std::string_view text) {
  const auto number = ParseNumber<std::uint64_t>(text);
  if (number) return *number;
  const std::string quoted = "\"" + std::string(text) + "\"";
  return tl::unexpected("resourceVersion: Invalid value: " + quoted +
                        ": strconv.ParseUint: parsing " + quoted + ": invalid syntax");
}

std::string ContinueToken::Encode() const {
  JsonDocument document;
  document.SetObject();
  auto& allocator = document.GetAllocator();
  SetString(document, "v", "meta.k8s.io/v1", allocator);
  Set(document, "rv", JsonValue(version), allocator);
  SetString(document, "start", after, allocator);
  return ToUrlAlphabet(clientgo::util::Base64Encode(clientgo::runtime::ToJson(document)));
}

Result<ContinueToken> ContinueToken::Decode(std::string_view text) {
  const auto refuse = [](const std::string& why) {
    return tl::unexpected(BadRequest("invalid continue token: continue key is not valid: " + why));
  };
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const std::size_t bad = text.find_first_not_of(kAlphabet);
  const auto json = clientgo::util::Base64Decode(FromUrlAlphabet(std::string(text)));
  if (bad != std::string_view::npos || !json) {
    return refuse("illegal base64 data at input byte " +
                  std::to_string(std::min(bad, text.size() - text.size() % 4)));
  }
  std::string error;
  const auto document = ParseJson(*json, &error);
  if (document == nullptr) return refuse(error);
  constexpr std::string_view kVersion = "meta.k8s.io/v1";
  if (const std::string_view version = GetString(*document, "v"); version != kVersion) {
    return refuse("server does not recognize this encoded version " + std::string(version));
  }
  const JsonValue* const version = Find(*document, "rv");
  const std::string suffix = " (version " + std::string(kVersion) + ")";
  if (version == nullptr || !version->IsInt64() || version->GetInt64() == 0) {
    return refuse("incorrect encoded start resourceVersion" + suffix);
  }
  const std::string_view after = GetString(*document, "start");
  if (after.empty()) return refuse("encoded start key empty" + suffix);
  return ContinueToken{.version = version->GetInt64(), .after = std::string(after)};
}

}  // namespace apiserver
