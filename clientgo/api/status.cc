// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/status.h"

#include <memory>

namespace clientgo::api {

const runtime::ResourceType& Status::Type() {
  static const runtime::ResourceType type = {
      .gvr = {"", "v1", ""},
      .kind = "Status",
      .projection = {{"kind"}},
      .decode = [](const runtime::ObjectMeta& meta, const runtime::JsonValue&)
          -> util::Expected<runtime::ObjectPtr> { return runtime::MakeObject<Status>(meta); }};
  return type;
}

}  // namespace clientgo::api
