// SPDX-License-Identifier: Apache-2.0
// HookCall is one call of a webhook that a request waits for: one for admission, conversion or
// authorization.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "clientgo/testing/apiserver/admission/webhooks.h"

namespace capstan::testing::apiserver {

// HookReply is the body of a response, or why there is none. The reason of a call of `webhook`
// begins with "failed to call webhook: ", unless it has no valid clientConfig.
using HookReply = tl::expected<std::string, std::string>;

struct HookCall {
  // Null: `send` makes the call, on a thread of the WebhookClient.
  std::shared_ptr<const Webhook> webhook = {};
  Clock::Duration timeout{0};
  // Returns the review with this uid.
  std::function<std::string(std::string_view uid)> body = {};
  // Takes the reply to it, on the server's thread.
  std::function<void(std::string_view uid, const HookReply& reply)> answer;
  std::function<HookReply(const std::stop_token& stop)> send = {};
};

}  // namespace capstan::testing::apiserver
