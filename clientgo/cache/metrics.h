// SPDX-License-Identifier: Apache-2.0
// What informers report, as an interface: clientgo knows no metrics library. Implementations are
// thread-safe. Mirrors client-go's tools/cache metrics; the rest is capstan's.
#pragma once

#include <cstddef>
#include <string_view>

namespace clientgo::cache {

class MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  // `resource` is the plural name, "secrets", everywhere: a series is a resource, however many
  // informers (one a namespace, one a name) have a share in it. Here by how much a share changed.
  virtual void AddObjects(std::string_view resource, std::ptrdiff_t objects,
                          std::ptrdiff_t bytes) = 0;
  // Objects of which the cache lacks the newest version, since it cannot be decoded. By how much
  // the number changed, as above.
  virtual void AddUndecodableObjects(std::string_view resource, std::ptrdiff_t objects) = 0;
  virtual void OnWatchListFallback(std::string_view resource, std::string_view reason) = 0;
  virtual void OnList(std::string_view resource, bool success) = 0;
  virtual void OnWatchStarted(std::string_view resource) = 0;
  virtual void OnWatchError(std::string_view resource, std::string_view reason) = 0;
};

}  // namespace clientgo::cache
