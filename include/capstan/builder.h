// SPDX-License-Identifier: Apache-2.0
// ControllerFor declares a Controller: the kind that it reconciles, and what else makes it
// reconcile. The Manager owns the Controller and starts it.
//
// The Controller reconciles nothing before the caches of ControllerFor, Owns and Watches are
// synced. It does not wait for a cache that only ListerFor uses. Two caches are not ordered against
// each other: one may have a newer state of the server than the other.
//
//   auto built = ControllerFor<Foo>(manager)
//                    .Owns<Deployment>(OnGenerationChange())
//                    .Watches<ConfigMap>([](const ConfigMap& map) { return FoosOf(map); })
//                    .Reconcile([&](std::stop_token stop, const Request& request) -> Expected<void>
//                    {
//                      const Ptr<Foo> foo = foos.Get(request.String());  // a Lister
//                      ...
//                    });
//
// A kind is a struct with a declaration (include/capstan/kind.h), or a class derived from
// runtime::Object with a static Type(). Its objects come from the Manager's caches, in all
// namespaces of their options. Call everything before Manager::Start, from one thread.
//
// A Controller may also reconcile the objects of another Cluster (ControllerFor<Foo>(manager,
// cluster)), or those of all Clusters that come and go (EngageClusters). Request::cluster says
// which one.
//
// Mirrors controller-runtime's pkg/builder and pkg/handler, and multicluster-runtime's builder.
// Differs: no scheme and no RESTMapper, because a kind declares where it is.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "capstan/cache/store.h"
#include "capstan/cluster.h"
#include "capstan/controller.h"
#include "capstan/detail/uses.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/manager.h"
#include "capstan/object_meta.h"
#include "capstan/predicate.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/typed_object.h"

namespace capstan {

// WatchedKind is the class and the type of the objects of T in a cache.
template <class T>
struct WatchedKind {
  using Object = TypedObject<T>;
  static const runtime::ResourceType& Type() {
    detail::MarkRequest<T, "list watch">();
    return TypeOf<T>();
  }
};

// MatchEveryOwner as the first argument of Owns: all owners of the kind are reconciled, and not
// only the controller.
struct CAPSTAN_EXPORT MatchEveryOwner {};

// Returns the owners with the group and kind of `owner`, in any version: the controller, or with
// `every` all of them. `ns` is the namespace of the object which has the references. Mirrors
// handler.EnqueueRequestForOwner.
CAPSTAN_EXPORT std::vector<Request> RequestsForOwners(const std::vector<OwnerReference>& references,
                                                      std::string_view ns,
                                                      const runtime::ResourceType& owner,
                                                      bool every);

namespace detail {

template <class T>
std::vector<T> ToVector(std::vector<T> items) {
  return items;
}
template <class T>
std::vector<T> ToVector(T item) {
  return {std::move(item)};
}
template <class T>
std::vector<T> ToVector(std::optional<T> item) {
  if (!item) return {};
  return {*std::move(item)};
}

// A map may also return ObjectKeys.
inline std::vector<Request> ToRequests(std::vector<Request> requests) { return requests; }
inline std::vector<Request> ToRequests(std::vector<runtime::ObjectKey> keys) {
  std::vector<Request> requests;
  requests.reserve(keys.size());
  for (auto& key : keys) requests.push_back(Request::For(std::move(key)));
  return requests;
}
template <class T>
std::vector<Request> ToRequests(std::optional<T> item) {
  return ToRequests(ToVector<T>(std::move(item)));
}
inline std::vector<Request> ToRequests(Request request) { return {std::move(request)}; }
inline std::vector<Request> ToRequests(runtime::ObjectKey key) {
  return ToRequests(std::vector{std::move(key)});
}

}  // namespace detail

// FunctionReconciler is a Reconciler that calls a function. The function returns one of
// tl::expected<Result, ReconcileError>, Expected<Result>, Expected<void>, Result and void. A lambda
// that returns an error in one place and a Result in another needs a return type:
// [](std::stop_token stop, const Request& request) -> Expected<Result> { ... }
template <class F>
requires std::is_invocable_v<F&, std::stop_token, const Request&>
class FunctionReconciler final : public Reconciler {
 public:
  explicit FunctionReconciler(F function) : function_(std::move(function)) {}

  tl::expected<Result, ReconcileError> Reconcile(std::stop_token stop,
                                                 const Request& request) override {
    using Returned = std::remove_cvref_t<std::invoke_result_t<F&, std::stop_token, const Request&>>;
    constexpr bool kIsAnswer = std::same_as<Returned, Answer> || std::same_as<Returned, Result> ||
                               std::same_as<Returned, Expected<Result>> ||
                               std::same_as<Returned, Expected<void>>;
    static_assert(std::is_void_v<Returned> || kIsAnswer,
                  "the function of Reconcile() returns Expected<void>, Expected<Result>, Result, "
                  "tl::expected<Result, ReconcileError> or nothing: give the lambda one of them as "
                  "its return type, -> capstan::Expected<capstan::Result>");
    if constexpr (std::is_void_v<Returned>) {
      function_(std::move(stop), request);
      return Result{};
    } else if constexpr (kIsAnswer) {
      return ToAnswer(function_(std::move(stop), request));
    }
  }

 private:
  using Answer = tl::expected<Result, ReconcileError>;
  static Answer ToAnswer(Answer answer) { return answer; }
  static Answer ToAnswer(Result result) { return result; }
  static Answer ToAnswer(Expected<Result> result) {
    if (result) return *result;
    return tl::unexpected(ReconcileError{.error = std::move(result.error())});
  }
  static Answer ToAnswer(Expected<void> result) {
    if (result) return Result{};
    return tl::unexpected(ReconcileError{.error = std::move(result.error())});
  }

  F function_;
};

struct CAPSTAN_EXPORT EngageOptions {
  bool local_cluster = false;  // also the Manager's own Cluster
};

class CAPSTAN_EXPORT ControllerBuilder {
 public:
  // For a kind that is known at run time only, in a Cluster of the Manager. `type` outlives the
  // Manager.
  ControllerBuilder(Manager& manager, Cluster& cluster, const runtime::ResourceType& type,
                    cache::Predicate predicate = {});
  // The same in the Manager's own Cluster.
  ControllerBuilder(Manager& manager, const runtime::ResourceType& type,
                    cache::Predicate predicate = {})
      : ControllerBuilder(manager, manager, type, std::move(predicate)) {}
  ControllerBuilder(Manager& manager, const runtime::ResourceType&& type,
                    cache::Predicate predicate = {}) = delete;

  // Reconciles the object that owns a T as its controller, after the events of the T that all
  // predicates accept. T keeps metadata.owner_references.
  template <class T, class... P>
  ControllerBuilder& Owns(P... predicates) {
    return AddOwned<T>(/*every=*/false, std::move(predicates)...);
  }
  template <class T, class... P>
  ControllerBuilder& Owns(MatchEveryOwner /*every*/, P... predicates) {
    return AddOwned<T>(/*every=*/true, std::move(predicates)...);
  }

  // Reconciles what `map` returns for a T: a std::vector<Request>, a std::optional<Request> or a
  // Request. It gets the new and the old object of an update, and must not block. A Request without
  // a cluster is for the Cluster of the Controller; with EngageClusters, for that of the object.
  template <class T, class Map, class... P>
  requires(!std::derived_from<Map, Cluster>) ControllerBuilder& Watches(Map map, P... predicates) {
    return Watches(WatchedKind<T>::Type(), ToMapFunc<T>(std::move(map)),
                   AllOf<typename WatchedKind<T>::Object>(std::move(predicates)...));
  }
  // The same for a T in another Cluster of the Manager. A Request without a cluster is for the
  // Cluster of the Controller, whose workers do not start before this cache is synced.
  template <class T, class Map, class... P>
  ControllerBuilder& Watches(Cluster& cluster, Map map, P... predicates) {
    return Watches(cluster, WatchedKind<T>::Type(), ToMapFunc<T>(std::move(map)),
                   AllOf<typename WatchedKind<T>::Object>(std::move(predicates)...));
  }
  // For a kind that is known at run time only. `type` outlives the Manager.
  ControllerBuilder& Watches(const runtime::ResourceType& type, MapFunc map,
                             cache::Predicate predicate = {});
  ControllerBuilder& Watches(Cluster& cluster, const runtime::ResourceType& type, MapFunc map,
                             cache::Predicate predicate = {});
  // For events of another source. `channel` outlives the Manager.
  ControllerBuilder& Watches(Channel& channel, MapFunc map);

  // Reconciles the objects of all Clusters that Manager::AddCluster adds, before or after Start,
  // until RemoveCluster. The kinds of the declaration are watched in each of them, except those for
  // which it names a Cluster. An unreachable Cluster, also the Manager's own, does not delay the
  // others, unless the declaration names it. Mirrors EngageWithProviderClusters and
  // EngageWithLocalCluster of multicluster-runtime.
  ControllerBuilder& EngageClusters(EngageOptions options = {});

  // What is not set here (metrics, server, the clock) is that of the Manager.
  ControllerBuilder& WithOptions(ControllerOptions options);
  // By default the name is the kind in lower case.
  ControllerBuilder& Named(std::string name);

  // Adds the Controller to the Manager, which owns it. `reconciler` outlives the Manager. The error
  // is one line with the controller and what is wrong with its declaration.
  Expected<Controller*> Reconcile(Reconciler& reconciler);
  Expected<Controller*> Reconcile(std::unique_ptr<Reconciler> reconciler);
  // The same with a function: see FunctionReconciler. It may take the Manager as its first
  // argument: (Manager&, std::stop_token, const Request&). With several workers it runs on several
  // threads.
  template <class F>
  requires(!std::derived_from<std::remove_cvref_t<F>, Reconciler> &&
           !std::convertible_to<F, std::unique_ptr<Reconciler>>)
      Expected<Controller*> Reconcile(F function) {
    if constexpr (std::is_invocable_v<F&, Manager&, std::stop_token, const Request&>) {
      return Reconcile([&manager = manager_, function = std::move(function)](
                           std::stop_token stop, const Request& request) mutable {
        return function(manager, std::move(stop), request);
      });
    } else {
      constexpr bool kIsFunction = std::is_invocable_v<F&, std::stop_token, const Request&>;
      static_assert(kIsFunction,
                    "Reconcile() takes a Reconciler, or a function of (std::stop_token, const "
                    "Request&)");
      if constexpr (kIsFunction) {
        return Reconcile(std::unique_ptr<Reconciler>(
            std::make_unique<FunctionReconciler<F>>(std::move(function))));
      }
    }
  }

  // The same as Reconcile, for a function that returns Expected<void> and does not need the
  // Controller. Mirrors builder.Complete.
  template <class R>
  Expected<void> Complete(R&& reconciler) {
    return Reconcile(std::forward<R>(reconciler)).map([](const Controller* /*added*/) {});
  }

  // Returns the conjunction of predicates (predicate.h) for objects of the class T.
  template <class T, class... P>
  static cache::Predicate AllOf(P... predicates) {
    if constexpr (sizeof...(P) == 0) {
      return {};
    } else {
      return ForObjects<T>(And(std::move(predicates)...));
    }
  }

 private:
  struct Source {
    Cluster* cluster = nullptr;                   // null: that of the Controller
    const runtime::ResourceType* type = nullptr;  // null: `channel`
    Channel* channel = nullptr;
    MapFunc map = {};
    cache::Predicate predicate = {};
  };

  template <class T, class Map>
  static MapFunc ToMapFunc(Map map) {
    using Object = typename WatchedKind<T>::Object;
    constexpr bool kReturnsRequests = requires(const Map& function, const Object& object) {
      detail::ToRequests(function(object));
    };
    static_assert(kReturnsRequests,
                  "the map of Watches<T>() is a function of (const T&) that returns a Request, an "
                  "ObjectKey, or an optional or a vector of them");
    if constexpr (kReturnsRequests) {
      return [map = std::move(map)](const runtime::Object& object) {
        return detail::ToRequests(map(static_cast<const Object&>(object)));
      };
    }
    return {};
  }

  template <class T, class... P>
  ControllerBuilder& AddOwned(bool every, P... predicates) {
    using Object = typename WatchedKind<T>::Object;
    constexpr bool kKept = requires(const Object& object) {
      { object.metadata.owner_references } -> std::convertible_to<std::vector<OwnerReference>>;
    };
    static_assert(kKept,
                  "Owns<T>() needs metadata.owner_references: add the member "
                  "`capstan::ObjectMeta metadata` to the struct of T");
    MapFunc map;
    if constexpr (kKept) {
      map = [&owner = type_, every](const runtime::Object& object) {
        return RequestsForOwners(static_cast<const Object&>(object).metadata.owner_references,
                                 object.namespace_(), owner, every);
      };
    }
    const runtime::ResourceType& owned = WatchedKind<T>::Type();
    CheckOwned(owned);
    return Watches(owned, std::move(map), AllOf<Object>(std::move(predicates)...));
  }

  // Notes an error if objects of this type can never have this owner.
  void CheckOwned(const runtime::ResourceType& owned);
  ControllerOptions Options() const;
  Expected<void> Check(const std::string& name) const;
  Expected<Controller*> Add(std::unique_ptr<Controller> controller);
  void WatchSource(Controller& controller, const Source& source) const;
  MapFunc InOwnCluster(MapFunc map) const;
  // Lets the Controller watch `sources` in every Cluster.
  void Engage(Controller& controller, const std::vector<Source>& sources) const;
  // Notes an error unless the Cluster is one of the Manager. It then stays until the end.
  void Pin(Cluster& cluster);

  Manager& manager_;
  Cluster& cluster_;
  const runtime::ResourceType& type_;
  std::vector<Source> sources_;
  ControllerOptions options_;
  std::optional<EngageOptions> engage_;
  std::string name_;
  std::string error_;  // the first one
};

// Declares a Controller that reconciles the objects of T, in a Cluster of the Manager, after the
// events that all predicates accept.
template <class T, class... P>
ControllerBuilder ControllerFor(Manager& manager, Cluster& cluster, P... predicates) {
  return {manager, cluster, WatchedKind<T>::Type(),
          ControllerBuilder::AllOf<typename WatchedKind<T>::Object>(std::move(predicates)...)};
}
// The same in the Manager's own Cluster.
template <class T, class... P>
requires(!std::derived_from<P, Cluster> && ...) ControllerBuilder
    ControllerFor(Manager& manager, P... predicates) {
  return ControllerFor<T, P...>(manager, static_cast<Cluster&>(manager), std::move(predicates)...);
}

// Returns the objects of T in the cache of a Manager or of another Cluster. This call creates the
// cache if it is new. The Lister is valid as long as the Cluster. Reads never block; before the
// first list they find nothing, which the log reports. A Controller waits for this list only if it
// also watches T. A webhook may run before the list: call WaitForCacheSync first. Thread-safe.
template <class T>
cache::Lister<typename WatchedKind<T>::Object> ListerFor(Cluster& cluster) {
  return cache::Lister<typename WatchedKind<T>::Object>(
      cluster.informers().StoreFor(WatchedKind<T>::Type()));
}

namespace detail {

CAPSTAN_EXPORT Expected<void> WaitForCacheSync(const rest::CallOptions& call, Cluster& cluster,
                                               const runtime::ResourceType& type);
CAPSTAN_EXPORT Expected<void> WaitForCacheVersion(const rest::CallOptions& call, Cluster& cluster,
                                                  const runtime::ResourceType& type,
                                                  const runtime::Object& object);
CAPSTAN_EXPORT Expected<void> WaitForCacheDeletion(const rest::CallOptions& call, Cluster& cluster,
                                                   const runtime::ResourceType& type,
                                                   const runtime::Object& object);

}  // namespace detail

// Waits until the Cluster's cache of T, which this call creates if it is new, has its first list,
// so that ListerFor<T> finds what the server has. Returns at once afterwards. It is for code that a
// Controller does not start, such as a webhook, which runs before the caches are synced. Without a
// deadline in `call` it waits for at most 10 seconds of the Cluster's clock. The error says why the
// cache is not synced.
//
// An admission webhook should not wait for a kind that this program converts: the list needs the
// conversion webhook, which runs on the same threads. Mirrors the reads of controller-runtime's
// cache, which wait by themselves.
template <class T>
Expected<void> WaitForCacheSync(const rest::CallOptions& call, Cluster& cluster) {
  return detail::WaitForCacheSync(call, cluster, WatchedKind<T>::Type());
}

// Waits until the Cluster's cache of T has `object`, which a write to it has returned, or a newer
// state, so that the next reconciliation sees this write. Without a deadline in `call` it waits for
// at most 10 seconds of the Cluster's clock. T may be another declaration of the object's kind.
// Errors as for SharedInformer::WaitForVersion, and kInvalidArgument for a namespace that the cache
// does not have. Call it in Reconcile, and not in a map or a predicate.
template <class T>
Expected<void> WaitForCacheVersion(const rest::CallOptions& call, Cluster& cluster,
                                   const runtime::Object& object) {
  return detail::WaitForCacheVersion(call, cluster, WatchedKind<T>::Type(), object);
}
// The same for the cache of the object's own declaration.
template <DeclaredKind T>
Expected<void> WaitForCacheVersion(const rest::CallOptions& call, Cluster& cluster,
                                   const TypedObject<T>& object) {
  return detail::WaitForCacheVersion(call, cluster, WatchedKind<T>::Type(), object);
}

// Waits until the Cluster's cache of T does not have `object` any more, after a Delete of it, so
// that the next reconciliation does not see it. `object` is a state from before the Delete, which
// the cache need not have seen yet. An object with finalizers stays until they are removed. The
// limit and the errors are those of WaitForCacheVersion.
template <class T>
Expected<void> WaitForCacheDeletion(const rest::CallOptions& call, Cluster& cluster,
                                    const runtime::Object& object) {
  return detail::WaitForCacheDeletion(call, cluster, WatchedKind<T>::Type(), object);
}
// The same for the cache of the object's own declaration.
template <DeclaredKind T>
Expected<void> WaitForCacheDeletion(const rest::CallOptions& call, Cluster& cluster,
                                    const TypedObject<T>& object) {
  return detail::WaitForCacheDeletion(call, cluster, WatchedKind<T>::Type(), object);
}

// Adds an index to the Cluster's cache of T, so that ListerFor<T>(cluster).ByIndex(name, value)
// finds the objects for which `values` returns this value. `values` is a function of const T& that
// returns a std::vector<std::string>, a std::optional<std::string> or a std::string. It runs with
// the cache locked, so it must be fast and not read the cache. Fails if the name is in use. Call it
// before Manager::Start, and for another Cluster before Manager::AddCluster. Mirrors
// client.FieldIndexer.IndexField.
template <class T, class F>
Expected<void> AddIndexFor(Cluster& cluster, const std::string& name, F values) {
  using Object = typename WatchedKind<T>::Object;
  constexpr bool kTakesObject = std::is_invocable_v<const F&, const Object&>;
  static_assert(kTakesObject,
                "the function of AddIndexFor<T>() is one of (const T&) that returns strings");
  cache::IndexFunc function;
  if constexpr (kTakesObject) {
    function = [values = std::move(values)](const runtime::Object& object) {
      return detail::ToVector<std::string>(values(static_cast<const Object&>(object)));
    };
  }
  return cluster.informers().ViewOf(WatchedKind<T>::Type()).AddIndex(name, function);
}

// Index finds objects in the cache of T by a value. NewIndexFor makes it, so its name is never
// wrong. Copies are cheap. It is valid as long as its Cluster. Thread-safe.
template <class T>
class Index {
 public:
  using Object = typename WatchedKind<T>::Object;

  Index(cache::Lister<Object> lister, std::string name) : lister_(lister), name_(std::move(name)) {}
  std::vector<runtime::ObjectPtrTo<Object>> Find(std::string_view value) const {
    return lister_.ByIndex(name_, value);
  }

 private:
  cache::Lister<Object> lister_;
  std::string name_;
};

// Adds an index as AddIndexFor does, and returns it.
template <class T, class F>
Expected<Index<T>> NewIndexFor(Cluster& cluster, const std::string& name, F values) {
  if (auto added = AddIndexFor<T>(cluster, name, std::move(values)); !added) {
    return tl::unexpected(std::move(added.error()));
  }
  return Index<T>(ListerFor<T>(cluster), name);
}

}  // namespace capstan
