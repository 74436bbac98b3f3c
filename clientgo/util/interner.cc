// SPDX-License-Identifier: Apache-2.0
#include "capstan/interner.h"

#include <unordered_map>

#include "capstan/mutex.h"

namespace capstan {

// The keys are views of the interned strings, so each text exists once. Invariant: a key's string
// is alive, because its deleter removes the key before it frees the string.
struct Interner::Table {
  mutable Mutex mu;
  std::unordered_map<std::string_view, std::weak_ptr<const std::string>> entries
      CAPSTAN_GUARDED_BY(mu);

  void Remove(const std::string* text) CAPSTAN_EXCLUDES(mu) {
    const MutexLock lock(mu);
    const auto it = entries.find(*text);
    // Another thread may have interned an equal string since the last release.
    if (it != entries.end() && it->first.data() == text->data()) entries.erase(it);
  }
};

Interner::Interner() : table_(std::make_shared<Table>()) {}
Interner::~Interner() = default;

std::shared_ptr<const std::string> Interner::Intern(std::string_view text) {
  // Declared before the lock, so that no string is released under it: its deleter locks.
  std::shared_ptr<const std::string> interned;
  const MutexLock lock(table_->mu);
  const auto it = table_->entries.find(text);
  if (it != table_->entries.end()) {
    interned = it->second.lock();
    if (interned != nullptr) return interned;
    table_->entries.erase(it);  // the string is being destroyed, and its key must not outlive it
  }
  interned = std::shared_ptr<const std::string>(
      new std::string(text), [table = std::weak_ptr<Table>(table_)](const std::string* dying) {
        if (const auto alive = table.lock(); alive != nullptr) alive->Remove(dying);
        delete dying;
      });
  table_->entries.emplace(*interned, interned);
  return interned;
}

std::size_t Interner::Size() const {
  const MutexLock lock(table_->mu);
  return table_->entries.size();
}

std::size_t Interner::ByteSize() const {
  const MutexLock lock(table_->mu);
  std::size_t bytes = 0;
  for (const auto& [text, entry] : table_->entries) bytes += sizeof(std::string) + text.size();
  return bytes;
}

}  // namespace capstan
