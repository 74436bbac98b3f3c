// SPDX-License-Identifier: Apache-2.0
#include "capstan/log.h"
#include "controllers/runtime/webhook/admission_review.h"
#include "controllers/runtime/webhook/endpoints.h"
#include "controllers/runtime/webhook/recover.h"

namespace capstan::webhook {
namespace {

constexpr int kBadRequest = 400;

HttpAnswer Rejected(std::string_view path, const Error& error) {
  ErrorS(error, "Bad request", "webhook", path);
  return {.body = EncodeAdmissionReview({}, Errored(kBadRequest, error))};
}

class AdmissionReviews {
 public:
  AdmissionReviews(std::string path, AdmissionHandler handler, WebhookMetrics* metrics)
      : path_(std::move(path)), handler_(std::move(handler)), metrics_(metrics) {}

  HttpAnswer operator()(const rest::CallOptions& call, const HttpBody& body) const {
    if (const auto usable = CheckReviewBody(body.content_type, body.body); !usable) {
      return Rejected(path_, usable.error());
    }
    const auto request = DecodeAdmissionReview(body.body);
    if (!request) return Rejected(path_, request.error());
    const AdmissionResponse response = Handle(call, *request);
    V(5).InfoS("Answered a request", "webhook", path_, "kind", request->kind.kind, "namespace",
               request->namespace_, "name", request->name, "operation",
               ToString(request->operation), "allowed", response.allowed, "code", response.code);
    return {.body = EncodeAdmissionReview(request->uid, response)};
  }

 private:
  AdmissionResponse Handle(const rest::CallOptions& call, const AdmissionRequest& request) const {
    AdmissionContext context(call, request);
    AdmissionResponse response;
    if (const auto panic = Recover([&] { response = handler_(context, request); })) {
      if (metrics_ != nullptr) metrics_->OnPanic();
      ErrorS("Observed a panic in webhook", "webhook", path_, "panic", *panic);
      response = Errored(kInternalError, {.reason = ErrorReason::kInternalError,
                                          .message = "panic: " + *panic + " [recovered]"});
    }
    return std::move(context).Complete(std::move(response));
  }

  const std::string path_;
  const AdmissionHandler handler_;
  WebhookMetrics* const metrics_;
};

}  // namespace

BodyHandler AdmissionEndpoint(std::string path, AdmissionHandler handler, WebhookMetrics* metrics) {
  return AdmissionReviews(std::move(path), std::move(handler), metrics);
}

}  // namespace capstan::webhook
