// SPDX-License-Identifier: Apache-2.0
// The flags about logging that Kubernetes' programs still accept and hide: klog's deprecated ones,
// and those of component-base that are alpha. Accepted, so that old arguments start; what they
// would change does not exist here.
#pragma once

#include <vector>

#include "cmd/flags/flag_set.h"

namespace cmd::flags {

std::vector<Flag> HiddenLogFlags();

}  // namespace cmd::flags
