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
  return tl::unexpected(BadRequest("strconv.ParseInt: parsing \"" + text + "\": invalid syntax"));
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

Result<void> ParseVersion(ListOptions& options, bool watch) {
  if (options.resource_version.empty()) return {};
  const auto number = ParseNumber<std::uint64_t>(options.resource_version);
  if (number) {
    options.version_number = *number;
    return {};
  }
  const std::string text = "resourceVersion: Invalid value: \"" + options.resource_version +
                           "\": strconv.ParseUint: parsing \"" + options.resource_version +
                           "\": invalid syntax";
  // The real server really answers a watch with 500.
  if (watch) return tl::unexpected(InternalError(text));
  return tl::unexpected(BadRequest("invalid resource version: " + text));
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
  auto causes = watch ? CheckWatch(options, watch_list_enabled) : CheckList(options);
  if (!causes.empty()) return tl::unexpected(InvalidOptions("ListOptions", std::move(causes)));
  if (auto parsed = ParseVersion(options, watch); !parsed) {
    return tl::unexpected(std::move(parsed.error()));
  }
  auto selector =
      Selector::Parse(resource, request.Query("labelSelector"), request.Query("fieldSelector"));
  if (!selector) return tl::unexpected(std::move(selector.error()));
  options.selector = std::move(*selector);
  return options;
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
  const auto json = clientgo::util::Base64Decode(FromUrlAlphabet(std::string(text)));
  if (!json) return refuse("illegal base64 data");
  std::string error;
  const auto document = ParseJson(*json, &error);
  if (document == nullptr) return refuse(error);
  const JsonValue* const version = Find(*document, "rv");
  const std::string_view after = GetString(*document, "start");
  if (version == nullptr || !version->IsInt64() || after.empty()) return refuse("incomplete");
  return ContinueToken{.version = version->GetInt64(), .after = std::string(after)};
}

}  // namespace apiserver
