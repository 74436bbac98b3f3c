// SPDX-License-Identifier: Apache-2.0
// The kinds of Kubernetes that need little or no behaviour of their own: a row each in the table of
// built-in kinds. Those with more are in kinds.cc.
#pragma once

#include <span>

#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

std::span<const Resource> StoredKinds();

}  // namespace capstan::testing::apiserver
