// SPDX-License-Identifier: Apache-2.0
// Object is a Kubernetes object in a cache: its identity and, in derived types, only the fields
// that its reader needs. It is immutable, is shared as ObjectPtr, and is read without locks.
//
// MakeObject makes it. One heap block holds the reference count, the fields and the key
// (docs/decisions/0016-memory-of-a-cached-object.md). A derived type without own fields costs 40
// bytes plus its key. Mirrors the read side of metav1.Object. Differs: objects cannot be changed;
// send a patch instead.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "capstan/export.h"

namespace capstan::runtime {

class ObjectBlock;
template <class T>
class ObjectPtrTo;

// ObjectIdentity is the identity of an object. Its members are views into the frame that is being
// decoded.
struct CAPSTAN_EXPORT ObjectIdentity {
  std::string_view namespace_;  // empty: cluster-scoped
  std::string_view name;
  std::string_view uid;
  std::string_view resource_version;
  const ObjectBlock* block = nullptr;  // MakeObject sets it for Object's constructor
};

class CAPSTAN_EXPORT Object {
 public:
  // REQUIRES: MakeObject calls it, and `meta` is the one that the derived type's constructor got.
  explicit Object(const ObjectIdentity& meta);
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // The key is "namespace/name", or "name" for a cluster-scoped object, as in client-go's
  // MetaNamespaceKeyFunc.
  std::string_view key() const { return {text(), key_len_}; }
  // The namespace ends at the first '/' of the key, as in ObjectKey::Parse.
  std::string_view namespace_() const {
    return is_namespaced_ ? key().substr(0, key().find('/')) : std::string_view();
  }
  std::string_view name() const {
    return is_namespaced_ ? key().substr(key().find('/') + 1) : key();
  }
  // These two return text that is made from a compact form. To compare two objects, use
  // HasSameVersion.
  std::string resource_version() const;
  std::string uid() const;

  // Reports whether both are the same version of an object: equal uid and resourceVersion. Versions
  // are only compared for equality. An object without a version is never the same.
  bool HasSameVersion(const Object& other) const;

  // Returns the heap bytes that this object uses, including itself and what the heap adds. The
  // metric capstan_cache_bytes is their sum. Override it in a type whose fields have heap blocks.
  virtual std::size_t ByteSize() const { return BlockBytes(); }

 protected:
  virtual ~Object() = default;

  // Returns the heap bytes of this object's own block.
  std::size_t BlockBytes() const;

 private:
  template <class T>
  friend class ObjectPtrTo;
  friend class ObjectBlock;

  using Uuid = std::array<std::uint64_t, 2>;

  void AddReference() const { references_.fetch_add(1, std::memory_order_relaxed); }
  void RemoveReference() const {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) Destroy(this);
  }
  static void Destroy(const Object* object);

  const char* text() const {
    return reinterpret_cast<const char*>(this) + std::size_t{text_at_} * kTextAlignment;
  }
  std::size_t TextBytes() const;
  // The texts behind the key, for values without a compact form.
  std::string_view VersionText() const;
  std::string_view UidText() const;

  static constexpr std::size_t kTextAlignment = 8;

  mutable std::atomic<std::uint32_t> references_ = 0;
  std::uint16_t key_len_;
  std::uint16_t text_at_ : 13;  // where the text begins, in units of kTextAlignment
  std::uint16_t is_namespaced_ : 1;
  std::uint16_t version_is_text_ : 1;  // the version is not a decimal number of 64 bits
  std::uint16_t uid_is_text_ : 1;      // the uid is not a UUID in lower case
  std::uint64_t version_;              // the number, or the length of the text
  Uuid uid_;                           // the UUID, or the length of the text
};

// ObjectPtrTo<T> shares an immutable T, which is an Object or derived from it. It is a pointer to a
// reference count in the object. Copies are thread-safe, as those of std::shared_ptr are.
template <class T>
class ObjectPtrTo {
 public:
  using element_type = const T;

  constexpr ObjectPtrTo() noexcept = default;
  constexpr ObjectPtrTo(std::nullptr_t) noexcept {}
  // Shares an object that others share already. `object` may be nullptr.
  explicit ObjectPtrTo(const T* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->AddReference();
  }
  ObjectPtrTo(const ObjectPtrTo& other) noexcept : ObjectPtrTo(other.object_) {}
  ObjectPtrTo(ObjectPtrTo&& other) noexcept : object_(other.Detach()) {}
  template <class U>
  requires std::is_convertible_v<const U*, const T*> ObjectPtrTo(const ObjectPtrTo<U>& other)
  noexcept : ObjectPtrTo(other.get()) {}
  template <class U>
  requires std::is_convertible_v<const U*, const T*> ObjectPtrTo(ObjectPtrTo<U>&& other)
  noexcept : object_(other.Detach()) {}
  ~ObjectPtrTo() {
    if (object_ != nullptr) object_->RemoveReference();
  }
  ObjectPtrTo& operator=(ObjectPtrTo other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  const T* get() const noexcept { return object_; }
  const T& operator*() const noexcept { return *object_; }
  const T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  void reset() noexcept { *this = nullptr; }

  // Detach returns the pointer with its reference, and leaves nullptr. Adopt takes it back.
  const T* Detach() noexcept { return std::exchange(object_, nullptr); }
  static ObjectPtrTo Adopt(const T* object) noexcept {
    ObjectPtrTo adopted;
    adopted.object_ = object;
    return adopted;
  }

 private:
  const T* object_ = nullptr;
};

template <class T, class U>
bool operator==(const ObjectPtrTo<T>& a, const ObjectPtrTo<U>& b) noexcept {
  return a.get() == b.get();
}
template <class T>
bool operator==(const ObjectPtrTo<T>& a, std::nullptr_t) noexcept {
  return a.get() == nullptr;
}

using ObjectPtr = ObjectPtrTo<Object>;

// Returns `object` as a pointer to a derived type. REQUIRES: the object is a T, or nullptr.
template <class T, class U>
ObjectPtrTo<T> StaticObjectCast(ObjectPtrTo<U> object) noexcept {
  return ObjectPtrTo<T>::Adopt(static_cast<const T*>(object.Detach()));
}
// Returns nullptr if the object is not a T.
template <class T, class U>
ObjectPtrTo<T> DynamicObjectCast(const ObjectPtrTo<U>& object) noexcept {
  return ObjectPtrTo<T>(dynamic_cast<const T*>(object.get()));
}

// ObjectBlock is the heap block of an object while MakeObject makes it.
class CAPSTAN_EXPORT ObjectBlock {
 public:
  // The largest size of a type, without the memory that it owns elsewhere.
  static constexpr std::size_t kTypeBytesMax = 8191 * Object::kTextAlignment;

  // REQUIRES: the lengths fit into 16 bits, as in every ObjectIdentity that DecodeIdentity returns.
  ObjectBlock(const ObjectIdentity& meta, std::size_t type_bytes);
  ~ObjectBlock();  // frees the block, unless it has an object
  ObjectBlock(const ObjectBlock&) = delete;
  ObjectBlock& operator=(const ObjectBlock&) = delete;

  const ObjectIdentity& meta() const { return meta_; }
  void* memory() const { return memory_; }
  void HoldsObject() { memory_ = nullptr; }

 private:
  friend class Object;

  ObjectIdentity meta_;
  std::uint64_t version_ = 0;
  Object::Uuid uid_ = {};
  bool version_is_text_;
  bool uid_is_text_;
  char* memory_;
  char* text_;
};

// Makes a T from `meta` and `args`, which its constructor gets.
template <class T, class... Args>
ObjectPtrTo<T> MakeObject(const ObjectIdentity& meta, Args&&... args) {
  static_assert(std::is_base_of_v<Object, T> && sizeof(T) <= ObjectBlock::kTypeBytesMax);
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  ObjectBlock block(meta, sizeof(T));
  ObjectPtrTo<T> made(new (block.memory()) T(block.meta(), std::forward<Args>(args)...));
  block.HoldsObject();
  return made;
}

// ObjectKey is a namespaced name. Mirrors types.NamespacedName and cache.ObjectName.
struct CAPSTAN_EXPORT ObjectKey {
  std::string namespace_;
  std::string name;

  std::string String() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  // Splits `key` at the first '/'. Without a '/', the namespace is empty.
  static ObjectKey Parse(std::string_view key);
  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
};

}  // namespace capstan::runtime
