// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/limit_ranger.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/amounts.h"

namespace capstan::testing::apiserver {
namespace {

using Value = runtime::JsonValue;

bool IsPod(const PluginRequest& request) {
  return request.resource.group.empty() && request.resource.kind == "Pod";
}

// Only a resize changes the resources of a Pod after its creation.
bool IsLimited(const PluginRequest& request) {
  if (!request.resource.group.empty()) return false;
  if (IsPod(request)) return request.live == nullptr || request.subresource == "resize";
  return request.resource.kind == "PersistentVolumeClaim";
}

// Visits the limits of a type in all LimitRanges of the namespace.
void VisitLimits(const PluginRequest& request, std::string_view type,
                 const std::function<void(const Value& limit)>& visit) {
  const Resource* const ranges = FindResource("", "v1", "limitranges");
  const Storage& storage = request.storage;
  if (ranges == nullptr) return;
  storage.Visit(*ranges, request.namespace_, storage.resource_version(), "",
                [&](const Storage::Entry& entry) {
                  const auto range = ParseObject(*entry.object);
                  for (const Value& limit : ListAt(ObjectAt(*range, "spec"), "limits").GetArray()) {
                    if (runtime::GetString(limit, "type") == type) visit(limit);
                  }
                  return true;
                });
}

// Adds the amounts that the container lacks. Returns the names of what it added.
std::vector<std::string> AddMissing(Value& container, std::string_view key, const Value& defaults,
                                    JsonAllocator& allocator) {
  std::vector<std::string> added;
  for (const auto& member : defaults.GetObject()) {
    const std::string_view name = runtime::ToView(member.name);
    Value& list = Ensure(Ensure(container, "resources", allocator), key, allocator);
    if (runtime::Find(list, name) != nullptr) continue;
    Set(list, name, Value(member.value, allocator), allocator);
    added.emplace_back(name);
  }
  std::sort(added.begin(), added.end());
  return added;
}

// Bound is a limit for one resource, and what is measured against it.
struct Bound {
  std::string type;  // "Container", "Pod" or "PersistentVolumeClaim"
  std::string name;  // of the resource
  Amount amount;
  const Amounts& requests;
  const Amounts& limits;

  const Amount* Requested() const { return FindIn(requests); }
  const Amount* Limit() const { return FindIn(limits); }
  std::string Usage(const char* which) const {
    return std::string(which) + " " + name + " usage per " + type + " is " + amount.Text();
  }

 private:
  const Amount* FindIn(const Amounts& amounts) const {
    const auto found = amounts.find(name);
    return found == amounts.end() ? nullptr : &found->second;
  }
};

using Errors = std::vector<std::string>;

void CheckMinimum(const Bound& bound, Errors& errors) {
  const Amount* const request = bound.Requested();
  const Amount* const limit = bound.Limit();
  const std::string usage = bound.Usage("minimum");
  if (request == nullptr) {
    errors.push_back(usage + ".  No request is specified");
  } else if (request->milli < bound.amount.milli) {
    errors.push_back(usage + ", but request is " + request->Text());
  } else if (limit != nullptr && limit->milli < bound.amount.milli) {
    errors.push_back(usage + ", but limit is " + limit->Text());
  }
}

void CheckMaximum(const Bound& bound, Errors& errors) {
  const Amount* const request = bound.Requested();
  const Amount* const limit = bound.Limit();
  const std::string usage = bound.Usage("maximum");
  const bool has_limits = bound.type != "PersistentVolumeClaim";
  if (!has_limits && request == nullptr) {
    errors.push_back(usage + ".  No request is specified");
  } else if (has_limits && limit == nullptr) {
    errors.push_back(usage + ".  No limit is specified");
  } else if (limit != nullptr && limit->milli > bound.amount.milli) {
    errors.push_back(usage + ", but limit is " + limit->Text());
  } else if (request != nullptr && request->milli > bound.amount.milli) {
    errors.push_back(usage + ", but request is " + request->Text());
  }
}

void CheckRatio(const Bound& bound, Errors& errors) {
  const Amount* const request = bound.Requested();
  const Amount* const limit = bound.Limit();
  const std::string ratio = bound.name + " max limit to request ratio per " + bound.type + " is " +
                            bound.amount.Text() + ", but ";
  if (request == nullptr || request->milli == 0) {
    errors.push_back(ratio + "no request is specified or request is 0");
    return;
  }
  if (limit == nullptr || limit->milli == 0) {
    errors.push_back(ratio + "no limit is specified or limit is 0");
    return;
  }
  const double observed = static_cast<double>(limit->milli) / static_cast<double>(request->milli);
  if (observed * 1000 <= static_cast<double>(bound.amount.milli)) return;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%f", observed);
  errors.push_back(ratio + "provided ratio is " + text.data());
}

// Checks the requests and limits of a container, a Pod or a claim.
void CheckAgainst(const Value& limit, const Amounts& requests, const Amounts& limits,
                  Errors& errors) {
  const auto each = [&](const char* member, void (*check)(const Bound& bound, Errors& errors)) {
    for (const auto& [name, amount] : ParseAmounts(ObjectAt(limit, member))) {
      check({.type = std::string(runtime::GetString(limit, "type")),
             .name = name,
             .amount = amount,
             .requests = requests,
             .limits = limits},
            errors);
    }
  };
  each("min", CheckMinimum);
  each("max", CheckMaximum);
  if (runtime::GetString(limit, "type") != "PersistentVolumeClaim") {
    each("maxLimitRequestRatio", CheckRatio);
  }
}

}  // namespace

void SetLimitDefaults(const PluginRequest& request, runtime::JsonDocument& next) {
  if (!IsPod(request) || !IsLimited(request)) return;
  auto& allocator = next.GetAllocator();
  std::vector<std::string> all;
  VisitLimits(request, "Container", [&](const Value& limit) {
    for (const auto& [list, what] : {std::pair("containers", " container "),
                                     std::pair("initContainers", " init container ")}) {
      Value* const containers = FindMutablePath(next, {"spec", list});
      if (containers == nullptr || !containers->IsArray()) continue;
      for (Value& container : containers->GetArray()) {
        const auto limits = AddMissing(container, "limits", ObjectAt(limit, "default"), allocator);
        const auto requests =
            AddMissing(container, "requests", ObjectAt(limit, "defaultRequest"), allocator);
        const std::string name(runtime::GetString(container, "name"));
        if (!requests.empty()) {
          all.push_back(Join(requests, ", ") + " request for" + what + name);
        }
        if (!limits.empty()) all.push_back(Join(limits, ", ") + " limit for" + what + name);
      }
    }
  });
  if (all.empty()) return;
  Value& annotations = Ensure(Ensure(next, "metadata", allocator), "annotations", allocator);
  SetString(annotations, "kubernetes.io/limit-ranger", "LimitRanger plugin set: " + Join(all, "; "),
            allocator);
}

std::optional<Status> CheckLimits(const PluginRequest& request, const runtime::JsonDocument& next) {
  if (!IsLimited(request)) return std::nullopt;
  const Value& spec = ObjectAt(next, "spec");
  Errors errors;
  if (IsPod(request)) {
    VisitLimits(request, "Container", [&](const Value& limit) {
      for (const char* const list : {"containers", "initContainers"}) {
        for (const Value& container : ListAt(spec, list).GetArray()) {
          const Value& resources = ObjectAt(container, "resources");
          CheckAgainst(limit, ParseAmounts(ObjectAt(resources, "requests")),
                       ParseAmounts(ObjectAt(resources, "limits")), errors);
        }
      }
    });
    VisitLimits(request, "Pod", [&](const Value& limit) {
      CheckAgainst(limit, PodAmounts(spec, "requests"), PodAmounts(spec, "limits"), errors);
    });
  } else {
    VisitLimits(request, "PersistentVolumeClaim", [&](const Value& limit) {
      CheckAgainst(limit, ParseAmounts(ObjectAt(ObjectAt(spec, "resources"), "requests")), {},
                   errors);
    });
  }
  if (errors.empty()) return std::nullopt;
  const std::string joined = Join(errors, ", ");
  return ForbiddenBecause(request.resource, Metadata(next, "name"),
                          errors.size() == 1 ? joined : "[" + joined + "]");
}

}  // namespace capstan::testing::apiserver
