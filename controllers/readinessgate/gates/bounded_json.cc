// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/bounded_json.h"

#include <string>

namespace controllers::readinessgate {

using clientgo::util::Err;
using clientgo::util::ErrorReason;

clientgo::util::Expected<const clientgo::runtime::JsonValue*> BoundedJson::Parse(
    std::string_view text) {
  if (text.size() > bytes_max_) {
    return Err(ErrorReason::kDecode, "it is longer than " + std::to_string(bytes_max_) + " bytes");
  }
  const auto taken = filter_.Feed(text);
  if (!taken) return Err(taken.error());
  if (!filter_.HasFrame()) {
    if (const auto finished = filter_.Finish(); !finished) return Err(finished.error());
    if (!filter_.HasFrame()) return Err(ErrorReason::kDecode, "it is empty");
  }
  if (text.find_first_not_of(" \t\r\n", *taken) != std::string_view::npos) {
    return Err(ErrorReason::kDecode,
               "something follows the JSON at byte " + std::to_string(*taken));
  }
  return parser_.ParseInsitu(filter_.frame(), filter_.frame_size());
}

}  // namespace controllers::readinessgate
