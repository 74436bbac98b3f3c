// SPDX-License-Identifier: Apache-2.0
// The names of clientgo/util/error.h that a controller's author writes, in the namespace capstan.
#pragma once

#include "capstan/clientgo/util/error.h"

namespace capstan {

using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::IsAlreadyExists;
using clientgo::util::IsAmbiguous;
using clientgo::util::IsConflict;
using clientgo::util::IsForbidden;
using clientgo::util::IsInvalid;
using clientgo::util::IsNoMatch;
using clientgo::util::IsNotFound;

}  // namespace capstan
