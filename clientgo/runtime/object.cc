// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/object.h"

#include <glog/logging.h>

#include <cstring>
#include <limits>

namespace clientgo::runtime {
namespace {

std::uint16_t Length(std::size_t length) {
  CHECK_LE(length, std::numeric_limits<std::uint16_t>::max())
      << "the identity of an object is too long";
  return static_cast<std::uint16_t>(length);
}

char* Put(char* to, std::string_view text) {
  return text.empty() ? to
                      : static_cast<char*>(std::memcpy(to, text.data(), text.size())) + text.size();
}

}  // namespace

Object::Object(const ObjectMeta& meta)
    : namespace_len_(Length(meta.namespace_.size())),
      key_len_(
          Length(meta.namespace_.size() + (meta.namespace_.empty() ? 0U : 1U) + meta.name.size())),
      version_len_(Length(meta.resource_version.size())),
      uid_len_(Length(meta.uid.size())) {
  text_ = std::make_unique<char[]>(TextSize());
  char* to = Put(text_.get(), meta.namespace_);
  if (!meta.namespace_.empty()) *to++ = '/';
  to = Put(to, meta.name);
  to = Put(to, meta.resource_version);
  Put(to, meta.uid);
}

ObjectKey ObjectKey::Parse(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {.namespace_ = {}, .name = std::string(key)};
  return {.namespace_ = std::string(key.substr(0, slash)),
          .name = std::string(key.substr(slash + 1))};
}

}  // namespace clientgo::runtime
