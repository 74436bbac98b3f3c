// SPDX-License-Identifier: Apache-2.0
#include "e2e/faults/note.h"

#include <charconv>
#include <chrono>

#include "capstan/runtime/json_value.h"

namespace e2e {

using capstan::MutexLock;
using capstan::runtime::FindPath;
using capstan::runtime::JsonValue;
using capstan::runtime::Object;
using capstan::runtime::ObjectIdentity;
using capstan::runtime::ObjectPtr;
using capstan::runtime::ResourceType;

namespace {

std::string TextAt(const JsonValue& object, std::initializer_list<std::string_view> path) {
  const JsonValue* value = FindPath(object, path);
  const auto text = value == nullptr ? std::nullopt : capstan::runtime::AsString(*value);
  return std::string(text.value_or(""));
}

// Returns the number of a version. The embedded server's versions are increasing numbers; clients
// must not depend on that, but this test may.
long Number(std::string_view version) {
  long number = -1;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

}  // namespace

const ResourceType& Note::Type() {
  static const ResourceType type{
      .gvr = {"", "v1", "configmaps"},
      .kind = "ConfigMap",
      .namespaced = true,
      .projection = {{"metadata", "labels", "app"}, {"metadata", "annotations", "text"}},
      .decode = [](const ObjectIdentity& meta,
                   const JsonValue& value) -> capstan::Expected<ObjectPtr> {
        return capstan::runtime::MakeObject<Note>(
            meta, TextAt(value, {"metadata", "labels", "app"}),
            TextAt(value, {"metadata", "annotations", "text"}));
      }};
  return type;
}

std::pair<std::string, NoteState> StateOf(const Object& object) {
  const auto& note = static_cast<const Note&>(object);
  return {
      std::string(note.key()),
      {.uid = note.uid(), .version = note.resource_version(), .app = note.app, .text = note.text}};
}

std::string Difference(const NoteStates& actual, const NoteStates& expected) {
  std::string text;
  for (const auto& [key, state] : expected) {
    const auto found = actual.find(key);
    if (found == actual.end()) {
      text += " missing " + key + "@" + state.version;
    } else if (!(found->second == state)) {
      text += " " + key + "@" + found->second.version + " is not @" + state.version;
    }
  }
  for (const auto& [key, state] : actual) {
    if (expected.count(key) == 0) text += " unexpected " + key + "@" + state.version;
  }
  return text;
}

capstan::cache::EventHandler NoteHandler::Handler() {
  return {
      .on_add = [this](const ObjectPtr& object, bool) { OnAdd(*object); },
      .on_update = [this](const ObjectPtr& before,
                          const ObjectPtr& after) { OnUpdate(*before, *after); },
      .on_delete = [this](const ObjectPtr& object, bool unknown) { OnDelete(*object, unknown); }};
}

void NoteHandler::AddError(const std::string& what, const Object& object) {
  errors_.push_back(what + ": " + std::string(object.key()) + "@" + object.resource_version());
}

void NoteHandler::OnAdd(const Object& object) {
  MutexLock lock(mu_);
  const auto [entry, is_new] = states_.insert(StateOf(object));
  if (!is_new) AddError("added twice", object);
  entry->second = StateOf(object).second;
  ++calls_;
  changed_.NotifyAll();
}

void NoteHandler::OnUpdate(const Object& before, const Object& after) {
  MutexLock lock(mu_);
  const auto found = states_.find(std::string(after.key()));
  if (found == states_.end()) {
    AddError("updated before it was added", after);
  } else if (!(found->second == StateOf(before).second)) {
    AddError("updated from a state that was never reported", before);
  }
  if (Number(after.resource_version()) <= Number(before.resource_version())) {
    AddError("updated to an older version", after);
  }
  states_[std::string(after.key())] = StateOf(after).second;
  ++calls_;
  changed_.NotifyAll();
}

void NoteHandler::OnDelete(const Object& object, bool final_state_unknown) {
  MutexLock lock(mu_);
  const auto found = states_.find(std::string(object.key()));
  if (found == states_.end()) {
    AddError("deleted before it was added", object);
  } else {
    if (final_state_unknown && !(found->second == StateOf(object).second)) {
      AddError("deleted with a state that was never reported", object);
    }
    states_.erase(found);
  }
  ++calls_;
  changed_.NotifyAll();
}

bool NoteHandler::Await(const NoteStates& expected) {
  MutexLock lock(mu_);
  return changed_.WaitUntil(mu_, {}, std::chrono::steady_clock::now() + std::chrono::seconds(30),
                            [&]() CAPSTAN_REQUIRES(mu_) { return states_ == expected; });
}

NoteStates NoteHandler::states() const {
  MutexLock lock(mu_);
  return states_;
}

std::vector<std::string> NoteHandler::errors() const {
  MutexLock lock(mu_);
  return errors_;
}

int NoteHandler::calls() const {
  MutexLock lock(mu_);
  return calls_;
}

}  // namespace e2e
