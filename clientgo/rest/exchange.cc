// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/exchange.h"

#include <utility>

namespace clientgo::rest {
namespace {

class Response final : public HttpResponse {
 public:
  Response(std::stop_token stop, std::shared_ptr<Exchange> exchange, std::function<void()> abort)
      : exchange_(std::move(exchange)),
        abort_(std::move(abort)),
        stop_(std::move(stop)),
        on_stop_(stop_, [this] { abort_(); }) {}
  ~Response() override {
    exchange_->body().Close();
    if (!exchange_->ended()) abort_();
  }

  util::Expected<void> AwaitHead() {
    auto head = exchange_->AwaitHead(stop_);
    if (!head) return util::Err(std::move(head.error()));
    head_ = std::move(*head);
    return {};
  }

  int status() const override { return head_.status; }
  const Headers& headers() const override { return head_.headers; }
  util::Expected<std::string_view> Read() override { return exchange_->body().Read(stop_); }

 private:
  const std::shared_ptr<Exchange> exchange_;
  const std::function<void()> abort_;
  const std::stop_token stop_;
  Exchange::Head head_;
  const std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace

void Exchange::OnHead(Head head) {
  util::MutexLock lock(mu_);
  head_ = std::move(head);
  changed_.NotifyAll();
}

void Exchange::OnEnd() {
  {
    util::MutexLock lock(mu_);
    ended_ = true;
  }
  body_.End();
}

void Exchange::OnFailure(util::Error error) {
  {
    util::MutexLock lock(mu_);
    error_ = error;
    changed_.NotifyAll();
  }
  body_.Fail(std::move(error));
}

util::Expected<Exchange::Head> Exchange::AwaitHead(const std::stop_token& stop) {
  util::MutexLock lock(mu_);
  const auto ready = [&]() REQUIRES(mu_) { return head_ || error_; };
  const bool woken = changed_.Wait(mu_, stop, ready);
  if (!woken || stop.stop_requested()) {
    return util::Err(util::ErrorReason::kCanceled, "the request was canceled");
  }
  if (head_) return std::move(*head_);
  return util::Err(*error_);
}

bool Exchange::ended() const {
  util::MutexLock lock(mu_);
  return ended_;
}

util::Expected<std::unique_ptr<HttpResponse>> AwaitResponse(std::stop_token stop,
                                                            std::shared_ptr<Exchange> exchange,
                                                            std::function<void()> abort) {
  auto response =
      std::make_unique<Response>(std::move(stop), std::move(exchange), std::move(abort));
  auto head = response->AwaitHead();
  if (!head) return util::Err(std::move(head.error()));
  return response;
}

}  // namespace clientgo::rest
