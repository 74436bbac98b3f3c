// SPDX-License-Identifier: Apache-2.0
// Target: what differs from kind to kind among the objects that CA bundles are injected into: where
// the bundles are and how a write of them looks. Stateless, so thread-safe.
// Mirrors InjectTarget in cert-manager's pkg/controller/cainjector/injectors.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"

namespace controllers::cainjector {

class Target {
 public:
  virtual ~Target() = default;
  // What the cache holds. Objects given to the other methods are of this type.
  virtual const clientgo::runtime::ResourceType& type() const = 0;
  virtual std::optional<std::string_view> Annotation(const clientgo::runtime::Object& object,
                                                     std::string_view name) const = 0;
  virtual bool Deleting(const clientgo::runtime::Object& object) const = 0;
  // Every CA bundle of the object as PEM, empty ones included, in the object's order.
  virtual std::vector<std::string> Bundles(const clientgo::runtime::Object& object) const = 0;
  // The server-side apply configuration that makes Bundles() equal `bundles` and owns nothing else.
  // It names the object's uid: applied to an object deleted meanwhile it is a conflict, and does
  // not create it anew.
  virtual std::string ApplyConfiguration(const clientgo::runtime::Object& object,
                                         const std::vector<std::string>& bundles) const = 0;
};

}  // namespace controllers::cainjector
