// SPDX-License-Identifier: Apache-2.0
// Note is a ConfigMap decoded by the fault tests: one label and one annotation. The annotation's
// text has characters of many scripts. NoteHandler is an informer's handler that keeps the last
// state of each key and records an error for every call that cannot follow the previous one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/cache/shared_informer.h"
#include "capstan/mutex.h"
#include "capstan/runtime/resource_type.h"

namespace e2e {

class Note final : public capstan::runtime::Object {
 public:
  Note(const capstan::runtime::ObjectIdentity& meta, std::string app_in, std::string text_in)
      : Object(meta), app(std::move(app_in)), text(std::move(text_in)) {}
  static const capstan::runtime::ResourceType& Type();

  const std::string app;   // the label "app"
  const std::string text;  // the annotation "text"
};

// NoteState is the compared state of one object.
struct NoteState {
  std::string uid;
  std::string version;
  std::string app;
  std::string text;
  bool operator==(const NoteState&) const = default;
};
using NoteStates = std::map<std::string, NoteState>;  // by key

std::pair<std::string, NoteState> StateOf(const capstan::runtime::Object& object);
// Returns the keys with different states and the difference, or "".
std::string Difference(const NoteStates& actual, const NoteStates& expected);

class NoteHandler {
 public:
  // Returns the handler's functions. They must not be called after this object is destroyed.
  capstan::cache::EventHandler Handler();
  // Blocks until the reported states equal `expected`. Returns false after 30 s.
  bool Await(const NoteStates& expected);
  NoteStates states() const;
  std::vector<std::string> errors() const;
  int calls() const;

 private:
  void OnAdd(const capstan::runtime::Object& object);
  void OnUpdate(const capstan::runtime::Object& before, const capstan::runtime::Object& after);
  void OnDelete(const capstan::runtime::Object& object, bool final_state_unknown);
  void AddError(const std::string& what, const capstan::runtime::Object& object)
      CAPSTAN_REQUIRES(mu_);

  mutable capstan::Mutex mu_;
  capstan::CondVar changed_;
  NoteStates states_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<std::string> errors_ CAPSTAN_GUARDED_BY(mu_);
  int calls_ CAPSTAN_GUARDED_BY(mu_) = 0;
};

}  // namespace e2e
