// SPDX-License-Identifier: Apache-2.0
// Kind declares a Kubernetes kind once: where it is in the API, and which fields a program uses.
// TypeOf<T>(), ToJson() and CustomResourceDefinition<T>() are made from it.
//
//   struct Foo {
//     capstan::ObjectMeta metadata;  // optional: without it only the identity is kept
//     struct Spec { std::string deployment_name; int replicas = 1; } spec;
//     struct Status { int available_replicas = 0; } status;
//   };
//   template <> inline constexpr auto capstan::kKind<Foo> =
//       capstan::Kind("samplecontroller.k8s.io", "v1alpha1", "Foo", "foos").Namespaced()
//           .Spec(capstan::Field("deploymentName", &Foo::Spec::deployment_name).Required(),
//                 capstan::Field("replicas", &Foo::Spec::replicas).Minimum(0).Maximum(10))
//           .Status(capstan::Field("availableReplicas", &Foo::Status::available_replicas));
//
// The struct is default-constructible and copyable, and every member is declared. All texts of a
// declaration are literals.
// Errors in a declaration are errors of the compiler: wrong types and members, names that occur
// twice, a default outside of its limits, a key of a ListMap that no element has, a column's type
// and path, a definition's group and version. Only an API server finds errors inside of a text: in
// the regular expression of a Pattern and in the CEL of a Rule.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "capstan/export.h"
#include "capstan/field.h"
#include "capstan/object_meta.h"

namespace capstan {

// PrinterColumn is a column of `kubectl get`. Mirrors apiextensions.CustomResourceColumnDefinition.
struct CAPSTAN_EXPORT PrinterColumn {
  std::string_view name = {};
  std::string_view type = {};       // integer, number, string, boolean, date
  std::string_view json_path = {};  // ".spec.replicas"
  std::string_view description = {};
  int priority = 0;  // above 0: only with -o wide
};

// KindInfo is what a declaration says about the kind itself.
struct CAPSTAN_EXPORT KindInfo {
  enum class Scope { kUndeclared, kNamespaced, kCluster };

  std::string_view group = {};  // empty: the core group
  std::string_view version = {};
  std::string_view kind = {};
  std::string_view plural = {};
  std::string_view singular = {};  // empty: the kind in lower case
  Scope scope = Scope::kUndeclared;
  bool partial = false;
  bool whole = false;
  bool metadata_only = false;
  std::string_view description = {};
  FixedList<std::string_view, 32> kept = {};  // paths; empty: all
  FixedList<std::string_view, 8> short_names = {};
  FixedList<std::string_view, 8> categories = {};
  FixedList<PrinterColumn, 16> columns = {};
  FixedList<ValidationRule, 8> rules = {};
  // The paths of the scale subresource; empty: there is none.
  std::string_view scale_spec_path = {};
  std::string_view scale_status_path = {};
  std::string_view scale_selector_path = {};

  constexpr bool namespaced() const { return scope == Scope::kNamespaced; }
};

// The parameters are tuples of fields. detail::Undeclared: the kind does not declare the part.
template <class MetadataFields = detail::Undeclared, class SpecFields = detail::Undeclared,
          class StatusFields = detail::Undeclared, class TopFields = std::tuple<>>
class Kind {
 public:
  using metadata_type = MetadataFields;
  using spec_type = SpecFields;
  using status_type = StatusFields;
  using fields_type = TopFields;

  // The group is empty for the core group. `plural` is the name in URLs.
  constexpr Kind(std::string_view group, std::string_view version, std::string_view kind,
                 std::string_view plural) {
    info_.group = group;
    info_.version = version;
    info_.kind = kind;
    info_.plural = plural;
  }

  // Every kind is one of these two.
  constexpr Kind Namespaced() const { return With(&KindInfo::scope, KindInfo::Scope::kNamespaced); }
  constexpr Kind ClusterScoped() const { return With(&KindInfo::scope, KindInfo::Scope::kCluster); }

  // The fields of the member `spec`.
  template <class... F>
  constexpr auto Spec(F... fields) const {
    static_assert((detail::kIsField<F> && ...), "Spec() takes only fields: Field(name, member)");
    static_assert(std::same_as<SpecFields, detail::Undeclared>, "Spec() may be called only once");
    if constexpr ((detail::kIsField<F> && ...)) {
      return Kind<MetadataFields, std::tuple<F...>, StatusFields, TopFields>(
          info_, metadata_, std::tuple<F...>(fields...), status_, fields_);
    } else {
      return *this;
    }
  }
  // The fields of the member `status`. The kind then has the subresource "status".
  template <class... F>
  constexpr auto Status(F... fields) const {
    static_assert((detail::kIsField<F> && ...), "Status() takes only fields: Field(name, member)");
    static_assert(std::same_as<StatusFields, detail::Undeclared>,
                  "Status() may be called only once");
    if constexpr ((detail::kIsField<F> && ...)) {
      return Kind<MetadataFields, SpecFields, std::tuple<F...>, TopFields>(
          info_, metadata_, spec_, std::tuple<F...>(fields...), fields_);
    } else {
      return *this;
    }
  }
  // Fields of the object itself, beside metadata, spec and status, such as "data".
  template <class... F>
  constexpr auto Fields(F... fields) const {
    static_assert((detail::kIsField<F> && ...), "Fields() takes only fields: Field(name, member)");
    static_assert(std::same_as<TopFields, std::tuple<>>, "Fields() may be called only once");
    if constexpr ((detail::kIsField<F> && ...)) {
      return Kind<MetadataFields, SpecFields, StatusFields, std::tuple<F...>>(
          info_, metadata_, spec_, status_, std::tuple<F...>(fields...));
    } else {
      return *this;
    }
  }
  // Some fields of metadata, for a member `metadata` of a struct that is not ObjectMeta. It costs
  // less memory. Objects of such a kind can be read, and not be written.
  template <class... F>
  constexpr auto Metadata(F... fields) const {
    static_assert((detail::kIsField<F> && ...),
                  "Metadata() takes only fields: Field(name, member)");
    static_assert(std::same_as<MetadataFields, detail::Undeclared>,
                  "Metadata() may be called only once");
    if constexpr ((detail::kIsField<F> && ...)) {
      return Kind<std::tuple<F...>, SpecFields, StatusFields, TopFields>(
          info_, std::tuple<F...>(fields...), spec_, status_, fields_);
    } else {
      return *this;
    }
  }

  // Declares all fields of a kind that others define. Client<T>::Update may replace its objects.
  constexpr Kind Whole() const { return With(&KindInfo::whole, true); }
  // Declares only some fields of a kind that others define. Client<T>::Update, which would remove
  // all other fields, does not compile for it. Use Patch or Apply.
  constexpr Kind Partial() const { return With(&KindInfo::partial, true); }
  // Makes a Partial() kind of a whole one, of which a cache keeps only these paths, and metadata.
  // The rest is never copied. A path ends the program at its first use if the kind does not have
  // it. A list has no step of its own; the keys of a map follow it.
  //   struct NodeOfPod : capstan::api::core::v1::Pod {};
  //   template <> inline constexpr auto capstan::kKind<NodeOfPod> =
  //       capstan::kKind<capstan::api::core::v1::Pod>.Keep("spec.nodeName", "status.phase");
  // A path below metadata ("metadata.labels") leaves out the rest of metadata but the identity.
  template <class... Paths>
  constexpr Kind Keep(Paths... paths) const {
    static_assert(sizeof...(paths) > 0 && sizeof...(paths) <= 32, "Keep() takes 1 to 32 paths");
    Kind copy = Partial().With(&KindInfo::whole, false);
    (copy.info_.kept.Add(paths), ...);
    return copy;
  }
  // Requests PartialObjectMetadata, so that the server sends metadata only. Implies Partial().
  constexpr Kind MetadataOnly() const {
    static_assert(std::same_as<SpecFields, detail::Undeclared> &&
                      std::same_as<StatusFields, detail::Undeclared> &&
                      std::same_as<TopFields, std::tuple<>>,
                  "a kind with MetadataOnly() has no other fields than those of metadata");
    return Partial().With(&KindInfo::metadata_only, true);
  }

  // These are about the CustomResourceDefinition.
  constexpr Kind Singular(std::string_view name) const { return With(&KindInfo::singular, name); }
  template <class... Names>
  constexpr Kind ShortNames(Names... names) const {
    static_assert(sizeof...(names) <= 8, "ShortNames() takes at most 8 names");
    Kind copy = *this;
    (copy.info_.short_names.Add(names), ...);
    return copy;
  }
  template <class... Names>
  constexpr Kind Categories(Names... names) const {
    static_assert(sizeof...(names) <= 8, "Categories() takes at most 8 names");
    Kind copy = *this;
    (copy.info_.categories.Add(names), ...);
    return copy;
  }
  // Up to 16 columns: Column({.name = "Replicas", .type = "integer", .json_path =
  // ".spec.replicas"}).
  constexpr Kind Column(const PrinterColumn& column) const {
    Kind copy = *this;
    copy.info_.columns.Add(column);
    return copy;
  }
  constexpr Kind Description(std::string_view text) const {
    return With(&KindInfo::description, text);
  }
  // A CEL expression about the whole object, `self`. Up to 8 rules.
  constexpr Kind Rule(std::string_view cel, std::string_view message = {}) const {
    Kind copy = *this;
    copy.info_.rules.Add({.rule = cel, .message = message});
    return copy;
  }
  // The subresource "scale", with paths such as ".spec.replicas" and ".status.replicas".
  constexpr Kind ScaleSubresource(std::string_view spec_path, std::string_view status_path,
                                  std::string_view selector_path = {}) const {
    return With(&KindInfo::scale_spec_path, spec_path)
        .With(&KindInfo::scale_status_path, status_path)
        .With(&KindInfo::scale_selector_path, selector_path);
  }

  constexpr const KindInfo& info() const { return info_; }
  constexpr const MetadataFields& metadata() const { return metadata_; }
  constexpr const SpecFields& spec() const { return spec_; }
  constexpr const StatusFields& status() const { return status_; }
  constexpr const TopFields& fields() const { return fields_; }

 private:
  template <class M, class S, class U, class F>
  friend class Kind;

  constexpr Kind(const KindInfo& info, const MetadataFields& metadata, const SpecFields& spec,
                 const StatusFields& status, const TopFields& fields)
      : info_(info), metadata_(metadata), spec_(spec), status_(status), fields_(fields) {}

  template <class T>
  constexpr Kind With(T KindInfo::*member, std::type_identity_t<T> value) const {
    Kind copy = *this;
    copy.info_.*member = value;
    return copy;
  }

  KindInfo info_ = {};
  MetadataFields metadata_ = {};
  SpecFields spec_ = {};
  StatusFields status_ = {};
  TopFields fields_ = {};
};

// Specialize it for a struct. See the top of this file.
template <class T>
inline constexpr detail::Undeclared kKind = {};

// Reports whether kKind<T> is declared.
template <class T>
concept DeclaredKind = !std::same_as<std::remove_cvref_t<decltype(kKind<T>)>, detail::Undeclared>;

namespace detail {

template <class T>
concept HasObjectMeta = requires {
  requires std::same_as<decltype(T::metadata), ObjectMeta>;
};

}  // namespace detail

// Reports whether an object of the kind can be written: it has a member `ObjectMeta metadata`.
template <class T>
concept WritableKind = DeclaredKind<T> && detail::HasObjectMeta<T>;

namespace detail {

// Reports whether the name of a version is v1, v1beta1 or v1alpha1, with any numbers.
constexpr bool IsVersionName(std::string_view name) {
  const auto skip_number = [&] {
    std::size_t digits = 0;
    while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9') ++digits;
    name.remove_prefix(digits);
    return digits > 0;
  };
  if (!name.starts_with('v')) return false;
  name.remove_prefix(1);
  if (!skip_number()) return false;
  if (name.empty()) return true;
  if (!name.starts_with("alpha") && !name.starts_with("beta")) return false;
  name.remove_prefix(name.starts_with("alpha") ? 5 : 4);
  return skip_number() && name.empty();
}

}  // namespace detail

// Reports whether all fields of the kind are declared, so that an update may replace the whole
// object.
template <class T>
inline constexpr bool kIsWholeKind = false;
template <WritableKind T>
inline constexpr bool kIsWholeKind<T> = !kKind<T>.info().partial;

// Reports whether the kind declares a status.
template <class T>
inline constexpr bool kHasStatus = false;
template <DeclaredKind T>
inline constexpr bool kHasStatus<T> =
    !std::same_as<typename std::remove_cvref_t<decltype(kKind<T>)>::status_type,
                  detail::Undeclared>;

}  // namespace capstan
