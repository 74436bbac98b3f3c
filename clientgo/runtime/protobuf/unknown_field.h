// SPDX-License-Identifier: Apache-2.0
// UnknownField finds a field that is declared and that the kind does not have. Pure.
#pragma once

#include <string>

#include "capstan/export.h"
#include "capstan/runtime/projection.h"
#include "clientgo/runtime/protobuf/api_types.h"

namespace capstan::runtime {

// Returns the first path of the projection that the message lacks, as "spec.replica"; empty: it has
// all of them.
CAPSTAN_EXPORT_INTERNAL std::string UnknownField(const Message& message,
                                                 const Projection::Node& object);

}  // namespace capstan::runtime
