// SPDX-License-Identifier: Apache-2.0
// WebhookFor declares the admission webhooks of a kind: a function that sets defaults, and
// functions that validate.
//
//   return capstan::WebhookFor<Foo>(manager)
//       .Default([](Foo& foo) {
//         if (foo.spec.deployment_name.empty()) foo.spec.deployment_name = foo.metadata.name;
//       })
//       .ValidateCreate([](const Foo& foo) -> Expected<void> {
//         if (foo.spec.replicas % 2 == 1) return {};
//         return Err(ErrorReason::kInvalid, "spec.replicas: must be odd");
//       })
//       .ValidateUpdate([](const Foo& old, const Foo& foo, AdmissionContext& context) {
//         if (foo.spec.replicas < old.spec.replicas) context.Warn("fewer replicas than before");
//       })
//       .Complete();
//
// A function may take an AdmissionContext& as its last parameter, for the user, a dry run, warnings
// and calls to the API server. It returns Expected<void> or nothing. An error denies the request
// (DeniedBy). Several threads call it.
// The paths are /mutate-GROUP-VERSION-KIND and /validate-GROUP-VERSION-KIND, in lower case and with
// dashes for dots, as kubebuilder's manifests have them. Fields that the kind does not declare stay
// as they are.
//
// Mirrors controller-runtime's pkg/builder/webhook.go. Differs: a function instead of an interface
// for each operation; an operation without a function is allowed.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "capstan/codec.h"
#include "capstan/detail/kind_codec.h"
#include "capstan/detail/uses.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/manager.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/typed_object.h"
#include "capstan/webhook/admission.h"
#include "capstan/webhook/server.h"

namespace capstan::webhook {

// Returns "/mutate-apps-v1-deployment" for the prefix "/mutate".
CAPSTAN_EXPORT std::string WebhookPath(std::string_view prefix, const KindInfo& kind);

namespace detail {

// ObjectJson is an object of a request.
struct CAPSTAN_EXPORT ObjectJson {
  std::string_view text;
  std::string_view name;  // of the member of the request
};

// Parses an object. The errors are those of controller-runtime's Decoder.
CAPSTAN_EXPORT Expected<runtime::ParsedJson> ParseObject(const ObjectJson& object,
                                                         const runtime::ResourceType& type);
CAPSTAN_EXPORT Error DecodeError(const ObjectJson& object, const DecodeProblem& problem);
// Returns the patch that changes `original` as a function has changed its declared fields.
CAPSTAN_EXPORT AdmissionResponse PatchOfChange(std::string_view original, std::string_view before,
                                               std::string_view after);

// Calls a function of a user, with the context if it takes one.
template <class F, class... Args>
Expected<void> CallWith(const F& function, AdmissionContext& context, Args&... args) {
  if constexpr (std::is_invocable_v<const F&, Args&..., AdmissionContext&>) {
    using Returned = std::invoke_result_t<const F&, Args&..., AdmissionContext&>;
    static_assert(std::is_void_v<Returned> || std::same_as<Returned, Expected<void>>,
                  "a function of a webhook returns Expected<void> or nothing: give the lambda its "
                  "return type, -> capstan::Expected<void>");
    if constexpr (std::same_as<Returned, Expected<void>>) {
      return function(args..., context);
    } else {
      function(args..., context);
      return {};
    }
  } else if constexpr (std::is_invocable_v<const F&, Args&...>) {
    const auto without = [&](Args&... values, AdmissionContext&) { return function(values...); };
    return CallWith(without, context, args...);
  } else {
    return {};  // the caller reports it as an error of the compiler
  }
}

template <class F, class... Args>
inline constexpr bool kTakes = std::is_invocable_v<const F&, Args&...> ||
                               std::is_invocable_v<const F&, Args&..., AdmissionContext&>;

}  // namespace detail

// Decodes an object of a request, such as request.object. Fails with kDecode, like FromJson, but an
// object that is to be created need not have a name.
template <DeclaredKind T>
Expected<T> DecodeObject(std::string_view json, std::string_view name = "object") {
  const detail::ObjectJson object{json, name};
  const auto parsed = detail::ParseObject(object, TypeOf<T>());
  if (!parsed) return Err(parsed.error());
  T decoded{};
  DecodeProblem problem;
  if (!capstan::detail::DecodeKind(parsed->root(), decoded, problem)) {
    return Err(detail::DecodeError(object, problem));
  }
  return decoded;
}

// The part of WebhookBuilder that is the same for all kinds.
class CAPSTAN_EXPORT WebhookBuilderBase {
 protected:
  using Validator =
      std::function<AdmissionResponse(AdmissionContext& context, const AdmissionRequest& request)>;

  WebhookBuilderBase(Manager& manager, const KindInfo& kind) : manager_(manager), kind_(kind) {}

  Expected<void> Register();

  AdmissionHandler default_;
  Validator create_;
  Validator update_;
  Validator delete_;

 private:
  AdmissionHandler ValidatingHandler() const;

  Manager& manager_;
  const KindInfo& kind_;
};

template <WritableKind T>
class WebhookBuilder final : public WebhookBuilderBase {
 public:
  explicit WebhookBuilder(Manager& manager) : WebhookBuilderBase(manager, kKind<T>.info()) {}

  // `function` changes a T& that is created or updated. A field that is missing in the request has
  // the value that the struct gives it; use a std::optional to see that it is missing. Fields that
  // the kind does not declare are kept, with these limits: an element of a list that changes loses
  // them if it has no name, key, type or uid and the length of the list changes. And an optional
  // struct or an entry of a map that is removed leaves them behind.
  template <class F>
  WebhookBuilder& Default(F function) {
    capstan::detail::MarkWebhook<T, capstan::detail::Use::Type::kMutatingWebhook,
                                 "CREATE UPDATE">();
    static_assert(detail::kTakes<F, T>,
                  "Default() takes a function of (T&) or of (T&, AdmissionContext&)");
    default_ = [function = std::move(function)](AdmissionContext& context,
                                                const AdmissionRequest& request) {
      return Defaulted(function, context, request);
    };
    return *this;
  }
  // `function` gets a const T&.
  template <class F>
  WebhookBuilder& ValidateCreate(F function) {
    capstan::detail::MarkWebhook<T, capstan::detail::Use::Type::kValidatingWebhook, "CREATE">();
    static_assert(detail::kTakes<F, const T>,
                  "ValidateCreate() takes a function of (const T&), or of that and an "
                  "AdmissionContext&");
    create_ = ValidatorOfNew(std::move(function));
    return *this;
  }
  // `function` validates the new object of both operations. An update that removes a finalizer
  // calls it too, so it should allow an object with a metadata.deletion_timestamp.
  template <class F>
  WebhookBuilder& ValidateCreateAndUpdate(F function) {
    capstan::detail::MarkWebhook<T, capstan::detail::Use::Type::kValidatingWebhook,
                                 "CREATE UPDATE">();
    static_assert(detail::kTakes<F, const T>,
                  "ValidateCreateAndUpdate() takes a function of (const T&), or of that and an "
                  "AdmissionContext&");
    create_ = update_ = ValidatorOfNew(std::move(function));
    return *this;
  }
  // `function` gets the old and the new object.
  template <class F>
  WebhookBuilder& ValidateUpdate(F function) {
    capstan::detail::MarkWebhook<T, capstan::detail::Use::Type::kValidatingWebhook, "UPDATE">();
    static_assert(detail::kTakes<F, const T, const T>,
                  "ValidateUpdate() takes a function of (const T& old, const T& object), or of "
                  "these and an AdmissionContext&");
    update_ = [function = std::move(function)](AdmissionContext& context,
                                               const AdmissionRequest& request) {
      const auto object = DecodeObject<T>(request.object);
      if (!object) return Errored(400, object.error());
      const auto old = DecodeObject<T>(request.old_object, "oldObject");
      if (!old) return Errored(400, old.error());
      return Validated(detail::CallWith(function, context, *old, *object));
    };
    return *this;
  }
  // `function` gets the object that is to be deleted.
  template <class F>
  WebhookBuilder& ValidateDelete(F function) {
    capstan::detail::MarkWebhook<T, capstan::detail::Use::Type::kValidatingWebhook, "DELETE">();
    static_assert(detail::kTakes<F, const T>,
                  "ValidateDelete() takes a function of (const T&), or of that and an "
                  "AdmissionContext&");
    delete_ = [function = std::move(function)](AdmissionContext& context,
                                               const AdmissionRequest& request) {
      const auto object = DecodeObject<T>(request.old_object, "oldObject");
      if (!object) return Errored(400, object.error());
      return Validated(detail::CallWith(function, context, *object));
    };
    return *this;
  }

  // Serves the webhooks on the Server of the Manager (ServerFor). The error is one line with the
  // path and what is wrong.
  Expected<void> Complete() { return Register(); }

 private:
  static AdmissionResponse Validated(const Expected<void>& result) {
    return result ? Allowed() : DeniedBy(result.error());
  }

  template <class F>
  static Validator ValidatorOfNew(F function) {
    return [function = std::move(function)](AdmissionContext& context,
                                            const AdmissionRequest& request) {
      const auto object = DecodeObject<T>(request.object);
      if (!object) return Errored(400, object.error());
      return Validated(detail::CallWith(function, context, *object));
    };
  }

  template <class F>
  static AdmissionResponse Defaulted(const F& function, AdmissionContext& context,
                                     const AdmissionRequest& request) {
    if (request.operation == Operation::kDelete) return Allowed();
    const auto before = DecodeObject<T>(request.object);
    if (!before) return Errored(400, before.error());
    T after = *before;
    if (const auto changed = detail::CallWith(function, context, after); !changed) {
      return DeniedBy(changed.error());
    }
    return detail::PatchOfChange(request.object, ToJson(*before), ToJson(after));
  }
};

template <WritableKind T>
WebhookBuilder<T> WebhookFor(Manager& manager) {
  return WebhookBuilder<T>(manager);
}

}  // namespace capstan::webhook
