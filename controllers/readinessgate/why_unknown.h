// SPDX-License-Identifier: Apache-2.0
// WhyUnknown tells a pod's author why a gate cannot know what is in a cache. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/cache/shared_informer.h"

namespace controllers::readinessgate {

// "cannot list configmaps in namespace a: forbidden" while the API server denies it (IsDenied),
// otherwise "configmaps in namespace a have not been read yet". The text stays the same while the
// cause does, and has nothing of the server's own text. `ns`: the informer's namespace, or empty.
std::string WhyUnknown(const clientgo::cache::SharedInformer& informer, std::string_view ns = {});

}  // namespace controllers::readinessgate
