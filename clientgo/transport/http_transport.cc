// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http_transport.h"

#include "clientgo/util/text.h"

namespace clientgo::transport {

std::string_view FindHeader(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (util::EqualIgnoringCase(key, name)) return value;
  }
  return {};
}

}  // namespace clientgo::transport
