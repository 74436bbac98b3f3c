// SPDX-License-Identifier: Apache-2.0
// ConversionFor declares how the versions of a custom resource are converted. One of them, the hub,
// can be converted to and from each other version:
//
//   return capstan::ConversionFor<FooV2>(manager)
//       .Spoke<Foo>([](const Foo& foo, FooV2& hub) { hub.spec.size = foo.spec.replicas; },
//                   [](const FooV2& hub, Foo& foo) { foo.spec.replicas = hub.spec.size; })
//       .Complete();
//
// The first function is ConvertTo, the second one ConvertFrom. Each gets an object whose metadata
// is already that of the other one, and may change its labels and annotations. It returns nothing
// or Expected<void>; an error fails the request of the user. Several threads call it. The API
// server calls /convert, which is the path of every kind.
//
// Mirrors controller-runtime's pkg/conversion and pkg/webhook/conversion. Differs: functions
// instead of the interfaces Hub and Convertible.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "capstan/codec.h"
#include "capstan/detail/kind_codec.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/manager.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/typed_object.h"
#include "capstan/webhook/server.h"

namespace capstan::webhook {
namespace detail {

CAPSTAN_EXPORT Error NotConvertible(std::string_view kind, std::string_view api_version);
CAPSTAN_EXPORT Error ConversionDecodeError(const runtime::JsonValue& object,
                                           const DecodeProblem& problem);
// Writes the metadata of `object` with the change from `before` to `after`. Fields that ObjectMeta
// does not have stay.
CAPSTAN_EXPORT void WriteMetadata(runtime::JsonWriter& writer, const runtime::JsonValue& object,
                                  const ObjectMeta& before, const ObjectMeta& after);

template <WritableKind T>
Expected<T> DecodeVersion(const runtime::JsonValue& object) {
  T decoded{};
  DecodeProblem problem;
  if (capstan::detail::DecodeKind(object, decoded, problem)) return decoded;
  return Err(ConversionDecodeError(object, problem));
}

template <WritableKind T>
std::string EncodeVersion(const runtime::JsonValue& object, const ObjectMeta& before,
                          const T& converted) {
  runtime::JsonWriter writer;
  capstan::detail::BeginObject(writer, kKind<T>.info());
  WriteMetadata(writer, object, before, converted.metadata);
  capstan::detail::EncodeParts(capstan::detail::LayoutOfKind<T>(), writer, &converted);
  writer.EndObject();
  return std::move(writer).Take();
}

// Returns `from` as a To.
template <class To, class From, class F>
Expected<To> ConvertWith(const F& function, const From& from) {
  using Returned = std::invoke_result_t<const F&, const From&, To&>;
  static_assert(std::is_void_v<Returned> || std::same_as<Returned, Expected<void>>,
                "a function of a conversion returns Expected<void> or nothing");
  To to{};
  to.metadata = from.metadata;
  if constexpr (std::same_as<Returned, Expected<void>>) {
    auto converted = function(from, to);
    if (!converted) return Err(std::move(converted.error()));
  } else {
    function(from, to);
  }
  return to;
}

// Versions converts between the versions of a kind, through the hub.
template <WritableKind Hub>
class Versions {
 public:
  using JsonValue = runtime::JsonValue;
  // A conversion from or to the hub. Each knows the metadata that the object had.
  struct Spoke {
    std::function<Expected<Hub>(const JsonValue& object)> to_hub;
    std::function<Expected<std::string>(const JsonValue& object, const Hub& hub,
                                        const ObjectMeta& before)>
        from_hub;
  };

  // Returns false if the version is there already.
  bool Add(std::string api_version, Spoke spoke) {
    return spokes_.emplace(std::move(api_version), std::move(spoke)).second;
  }

  Expected<std::string> Convert(const JsonValue& object, std::string_view api_version) const {
    const auto from = spokes_.find(runtime::GetString(object, "apiVersion"));
    const auto to = spokes_.find(api_version);
    if (from == spokes_.end() || to == spokes_.end()) {
      const bool known = from != spokes_.end();
      return Err(NotConvertible(kKind<Hub>.info().kind,
                                known ? api_version : runtime::GetString(object, "apiVersion")));
    }
    ObjectMeta before;
    DecodeProblem problem;
    if (!capstan::detail::DecodeMetadata(object, before, problem)) {
      return Err(ConversionDecodeError(object, problem));
    }
    auto hub = from->second.to_hub(object);
    if (!hub) return Err(std::move(hub.error()));
    return to->second.from_hub(object, *hub, before);
  }

 private:
  std::map<std::string, Spoke, std::less<>> spokes_;  // by apiVersion, also the hub
};

}  // namespace detail

template <WritableKind Hub>
class ConversionBuilder {
 public:
  explicit ConversionBuilder(Manager& manager) : manager_(manager) {
    Add<Hub>({.to_hub = &detail::DecodeVersion<Hub>,
              .from_hub = [](const auto& object, const Hub& hub, const ObjectMeta& before)
                  -> Expected<std::string> { return detail::EncodeVersion(object, before, hub); }});
  }

  // `convert_to` is a function of (const T&, Hub&), `convert_from` of (const Hub&, T&).
  template <WritableKind T, class To, class From>
  ConversionBuilder& Spoke(To convert_to, From convert_from) {
    constexpr bool kAreFunctions = std::is_invocable_v<const To&, const T&, Hub&> &&
                                   std::is_invocable_v<const From&, const Hub&, T&>;
    static_assert(kAreFunctions,
                  "Spoke<T>() takes a function of (const T&, Hub&) and one of (const Hub&, T&)");
    static_assert(kKind<T>.info().group == kKind<Hub>.info().group &&
                      kKind<T>.info().kind == kKind<Hub>.info().kind,
                  "the versions of a conversion have one group and one kind");
    if constexpr (kAreFunctions) {
      Add<T>({.to_hub = [convert_to = std::move(convert_to)](const auto& object) -> Expected<Hub> {
                const auto from = detail::DecodeVersion<T>(object);
                if (!from) return Err(from.error());
                return detail::ConvertWith<Hub>(convert_to, *from);
              },
              .from_hub = [convert_from = std::move(convert_from)](
                              const auto& object, const Hub& hub,
                              const ObjectMeta& before) -> Expected<std::string> {
                const auto to = detail::ConvertWith<T>(convert_from, hub);
                if (!to) return Err(to.error());
                return detail::EncodeVersion(object, before, *to);
              }});
    }
    return *this;
  }

  // Serves /convert on the Server of the Manager (ServerFor). Fails if a version or the kind is
  // declared twice.
  Expected<void> Complete() {
    if (!error_.empty()) {
      return Err(ErrorReason::kInvalidArgument, error_);
    }
    const auto server = ServerFor(manager_);
    if (!server) return Err(server.error());
    const KindInfo& info = kKind<Hub>.info();
    return (*server)->RegisterConverter(
        std::string(info.group), std::string(info.kind),
        [versions = versions_](const auto& object, std::string_view api_version) {
          return versions->Convert(object, api_version);
        });
  }

 private:
  template <class T>
  void Add(typename detail::Versions<Hub>::Spoke spoke) {
    const std::string api_version = TypeOf<T>().gvr.ApiVersion();
    if (versions_->Add(api_version, std::move(spoke))) return;
    error_ = "conversion of " + std::string(kKind<T>.info().kind) + ": " + api_version +
             " is declared twice";
  }

  Manager& manager_;
  std::shared_ptr<detail::Versions<Hub>> versions_ = std::make_shared<detail::Versions<Hub>>();
  std::string error_;
};

template <WritableKind Hub>
ConversionBuilder<Hub> ConversionFor(Manager& manager) {
  return ConversionBuilder<Hub>(manager);
}

}  // namespace capstan::webhook
