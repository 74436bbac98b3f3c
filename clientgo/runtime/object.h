// SPDX-License-Identifier: Apache-2.0
// Object is a Kubernetes object in a cache: its identity and, in derived types, only the fields
// that its reader needs. It is immutable, is shared as ObjectPtr, and is read without locks.
//
// The key, uid and resourceVersion are in one heap block. A derived type without own fields costs
// 40 bytes plus this text. Mirrors the read side of metav1.Object. Differs: objects cannot be
// changed; send a patch instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace clientgo::runtime {

// ObjectMeta is the identity of an object. Its members are views into the frame that is being
// decoded.
struct ObjectMeta {
  std::string_view namespace_;  // empty: cluster-scoped
  std::string_view name;
  std::string_view uid;
  std::string_view resource_version;
};

class Object {
 public:
  // REQUIRES: the lengths fit into 16 bits, as in every ObjectMeta that DecodeMeta returns.
  explicit Object(const ObjectMeta& meta);
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // The key is "namespace/name", or "name" for a cluster-scoped object, as in client-go's
  // MetaNamespaceKeyFunc.
  std::string_view key() const { return {text_.get(), key_len_}; }
  std::string_view namespace_() const { return {text_.get(), namespace_len_}; }
  std::string_view name() const {
    const std::size_t skip = namespace_len_ == 0 ? 0U : namespace_len_ + 1U;
    return key().substr(skip);
  }
  std::string_view resource_version() const { return {text_.get() + key_len_, version_len_}; }
  std::string_view uid() const { return {text_.get() + key_len_ + version_len_, uid_len_}; }

  // Returns the heap bytes that this object uses, including itself. The metric capstan_cache_bytes
  // is their sum.
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

// ObjectKey is a namespaced name. Mirrors types.NamespacedName and cache.ObjectName.
struct ObjectKey {
  std::string namespace_;
  std::string name;

  std::string String() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  // Splits `key` at the first '/'. Without a '/', the namespace is empty.
  static ObjectKey Parse(std::string_view key);
  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
};

}  // namespace clientgo::runtime
