// SPDX-License-Identifier: Apache-2.0
// Note: a ConfigMap as the tests of faults see it: one label, and one annotation whose text is in
// many scripts. NoteHandler: an informer's handler that believes nothing: it keeps the last state
// of each key, and complains of every call that cannot follow the one before it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/cache/shared_informer.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/util/mutex.h"

namespace e2e {

class Note final : public clientgo::runtime::Object {
 public:
  Note(const clientgo::runtime::ObjectMeta& meta, std::string app_in, std::string text_in)
      : Object(meta), app(std::move(app_in)), text(std::move(text_in)) {}
  static const clientgo::runtime::ResourceType& Type();

  const std::string app;   // the label "app"
  const std::string text;  // the annotation "text"
};

// What is known of one object; equal for equal states.
struct NoteState {
  std::string uid;
  std::string version;
  std::string app;
  std::string text;
  bool operator==(const NoteState&) const = default;
};
using NoteStates = std::map<std::string, NoteState>;  // by key

std::pair<std::string, NoteState> StateOf(const clientgo::runtime::Object& object);
// The keys whose states differ, and how; empty: none.
std::string Difference(const NoteStates& actual, const NoteStates& expected);

class NoteHandler {
 public:
  // Lives shorter than this.
  clientgo::cache::EventHandler Handler();
  // Blocks (at most 30 s; false then) until it has been told exactly this.
  bool Await(const NoteStates& expected);
  NoteStates states() const;
  std::vector<std::string> complaints() const;
  int calls() const;

 private:
  void OnAdd(const clientgo::runtime::Object& object);
  void OnUpdate(const clientgo::runtime::Object& before, const clientgo::runtime::Object& after);
  void OnDelete(const clientgo::runtime::Object& object, bool final_state_unknown);
  void Complain(const std::string& what, const clientgo::runtime::Object& object) REQUIRES(mu_);

  mutable clientgo::util::Mutex mu_;
  clientgo::util::CondVar changed_;
  NoteStates states_ GUARDED_BY(mu_);
  std::vector<std::string> complaints_ GUARDED_BY(mu_);
  int calls_ GUARDED_BY(mu_) = 0;
};

}  // namespace e2e
