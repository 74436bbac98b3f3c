// SPDX-License-Identifier: Apache-2.0
// Client<T> reads and writes objects of one kind on the API server. Client<Unstructured> does it
// for a kind that is known at run time only.
//
//   capstan::Client<Foo> foos(rest_client);
//   auto foo = foos.Get(call, {"default", "example"});         // Expected<Ptr<Foo>>
//   if (!foo) return tl::unexpected(foo.error());
//   Foo wanted = **foo;
//   wanted.spec.replicas = 3;
//   auto updated = foos.Update(call, wanted);                  // kConflict: read again
//
// It is a cheap handle: copy it freely. The rest::Client must outlive it. Thread-safe. Every call
// blocks, goes to the server and not to a cache, and takes CallOptions first: a stop token, a
// deadline. Errors, retries and time limits are those of rest::Client (capstan/rest/client.h). A
// response that does not fit the kind is kDecode; the write has happened then.
//
// Update and UpdateStatus replace the whole object, so they are deleted for a kind that is declared
// Partial(). Mirrors controller-runtime's client.Client and kube-rs's Api<K>.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "capstan/detail/uses.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/patch.h"
#include "capstan/remotecommand/exec.h"
#include "capstan/remotecommand/logs.h"
#include "capstan/remotecommand/port_forward.h"
#include "capstan/rest/client.h"
#include "capstan/rest/pager.h"
#include "capstan/retry.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/scale.h"
#include "capstan/typed_object.h"
#include "capstan/unstructured.h"

namespace capstan {

// A page of a list.
template <class T>
struct Page {
  std::vector<Ptr<T>> items = {};
  // The version of the list, the token for the next page (empty: this is the last one), and the
  // objects that cannot be decoded.
  runtime::ListMeta meta = {};
};

// A kind that Update may replace as a whole.
template <class T>
concept UpdatableObject = kIsWholeKind<T> || std::same_as<T, Unstructured>;
// A kind that is declared Partial(), so that an update would remove the fields which it leaves out.
template <class T>
concept PartialKind = DeclaredKind<T> && !kIsWholeKind<T>;
// A kind with the subresource "status".
template <class T>
concept ObjectWithStatus = kHasStatus<T> || std::same_as<T, Unstructured>;

namespace detail {

// UntypedClient has what does not depend on the C++ type.
class CAPSTAN_EXPORT UntypedClient {
 public:
  using ObjectPtr = runtime::ObjectPtr;
  using ResourceType = runtime::ResourceType;

  UntypedClient(rest::Client& client, std::shared_ptr<const ResourceType> type);

  const ResourceType& type() const { return *type_; }
  rest::Client& client() const { return *client_; }

  Expected<rest::ObjectList> List(const rest::CallOptions& call,
                                  const rest::ListOptions& options) const;
  Expected<ObjectPtr> Patch(const rest::CallOptions& call, const runtime::ObjectKey& key,
                            const capstan::Patch& patch, const rest::WriteOptions& options) const;
  Expected<ObjectPtr> Apply(const rest::CallOptions& call, const runtime::ObjectKey& key,
                            std::string body, const rest::WriteOptions& options,
                            std::string_view subresource) const;
  Expected<void> Evict(const rest::CallOptions& call, const runtime::ObjectKey& key,
                       const rest::DeleteOptions& options) const;

  // Returns the caller's options for a subresource whose kind has the type `answer`; nullptr: the
  // same kind. The caller's own name, subresource and answer_type are ignored.
  static rest::WriteOptions Options(rest::WriteOptions options, std::string_view subresource = {},
                                    const ResourceType* answer = nullptr);

 private:
  rest::Client* client_;
  std::shared_ptr<const ResourceType> type_;
};

template <class T>
Expected<Ptr<T>> Cast(Expected<runtime::ObjectPtr> object) {
  if (!object) return tl::unexpected(std::move(object.error()));
  return runtime::StaticObjectCast<TypedObject<T>>(std::move(*object));
}
template <class T>
std::vector<Ptr<T>> Cast(std::vector<runtime::ObjectPtr> objects) {
  std::vector<Ptr<T>> typed;
  typed.reserve(objects.size());
  for (auto& object : objects) {
    typed.push_back(runtime::StaticObjectCast<TypedObject<T>>(std::move(object)));
  }
  return typed;
}

template <class T>
inline constexpr bool kMayBePod = std::same_as<T, Unstructured>;
template <DeclaredKind T>
inline constexpr bool kMayBePod<T> = kKind<T>.info().group.empty() && kKind<T>.info().plural ==
                                                                          "pods";

}  // namespace detail

template <class T>
class Client {
 public:
  // For a declared kind.
  explicit Client(rest::Client& client) requires(!std::same_as<T, Unstructured>)
      : untyped_(client, {std::shared_ptr<void>(), &TypeOf<T>()}) {}
  // For Unstructured. `type` is from Unstructured::TypeFor.
  Client(rest::Client& client, runtime::ResourceType type) requires std::same_as<T, Unstructured>
      : untyped_(client, std::make_shared<const runtime::ResourceType>(std::move(type))) {}

  const runtime::ResourceType& type() const { return untyped_.type(); }

  Expected<Ptr<T>> Get(const rest::CallOptions& call, const runtime::ObjectKey& key) const {
    detail::MarkRequest<T, "get">();
    return detail::Cast<T>(rest().Get(call, type(), key));
  }

  // Reads all objects that `options` selects, page by page (rest::ListAll). Fails with kDecode if
  // one of them cannot be decoded, so that the result is never incomplete.
  Expected<std::vector<Ptr<T>>> List(const rest::CallOptions& call,
                                     const rest::ListOptions& options = {}) const {
    detail::MarkRequest<T, "list">();
    auto list = untyped_.List(call, options);
    if (!list) return tl::unexpected(std::move(list.error()));
    return detail::Cast<T>(std::move(list->items));
  }
  // Reads options.limit objects (0: all in one response) from options.continue_token on.
  Expected<Page<T>> ListPage(const rest::CallOptions& call,
                             const rest::ListOptions& options) const {
    detail::MarkRequest<T, "list">();
    Page<T> page;
    auto meta = rest().List(call, type(), options, [&](runtime::ObjectPtr object) {
      page.items.push_back(runtime::StaticObjectCast<TypedObject<T>>(std::move(object)));
    });
    if (!meta) return tl::unexpected(std::move(meta.error()));
    page.meta = std::move(*meta);
    return page;
  }

  // Creates the object, without its status if the kind has the subresource "status". Without a
  // name, the server makes one from metadata.generate_name.
  Expected<Ptr<T>> Create(const rest::CallOptions& call, const T& object,
                          const rest::WriteOptions& options = {}) const requires WritableObject<T> {
    detail::MarkRequest<T, "create">();
    return detail::Cast<T>(rest().Create(call, type(), object.metadata.namespace_, ToJson(object),
                                         Untyped::Options(options)));
  }
  // Replaces the object. With a metadata.resource_version it fails with kConflict if the object has
  // changed since; without one it overwrites other changes.
  Expected<Ptr<T>> Update(const rest::CallOptions& call, const T& object,
                          const rest::WriteOptions& options = {}) const requires
      UpdatableObject<T> {
    detail::MarkRequest<T, "update">();
    return detail::Cast<T>(
        rest().Update(call, type(), KeyOf(object), ToJson(object), Untyped::Options(options)));
  }
  // A Partial() kind cannot be updated: use Patch with MergeFrom, or Apply.
  Expected<Ptr<T>> Update(const rest::CallOptions& call, const T& object,
                          const rest::WriteOptions& options = {}) const requires PartialKind<T>
  = delete;
  // Replaces the status. The server ignores changes of the spec. It sends the whole object, because
  // some kinds of the core group also take the metadata.
  Expected<Ptr<T>> UpdateStatus(const rest::CallOptions& call, const T& object,
                                const rest::WriteOptions& options = {}) const requires
      UpdatableObject<T> && ObjectWithStatus<T> {
    detail::MarkRequest<T, "update", "status">();
    return detail::Cast<T>(rest().Update(call, type(), KeyOf(object), ToJson(object),
                                         Untyped::Options(options, "status")));
  }
  // A Partial() kind cannot be updated: use PatchStatus with MergeFrom, or ApplyStatus.
  Expected<Ptr<T>> UpdateStatus(const rest::CallOptions& call, const T& object,
                                const rest::WriteOptions& options = {}) const requires
      PartialKind<T>
  = delete;

  Expected<Ptr<T>> Patch(const rest::CallOptions& call, const runtime::ObjectKey& key,
                         const capstan::Patch& patch,
                         const rest::WriteOptions& options = {}) const {
    detail::MarkRequest<T, "patch">();
    return detail::Cast<T>(untyped_.Patch(call, key, patch, Untyped::Options(options)));
  }
  Expected<Ptr<T>> PatchStatus(
      const rest::CallOptions& call, const runtime::ObjectKey& key, const capstan::Patch& patch,
      const rest::WriteOptions& options = {}) const requires ObjectWithStatus<T> {
    detail::MarkRequest<T, "patch", "status">();
    return detail::Cast<T>(untyped_.Patch(call, key, patch, Untyped::Options(options, "status")));
  }

  // Applies the fields that `object` has (server-side apply), and creates a missing object. It owns
  // all of them from now on, so leave out what others decide. Empty texts, lists, maps and structs
  // are not sent, nor the status. Numbers and booleans of your own kinds are always sent unless
  // they are std::optional, those of Kubernetes' kinds if they are not 0 or false. Start from an
  // empty T, not from an object of a cache. options.field_manager is required.
  Expected<Ptr<T>> Apply(const rest::CallOptions& call, const T& object,
                         const rest::WriteOptions& options) const requires WritableObject<T> {
    detail::MarkRequest<T, "create patch">();
    return detail::Cast<T>(untyped_.Apply(call, KeyOf(object), ToApplyJson(object), options, ""));
  }
  // Applies the status only.
  Expected<Ptr<T>> ApplyStatus(const rest::CallOptions& call, const T& object,
                               const rest::WriteOptions& options) const requires
      WritableObject<T> && ObjectWithStatus<T> {
    detail::MarkRequest<T, "patch", "status">();
    return detail::Cast<T>(
        untyped_.Apply(call, KeyOf(object), StatusToJson(object), options, "status"));
  }

  // Fails with kConflict if a precondition of `options` is wrong. An object with finalizers stays,
  // with a deletion_timestamp.
  Expected<void> Delete(const rest::CallOptions& call, const runtime::ObjectKey& key,
                        const rest::DeleteOptions& options = {}) const {
    detail::MarkRequest<T, "delete">();
    return rest().Delete(call, type(), key, options);
  }
  // Deletes the objects that `list` selects: its namespace, selectors and limit.
  Expected<void> DeleteAllOf(const rest::CallOptions& call, const rest::ListOptions& list,
                             const rest::DeleteOptions& options = {}) const {
    detail::MarkRequest<T, "deletecollection">();
    return rest().DeleteCollection(call, type(), list, options);
  }

  // Evicts a Pod: deletes it unless that breaks a PodDisruptionBudget (kTooManyRequests).
  Expected<void> Evict(
      const rest::CallOptions& call, const runtime::ObjectKey& pod,
      const rest::DeleteOptions& options = {}) const requires detail::kMayBePod<T> {
    detail::MarkRequest<T, "create", "eviction">();
    return untyped_.Evict(call, pod, options);
  }

  // The log of a container, a command in one, and a connection to a port of a Pod. See
  // remotecommand/logs.h, exec.h and port_forward.h.
  Expected<void> Logs(
      const rest::CallOptions& call, const runtime::ObjectKey& pod,
      const remotecommand::LogOptions& options,
      const std::function<void(std::string_view)>& on_bytes) const requires detail::kMayBePod<T> {
    detail::MarkRequest<T, "get", "log">();
    return remotecommand::Logs(rest(), call, pod, options, on_bytes);
  }
  Expected<int> Exec(
      const rest::CallOptions& call, const runtime::ObjectKey& pod,
      const remotecommand::ExecOptions& options) const requires detail::kMayBePod<T> {
    detail::MarkRequest<T, "create get", "exec">();  // get: before Kubernetes 1.35
    return remotecommand::Exec(rest(), call, pod, options);
  }
  Expected<std::unique_ptr<remotecommand::PortConnection>> PortForward(
      const rest::CallOptions& call, const runtime::ObjectKey& pod,
      int port) const requires detail::kMayBePod<T> {
    detail::MarkRequest<T, "create get", "portforward">();
    return remotecommand::PortForward(rest(), call, pod, port);
  }

  // The subresource "scale". An update of the Scale that GetScale returned fails with kConflict if
  // the object has changed since.
  Expected<Ptr<Scale>> GetScale(const rest::CallOptions& call,
                                const runtime::ObjectKey& key) const {
    detail::MarkRequest<T, "get", "scale">();
    return GetSubresource<Scale>(call, key, "scale");
  }
  Expected<Ptr<Scale>> UpdateScale(const rest::CallOptions& call, const Scale& scale,
                                   const rest::WriteOptions& options = {}) const {
    detail::MarkRequest<T, "update", "scale">();
    return UpdateSubresource(call, KeyOf(scale), "scale", scale, options);
  }
  Expected<Ptr<Scale>> PatchScale(const rest::CallOptions& call, const runtime::ObjectKey& key,
                                  const capstan::Patch& patch,
                                  const rest::WriteOptions& options = {}) const {
    detail::MarkRequest<T, "patch", "scale">();
    return PatchSubresource<Scale>(call, key, "scale", patch, options);
  }

  // Any other subresource, with the kind that it has. Mirrors controller-runtime's SubResource.
  template <DeclaredKind U>
  Expected<Ptr<U>> GetSubresource(const rest::CallOptions& call, const runtime::ObjectKey& key,
                                  std::string_view name) const {
    return detail::Cast<U>(rest().Get(
        call, type(), key, {.subresource = std::string(name), .answer_type = &TypeOf<U>()}));
  }
  template <WritableKind U>
  Expected<Ptr<U>> CreateSubresource(const rest::CallOptions& call, const runtime::ObjectKey& key,
                                     std::string_view name, const U& body,
                                     const rest::WriteOptions& options = {}) const {
    auto rest_options = Untyped::Options(options, name, &TypeOf<U>());
    rest_options.name = key.name;
    return detail::Cast<U>(rest().Create(call, type(), key.namespace_, ToJson(body), rest_options));
  }
  template <WritableKind U>
  Expected<Ptr<U>> UpdateSubresource(const rest::CallOptions& call, const runtime::ObjectKey& key,
                                     std::string_view name, const U& body,
                                     const rest::WriteOptions& options = {}) const {
    return detail::Cast<U>(rest().Update(call, type(), key, ToJson(body),
                                         Untyped::Options(options, name, &TypeOf<U>())));
  }
  template <DeclaredKind U>
  Expected<Ptr<U>> PatchSubresource(const rest::CallOptions& call, const runtime::ObjectKey& key,
                                    std::string_view name, const capstan::Patch& patch,
                                    const rest::WriteOptions& options = {}) const {
    return detail::Cast<U>(
        untyped_.Patch(call, key, patch, Untyped::Options(options, name, &TypeOf<U>())));
  }

 private:
  using Untyped = detail::UntypedClient;

  rest::Client& rest() const { return untyped_.client(); }

  Untyped untyped_;
};

}  // namespace capstan
