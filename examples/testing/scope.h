// SPDX-License-Identifier: Apache-2.0
// Scope is a test's part of a cluster. HasEvent finds an Event.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/client/client.h"
#include "capstan/clientgo/rest/client.h"
#include "capstan/kind/unstructured.h"
#include "capstan/testing/eventually.h"
#include "testing/example_test.h"

// Creates an object. A server serves a new kind, and accepts objects in a new namespace, some time
// after its creation.
template <class T>
T Create(const capstan::Client<T>& client, const T& object, const std::string& what) {
  capstan::Expected<capstan::Ptr<T>> created;
  capstan::testing::Eventually([&] { return (created = client.Create({}, object)).has_value(); });
  return *Value(std::move(created), "create " + what);
}

// Scope creates CustomResourceDefinitions and namespaces, and deletes them at the end.
class Scope {
 public:
  using Objects = capstan::Client<capstan::Unstructured>;

  // `prefix` starts the names of all namespaces.
  Scope(capstan::clientgo::rest::Client& client, std::string prefix,
        const std::vector<std::string>& definitions = {})
      : prefix_(std::move(prefix)),
        definitions_(client, capstan::Unstructured::TypeFor(
                                 {"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                                 "CustomResourceDefinition", false)),
        namespaces_(client,
                    capstan::Unstructured::TypeFor({"", "v1", "namespaces"}, "Namespace", false)) {
    for (const std::string& text : definitions) {
      const auto definition = Value(capstan::Unstructured::FromJson(text), "the CRD");
      created_definitions_.push_back(Create(definitions_, definition, "the CRD").metadata.name);
    }
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() {
    for (const auto& name : created_namespaces_) {
      (void)namespaces_.Delete({}, {.namespace_ = "", .name = name});
    }
    for (const auto& name : created_definitions_) {
      (void)definitions_.Delete({}, {.namespace_ = "", .name = name});
    }
  }

  // Creates a namespace and returns its name.
  std::string NewNamespace(const std::map<std::string, std::string>& labels = {}) {
    capstan::Unstructured wanted("v1", "Namespace");
    wanted.metadata.generate_name = prefix_ + "-";
    wanted.metadata.labels = labels;
    created_namespaces_.push_back(
        Value(namespaces_.Create({}, wanted), "create a namespace")->metadata.name);
    return created_namespaces_.back();
  }

 private:
  const std::string prefix_;
  const Objects definitions_;
  const Objects namespaces_;
  std::vector<std::string> created_definitions_;
  std::vector<std::string> created_namespaces_;
};

// Parses an object.
inline capstan::Unstructured Object(const std::string& json) {
  return Value(capstan::Unstructured::FromJson(json), "JSON");
}

// Reports whether an Event about the object with this uid has the reason and the message, and was
// recorded at least `count` times.
inline bool HasEvent(capstan::clientgo::rest::Client& client, const std::string& uid,
                     std::string_view reason, std::string_view message, int count = 1) {
  using capstan::Unstructured;
  const capstan::Client<Unstructured> events(
      client, Unstructured::TypeFor({"", "v1", "events"}, "Event", true));
  const auto all = events.List({});
  return all && std::any_of(all->begin(), all->end(), [&](const auto& event) {
           const auto text = [&](const Unstructured::Path& path) {
             return event->template Get<std::string>(path);
           };
           return text({"involvedObject", "uid"}) == uid && text({"reason"}) == reason &&
                  text({"message"}) == message &&
                  event->template Get<int>({"count"}).value_or(0) >= count;
         });
}
