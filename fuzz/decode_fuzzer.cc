// SPDX-License-Identifier: Apache-2.0
// Tests the typed decoders on any bytes, as a watch, a list, a single object and a Status. Filtered
// frames must decode to the same result as whole frames, for every kind of clientgo/api.
//
// Documents with duplicate keys, and documents with another type in place of an object, are not
// compared: their result depends on the fields that the filter drops.
#include <glog/logging.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_filter.h"
#include "clientgo/runtime/json.h"
#include "fuzz/decode_fuzzer_types.h"

namespace {

using capstan::Error;
using capstan::Expected;
using capstan::runtime::Find;
using capstan::runtime::JsonFilter;
using capstan::runtime::JsonParser;
using capstan::runtime::JsonValue;
using capstan::runtime::ObjectPtr;
using capstan::runtime::Projection;
using capstan::runtime::ResourceType;
using capstan::runtime::ToView;
using capstan::runtime::WatchEvent;
using fuzz::Describe;

std::string Describe(const Error& error) {
  return std::string(ToString(error.reason)) + " " + std::to_string(error.http_code) + " " +
         std::to_string(error.retry_after.value_or(std::chrono::seconds(-1)).count()) + " " +
         error.message;
}

std::string Describe(const ResourceType& type, const Expected<ObjectPtr>& object) {
  return object ? fuzz::Describe(type, **object) : Describe(object.error());
}

std::string Describe(const ResourceType& type, const Expected<WatchEvent>& event) {
  if (!event) return Describe(event.error());
  return std::to_string(static_cast<int>(event->type)) + " " + event->resource_version +
         (event->initial_events_end ? " end " : " ") +
         (event->object ? fuzz::Describe(type, *event->object) : Describe(event->error));
}

struct Frame {
  std::string text;
  bool item;
};

// Returns nullopt if a part of the stream is not JSON.
std::optional<std::vector<Frame>> Frames(const Projection& projection, JsonFilter::Framing framing,
                                         std::string_view stream) {
  JsonFilter filter(projection, {.framing = framing});
  std::vector<Frame> frames;
  const auto take = [&] {
    frames.push_back({.text = std::string(filter.frame(), filter.frame_size()),
                      .item = filter.frame_type() == JsonFilter::FrameType::kItem});
  };
  while (!stream.empty()) {
    const auto taken = filter.Feed(stream);
    if (!taken) return std::nullopt;
    stream.remove_prefix(*taken);
    if (filter.HasFrame()) take();
  }
  const bool taken = filter.HasFrame();
  if (!filter.Finish()) return std::nullopt;
  if (filter.HasFrame() && !taken) take();
  return frames;
}

bool IsUnambiguous(const JsonValue& value) {
  if (value.IsArray()) {
    for (const JsonValue& element : value.GetArray()) {
      if (!IsUnambiguous(element)) return false;
    }
  } else if (value.IsObject()) {
    for (const auto& member : value.GetObject()) {
      if (Find(value, ToView(member.name)) != &member.value) return false;
      if (!IsUnambiguous(member.value)) return false;
    }
  }
  return true;
}

// Reports whether the decoders must treat this whole frame like the filtered one. `path` is the
// place of the object in the frame.
bool IsComparable(std::string text, const char* path) {
  JsonParser parser;
  const auto root = parser.ParseInsitu(text.data(), text.size());
  if (!root || !(*root)->IsObject() || !IsUnambiguous(**root)) return false;
  const JsonValue* object = path == nullptr ? *root : Find(**root, path);
  if (object == nullptr || !object->IsObject()) return false;
  for (const auto& member : object->GetObject()) {
    const std::string_view name = ToView(member.name);
    if (name == "metadata" && !member.value.IsObject()) return false;
  }
  return fuzz::HasPlainFields(*object);
}

using Decode = std::function<std::string(bool item, char* frame, std::size_t size)>;

void Compare(const Projection& projection, JsonFilter::Framing framing, const char* path,
             const std::vector<Frame>& whole, std::string_view stream, const Decode& decode) {
  const auto filtered = Frames(projection, framing, stream);
  if (!filtered) return;  // nested too deeply, or an invalid escape in a key
  CHECK_EQ(filtered->size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CHECK_EQ((*filtered)[i].item, whole[i].item);
    std::string small = (*filtered)[i].text;
    std::string large = whole[i].text;
    const bool comparable = IsComparable(large, path);
    const std::string got = decode(whole[i].item, small.data(), small.size());
    const std::string expected = decode(whole[i].item, large.data(), large.size());
    if (comparable) CHECK_EQ(got, expected);
  }
}

void DecodeAs(const ResourceType& type, const std::vector<Frame>& documents,
              const std::vector<Frame>& items, std::string_view stream) {
  using Framing = JsonFilter::Framing;
  Compare(type.projection.watch(), Framing::kDocument, "object", documents, stream,
          [&](bool, char* frame, std::size_t size) {
            return Describe(type, capstan::runtime::DecodeWatchEvent(type, frame, size));
          });
  Compare(type.projection.object(), Framing::kDocument, nullptr, documents, stream,
          [&](bool, char* frame, std::size_t size) {
            return Describe(type, capstan::runtime::DecodeObject(type, frame, size));
          });
  Compare(type.projection.list(), Framing::kList, nullptr, items, stream,
          [&](bool item, char* frame, std::size_t size) {
            if (item) {
              const auto decoded = capstan::runtime::DecodeListItem(type, frame, size);
              return decoded ? fuzz::Describe(type, **decoded) : Describe(decoded.error().error);
            }
            const auto meta = capstan::runtime::DecodeListMeta(frame, size);
            return meta ? meta->resource_version + " " + meta->continue_token
                        : Describe(meta.error());
          });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Projection all = Projection::All();
  const std::string_view stream(reinterpret_cast<const char*>(data), size);
  Describe(capstan::runtime::DecodeStatus(500, stream));
  // json_filter_fuzzer tests invalid JSON.
  const auto documents = Frames(all, JsonFilter::Framing::kDocument, stream);
  const auto items = Frames(all, JsonFilter::Framing::kList, stream);
  if (!documents || !items) return 0;
  for (const ResourceType* type : fuzz::Types()) DecodeAs(*type, *documents, *items, stream);
  return 0;
}
