// SPDX-License-Identifier: Apache-2.0
// Event is a core/v1 Event with the fields that the recorder writes. Times are metav1.Time text.
// Immutable, so threads can share it. Mirrors corev1.Event without series and the fields of
// events.k8s.io/v1.
#pragma once

#include <string>

#include "capstan/export.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::api {

// ObjectReference mirrors corev1.ObjectReference. Empty fields are omitted from JSON.
struct CAPSTAN_EXPORT ObjectReference {
  std::string api_version = {};
  std::string kind = {};
  std::string namespace_ = {};
  std::string name = {};
  std::string uid = {};
  std::string resource_version = {};
  friend bool operator==(const ObjectReference&, const ObjectReference&) = default;
};

// EventFields are all fields of an Event except its identity.
struct CAPSTAN_EXPORT EventFields {
  ObjectReference involved_object = {};
  std::string type = {};  // "Normal", "Warning"
  std::string reason = {};
  std::string message = {};
  std::string source_component = {};  // also reportingComponent
  std::string source_host = {};       // also reportingInstance
  std::string first_timestamp = {};
  std::string last_timestamp = {};
  int count = 1;
  friend bool operator==(const EventFields&, const EventFields&) = default;
};

class CAPSTAN_EXPORT Event final : public runtime::Object {
 public:
  static const runtime::ResourceType& Type();

  Event(const runtime::ObjectIdentity& meta, EventFields fields);

  const EventFields& fields() const { return fields_; }
  std::size_t ByteSize() const override;

 private:
  EventFields fields_;
};

// Returns the body of a POST.
CAPSTAN_EXPORT std::string ToJson(const runtime::ObjectKey& key, const EventFields& fields);

}  // namespace capstan::api
