// SPDX-License-Identifier: Apache-2.0
// What the kinds with a CA bundle in them read in the same way. Internal to this folder.
// Pure functions, thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "clientgo/runtime/json_value.h"
#include "clientgo/util/error.h"
#include "clientgo/util/interner.h"

namespace clientgo::api {

// `holder`.caBundle as bytes; never nullptr, empty when there is none. `what` has it, for the
// error: "webhook \"w\"".
util::Expected<std::shared_ptr<const std::string>> DecodeCaBundle(const runtime::JsonValue* holder,
                                                                  std::string_view what,
                                                                  util::Interner& bundles);

// metadata.deletionTimestamp is set.
bool IsDeleting(const runtime::JsonValue& object);

}  // namespace clientgo::api
