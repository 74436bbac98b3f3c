// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/why_unknown.h"

namespace controllers::readinessgate {
namespace {

using clientgo::util::ErrorReason;

std::string_view Words(ErrorReason reason) {
  switch (reason) {
    case ErrorReason::kUnauthorized:
      return "unauthorized";
    case ErrorReason::kForbidden:
      return "forbidden";
    case ErrorReason::kNotFound:
      return "not found";
    default:
      return ToString(reason);
  }
}

}  // namespace

std::string WhyUnknown(const clientgo::cache::SharedInformer& informer, std::string_view ns) {
  std::string what = informer.type().gvr.resource;
  if (!ns.empty()) what.append(" in namespace ").append(ns);
  const auto status = informer.Status();
  if (!IsDenied(status)) return what + " have not been read yet";
  return "cannot list " + what + ": " + std::string(Words(status.last_error->reason));
}

}  // namespace controllers::readinessgate
