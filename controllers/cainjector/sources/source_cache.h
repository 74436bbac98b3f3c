// SPDX-License-Identifier: Apache-2.0
// SourceCache: the informers of one kind of source, one for each namespace that is watched, read as
// one store. Says whether it can be trusted, and if not, why. Thread-safe. Made before the
// informers start; mirrors controller-runtime's multi-namespace cache.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cache/informer_factory.h"
#include "clientgo/cache/store.h"
#include "clientgo/util/clock.h"

namespace controllers::cainjector {

class SourceCache final : public clientgo::cache::StoreReader {
 public:
  // `informers`, `type` and `clock` outlive it.
  SourceCache(clientgo::cache::SharedInformerFactory& informers,
              const clientgo::runtime::ResourceType& type,
              const std::vector<clientgo::cache::Scope>& watches, clientgo::util::Clock& clock);

  const clientgo::runtime::ResourceType& type() const { return type_; }
  const std::vector<clientgo::cache::SharedInformer*>& informers() const { return informers_; }
  void AddIndex(const std::string& name, const clientgo::cache::IndexFunc& index);

  // An error when one of the informers is not synced. Its text is the same as long as the reason
  // is: it goes into Events.
  clientgo::util::Expected<void> Available() const;
  // The same with all that is known now, for /readyz.
  clientgo::util::Expected<void> CheckSynced() const;
  // As runtime::WhyBehind, of the first that is.
  std::string WhyBehind() const;
  // The API server does not know the kind: nobody installed it.
  bool NotServed() const;

  clientgo::runtime::ObjectPtr GetByKey(std::string_view key) const override;
  std::vector<clientgo::runtime::ObjectPtr> List() const override;
  std::vector<std::string> ListKeys() const override;
  std::vector<clientgo::runtime::ObjectPtr> ByIndex(std::string_view name,
                                                    std::string_view value) const override;
  std::size_t Size() const override;
  std::size_t ByteSize() const override;

 private:
  const clientgo::runtime::ResourceType& type_;
  clientgo::util::Clock& clock_;
  std::vector<clientgo::cache::SharedInformer*> informers_;
};

}  // namespace controllers::cainjector
