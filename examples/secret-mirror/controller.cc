// SPDX-License-Identifier: Apache-2.0
#include "secret-mirror/controller.h"

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capstan/client.h"
#include "capstan/controller_util.h"
#include "capstan/log.h"
#include "secret-mirror/kinds.h"

namespace {

using capstan::Client;
using capstan::Err;
using capstan::Expected;
using capstan::Ptr;
using capstan::Request;
using capstan::Result;
using capstan::TypedObject;
using capstan::runtime::ObjectKey;

constexpr char kByGroup[] = "group";
constexpr char kBySource[] = "source";
constexpr char kFieldManager[] = "secret-mirror";

// Returns a copy of `source` in another namespace. Labels and annotations of the source are not
// copied, so that a copy is never a source.
Secret CopyOf(const Secret& source, const std::string& ns) {
  Secret copy;
  copy.metadata.name = source.metadata.name;
  copy.metadata.namespace_ = ns;
  copy.metadata.labels = {{kCopyLabel, "true"}};
  copy.metadata.annotations = {{kSourceAnnotation, capstan::KeyOf(source).String()}};
  copy.type = source.type;
  copy.data = source.data;
  return copy;
}

// Keeps the first error, so that one namespace does not keep the others from their copies.
void Add(Expected<void>& all, Expected<void> one) {
  if (all && !one) all = std::move(one);
}

class SecretMirror final : public capstan::Reconciler {
 public:
  SecretMirror(capstan::Manager& manager, Settings settings)
      : manager_(manager), settings_(std::move(settings)), secrets_(manager.client()) {}

  // `request` is a source, which may be gone.
  tl::expected<Result, capstan::ReconcileError> Reconcile(std::stop_token stop,
                                                          const Request& request) override {
    const auto source = ListerFor<SourceSecret>(manager_).Get(request.String());
    const std::set<std::string> namespaces = NamespacesOf(source);
    auto done = DeleteOthers(stop, request, namespaces);
    bool blocked = false;
    if (!namespaces.empty()) Add(done, Write(stop, *source, namespaces, blocked));
    if (!done) return tl::unexpected(capstan::ReconcileError{.error = std::move(done.error())});
    if (blocked) return Result{.requeue_after = settings_.retry};
    return Result{};
  }

 private:
  // Returns the namespaces that want a copy.
  std::set<std::string> NamespacesOf(const Ptr<SourceSecret>& source) const {
    std::set<std::string> names;
    if (source == nullptr || source->metadata.deletion_timestamp) return names;
    for (const auto& ns :
         ListerFor<Namespace>(manager_).ByIndex(kByGroup, source->metadata.labels.group)) {
      const bool own = ns->name() == source->namespace_();
      if (!own && !ns->metadata.deletion_timestamp) names.emplace(ns->name());
    }
    return names;
  }

  // Deletes the copies in other namespaces.
  Expected<void> DeleteOthers(const std::stop_token& stop, const Request& source,
                              const std::set<std::string>& namespaces) {
    Expected<void> all;
    for (const auto& copy : ListerFor<SecretCopy>(manager_).ByIndex(kBySource, source.String())) {
      if (!namespaces.contains(std::string(copy->namespace_()))) Add(all, Delete(stop, *copy));
    }
    return all;
  }

  Expected<void> Delete(const std::stop_token& stop, const TypedObject<SecretCopy>& copy) {
    // The version is a precondition: the Secret is still a copy.
    auto deleted = capstan::IgnoreNotFound(secrets_.Delete(
        stop, KeyOf(copy), {.uid = copy.uid(), .resource_version = copy.resource_version()}));
    if (!deleted) return deleted;
    capstan::InfoS("Deleted copy", "secret", copy.key());
    return {};
  }

  // Writes the copies that are missing or differ. `blocked` becomes true if a Secret that is no
  // copy of this source has the name of one.
  Expected<void> Write(const std::stop_token& stop, const TypedObject<SourceSecret>& source,
                       const std::set<std::string>& namespaces, bool& blocked) {
    Expected<void> all;
    std::optional<Secret> whole;  // is read once, if at all
    for (const std::string& ns : namespaces) {
      const auto copy =
          ListerFor<SecretCopy>(manager_).Get(ObjectKey{ns, std::string(source.name())}.String());
      const bool ours = copy != nullptr && copy->metadata.annotations.source == source.key();
      if (ours && copy->type == source.type && copy->data == source.data) continue;
      if (ours && copy->type != source.type) {
        // The type of a Secret cannot be changed. The deletion comes back as an event.
        Add(all, Delete(stop, *copy));
        continue;
      }
      if (!whole) {
        auto found = secrets_.Get(stop, KeyOf(source));
        if (!found) {
          Add(all, capstan::IgnoreNotFound(found));
          return all;
        }
        // A newer version may be of another group. It comes back as an event.
        if ((*found)->resource_version() != source.resource_version()) return all;
        whole = **found;
      }
      Secret wanted = CopyOf(*whole, ns);
      if (ours) wanted.metadata.resource_version = copy->resource_version();
      Add(all, WriteCopy(stop, source, wanted, blocked));
    }
    return all;
  }

  // Updates the copy at its version. A copy without a version is created.
  Expected<void> WriteCopy(const std::stop_token& stop, const TypedObject<SourceSecret>& source,
                           const Secret& wanted, bool& blocked) {
    const std::string key = capstan::KeyOf(wanted).String();
    auto written = wanted.metadata.resource_version.empty()
                       ? secrets_.Create(stop, wanted, {.field_manager = kFieldManager})
                       : secrets_.Update(stop, wanted, {.field_manager = kFieldManager});
    if (!written && capstan::IsAlreadyExists(written.error())) {
      manager_.events().Event(ReferenceTo(source), "Warning", "SecretExists",
                              "Secret " + key + " exists and is not a copy of this one");
      blocked = true;
      return {};
    }
    if (!written) return Err(std::move(written.error()));
    capstan::InfoS("Wrote copy", "secret", key, "source", source.key());
    // Otherwise the next reconciliation could take the copy for a Secret of another owner.
    return capstan::WaitForCacheVersion<SecretCopy>(stop, manager_, **written);
  }

  capstan::Manager& manager_;
  const Settings settings_;
  const Client<Secret> secrets_;
};

}  // namespace

capstan::cache::FactoryOptions CacheOptions(const Settings& settings) {
  return {.by_object = {{&capstan::TypeOf<SourceSecret>(),
                         {.namespaces = settings.source_namespaces, .label_selector = kGroupLabel}},
                        {&capstan::TypeOf<SecretCopy>(), {.label_selector = kCopyLabel}},
                        {&capstan::TypeOf<Namespace>(), {.label_selector = kGroupLabel}}}};
}

Expected<capstan::Controller*> AddSecretMirror(capstan::Manager& manager, Settings settings) {
  const auto group = [](const auto& object) { return object.metadata.labels.group; };
  const auto source = [](const SecretCopy& copy) { return copy.metadata.annotations.source; };
  for (auto indexed : {AddIndexFor<SourceSecret>(manager, kByGroup, group),
                       AddIndexFor<Namespace>(manager, kByGroup, group),
                       AddIndexFor<SecretCopy>(manager, kBySource, source)}) {
    if (!indexed) return Err(std::move(indexed.error()));
  }
  return ControllerFor<SourceSecret>(manager)
      .Watches<SecretCopy>([](const SecretCopy& copy) -> std::optional<Request> {
        const std::string& key = copy.metadata.annotations.source;
        const std::size_t slash = key.find('/');
        if (slash == std::string::npos) return std::nullopt;
        return Request{key.substr(0, slash), key.substr(slash + 1)};
      })
      .Watches<Namespace>([&manager](const Namespace& ns) {
        std::vector<Request> requests;
        for (const auto& secret :
             ListerFor<SourceSecret>(manager).ByIndex(kByGroup, ns.metadata.labels.group)) {
          requests.push_back(Request::For(KeyOf(*secret)));
        }
        return requests;
      })
      .Named("secret-mirror")
      .Reconcile(std::make_unique<SecretMirror>(manager, std::move(settings)));
}
