// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/protobuf/protobuf_filter.h"

#include <string>
#include <string_view>

#include "e2e/oracles/modes.h"

namespace e2e::oracles {

// The input is an object in its envelope. Unlike in a client, nothing is dropped, and the depth has
// no limit.
std::string ReadProtobuf(std::string_view input) {
  static const auto all = capstan::runtime::Projection::All();
  constexpr std::size_t kNoLimit = 64U << 20U;
  capstan::runtime::ProtobufFilter filter(all, capstan::runtime::ProtobufFilter::Stream::kBody,
                                          {.frame_bytes_max = kNoLimit, .depth_max = kNoLimit});
  std::string object;
  while (!input.empty()) {
    const auto taken = filter.Feed(input);
    if (!taken) return std::string(kRefused) + ": " + taken.error().message;
    if (filter.HasFrame()) object.assign(filter.frame(), filter.frame_size());
    input.remove_prefix(*taken);
  }
  const auto finished = filter.Finish();
  if (!finished) return std::string(kRefused) + ": " + finished.error().message;
  return object.empty() ? std::string(kRefused) : object;
}

}  // namespace e2e::oracles
