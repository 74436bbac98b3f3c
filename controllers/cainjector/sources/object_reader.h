// SPDX-License-Identifier: Apache-2.0
// ObjectReader reads one object that a target names: from a cache, from the API server, or from the
// first that has it. Sources read only through it, so they do not depend on what is cached.
// Implementations are thread-safe. Mirrors controller-runtime's client.Reader.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cache/informer_factory.h"
#include "capstan/cache/informer_view.h"
#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/runtime/object.h"
#include "controllers/cainjector/rules/reason.h"
#include "controllers/resolver/resolver.h"

namespace capstan::cainjector {

class ObjectReader {
 public:
  struct Found {
    runtime::ObjectPtr object = {};  // null: it does not exist
    bool watched = true;             // as in Failure
  };
  virtual ~ObjectReader() = default;
  // May block for a request, until `stop`. The failure is why the object cannot be read.
  // REQUIRES: the key consists of possible names.
  virtual tl::expected<Found, Failure> Get(std::stop_token stop, const runtime::ObjectKey& key) = 0;
};

// InformerSet is the InformerView of the scopes of one kind that are watched, with what readiness
// needs. It may be empty. Made before the informers start.
class InformerSet {
 public:
  // `informers`, `type` and `clock` outlive it.
  InformerSet(cache::SharedInformerFactory& informers, const runtime::ResourceType& type,
              const std::vector<cache::Scope>& scopes, Clock& clock);

  const runtime::ResourceType& type() const { return type_; }
  const std::vector<cache::SharedInformer*>& informers() const;
  // REQUIRES: not empty.
  const cache::InformerView& view() const { return *view_; }
  void AddIndex(const std::string& name, const cache::IndexFunc& index);

  // Returns an error when an informer is not synced. Its text is for Events: it stays the same as
  // long as the cause does.
  Expected<void> Available() const;
  // Returns the same error with all details, for /readyz.
  Expected<void> CheckSynced() const;
  // Returns WhyBehind of the first informer that is behind.
  std::string WhyBehind() const;
  // Returns true when the API server does not serve the kind.
  bool NotServed() const;

  // As those of cache::StoreReader.
  runtime::ObjectPtr GetByKey(std::string_view key) const;
  std::vector<runtime::ObjectPtr> ByIndex(std::string_view name, std::string_view value) const;

 private:
  const runtime::ResourceType& type_;
  Clock& clock_;
  std::optional<cache::InformerView> view_;
};

// StoreObjectReader reads informers that hold every object of their kind. It sends no requests.
class StoreObjectReader final : public ObjectReader {
 public:
  // `informers` outlives this.
  explicit StoreObjectReader(const InformerSet& informers) : informers_(informers) {}
  tl::expected<Found, Failure> Get(std::stop_token stop, const runtime::ObjectKey& key) override;

 private:
  const InformerSet& informers_;
};

// ResolverObjectReader uses a resolver, at the cost of a request for each object that is in no
// cache.
class ResolverObjectReader final : public ObjectReader {
 public:
  // `kind` is for errors. `is_watched` returns true when changes of the object "namespace/name" are
  // events. Empty: those of none are.
  ResolverObjectReader(std::string kind, std::unique_ptr<resolver::ObjectResolver> resolver,
                       std::function<bool(std::string_view key)> is_watched = {})
      : kind_(std::move(kind)),
        resolver_(std::move(resolver)),
        is_watched_(std::move(is_watched)) {}
  tl::expected<Found, Failure> Get(std::stop_token stop, const runtime::ObjectKey& key) override;

 private:
  const std::string kind_;
  const std::unique_ptr<resolver::ObjectResolver> resolver_;
  const std::function<bool(std::string_view key)> is_watched_;
};

}  // namespace capstan::cainjector
