// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/status.h"

#include <chrono>
#include <string>

#include "clientgo/runtime/json.h"
#include "clientgo/runtime/json_filter.h"
#include "clientgo/runtime/watch_event.h"
#include "clientgo/runtime/wire_projection.h"
#include "clientgo/util/text.h"

namespace clientgo::runtime {
namespace {

constexpr std::size_t kTextBytesMax = 2048;
constexpr std::string_view kTooLargeMessage = "Too large resource version";

int GetInt(const JsonValue* value) {
  return value != nullptr && value->IsInt() ? value->GetInt() : 0;
}

// Servers before 1.17 sent no cause type, only the message; see apimachinery's
// IsTooLargeResourceVersion in client-go's reflector.
bool IsTooLarge(const JsonValue& status, util::ErrorReason reason) {
  const bool legacy = reason == util::ErrorReason::kTimeout;
  if (legacy && GetString(status, "message").find(kTooLargeMessage) != std::string_view::npos) {
    return true;
  }
  const JsonValue* causes = FindPath(status, {"details", "causes"});
  if (causes == nullptr || !causes->IsArray()) return false;
  for (const JsonValue& cause : causes->GetArray()) {
    if (GetString(cause, "reason") == "ResourceVersionTooLarge") return true;
    if (legacy && GetString(cause, "message") == kTooLargeMessage) return true;
  }
  return false;
}

util::Error FromText(int http_code, std::string_view body) {
  const std::string_view text = Excerpt(body);
  return {.reason = util::ReasonFromHttpCode(http_code),
          .http_code = http_code,
          .message = text.empty()
                         ? "the server answered " + std::to_string(http_code) + " without a message"
                         : std::string(text)};
}

}  // namespace

std::string_view Excerpt(std::string_view text) {
  if (text.size() > kTextBytesMax) {
    std::size_t end = kTextBytesMax;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    text = text.substr(0, end);
  }
  return util::Trim(text, " \t\r\n");
}

util::Error ErrorFromStatus(int http_code, const JsonValue& status) {
  util::Error error;
  error.http_code = http_code != 0 ? http_code : GetInt(Find(status, "code"));
  error.reason = util::ReasonFromString(GetString(status, "reason"));
  if (error.reason == util::ErrorReason::kUnknown) {
    error.reason = util::ReasonFromHttpCode(error.http_code);
  }
  error.message = Excerpt(GetString(status, "message"));
  if (error.message.empty()) {
    error.message = "the server answered " + std::to_string(error.http_code) + " without a message";
  }
  const int retry_after = GetInt(FindPath(status, {"details", "retryAfterSeconds"}));
  if (retry_after > 0) error.retry_after = std::chrono::seconds(retry_after);
  error.resource_version_too_large = IsTooLarge(status, error.reason);
  return error;
}

// Through the filter, since a body is whatever some proxy sent: it bounds depth and size.
util::Error DecodeStatus(int http_code, std::string_view body) {
  JsonFilter filter(StatusProjection(), {});
  const auto taken = filter.Feed(body);
  if (!taken || !filter.HasFrame()) return FromText(http_code, body);
  JsonParser parser;
  const auto root = parser.ParseInsitu(filter.frame(), filter.frame_size());
  if (!root || GetString(**root, "kind") != "Status") return FromText(http_code, body);
  return ErrorFromStatus(http_code, **root);
}

}  // namespace clientgo::runtime
