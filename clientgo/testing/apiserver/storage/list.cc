// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/storage/list.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "capstan/base64.h"
#include "capstan/text.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/protobuf_encoder.h"

namespace capstan::testing::apiserver {
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

constexpr char kMatch[] = "resourceVersionMatch";
constexpr char kMatchWithContinue[] = "resourceVersionMatch is forbidden when continue is provided";

void ForbidIf(bool condition, const char* field, const char* why, std::vector<Cause>& causes) {
  if (condition) causes.push_back(ForbiddenField(field, why));
}

std::vector<Cause> CheckWatch(const ListOptions& options, bool watch_list_enabled) {
  std::vector<Cause> causes;
  const std::string& match = options.resource_version_match;
  const bool initial = options.send_initial_events.has_value();
  ForbidIf(initial && match != "NotOlderThan", kMatch,
           "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan", causes);
  ForbidIf(initial && !watch_list_enabled, "sendInitialEvents",
           "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
           causes);
  if (match.empty()) return causes;
  ForbidIf(!initial, kMatch,
           "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
           causes);
  if (match != "NotOlderThan") {
    causes.push_back(NotSupported(kMatch, "\"" + match + "\"", "\"NotOlderThan\""));
  }
  ForbidIf(!options.continue_token.empty(), kMatch, kMatchWithContinue, causes);
  return causes;
}

std::vector<Cause> CheckList(const ListOptions& options) {
  std::vector<Cause> causes;
  const std::string& match = options.resource_version_match;
  ForbidIf(options.send_initial_events.has_value(), "sendInitialEvents",
           "sendInitialEvents is forbidden for list", causes);
  if (match.empty()) return causes;
  ForbidIf(options.resource_version.empty(), kMatch,
           "resourceVersionMatch is forbidden unless resourceVersion is provided", causes);
  ForbidIf(!options.continue_token.empty(), kMatch, kMatchWithContinue, causes);
  if (match != "Exact" && match != "NotOlderThan") {
    causes.push_back(NotSupported(kMatch, "\"" + match + "\"", R"("Exact", "NotOlderThan", "")"));
  }
  ForbidIf(match == "Exact" && options.resource_version == "0", kMatch,
           R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")", causes);
  return causes;
}

constexpr std::int64_t kInconsistent = -1;  // a token that continues with the current state

struct ContinueToken {
  std::int64_t version = 0;
  std::string after = {};      // the last key of the previous page
  std::int64_t remaining = 0;  // the objects after it; 0: unknown
};

// A token is JSON in base64url without padding (Go's RawURLEncoding). kube-apiserver's has no
// "remaining", because etcd counts the objects.
std::string EncodeToken(const ContinueToken& position) {
  std::string token = Base64Encode(Json({{"v", "meta.k8s.io/v1"},
                                         {"rv", position.version},
                                         {"start", position.after},
                                         {"remaining", position.remaining}})
                                       .text());
  std::replace(token.begin(), token.end(), '+', '-');
  std::replace(token.begin(), token.end(), '/', '_');
  while (token.ends_with('=')) token.pop_back();
  return token;
}

Result<ContinueToken> DecodeToken(std::string_view text) {
  const auto reject = [](const std::string& why) {
    return tl::unexpected(BadRequest("invalid continue token: continue key is not valid: " + why));
  };
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const std::size_t bad = text.find_first_not_of(kAlphabet);
  std::string base64(text);
  std::replace(base64.begin(), base64.end(), '-', '+');
  std::replace(base64.begin(), base64.end(), '_', '/');
  while (base64.size() % 4 != 0) base64 += '=';
  const auto json = Base64Decode(base64);
  if (bad != std::string_view::npos || !json) {
    return reject("illegal base64 data at input byte " +
                  std::to_string(std::min(bad, text.size() - text.size() % 4)));
  }
  std::string error;
  const auto document = ParseJson(*json, &error);
  if (document == nullptr) return reject(error);
  constexpr std::string_view kVersion = "meta.k8s.io/v1";
  if (const std::string_view version = runtime::GetString(*document, "v"); version != kVersion) {
    return reject("server does not recognize this encoded version " + std::string(version));
  }
  const runtime::JsonValue* const version = runtime::Find(*document, "rv");
  const std::string suffix = " (version " + std::string(kVersion) + ")";
  if (version == nullptr || !version->IsInt64() || version->GetInt64() == 0) {
    return reject("incorrect encoded start resourceVersion" + suffix);
  }
  const std::string_view after = runtime::GetString(*document, "start");
  if (after.empty()) return reject("encoded start key empty" + suffix);
  const runtime::JsonValue* const remaining = runtime::Find(*document, "remaining");
  return ContinueToken{
      .version = version->GetInt64(),
      .after = std::string(after),
      .remaining = remaining != nullptr && remaining->IsInt64() ? remaining->GetInt64() : 0};
}

// A list of at most this size is sent with a Content-Length, not in chunks.
constexpr std::size_t kWholeBytesMax = 1U << 20U;
constexpr std::size_t kChunkBytes = 256U << 10U;

constexpr char kContinueExpired[] =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list.";

// Position is the state to list, the key to start after, and the objects after it (0: unknown).
struct Position {
  std::uint64_t version = 0;
  std::string after = {};
  std::int64_t remaining = 0;
};

Result<Position> Continue(const Storage& storage, const Resource& resource,
                          const ListOptions& options) {
  if (!options.resource_version.empty() && options.resource_version != "0") {
    return tl::unexpected(
        BadRequest("specifying resource version is not allowed when using continue"));
  }
  const auto token = DecodeToken(options.continue_token);
  if (!token) return tl::unexpected(token.error());
  Position position{.version = storage.resource_version(), .after = token->after};
  if (token->version == kInconsistent) return position;
  position.version = static_cast<std::uint64_t>(token->version);
  position.remaining = token->remaining;
  if (position.version >= storage.OldestVersion(resource)) return position;
  Status expired = Expired(kContinueExpired);
  expired.continue_token = EncodeToken({.version = kInconsistent, .after = token->after});
  return tl::unexpected(std::move(expired));
}

Result<Position> Locate(const Storage& storage, const Resource& resource,
                        const ListOptions& options) {
  if (!options.continue_token.empty()) return Continue(storage, resource, options);
  const std::uint64_t current = storage.resource_version();
  if (options.version_number > current) {
    return tl::unexpected(TooLargeResourceVersion(options.version_number, current));
  }
  const std::string& match = options.resource_version_match;
  const bool legacy_exact = match.empty() && options.limit > 0 && options.version_number > 0;
  if (match != "Exact" && !legacy_exact) return Position{.version = current};
  if (options.version_number < storage.OldestVersion(resource)) {
    return tl::unexpected(Expired("The resourceVersion for the provided list is too old."));
  }
  return Position{.version = options.version_number};
}

constexpr std::string_view kListEnd = "]}";

// Only a PartialObjectMetadataList is a nil slice in Go.
bool HasNoItems(const Page& page, Form form) {
  return form == Form::kMetadata && page.items.empty();
}

// Returns the list without its items and what follows them.
std::string Head(const Resource& resource, const Page& page, Form form) {
  const bool partial = form == Form::kMetadata;
  const Json list = {
      {"kind", partial ? "PartialObjectMetadataList" : resource.ListKind()},
      {"apiVersion", partial ? std::string(form.ApiVersion()) : resource.ApiVersion()},
      {"metadata", ListMetadata(page)},
      {"items", HasNoItems(page, form) ? Json(nullptr) : Json::List({})}};
  return list.text().substr(0, list.text().size() - (HasNoItems(page, form) ? 0 : kListEnd.size()));
}

// PageStream sends a page in chunks. The callback of the exchange keeps it alive.
class PageStream : public std::enable_shared_from_this<PageStream> {
 public:
  PageStream(std::shared_ptr<httpserver::Exchange> exchange, Page page, Form form, std::string head)
      : exchange_(std::move(exchange)),
        page_(std::move(page)),
        form_(form),
        chunk_(std::move(head)) {}

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

 private:
  const std::shared_ptr<httpserver::Exchange> exchange_;
  Page page_;
  const Form form_;
  std::string chunk_;
  std::size_t next_ = 0;
};

// PieceStream sends texts, several in a chunk. The callback of the exchange keeps it alive.
class PieceStream : public std::enable_shared_from_this<PieceStream> {
 public:
  PieceStream(std::shared_ptr<httpserver::Exchange> exchange, std::vector<std::string> pieces)
      : exchange_(std::move(exchange)), pieces_(std::move(pieces)) {}

  void Pump() {
    std::string chunk;
    while (next_ < pieces_.size() && chunk.size() < kChunkBytes) {
      chunk += std::exchange(pieces_[next_++], {});
    }
    exchange_->Write(std::move(chunk));
    if (next_ == pieces_.size()) return exchange_->End();
    exchange_->WhenDrained([self = shared_from_this()] { self->Pump(); });
  }

 private:
  const std::shared_ptr<httpserver::Exchange> exchange_;
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
};

// A list begins with its length, so all items are encoded before anything is sent.
void SendProtobufPage(const std::shared_ptr<httpserver::Exchange>& exchange,
                      const Resource& resource, Page page, Form form) {
  const runtime::Message& message = form == Form::kMetadata
                                        ? *runtime::MessageNamed("meta.v1.PartialObjectMetadata")
                                        : *FindMessage(resource);
  std::vector<std::string> pieces(1);
  std::string error;  // of a stored object: there is none
  std::size_t bytes = 0;
  for (ObjectPtr& item : page.items) {
    std::string text;
    AppendItem(text, *item, form);
    item = nullptr;
    pieces.push_back(EncodeListItem(message, *ParseJson(text, &error)));
    bytes += pieces.back().size();
  }
  const std::string list = Head(resource, page, form) + (HasNoItems(page, form) ? "" : "]}");
  pieces.front() = EncodeListHead(*ParseJson(list, &error), bytes);
  pieces.emplace_back(kProtobufTail);
  exchange->Begin(200, std::string(runtime::kProtobufContentType));
  std::make_shared<PieceStream>(exchange, std::move(pieces))->Pump();
}

}  // namespace

Json ListMetadata(const Page& page) {
  return {{"resourceVersion", std::to_string(page.resource_version)},
          {"continue", OmitEmpty(page.continue_token)},
          {"remainingItemCount", page.remaining >= 0 ? Json(page.remaining) : Json()}};
}

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
  // ReadPage reports a version beside a continue token.
  if (!options.resource_version.empty() && options.continue_token.empty()) {
    const auto number = ParseVersion(options.resource_version);
    if (!number) {
      // kube-apiserver rejects a watch with 500.
      return tl::unexpected(watch ? InternalError(number.error())
                                  : BadRequest("invalid resource version: " + number.error()));
    }
    options.version_number = *number;
  }
  auto selector =
      Selector::Parse(resource, request.Query("labelSelector"), request.Query("fieldSelector"));
  if (!selector) return tl::unexpected(std::move(selector.error()));
  options.selector = std::move(*selector);
  return options;
}

bool IsTrue(std::string_view text) {
  return !text.empty() && text != "0" && !EqualIgnoringCase(text, "false");
}

tl::expected<std::uint64_t, std::string> ParseVersion(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec == std::errc() && end == text.data() + text.size()) return number;
  const std::string quoted = "\"" + std::string(text) + "\"";
  return tl::unexpected("resourceVersion: Invalid value: " + quoted +
                        ": strconv.ParseUint: parsing " + quoted + ": invalid syntax");
}

Result<Page> ReadPage(const Storage& storage, const Resource& resource, std::string_view ns,
                      const ListOptions& options) {
  auto position = Locate(storage, resource, options);
  if (!position) return tl::unexpected(std::move(position.error()));
  Page page;
  page.resource_version = position->version;
  // kube-apiserver serves "0" from the watch cache, without pages.
  const auto limit = static_cast<std::size_t>(options.resource_version == "0" ? 0 : options.limit);
  std::string last_key;
  // Only the first page counts, because a million objects have 2,000 pages.
  const bool counts = options.selector.empty() && position->remaining == 0;
  std::int64_t beyond = 0;
  storage.Visit(resource, ns, position->version, position->after, [&](const Storage::Entry& entry) {
    if (!options.selector.MayMatchKey(entry.key)) return true;
    if (!options.selector.Matches(*entry.object)) return true;
    if (limit == 0 || page.items.size() < limit) {
      page.items.push_back(entry.object);
      last_key = entry.key;
      return true;
    }
    ++beyond;
    return counts;  // the rest is not counted with a selector
  });
  if (beyond > 0) {
    if (options.selector.empty()) {
      page.remaining =
          counts ? beyond : position->remaining - static_cast<std::int64_t>(page.items.size());
    }
    page.continue_token = EncodeToken({.version = static_cast<std::int64_t>(position->version),
                                       .after = last_key,
                                       .remaining = std::max<std::int64_t>(page.remaining, 0)});
  }
  return page;
}

httpserver::Headers DeprecationHeaders(const Resource& resource) {
  if (resource.deprecation.empty()) return {};
  return {{"Warning", "299 - " + Quote(resource.deprecation)}};
}

void SendPage(const std::shared_ptr<httpserver::Exchange>& exchange, const Resource& resource,
              Page page, Form form, bool protobuf) {
  if (protobuf) return SendProtobufPage(exchange, resource, std::move(page), form);
  std::string text = Head(resource, page, form);
  std::size_t bytes = text.size();
  for (const ObjectPtr& item : page.items) {
    bytes += form == Form::kFull ? item->text.size() : item->metadata().size();
  }
  if (bytes > kWholeBytesMax) {
    exchange->Begin(200, "application/json", DeprecationHeaders(resource));
    return std::make_shared<PageStream>(exchange, std::move(page), form, std::move(text))->Pump();
  }
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    if (i > 0) text += ',';
    AppendItem(text, *page.items[i], form);
  }
  if (!HasNoItems(page, form)) text += kListEnd;
  exchange->Respond(200, "application/json", text + "\n", DeprecationHeaders(resource));
}

}  // namespace capstan::testing::apiserver
