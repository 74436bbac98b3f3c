// SPDX-License-Identifier: Apache-2.0
// Tests ProtobufFilter on any bytes. The first byte chooses a kind and what surrounds the message:
// - Frames and errors do not depend on how the stream is split.
// - Frames are JSON, and no frame is larger than its limit.
// - What is kept is the same if more is kept.
// - The decoder of requests, which keeps everything, passes the checks of a request's fields.
#include <glog/logging.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/runtime/testing/json_filter_frames.h"
#include "clientgo/runtime/testing/protobuf_bytes.h"
#include "clientgo/testing/apiserver/decoding/protobuf.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/go_fields.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace {

namespace apiserver = capstan::testing::apiserver;
using capstan::runtime::CanonicalFrame;
using capstan::runtime::Envelope;
using capstan::runtime::FrameFilter;
using capstan::runtime::Frames;
using capstan::runtime::Projection;
using capstan::runtime::ProtobufFilter;
using capstan::runtime::Recording;
using capstan::runtime::WatchEvent;

constexpr std::array kKinds = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"v1", "Pod"},
    {"v1", "Secret"},
    {"v1", "Event"},
    {"v1", "DeleteOptions"},
    {"apps/v1", "Deployment"},
    {"coordination.k8s.io/v1", "Lease"},
    {"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"},
    {"apiextensions.k8s.io/v1", "CustomResourceDefinition"},
});

Recording Run(const Projection& projection, ProtobufFilter::Stream stream,
              FrameFilter::Options options, std::string_view bytes) {
  const auto frames = [&](const std::vector<std::string_view>& pieces) {
    ProtobufFilter filter(projection, stream, options);
    return Frames(filter, pieces);
  };
  Recording whole = frames({bytes});
  CHECK(frames(capstan::runtime::SingleBytes(bytes)) == whole) << "by single bytes";
  CHECK(frames(capstan::runtime::Split(bytes)) == whole) << "in pieces";
  for (const std::string& frame : whole.frames) {
    if (options.identity != nullptr) {  // the frame may end with the name of a limit
      CHECK(CanonicalFrame(frame.substr(0, frame.rfind('}') + 1)).has_value()) << frame;
      continue;
    }
    CHECK_LE(frame.size(), options.frame_bytes_max + sizeof "item");
    CHECK(CanonicalFrame(frame).has_value()) << frame;
  }
  return whole;
}

// Whatever is read with everything is read with less, and has the same values then.
void Compare(const Projection& some, ProtobufFilter::Stream stream, FrameFilter::Options options,
             std::string_view bytes, const Projection* of_item = nullptr) {
  static const Projection all = Projection::All();
  const Recording expected = Run(all, stream, options, bytes);
  const Recording got = Run(some, stream, options, bytes);
  if (!expected.error.empty()) return;
  CHECK(got.error.empty()) << got.error;
  CHECK_EQ(got.frames.size(), expected.frames.size());
  for (std::size_t i = 0; i < got.frames.size(); ++i) {
    std::string_view frame = expected.frames[i];
    const std::string prefix = frame.starts_with("item ") ? "item " : "";
    frame.remove_prefix(prefix.size());
    capstan::runtime::JsonFilter filter(prefix.empty() ? some : *of_item, {});
    CHECK(filter.Feed(frame).has_value());
    CHECK_EQ(CanonicalFrame(got.frames[i]).value_or("?"),
             prefix + CanonicalFrame({filter.frame(), filter.frame_size()}).value_or("?"));
  }
}

void CheckRequest(std::string_view body) {
  const auto json = apiserver::JsonFromProtobuf(body);
  if (!json) {
    CHECK(!json.error().empty());
    return;
  }
  std::string error;
  const auto object = apiserver::ParseJson(*json, &error);
  CHECK(object != nullptr) << error;
  const auto* const message =
      capstan::runtime::FindMessage(capstan::runtime::GetString(*object, "apiVersion"),
                                    capstan::runtime::GetString(*object, "kind"));
  if (message == nullptr) return;
  for (const std::string& warning : apiserver::DropUndecoded(message, *object)) {
    CHECK(warning.starts_with("duplicate field ")) << warning;
  }
  const auto wrong = apiserver::FindWrongType(*message, *object);
  CHECK(!wrong.has_value()) << *wrong;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Projection some = {{"metadata", "name"},
                                  {"metadata", "labels"},
                                  {"spec", "template"},
                                  {"spec", "containers", "image"},
                                  {"data", "a"},
                                  {"webhooks", "clientConfig"},
                                  {"spec", "versions", "schema"}};
  static const Projection event = {
      {"type"}, {"object", "metadata"}, {"object", "spec", "replicas"}};
  static const Projection list = {{"metadata"}, {"items", "metadata", "name"}, {"items", "spec"}};
  static const Projection of_item = {{"metadata", "name"}, {"spec"}};
  static const Projection identity = {{"kind"}, {"metadata", "name"}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckRequest(text);
  if (text.empty()) return 0;
  const auto& [version, kind] = kKinds[data[0] % kKinds.size()];
  const std::string_view raw = text.substr(1);
  const std::string object = Envelope(version, kind, raw);
  CheckRequest(object);

  constexpr auto kBody = ProtobufFilter::Stream::kBody;
  Compare(some, kBody, {}, object);
  Compare(some, kBody, {}, text);
  const std::string items = Envelope(version, std::string(kind) + "List", raw);
  Compare(list, kBody, {.framing = FrameFilter::Framing::kList}, items, &of_item);
  const std::string events = WatchEvent("ADDED", object) + WatchEvent("MODIFIED", object);
  Compare(event, ProtobufFilter::Stream::kWatch, {}, events);
  Compare(event, ProtobufFilter::Stream::kWatch, {}, text);
  static const Projection all = Projection::All();
  for (const FrameFilter::Framing framing :
       {FrameFilter::Framing::kDocument, FrameFilter::Framing::kList}) {
    Run(all, kBody,
        {.framing = framing, .frame_bytes_max = 48, .depth_max = 5, .identity = &identity},
        framing == FrameFilter::Framing::kList ? items : object);
  }
  return 0;
}
