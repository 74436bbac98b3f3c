// SPDX-License-Identifier: Apache-2.0
// The conversion of objects between the versions of a custom kind. An object is stored in the
// storage version of its definition, or in an earlier one, and each request sees it in its own
// version. With the strategy None only the apiVersion changes. With Webhook, Conversions calls the
// webhook. The schema of the new version prunes the result.
//
// A conversion does not block: an object whose conversion is not known yet is pending, and the
// request fails without an effect. Its owner makes the calls elsewhere and executes the request
// from its beginning, as it does for an Admission. The calls of one request for one version are
// one review.
//
// Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver/conversion. Differs: defaults of the storage
// version are stored with the object, and an object of CreateObjects is stored in its version.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/clock.h"
#include "clientgo/testing/apiserver/admission/webhook_call.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/kind_versions.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

using Document = std::unique_ptr<runtime::JsonDocument>;

// NewObjectFields are the values that the server chooses for a new object.
struct NewObjectFields {
  std::string uid = {};
  std::string name_suffix = {};
  std::string time = {};
};

// Conversions are the answers of conversion webhooks to one request.
class Conversions {
 public:
  static constexpr std::chrono::seconds kCallTimeout{30};
  static constexpr std::chrono::seconds kRequestTimeout{60};
  static constexpr std::size_t kObjectsMax = 500;  // in one review

  // `fields` are the same in each attempt.
  explicit Conversions(NewObjectFields fields)
      : fields_(std::move(fields)), deadline_(Clock::Real().After(kRequestTimeout)) {}

  const NewObjectFields& fields() const { return fields_; }
  // Begins an attempt. Forgets pending objects.
  void Begin() { missing_.clear(); }
  // Reports whether the attempt failed because conversions are missing.
  bool pending() const { return !missing_.empty(); }
  // Returns the calls that convert the pending objects. They refer to this object.
  std::vector<HookCall> TakeCalls();

  // Returns the objects as the webhook converts them, without those that are pending.
  Result<std::vector<Document>> Convert(const std::vector<Document>& objects, const Resource& to);

 private:
  using Answer = tl::expected<std::string, std::string>;  // the object as JSON, or why not
  using Key = std::pair<const Resource*, std::string>;    // the version, and the object as JSON

  HookCall NewCall(const Resource& to, std::vector<std::string> objects);

  const NewObjectFields fields_;
  const Clock::TimePoint deadline_;
  std::map<Key, Answer> known_;
  std::vector<Key> missing_;
};

// Undeclared says what happens to the fields that the new version does not declare.
enum class Undeclared { kPruned, kKept };

// Return objects in the version of a resource. `conversions` is that of the request; without it no
// webhook is called.
Result<std::vector<Document>> ConvertTo(const Resource& to, std::vector<Document> objects,
                                        Conversions* conversions,
                                        Undeclared undeclared = Undeclared::kPruned);
Result<Document> ConvertTo(const Resource& to, Document object, Conversions* conversions,
                           Undeclared undeclared = Undeclared::kPruned);

// Returns the version of a kind in which an object is stored. If the definition does not have it
// any more, returns `resource`.
const Resource& StoredVersion(const Resource& resource, const Object& object);
// Returns a stored object in this version, with the present schema. REQUIRES: `version` is its
// StoredVersion.
Document ReadStored(const Resource& version, const Object& object);

// Return stored objects as a request at a version reads them.
Result<Document> ReadAs(const Resource& resource, const Object& object, Conversions* conversions);
Result<ObjectPtr> ShownAs(const Resource& resource, ObjectPtr object, Conversions* conversions);
Result<std::vector<ObjectPtr>> ShownAs(const Resource& resource, std::vector<ObjectPtr> objects,
                                       Conversions* conversions);
// Reports whether a request at this version reads the stored object unchanged.
bool IsShownAs(const Resource& resource, const Object& object);

}  // namespace capstan::testing::apiserver
