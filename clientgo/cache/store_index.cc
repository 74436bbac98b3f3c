// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/store_index.h"

#include <glog/logging.h>

#include <cstring>
#include <new>
#include <utility>

#include "capstan/heap.h"

namespace capstan::cache {
namespace {

// A number with this bit is a position in the list of lists, otherwise it is the id of one value.
constexpr std::uint32_t kIsList = std::uint32_t{1} << 31U;

struct AddressHash {
  std::uint64_t operator()(const runtime::Object& object) const {
    constexpr std::uint64_t kOddFactor = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
    const std::uint64_t product = reinterpret_cast<std::uintptr_t>(&object) * kOddFactor;
    return product ^ product >> 32U;
  }
};

std::uint32_t ToNumber(std::size_t position) {
  CHECK_LT(position, kIsList) << "an index has too many values";
  return static_cast<std::uint32_t>(position);
}

}  // namespace

// Value is a value of the index, and the objects that have it. Its text follows it in its block.
class StoreIndex::Value {
 public:
  Value(std::string_view text, std::uint32_t id)
      : id_(id), text_bytes_(static_cast<std::uint32_t>(text.size())) {
    if (!text.empty()) std::memcpy(begin(), text.data(), text.size());
  }
  static void* operator new(std::size_t bytes, std::string_view text) {
    return ::operator new(bytes + text.size());
  }
  static void operator delete(void* memory) { ::operator delete(memory); }
  static void operator delete(void* memory, std::string_view /*text*/) {
    ::operator delete(memory);
  }

  std::string_view key() const { return {reinterpret_cast<const char*>(this + 1), text_bytes_}; }
  std::uint32_t id() const { return id_; }
  bool empty() const { return one_ == nullptr && many_ == nullptr; }
  bool Add(const runtime::Object& object);
  void Remove(const runtime::Object& object);
  std::vector<runtime::ObjectPtr> Objects() const;
  std::size_t ByteSize() const {
    const std::size_t own = HeapBlockBytes(sizeof *this + text_bytes_);
    if (many_ == nullptr) return own;
    return own + HeapBlockBytes(sizeof *many_) + many_->ByteSize();
  }

 private:
  using Many = PointerTable<const runtime::Object, AddressHash>;

  char* begin() { return reinterpret_cast<char*>(this + 1); }
  static Many::Position FindIn(const Many& many, const runtime::Object& object) {
    return many.Find(AddressHash()(object),
                     [&](const runtime::Object& other) { return &other == &object; });
  }

  std::uint32_t id_;
  std::uint32_t text_bytes_;
  const runtime::Object* one_ = nullptr;  // the only object
  std::unique_ptr<Many> many_ = nullptr;  // or all of them
};

bool StoreIndex::Value::Add(const runtime::Object& object) {
  if (empty()) {
    one_ = &object;
    return true;
  }
  if (one_ == &object) return false;
  if (many_ == nullptr) {
    many_ = std::make_unique<Many>();
    many_->Insert(AddressHash()(*one_), one_);
    one_ = nullptr;
  } else if (FindIn(*many_, object)) {
    return false;
  }
  many_->Insert(AddressHash()(object), &object);
  return true;
}

void StoreIndex::Value::Remove(const runtime::Object& object) {
  if (one_ == &object) one_ = nullptr;
  if (many_ == nullptr) return;
  many_->Erase(FindIn(*many_, object));
  if (many_->size() == 0) many_ = nullptr;
}

std::vector<runtime::ObjectPtr> StoreIndex::Value::Objects() const {
  std::vector<runtime::ObjectPtr> objects;
  if (one_ != nullptr) objects.emplace_back(one_);
  if (many_ == nullptr) return objects;
  objects.reserve(many_->size());
  for (auto position = many_->First(); position; position = many_->Next(position)) {
    objects.emplace_back(many_->At(position));
  }
  return objects;
}

StoreIndex::StoreIndex(std::string name, IndexFunc func)
    : name_(std::move(name)), func_(std::move(func)) {}
StoreIndex::~StoreIndex() = default;
StoreIndex::StoreIndex(StoreIndex&&) noexcept = default;

std::uint32_t StoreIndex::IdOf(std::string_view text) {
  const std::uint64_t hash = KeyHash()(text);
  const auto known = by_text_.Find(hash, [&](const Value& value) { return value.key() == text; });
  if (known) return by_text_.At(known)->id();
  if (free_ids_.empty()) {
    by_id_.emplace_back();
    free_ids_.push_back(ToNumber(by_id_.size()));
  }
  const std::uint32_t id = free_ids_.back();
  free_ids_.pop_back();
  auto& value = by_id_[id - 1];
  value.reset(new (text) Value(text, id));
  by_text_.Insert(hash, value.get());
  bytes_ += value->ByteSize();
  return id;
}

bool StoreIndex::AddTo(std::uint32_t id, const runtime::Object& object) {
  Value& value = *by_id_[id - 1];
  bytes_ -= value.ByteSize();
  const bool added = value.Add(object);
  bytes_ += value.ByteSize();
  return added;
}

void StoreIndex::RemoveFrom(std::uint32_t id, const runtime::Object& object) {
  auto& value = by_id_[id - 1];
  bytes_ -= value->ByteSize();
  value->Remove(object);
  if (!value->empty()) {
    bytes_ += value->ByteSize();
    return;
  }
  by_text_.Erase(
      by_text_.Find(KeyHash()(*value), [&](const Value& other) { return &other == value.get(); }));
  value = nullptr;
  free_ids_.push_back(id);
}

std::uint32_t StoreIndex::NewList(Ids ids) {
  if (free_lists_.empty()) {
    free_lists_.push_back(ToNumber(lists_.size()));
    lists_.emplace_back();
  }
  const std::uint32_t list = free_lists_.back();
  free_lists_.pop_back();
  lists_[list] = std::move(ids);
  bytes_ += HeapBlockBytes(lists_[list].capacity() * sizeof(Ids::value_type));
  return kIsList | list;
}

std::uint32_t StoreIndex::Add(const runtime::Object& object) {
  Ids ids;
  for (const std::string& text : func_(object)) {
    const std::uint32_t id = IdOf(text);
    // A function may return a value twice.
    if (AddTo(id, object)) ids.push_back(id);
  }
  if (ids.empty()) return 0;
  if (ids.size() == 1) return ids.front();
  ids.shrink_to_fit();
  return NewList(std::move(ids));
}

void StoreIndex::Remove(const runtime::Object& object, std::uint32_t number) {
  if (number == 0) return;
  if ((number & kIsList) == 0) {
    RemoveFrom(number, object);
    return;
  }
  const std::uint32_t list = number & ~kIsList;
  const Ids ids = std::exchange(lists_[list], {});
  bytes_ -= HeapBlockBytes(ids.capacity() * sizeof(Ids::value_type));
  free_lists_.push_back(list);
  for (const std::uint32_t id : ids) RemoveFrom(id, object);
}

std::vector<runtime::ObjectPtr> StoreIndex::Find(std::string_view value) const {
  const auto found =
      by_text_.Find(KeyHash()(value), [&](const Value& known) { return known.key() == value; });
  if (!found) return {};
  return by_text_.At(found)->Objects();
}

std::size_t StoreIndex::ByteSize() const {
  std::size_t bytes = bytes_ + by_text_.ByteSize();
  for (const std::size_t vector_bytes :
       {by_id_.capacity() * sizeof(decltype(by_id_)::value_type),
        lists_.capacity() * sizeof(decltype(lists_)::value_type),
        (free_ids_.capacity() + free_lists_.capacity()) * sizeof(Ids::value_type)}) {
    if (vector_bytes != 0) bytes += HeapBlockBytes(vector_bytes);
  }
  return bytes;
}

}  // namespace capstan::cache
