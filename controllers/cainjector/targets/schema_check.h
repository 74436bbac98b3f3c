// SPDX-License-Identifier: Apache-2.0
// SchemaCheck checks the fields of a FieldTarget against the kind's schema on the API server, so
// that a misspelt path is an error and not a target that nothing is ever written to. Has no
// upstream.
#pragma once

#include <chrono>
#include <optional>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/mutex.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/json_value.h"
#include "controllers/cainjector/targets/field_target.h"

namespace capstan::cainjector {

// Checks the fields against `openapi`, the OpenAPI v3 document of the kind's group and version. A
// field below x-kubernetes-preserve-unknown-fields is accepted. kNotFound: the document has no such
// kind. kInvalidArgument: one line that names the kind, the path, and the nearest field.
Expected<void> CheckSchema(const FieldTargetOptions& fields, const runtime::JsonValue& openapi);

// How long the outcome of a failed check counts.
inline constexpr std::chrono::seconds kSchemaPeriod(10);

// Thread-safe.
class SchemaCheck {
 public:
  // All outlive it.
  SchemaCheck(rest::Client& client, const FieldTargetOptions& fields, Clock& clock)
      : client_(client), fields_(fields), clock_(clock) {}

  // Reads the schema and checks the fields, until that has succeeded once. The errors are those of
  // CheckSchema and of the request, and stay for kSchemaPeriod: a document may have megabytes, and
  // many objects wait for it. The check succeeds with a warning when RBAC denies the schema.
  Expected<void> Run(const rest::CallOptions& call);

 private:
  Expected<void> Check(const rest::CallOptions& call) const;

  rest::Client& client_;
  const FieldTargetOptions& fields_;
  Clock& clock_;
  Mutex mu_;
  std::optional<Expected<void>> last_ CAPSTAN_GUARDED_BY(mu_);
  Clock::TimePoint checked_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::cainjector
