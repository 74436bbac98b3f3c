// SPDX-License-Identifier: Apache-2.0
// HookCall is one call of a webhook that a request waits for, of an admission webhook or of one for
// conversion.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "clientgo/testing/apiserver/admission/webhooks.h"

namespace capstan::testing::apiserver {

// HookReply is the body of a response, or why there is none. The reason begins with "failed to call
// webhook: ", unless the webhook has no valid clientConfig.
using HookReply = tl::expected<std::string, std::string>;

struct HookCall {
  std::shared_ptr<const Webhook> webhook;
  Clock::Duration timeout;
  // Returns the review with this uid.
  std::function<std::string(std::string_view uid)> body;
  // Takes the reply to it, on the server's thread.
  std::function<void(std::string_view uid, const HookReply& reply)> answer;
};

}  // namespace capstan::testing::apiserver
