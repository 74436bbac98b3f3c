// SPDX-License-Identifier: Apache-2.0
// The code of docs/library/from-client-go.md: a controller without a Manager. It is only compiled.
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "capstan/cache/informer_factory.h"
#include "capstan/client.h"
#include "capstan/clientcmd/config.h"
#include "capstan/kind.h"
#include "capstan/log.h"
#include "capstan/workqueue/queue.h"

struct Node {
  capstan::ObjectMeta metadata;
};
template <>
inline constexpr auto capstan::kKind<Node> =
    Kind("", "v1", "Node", "nodes").ClusterScoped().MetadataOnly();

namespace capstan::docs {

// Gives a Node the label that it should have.
Expected<void> SyncNode(rest::Client& client, const std::stop_token& stop, const Ptr<Node>& node) {
  if (node == nullptr) return {};  // it was deleted
  Node wanted = *node;             // objects of a cache are immutable
  wanted.metadata.labels["example.com/seen"] = "true";
  const Patch patch = MergeFrom(*node, wanted);
  if (patch.IsEmpty()) return {};
  auto patched = Client<Node>(client).Patch(stop, KeyOf(*node), patch, {.field_manager = "seen"});
  if (!patched && !IsNotFound(patched.error())) return Err(patched.error());
  return {};
}

Expected<void> RunController(const std::stop_token& stop) {
  auto config = clientcmd::LoadConfig({});
  if (!config) return Err(config.error());
  auto client = rest::Client::New(*std::move(config));
  if (!client) return Err(client.error());

  workqueue::RateLimitingQueue queue({.name = "nodes"});
  cache::SharedInformerFactory factory(**client, {});
  cache::SharedInformer& informer = factory.ForType(TypeOf<Node>());
  const auto enqueue = [&](const runtime::ObjectPtr& node) { queue.Add(std::string(node->key())); };
  auto handler = informer.AddEventHandler({
      .on_add = [&](const runtime::ObjectPtr& node, bool /*initial*/) { enqueue(node); },
      .on_update = [&](const runtime::ObjectPtr& /*old*/,
                       const runtime::ObjectPtr& node) { enqueue(node); },
      .on_delete = [&](const runtime::ObjectPtr& node, bool /*unknown*/) { enqueue(node); },
  });
  if (!handler) return Err(handler.error());
  const cache::Lister<TypedObject<Node>> nodes(informer.store());

  factory.Start(stop);
  if (!factory.WaitForCacheSync(stop)) return {};
  while (const auto next = queue.GetWithPriority(stop)) {
    const std::string& key = next->item;
    if (auto synced = SyncNode(**client, stop, nodes.Get(key)); synced) {
      queue.Forget(key);
    } else {
      ErrorS(synced.error(), "Failed to sync", "node", key);
      queue.AddRateLimited(key);
    }
    queue.Done(key);
  }
  factory.Shutdown();
  return {};
}

}  // namespace capstan::docs
