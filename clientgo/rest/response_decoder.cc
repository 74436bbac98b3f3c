// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/response_decoder.h"

#include <glog/logging.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/runtime/json_filter.h"
#include "clientgo/util/logging.h"

namespace clientgo::rest {
namespace {

using runtime::JsonFilter;
using util::Err;
using util::ErrorReason;
using util::Expected;

// The frames of a body, one by one.
class FrameReader {
 public:
  FrameReader(transport::HttpResponse& response, const runtime::Projection& projection,
              JsonFilter::Framing framing)
      : response_(response), filter_(projection, {.framing = framing}) {}

  // True: filter() has a frame. False: the body ended as it should.
  Expected<bool> Next(util::Clock::Duration max_silence = util::Clock::Duration::max()) {
    for (;;) {
      while (!bytes_.empty()) {
        auto taken = filter_.Feed(bytes_);
        if (!taken) return Err(std::move(taken.error()));
        bytes_.remove_prefix(*taken);
        if (filter_.HasFrame()) return true;
      }
      if (ended_) return false;
      auto bytes = response_.Read(max_silence);
      if (!bytes) return Err(std::move(bytes.error()));
      bytes_ = *bytes;
      if (!bytes_.empty()) continue;
      ended_ = true;
      // Without a byte since, a frame that is still there is the one that was given out already.
      const bool given_out = filter_.HasFrame();
      auto finished = filter_.Finish();
      if (!finished) return Err(std::move(finished.error()));
      return filter_.HasFrame() && !given_out;
    }
  }
  JsonFilter& filter() { return filter_; }

 private:
  transport::HttpResponse& response_;
  JsonFilter filter_;
  std::string_view bytes_;  // read, and not yet given to the filter
  bool ended_ = false;
};

class StreamWatcher final : public Watcher {
 public:
  StreamWatcher(const runtime::ResourceType& type,
                std::unique_ptr<transport::HttpResponse> response)
      : type_(type),
        response_(std::move(response)),
        frames_(*response_, type.projection.watch(), JsonFilter::Framing::kDocument) {}

  Expected<std::optional<runtime::WatchEvent>> Next(util::Clock::Duration max_silence) override {
    auto more = frames_.Next(max_silence);
    if (!more) return Err(std::move(more.error()));
    if (!*more) return std::nullopt;
    JsonFilter& filter = frames_.filter();
    auto event = runtime::DecodeWatchEvent(type_, filter.frame(), filter.frame_size());
    if (!event) return Err(std::move(event.error()));
    return std::move(*event);
  }

 private:
  const runtime::ResourceType& type_;
  const std::unique_ptr<transport::HttpResponse> response_;
  FrameReader frames_;
};

}  // namespace

Expected<runtime::ObjectPtr> ReadObject(const runtime::ResourceType& type,
                                        transport::HttpResponse& response) {
  FrameReader frames(response, type.projection.object(), JsonFilter::Framing::kDocument);
  std::optional<Expected<runtime::ObjectPtr>> object;
  for (;;) {
    auto more = frames.Next();
    if (!more) return Err(std::move(more.error()));
    if (!*more) break;
    if (object) return Err(ErrorReason::kDecode, "more than one JSON document in the answer");
    JsonFilter& filter = frames.filter();
    object = runtime::DecodeObject(type, filter.frame(), filter.frame_size());
  }
  if (!object) return Err(ErrorReason::kDecode, "the answer is empty");
  return std::move(*object);
}

Expected<runtime::ListMeta> ReadList(const runtime::ResourceType& type,
                                     transport::HttpResponse& response,
                                     const std::function<void(runtime::ObjectPtr)>& on_item) {
  FrameReader frames(response, type.projection.list(), JsonFilter::Framing::kList);
  std::optional<runtime::ListMeta> meta;
  std::vector<runtime::UndecodableObject> undecodable;
  for (;;) {
    auto more = frames.Next();
    if (!more) return Err(std::move(more.error()));
    if (!*more) break;
    if (meta) return Err(ErrorReason::kDecode, "more than one JSON document in the answer");
    JsonFilter& filter = frames.filter();
    if (filter.frame_type() == JsonFilter::FrameType::kDocument) {
      auto decoded = runtime::DecodeListMeta(filter.frame(), filter.frame_size());
      if (!decoded) return Err(std::move(decoded.error()));
      meta = std::move(*decoded);
      continue;
    }
    auto item = runtime::DecodeListItem(type, filter.frame(), filter.frame_size());
    if (item) {
      on_item(std::move(*item));
    } else {
      LOG(WARNING) << util::Kv("Failed to decode an object of a list", "kind", type.kind, "object",
                               item.error().key, "err", item.error().error);
      undecodable.push_back(std::move(item.error()));
    }
  }
  if (!meta) return Err(ErrorReason::kDecode, "the answer is empty");
  meta->undecodable = std::move(undecodable);
  return std::move(*meta);
}

std::unique_ptr<Watcher> NewWatcher(const runtime::ResourceType& type,
                                    std::unique_ptr<transport::HttpResponse> response) {
  return std::make_unique<StreamWatcher>(type, std::move(response));
}

Expected<void> DiscardBody(transport::HttpResponse& response) {
  for (;;) {
    auto bytes = response.Read();
    if (!bytes) return Err(std::move(bytes.error()));
    if (bytes->empty()) return {};
  }
}

}  // namespace clientgo::rest
