// SPDX-License-Identifier: Apache-2.0
// Object: what a cache holds of one Kubernetes object: its identity, and in derived types just the
// fields their reader asked for. Immutable once made, shared as ObjectPtr, read without locks.
//
// Key, uid and resourceVersion lie in one heap block; a derived type without fields of its own
// costs 40 bytes plus the text. Mirrors the read side of metav1.Object. Differs: there is no
// mutable object; to change one, send a patch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace clientgo::runtime {

// The identity of an object as read off the wire; views into the frame being decoded.
struct ObjectMeta {
  std::string_view namespace_;  // empty: cluster-scoped
  std::string_view name;
  std::string_view uid;
  std::string_view resource_version;
};

class Object {
 public:
  // CHECKs that the lengths fit; what DecodeMeta returns does.
  explicit Object(const ObjectMeta& meta);
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // "namespace/name", or "name" when cluster-scoped: client-go's MetaNamespaceKeyFunc.
  std::string_view key() const { return {text_.get(), key_len_}; }
  std::string_view namespace_() const { return {text_.get(), namespace_len_}; }
  std::string_view name() const {
    const std::size_t skip = namespace_len_ == 0 ? 0U : namespace_len_ + 1U;
    return key().substr(skip);
  }
  std::string_view resource_version() const { return {text_.get() + key_len_, version_len_}; }
  std::string_view uid() const { return {text_.get() + key_len_ + version_len_, uid_len_}; }

  // Heap bytes this object keeps alive, itself included: what capstan_cache_bytes sums up.
  virtual std::size_t ByteSize() const { return sizeof(Object) + TextSize(); }

 protected:
  std::size_t TextSize() const { return std::size_t{key_len_} + version_len_ + uid_len_; }

 private:
  std::unique_ptr<char[]> text_;  // key, resourceVersion, uid, end to end
  std::uint16_t namespace_len_;
  std::uint16_t key_len_;
  std::uint16_t version_len_;
  std::uint16_t uid_len_;
};

using ObjectPtr = std::shared_ptr<const Object>;

// A namespaced name. Mirrors types.NamespacedName and cache.ObjectName.
struct ObjectKey {
  std::string namespace_;
  std::string name;

  std::string String() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  // Splits at the first '/'; without one the namespace is empty.
  static ObjectKey Parse(std::string_view key);
  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
};

}  // namespace clientgo::runtime
