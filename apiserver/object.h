// SPDX-License-Identifier: Apache-2.0
// Object: one stored object: compact JSON text, and where its metadata lies in it. No DOM is kept:
// 20,000 Secrets of 5 KiB cost 100 MB here, and would cost five times that as trees.
// Immutable, shared between the table and the event log.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/json_edit.h"
#include "apiserver/resources.h"

namespace apiserver {

struct Object {
  // {"kind":..,"apiVersion":..,"metadata":{..}, the rest}
  std::string text;
  std::uint32_t metadata_begin = 0;  // of the value of "metadata"
  std::uint32_t metadata_end = 0;
  std::uint64_t resource_version = 0;

  std::string_view metadata() const {
    return std::string_view(text).substr(metadata_begin, metadata_end - metadata_begin);
  }
};

using ObjectPtr = std::shared_ptr<const Object>;

// How a client wants objects: whole, or as PartialObjectMetadata.
enum class Form { kFull, kMetadata };

// Stamps `document` with kind, apiVersion and resourceVersion, and writes it down.
// resource_version 0: it has none, since it is not stored (a dry run).
// REQUIRES: an object with a metadata object.
ObjectPtr MakeObject(const Resource& resource, JsonDocument& document,
                     std::uint64_t resource_version);
// The same object with another resourceVersion: what a DELETED event carries.
ObjectPtr WithResourceVersion(const Resource& resource, const Object& object,
                              std::uint64_t resource_version);
std::unique_ptr<JsonDocument> ParseObject(const Object& object);

// As an answer or an event carries it, with kind and apiVersion.
void AppendObject(std::string& out, const Object& object, Form form);
// As a list carries it: items of a typed list have no kind and apiVersion.
void AppendItem(std::string& out, const Object& object, Form form);

}  // namespace apiserver
