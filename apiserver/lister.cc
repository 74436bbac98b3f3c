// SPDX-License-Identifier: Apache-2.0
#include "apiserver/lister.h"

#include <utility>

namespace apiserver {
namespace {

// Up to this size an answer goes out whole, with a Content-Length.
constexpr std::size_t kWholeBytesMax = 1U << 20U;
constexpr std::size_t kChunkBytes = 256U << 10U;

constexpr std::string_view kContinueExpired =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first "
    "chunk was returned and now may show up in the list.";

// The state to list, and where in it to start.
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
  // "0" is served from the watch cache, which knows no pages.
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
  // Go's nil list; of the other kinds it is never nil.
  if (partial && page.items.empty()) return head + R"(},"items":null})";
  return head + R"(},"items":[)";
}

// A page on its way to a client; kept alive by the exchange that waits to be drained.
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
    return options.selector.empty();  // with a selector nobody counts the rest
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

}  // namespace apiserver
