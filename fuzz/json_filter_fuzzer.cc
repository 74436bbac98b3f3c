// SPDX-License-Identifier: Apache-2.0
// Tests JsonFilter on any bytes:
// - Frames and errors do not depend on how the stream is split.
// - It accepts a stream exactly when RapidJSON does.
// - It keeps the same fields as a projection of the DOM.
// - No frame is larger than its limit.
#include <glog/logging.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/runtime/json_filter.h"
#include "clientgo/runtime/testing/json_filter_frames.h"

namespace {

using capstan::runtime::CanonicalFrame;
using capstan::runtime::Frames;
using capstan::runtime::JsonFilter;
using capstan::runtime::OracleFrames;
using capstan::runtime::Projection;
using capstan::runtime::Recording;
using capstan::runtime::SingleBytes;
using capstan::runtime::Split;

Recording Run(const Projection& projection, JsonFilter::Options options, std::string_view stream) {
  Recording whole = Frames(projection, options, {stream});
  CHECK(Frames(projection, options, SingleBytes(stream)) == whole) << "by single bytes";
  CHECK(Frames(projection, options, Split(stream)) == whole) << "in pieces";
  for (const std::string& frame : whole.frames) {
    if (options.identity != nullptr) break;  // the frames may end with the name of a limit
    CHECK_LE(frame.size(), options.frame_bytes_max + sizeof "item");
  }
  return whole;
}

// Returns nullopt if the stream or one of its frames is not JSON.
std::optional<std::vector<std::string>> Canonical(const Recording& recording) {
  if (!recording.error.empty()) return std::nullopt;
  std::vector<std::string> frames;
  for (const std::string& frame : recording.frames) {
    auto canonical = CanonicalFrame(frame);
    if (!canonical) return std::nullopt;
    frames.push_back(std::move(*canonical));
  }
  return frames;
}

void Compare(const Projection& projection, JsonFilter::Framing framing, std::string_view stream) {
  const Recording recording = Run(projection, {.framing = framing}, stream);
  if (recording.error.find("nested deeper") != std::string::npos) return;
  const auto expected = OracleFrames(projection, framing, stream);
  const auto got = Canonical(recording);
  // Dropped fields are only scanned, so the filter may accept more than a parser does.
  if (!projection.root().keep_all && !expected) return;
  CHECK_EQ(got.has_value(), expected.has_value()) << recording.error;
  if (got) CHECK(*got == *expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Projection all = Projection::All();
  static const Projection some = {
      {"type"},   {"kind"},     {"object", "metadata", "name"}, {"metadata"},
      {"*", "x"}, {"\xc3\xa9"}, {"items", "metadata", "name"}};
  static const Projection identity = {{"kind"}, {"metadata", "name"}};
  const std::string_view stream(reinterpret_cast<const char*>(data), size);
  for (const Projection* projection : {&all, &some}) {
    Compare(*projection, JsonFilter::Framing::kDocument, stream);
    Compare(*projection, JsonFilter::Framing::kList, stream);
    Run(*projection, {.frame_bytes_max = 48, .input_bytes_max = 100, .depth_max = 5}, stream);
  }
  for (const auto framing : {JsonFilter::Framing::kDocument, JsonFilter::Framing::kList}) {
    Run(all, {.framing = framing, .frame_bytes_max = 48, .depth_max = 5, .identity = &identity},
        stream);
  }
  return 0;
}
