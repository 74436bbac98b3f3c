// SPDX-License-Identifier: Apache-2.0
// FieldTarget is a target whose kind and fields the configuration names (additionalTargets): any
// kind with CA bundles in string fields. Immutable, so thread-safe. Has no upstream.
//
// The parent of each field that exists is a place for a bundle. Only annotations are cached, and an
// object is read when it is reconciled. Bundles are written by a JSON patch
// that names the version that was read: many lists in custom resources are atomic, so a server-side
// apply of one field would replace all of the list.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/runtime/resource_type.h"
#include "controllers/cainjector/rules/field_path.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cainjector {

enum class FieldEncoding {
  kBase64,  // as caBundle of a webhook: base64 of PEM
  kPem,
};

struct FieldTargetOptions {
  runtime::GroupVersionResource gvr;
  std::string kind;
  bool namespaced = true;
  std::vector<FieldPath> fields = {};  // at least one, none twice
  FieldEncoding encoding = FieldEncoding::kBase64;
};

// Returns kInvalidArgument for a kind that must not be written this way: Secrets, and the kinds
// with a flag of their own.
Expected<void> CheckFieldTarget(const FieldTargetOptions& options);

struct FieldTarget {
  explicit FieldTarget(FieldTargetOptions the_options);

  const FieldTargetOptions options;
  const Target target;
};
using FieldTargetPtr = std::shared_ptr<const FieldTarget>;

}  // namespace capstan::cainjector
