// SPDX-License-Identifier: Apache-2.0
// Predicates decide which events of a watched kind a Controller reconciles. They see the old and
// the new object. ControllerFor takes them for each kind:
//
//   ControllerFor<Foo>(manager, Or(OnGenerationChange(), OnLabelChange()))
//       .Owns<Deployment>(OnGenerationChange())
//       .Watches<ConfigMap>(map, [](const ConfigMap& cm) { return cm.data.contains("foo"); })
//
// A predicate is one of these:
//  - what a function below returns: OnGenerationChange(), And(...), ...
//  - a function of one object, for creations, updates (the new object) and deletions
//  - a function of the old and the new object, for updates; creations and deletions pass
//  - a class derived from PredicateFuncs that hides some of its functions. Its Create may have a
//    second argument, whether the object is in the initial list of the cache:
//      struct CreatedLater : PredicateFuncs {
//        bool Create(const Foo&, bool is_in_initial_list) const { return !is_in_initial_list; }
//      };
// Objects are of the kind's struct, or TypedObject of it.
//
// They run on the handler's thread and must not block. A resync is an update without a change.
// Mirrors controller-runtime's pkg/predicate. Differs: a predicate is a template over the kind, so
// one that needs a field that the kind does not keep does not compile.
#pragma once

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "capstan/cache/shared_informer.h"
#include "capstan/export.h"
#include "capstan/runtime/object.h"

namespace capstan {

// PredicateFuncs accepts every event. Mirrors predicate.Funcs.
struct CAPSTAN_EXPORT PredicateFuncs {
  template <class T>
  bool Create(const T& /*object*/) const {
    return true;
  }
  template <class T>
  bool Update(const T& /*old_object*/, const T& /*new_object*/) const {
    return true;
  }
  template <class T>
  bool Delete(const T& /*object*/) const {
    return true;
  }
};

// ResourceVersionChangedPredicate rejects resyncs.
struct CAPSTAN_EXPORT ResourceVersionChangedPredicate : PredicateFuncs {
  template <class T>
  bool Update(const T& old_object, const T& new_object) const {
    return !old_object.HasSameVersion(new_object);
  }
};

// GenerationChangedPredicate rejects updates that did not change metadata.generation. The API
// server increments it with each change of the spec, but for some kinds also with others, and for
// kinds without a generation never.
struct CAPSTAN_EXPORT GenerationChangedPredicate : PredicateFuncs {
  template <class T>
  bool Update(const T& old_object, const T& new_object) const {
    constexpr bool kKept = requires { old_object.metadata.generation; };
    static_assert(kKept,
                  "OnGenerationChange() needs metadata.generation: add the member "
                  "`capstan::ObjectMeta metadata` to the struct of this kind");
    if constexpr (kKept) return old_object.metadata.generation != new_object.metadata.generation;
    return false;
  }
};

// LabelChangedPredicate rejects updates that did not change the labels.
struct CAPSTAN_EXPORT LabelChangedPredicate : PredicateFuncs {
  template <class T>
  bool Update(const T& old_object, const T& new_object) const {
    constexpr bool kKept = requires { old_object.metadata.labels; };
    static_assert(kKept,
                  "OnLabelChange() needs metadata.labels: add the member "
                  "`capstan::ObjectMeta metadata` to the struct of this kind");
    if constexpr (kKept) return old_object.metadata.labels != new_object.metadata.labels;
    return false;
  }
};

// AnnotationChangedPredicate rejects updates that did not change the annotations.
struct CAPSTAN_EXPORT AnnotationChangedPredicate : PredicateFuncs {
  template <class T>
  bool Update(const T& old_object, const T& new_object) const {
    constexpr bool kKept = requires { old_object.metadata.annotations; };
    static_assert(kKept,
                  "OnAnnotationChange() needs metadata.annotations: add the member "
                  "`capstan::ObjectMeta metadata` to the struct of this kind");
    if constexpr (kKept) return old_object.metadata.annotations != new_object.metadata.annotations;
    return false;
  }
};

namespace detail {

// Calls the Create of a predicate, which may take `is_in_initial_list` or not.
template <class P, class T>
bool AcceptsCreate(const P& predicate, const T& object, bool is_in_initial_list) {
  if constexpr (requires { predicate.Create(object, is_in_initial_list); }) {
    return predicate.Create(object, is_in_initial_list);
  } else {
    return predicate.Create(object);
  }
}

}  // namespace detail

inline ResourceVersionChangedPredicate OnResourceVersionChange() { return {}; }
inline GenerationChangedPredicate OnGenerationChange() { return {}; }
inline LabelChangedPredicate OnLabelChange() { return {}; }
inline AnnotationChangedPredicate OnAnnotationChange() { return {}; }

// FunctionPredicate makes a predicate of a function of one object, or of the old and the new one.
// Mirrors predicate.NewPredicateFuncs.
template <class F>
class FunctionPredicate {
 public:
  using IsPredicate = void;
  explicit FunctionPredicate(F function) : function_(std::move(function)) {}

  template <class T>
  bool Create(const T& object) const {
    return OfOne(object);
  }
  template <class T>
  bool Update(const T& old_object, const T& new_object) const {
    if constexpr (std::is_invocable_r_v<bool, const F&, const T&, const T&>) {
      return function_(old_object, new_object);
    } else {
      return OfOne(new_object);
    }
  }
  template <class T>
  bool Delete(const T& object) const {
    return OfOne(object);
  }

 private:
  template <class T>
  bool OfOne(const T& object) const {
    constexpr bool kOfOne = std::is_invocable_r_v<bool, const F&, const T&>;
    constexpr bool kOfTwo = std::is_invocable_r_v<bool, const F&, const T&, const T&>;
    static_assert(kOfOne || kOfTwo,
                  "a predicate is a function bool(const T&), or bool(const T& old_object, const T& "
                  "new_object), of the watched kind T");
    if constexpr (kOfOne) return function_(object);
    return true;
  }

  F function_;
};

// Returns `predicate` itself, or the FunctionPredicate of a function.
template <class P>
auto AsPredicate(P predicate) {
  if constexpr (std::is_base_of_v<PredicateFuncs, P> || requires { typename P::IsPredicate; }) {
    return predicate;
  } else {
    return FunctionPredicate<P>(std::move(predicate));
  }
}

// AndPredicate accepts what all of its predicates accept. Those after a rejection do not run.
template <class... P>
class AndPredicate {
 public:
  using IsPredicate = void;
  explicit AndPredicate(P... predicates) : predicates_(std::move(predicates)...) {}

  template <class T>
  bool Create(const T& object, bool is_in_initial_list = false) const {
    return All(
        [&](const auto& each) { return detail::AcceptsCreate(each, object, is_in_initial_list); });
  }
  template <class T>
  bool Update(const T& old_object, const T& new_object) const {
    return All([&](const auto& each) { return each.Update(old_object, new_object); });
  }
  template <class T>
  bool Delete(const T& object) const {
    return All([&](const auto& each) { return each.Delete(object); });
  }

 private:
  template <class F>
  bool All(F accepts) const {
    return std::apply([&](const auto&... each) { return (accepts(each) && ...); }, predicates_);
  }
  std::tuple<P...> predicates_;
};

// OrPredicate accepts what one of its predicates accepts. Those after it do not run.
template <class... P>
class OrPredicate {
 public:
  using IsPredicate = void;
  explicit OrPredicate(P... predicates) : predicates_(std::move(predicates)...) {}

  template <class T>
  bool Create(const T& object, bool is_in_initial_list = false) const {
    return Any(
        [&](const auto& each) { return detail::AcceptsCreate(each, object, is_in_initial_list); });
  }
  template <class T>
  bool Update(const T& old_object, const T& new_object) const {
    return Any([&](const auto& each) { return each.Update(old_object, new_object); });
  }
  template <class T>
  bool Delete(const T& object) const {
    return Any([&](const auto& each) { return each.Delete(object); });
  }

 private:
  template <class F>
  bool Any(F accepts) const {
    return std::apply([&](const auto&... each) { return (accepts(each) || ...); }, predicates_);
  }
  std::tuple<P...> predicates_;
};

// NotPredicate accepts what its predicate rejects.
template <class P>
class NotPredicate {
 public:
  using IsPredicate = void;
  explicit NotPredicate(P predicate) : predicate_(std::move(predicate)) {}

  template <class T>
  bool Create(const T& object, bool is_in_initial_list = false) const {
    return !detail::AcceptsCreate(predicate_, object, is_in_initial_list);
  }
  template <class T>
  bool Update(const T& old_object, const T& new_object) const {
    return !predicate_.Update(old_object, new_object);
  }
  template <class T>
  bool Delete(const T& object) const {
    return !predicate_.Delete(object);
  }

 private:
  P predicate_;
};

// And() accepts everything; Or() accepts nothing. A predicate such as OnGenerationChange() accepts
// all creations and deletions, so its Not rejects them.
template <class... P>
auto And(P... predicates) {
  return AndPredicate<decltype(AsPredicate(std::move(predicates)))...>(
      AsPredicate(std::move(predicates))...);
}
template <class... P>
auto Or(P... predicates) {
  return OrPredicate<decltype(AsPredicate(std::move(predicates)))...>(
      AsPredicate(std::move(predicates))...);
}
template <class P>
auto Not(P predicate) {
  return NotPredicate<decltype(AsPredicate(std::move(predicate)))>(
      AsPredicate(std::move(predicate)));
}

// Returns the predicate of a watch whose objects are of the class T, which is derived from Object.
template <class T, class P>
cache::Predicate ForObjects(P predicate) {
  return [predicate = AsPredicate(std::move(predicate))](const cache::Change& change) {
    using Type = cache::Change::Type;
    const auto* const old_object = static_cast<const T*>(change.old_object.get());
    const auto* const new_object = static_cast<const T*>(change.new_object.get());
    switch (change.type) {
      case Type::kAdded:
        return detail::AcceptsCreate(predicate, *new_object, change.is_in_initial_list);
      case Type::kUpdated:
        return predicate.Update(*old_object, *new_object);
      case Type::kDeleted:
        break;
    }
    return predicate.Delete(*old_object);
  };
}

}  // namespace capstan
