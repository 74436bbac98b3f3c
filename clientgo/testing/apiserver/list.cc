// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/list.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "clientgo/util/base64.h"
#include "clientgo/util/text.h"

namespace clientgo::testing::apiserver {
namespace {

tl::unexpected<Status> NotANumber(const std::string& text) {
  const bool digits = text.find_first_not_of("-0123456789") == std::string::npos;
  return tl::unexpected(BadRequest("strconv.ParseInt: parsing \"" + text +
                                   "\": " + (digits ? "value out of range" : "invalid syntax")));
}

// Mirrors SetListOptionsDefaults: a watch without a version starts with the current state.
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
  // Continue reports a version beside a continue token.
  if (options.resource_version.empty() || !options.continue_token.empty()) return {};
  const auto number = ParseVersion(options.resource_version);
  if (number) {
    options.version_number = *number;
    return {};
  }
  // kube-apiserver answers a watch with 500.
  if (watch) return tl::unexpected(InternalError(number.error()));
  return tl::unexpected(BadRequest("invalid resource version: " + number.error()));
}

// Converts to base64url without padding (Go's RawURLEncoding).
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

// A list of at most this size is sent with a Content-Length.
constexpr std::size_t kWholeBytesMax = 1U << 20U;
constexpr std::size_t kChunkBytes = 256U << 10U;

constexpr std::string_view kContinueExpired =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list.";

// Position is the state to list, and the key to start after.
struct Position {
  std::uint64_t version = 0;
  std::string after;
  std::int64_t limit = 0;
};

Result<Position> Continue(const Storage& storage, const Resource& resource,
                          const ListOptions& options) {
  if (!options.resource_version.empty() && options.resource_version != "0") {
    return tl::unexpected(
        BadRequest("specifying resource version is not allowed when using continue"));
  }
  auto token = ContinueToken::Decode(options.continue_token);
  if (!token) return tl::unexpected(std::move(token.error()));
  Position position{
      .version = storage.resource_version(), .after = token->after, .limit = options.limit};
  if (options.resource_version == "0") position.limit = 0;  // as without a token
  if (token->version == ContinueToken::kInconsistent) return position;
  position.version = static_cast<std::uint64_t>(token->version);
  if (position.version < storage.OldestVersion(resource)) {
    Status expired = Expired(std::string(kContinueExpired));
    token->version = ContinueToken::kInconsistent;
    expired.continue_token = token->Encode();
    return tl::unexpected(std::move(expired));
  }
  return position;
}

Result<Position> Locate(const Storage& storage, const Resource& resource,
                        const ListOptions& options) {
  if (!options.continue_token.empty()) return Continue(storage, resource, options);
  const std::uint64_t current = storage.resource_version();
  Position position{.version = current, .after = {}, .limit = options.limit};
  if (options.version_number > current) {
    return tl::unexpected(TooLargeResourceVersion(options.version_number, current));
  }
  // kube-apiserver serves "0" from the watch cache, without pages.
  if (options.resource_version == "0") position.limit = 0;
  const std::string& match = options.resource_version_match;
  const bool legacy_exact = match.empty() && options.limit > 0 && options.version_number > 0;
  if (match != "Exact" && !legacy_exact) return position;
  if (options.version_number < storage.OldestVersion(resource)) {
    return tl::unexpected(Expired("The resourceVersion for the provided list is too old."));
  }
  position.version = options.version_number;
  return position;
}

std::string Head(const Resource& resource, const Page& page, Form form) {
  const bool partial = form == Form::kMetadata;
  std::string head = R"({"kind":")";
  head += partial ? std::string("PartialObjectMetadata") : std::string(resource.kind);
  head += R"(List","apiVersion":")" + (partial ? "meta.k8s.io/v1" : resource.ApiVersion());
  head += R"(","metadata":{"resourceVersion":")" + std::to_string(page.resource_version) + '"';
  if (!page.continue_token.empty()) head += R"(,"continue":")" + page.continue_token + '"';
  if (page.remaining >= 0) head += R"(,"remainingItemCount":)" + std::to_string(page.remaining);
  // Only a PartialObjectMetadataList is a nil slice in Go.
  if (partial && page.items.empty()) return head + R"(},"items":null})";
  return head + R"(},"items":[)";
}

// PageStream sends a page in chunks. The callback of the exchange keeps it alive.
class PageStream : public std::enable_shared_from_this<PageStream> {
 public:
  PageStream(std::shared_ptr<httpserver::Exchange> exchange, Page page, Form form, std::string head)
      : exchange_(std::move(exchange)),
        page_(std::move(page)),
        form_(form),
        chunk_(std::move(head)) {}

  void Run() {
    exchange_->Begin(200, "application/json");
    Pump();
  }

 private:
  void Pump() {
    while (next_ < page_.items.size() && chunk_.size() < kChunkBytes) {
      if (next_ > 0) chunk_ += ',';
      AppendItem(chunk_, *page_.items[next_], form_);
      page_.items[next_++] = nullptr;
    }
    const bool last = next_ == page_.items.size();
    if (last) chunk_ += "]}\n";
    exchange_->Write(std::exchange(chunk_, {}));
    if (last) return exchange_->End();
    exchange_->WhenDrained([self = shared_from_this()] { self->Pump(); });
  }

  const std::shared_ptr<httpserver::Exchange> exchange_;
  Page page_;
  const Form form_;
  std::string chunk_;
  std::size_t next_ = 0;
};

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
    const auto limit = ParseInteger(text);
    if (!limit) return NotANumber(text);
    options.limit = std::max<std::int64_t>(*limit, 0);
  }
  if (const std::string text(request.Query("timeoutSeconds")); !text.empty()) {
    const auto timeout = ParseInteger(text);
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

bool IsTrue(std::string_view text) {
  return !text.empty() && text != "0" && !util::EqualIgnoringCase(text, "false");
}

tl::expected<std::uint64_t, std::string> ParseVersion(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec == std::errc() && end == text.data() + text.size()) return number;
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
  return ToUrlAlphabet(util::Base64Encode(runtime::ToJson(document)));
}

Result<ContinueToken> ContinueToken::Decode(std::string_view text) {
  const auto reject = [](const std::string& why) {
    return tl::unexpected(BadRequest("invalid continue token: continue key is not valid: " + why));
  };
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const std::size_t bad = text.find_first_not_of(kAlphabet);
  const auto json = util::Base64Decode(FromUrlAlphabet(std::string(text)));
  if (bad != std::string_view::npos || !json) {
    return reject("illegal base64 data at input byte " +
                  std::to_string(std::min(bad, text.size() - text.size() % 4)));
  }
  std::string error;
  const auto document = ParseJson(*json, &error);
  if (document == nullptr) return reject(error);
  constexpr std::string_view kVersion = "meta.k8s.io/v1";
  if (const std::string_view version = GetString(*document, "v"); version != kVersion) {
    return reject("server does not recognize this encoded version " + std::string(version));
  }
  const JsonValue* const version = Find(*document, "rv");
  const std::string suffix = " (version " + std::string(kVersion) + ")";
  if (version == nullptr || !version->IsInt64() || version->GetInt64() == 0) {
    return reject("incorrect encoded start resourceVersion" + suffix);
  }
  const std::string_view after = GetString(*document, "start");
  if (after.empty()) return reject("encoded start key empty" + suffix);
  return ContinueToken{.version = version->GetInt64(), .after = std::string(after)};
}

Result<Page> ReadPage(const Storage& storage, const Resource& resource, std::string_view ns,
                      const ListOptions& options) {
  auto position = Locate(storage, resource, options);
  if (!position) return tl::unexpected(std::move(position.error()));
  Page page;
  page.resource_version = position->version;
  const auto limit = static_cast<std::size_t>(position->limit);
  std::string last_key;
  std::int64_t beyond = 0;
  storage.Visit(resource, ns, position->version, position->after, [&](const Storage::Entry& entry) {
    if (!options.selector.Matches(*entry.object)) return true;
    if (limit == 0 || page.items.size() < limit) {
      page.items.push_back(entry.object);
      last_key = entry.key;
      return true;
    }
    ++beyond;
    return options.selector.empty();  // the rest is not counted with a selector
  });
  if (beyond > 0) {
    page.continue_token =
        ContinueToken{.version = static_cast<std::int64_t>(position->version), .after = last_key}
            .Encode();
    if (options.selector.empty()) page.remaining = beyond;
  }
  return page;
}

void SendPage(const std::shared_ptr<httpserver::Exchange>& exchange, const Resource& resource,
              Page page, Form form) {
  std::string text = Head(resource, page, form);
  std::size_t bytes = text.size();
  for (const ObjectPtr& item : page.items) {
    bytes += form == Form::kFull ? item->text.size() : item->metadata().size();
  }
  if (bytes > kWholeBytesMax) {
    std::make_shared<PageStream>(exchange, std::move(page), form, std::move(text))->Run();
    return;
  }
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    if (i > 0) text += ',';
    AppendItem(text, *page.items[i], form);
  }
  const bool closed = form == Form::kMetadata && page.items.empty();
  exchange->Respond(200, "application/json", text + (closed ? "\n" : "]}\n"));
}

}  // namespace clientgo::testing::apiserver
