// SPDX-License-Identifier: Apache-2.0
// PointerTable is a hash table of pointers for caches of a million objects: about ten bytes for
// each entry, and it never holds two copies of itself.
//
// The table consists of segments of some hundred slots with open addressing. A segment grows by an
// eighth when it is seven eighths full, and the number of segments doubles one segment at a time. A
// slot has 8 bytes: the pointer, 16 bits of the entry's hash, and a mark. A table may have columns:
// a number for each entry, which costs nothing in segments where all numbers are 0.
//
// The table does not own the entries. Not thread-safe. There is no upstream; Go has its own map.
#pragma once

#include <glog/logging.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "capstan/heap.h"

namespace capstan::cache {

// `Hash` is a function object that returns the std::uint64_t hash of a T. All bits must be good.
template <class T, class Hash>
class PointerTable {
 private:
  struct Segment {
    std::unique_ptr<std::uint64_t[]> slots = {};
    std::vector<std::unique_ptr<std::uint32_t[]>> columns = {};  // null: all numbers are 0
    std::uint32_t capacity = 0;
    std::uint32_t size = 0;
  };

 public:
  // Position is the place of an entry. It is valid until an entry is added or removed.
  class Position {
   public:
    Position() = default;
    explicit operator bool() const { return segment_ != nullptr; }

   private:
    friend class PointerTable;
    Position(Segment* segment, std::uint32_t slot) : segment_(segment), slot_(slot) {}
    Segment* segment_ = nullptr;
    std::uint32_t slot_ = 0;
  };

  std::size_t size() const { return size_; }
  // Returns the heap bytes of the table, without the entries.
  std::size_t ByteSize() const {
    if (segments_.empty()) return 0;
    return bytes_ + HeapBlockBytes(segments_.capacity() * sizeof(Segment));
  }

  // Makes room for `size` entries, if the table is empty.
  void Reserve(std::size_t size);
  // Returns the entry with this hash for which `is_wanted(const T&)` is true.
  template <class IsWanted>
  Position Find(std::uint64_t hash, IsWanted is_wanted) const;
  // REQUIRES: no equal entry is in the table.
  Position Insert(std::uint64_t hash, T* entry);
  void Erase(Position position);
  // First and Next visit all entries, in no order. They return an empty position at the end.
  Position First() const { return FirstFrom(segments_.data(), 0); }
  Position Next(Position position) const {
    return FirstFrom(position.segment_, position.slot_ + 1);
  }

  T* At(Position position) const { return ToPointer(position.segment_->slots[position.slot_]); }
  // Puts `entry` in the place of an entry with the same hash, and returns the old entry. The
  // numbers stay.
  T* Exchange(Position position, T* entry) const;
  // Sets the mark of an entry, and returns its previous value. An added entry has no mark.
  bool SetMark(Position position, bool mark) const;
  // Returns a number of an entry. It is 0 until SetNumber.
  std::uint32_t Number(Position position, std::size_t column) const;
  void SetNumber(Position position, std::size_t column, std::uint32_t number);

 private:
  // The average number of entries of a segment when the number of segments doubles.
  static constexpr std::size_t kSegmentEntriesMax = 512;
  static constexpr unsigned kTagShift = 48;
  static constexpr std::uint64_t kMark = 1;  // pointers are even
  static constexpr std::uint64_t kPointerBits = (std::uint64_t{1} << kTagShift) - 1 - kMark;

  static T* ToPointer(std::uint64_t slot) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a slot is a pointer and a few bits
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(slot & kPointerBits));
  }
  static std::uint64_t ToBits(T* entry) {
    const auto bits = std::uint64_t{reinterpret_cast<std::uintptr_t>(entry)};
    CHECK_EQ(bits & ~kPointerBits, 0U) << "an address has more than 48 bits";
    return bits;
  }
  // The place of an entry depends only on its tag, so a segment grows without reading its
  // entries.
  static std::uint32_t Home(const Segment& segment, std::uint64_t slot) {
    return static_cast<std::uint32_t>((slot >> kTagShift) * segment.capacity >> 16U);
  }
  static std::uint32_t NextSlot(const Segment& segment, std::uint32_t slot) {
    return slot + 1 == segment.capacity ? 0 : slot + 1;
  }
  static bool IsFull(const Segment& segment) {
    return (segment.size + 1) * 8 > segment.capacity * 7;
  }
  // Returns a capacity for `size` entries and a few more. An odd one wastes no heap.
  static std::uint32_t CapacityFor(std::uint32_t size) {
    return (size + std::max(size / 4, 4U)) | 1U;
  }
  static std::size_t BytesOf(const Segment& segment);
  static std::uint32_t Put(Segment& segment, std::uint64_t slot);
  static void MoveNumbers(const Segment& from, std::uint32_t from_slot, Segment& to,
                          std::uint32_t to_slot);

  Segment& SegmentOf(std::uint64_t hash) const {
    // With at most one segment there are no bits to choose by.
    return segments_[segment_bits_ == 0 ? 0 : hash >> (64 - segment_bits_)];
  }
  Position FirstFrom(Segment* segment, std::uint32_t slot) const;
  void Resize(Segment& segment, std::uint32_t capacity);
  void DoubleSegments();

  // A Position of a constant table may change marks, as an iterator may.
  mutable std::vector<Segment> segments_;
  unsigned segment_bits_ = 0;  // the number of segments is 2^segment_bits_, or 0
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;  // heap bytes of the slots and columns
};

template <class T, class Hash>
void PointerTable<T, Hash>::Reserve(std::size_t size) {
  if (size_ != 0) return;
  segment_bits_ = 0;
  while (kSegmentEntriesMax << segment_bits_ < size) ++segment_bits_;
  segments_ = std::vector<Segment>(std::size_t{1} << segment_bits_);
  bytes_ = 0;
  const auto average = static_cast<std::uint32_t>(size >> segment_bits_);
  for (Segment& segment : segments_) Resize(segment, CapacityFor(average));
}

template <class T, class Hash>
template <class IsWanted>
auto PointerTable<T, Hash>::Find(std::uint64_t hash, IsWanted is_wanted) const -> Position {
  if (size_ == 0) return {};
  Segment& segment = SegmentOf(hash);
  if (segment.size == 0) return {};
  const std::uint64_t tag = hash << kTagShift;
  for (std::uint32_t at = Home(segment, tag); segment.slots[at] != 0; at = NextSlot(segment, at)) {
    const std::uint64_t slot = segment.slots[at];
    if ((slot ^ tag) >> kTagShift == 0 && is_wanted(*ToPointer(slot))) {
      return Position(&segment, at);
    }
  }
  return {};
}

template <class T, class Hash>
auto PointerTable<T, Hash>::Insert(std::uint64_t hash, T* entry) -> Position {
  if (segments_.empty()) segments_.resize(1);
  if (size_ >= segments_.size() * kSegmentEntriesMax) DoubleSegments();
  Segment& segment = SegmentOf(hash);
  if (IsFull(segment)) {
    Resize(segment, (segment.capacity + std::max(segment.capacity / 8, 4U)) | 1U);
  }
  ++size_;
  return Position(&segment, Put(segment, hash << kTagShift | ToBits(entry)));
}

template <class T, class Hash>
void PointerTable<T, Hash>::Erase(Position position) {
  Segment& segment = *position.segment_;
  std::uint32_t hole = position.slot_;
  // Entries behind the hole move into it, unless it is before their home.
  for (std::uint32_t at = NextSlot(segment, hole); segment.slots[at] != 0;
       at = NextSlot(segment, at)) {
    const std::uint32_t home = Home(segment, segment.slots[at]);
    const bool stays = hole < at ? hole < home && home <= at : hole < home || home <= at;
    if (stays) continue;
    segment.slots[hole] = segment.slots[at];
    MoveNumbers(segment, at, segment, hole);
    hole = at;
  }
  segment.slots[hole] = 0;
  for (auto& column : segment.columns) {
    if (column != nullptr) column[hole] = 0;
  }
  --segment.size;
  --size_;
  const std::uint32_t capacity = CapacityFor(segment.size);
  if (capacity < segment.capacity / 2) Resize(segment, capacity);
}

template <class T, class Hash>
auto PointerTable<T, Hash>::FirstFrom(Segment* segment, std::uint32_t slot) const -> Position {
  for (Segment* const end = segments_.data() + segments_.size(); segment != end; ++segment) {
    for (; slot < segment->capacity; ++slot) {
      if (segment->slots[slot] != 0) return Position(segment, slot);
    }
    slot = 0;
  }
  return {};
}

template <class T, class Hash>
T* PointerTable<T, Hash>::Exchange(Position position, T* entry) const {
  std::uint64_t& slot = position.segment_->slots[position.slot_];
  T* const before = ToPointer(slot);
  slot = (slot & ~kPointerBits) | ToBits(entry);
  return before;
}

template <class T, class Hash>
bool PointerTable<T, Hash>::SetMark(Position position, bool mark) const {
  std::uint64_t& slot = position.segment_->slots[position.slot_];
  const bool before = (slot & kMark) != 0;
  slot = mark ? slot | kMark : slot & ~kMark;
  return before;
}

template <class T, class Hash>
std::uint32_t PointerTable<T, Hash>::Number(Position position, std::size_t column) const {
  const auto& columns = position.segment_->columns;
  if (column >= columns.size() || columns[column] == nullptr) return 0;
  return columns[column][position.slot_];
}

template <class T, class Hash>
void PointerTable<T, Hash>::SetNumber(Position position, std::size_t column, std::uint32_t number) {
  Segment& segment = *position.segment_;
  if (number == Number(position, column)) return;
  if (column >= segment.columns.size() || segment.columns[column] == nullptr) {
    bytes_ -= BytesOf(segment);
    if (column >= segment.columns.size()) segment.columns.resize(column + 1);
    segment.columns[column] = std::make_unique<std::uint32_t[]>(segment.capacity);
    bytes_ += BytesOf(segment);
  }
  segment.columns[column][position.slot_] = number;
}

template <class T, class Hash>
std::size_t PointerTable<T, Hash>::BytesOf(const Segment& segment) {
  if (segment.capacity == 0) return 0;
  std::size_t bytes = HeapBlockBytes(segment.capacity * sizeof(std::uint64_t));
  for (const auto& column : segment.columns) {
    if (column != nullptr) bytes += HeapBlockBytes(segment.capacity * sizeof(std::uint32_t));
  }
  if (segment.columns.empty()) return bytes;
  return bytes + HeapBlockBytes(segment.columns.capacity() * sizeof(segment.columns[0]));
}

template <class T, class Hash>
std::uint32_t PointerTable<T, Hash>::Put(Segment& segment, std::uint64_t slot) {
  std::uint32_t at = Home(segment, slot);
  while (segment.slots[at] != 0) at = NextSlot(segment, at);
  segment.slots[at] = slot;
  ++segment.size;
  return at;
}

template <class T, class Hash>
void PointerTable<T, Hash>::MoveNumbers(const Segment& from, std::uint32_t from_slot, Segment& to,
                                        std::uint32_t to_slot) {
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    if (from.columns[i] == nullptr) continue;
    const std::uint32_t number = from.columns[i][from_slot];
    if (to.columns[i] == nullptr && number != 0) {
      to.columns[i] = std::make_unique<std::uint32_t[]>(to.capacity);
    }
    if (to.columns[i] != nullptr) to.columns[i][to_slot] = number;
  }
}

template <class T, class Hash>
void PointerTable<T, Hash>::Resize(Segment& segment, std::uint32_t capacity) {
  bytes_ -= BytesOf(segment);
  Segment from = std::exchange(segment, {});
  segment.slots = std::make_unique<std::uint64_t[]>(capacity);
  segment.columns.resize(from.columns.size());
  segment.capacity = capacity;
  for (std::uint32_t slot = 0; slot < from.capacity; ++slot) {
    if (from.slots[slot] == 0) continue;
    MoveNumbers(from, slot, segment, Put(segment, from.slots[slot]));
  }
  bytes_ += BytesOf(segment);
}

template <class T, class Hash>
void PointerTable<T, Hash>::DoubleSegments() {
  std::vector<Segment> all(segments_.size() * 2);
  const unsigned deciding_bit = 63 - segment_bits_;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment from = std::exchange(segments_[i], {});
    for (const std::size_t half : {2 * i, 2 * i + 1}) {
      Segment empty;
      empty.columns.resize(from.columns.size());
      all[half] = std::move(empty);
      Resize(all[half], CapacityFor(from.size / 2));
    }
    for (std::uint32_t slot = 0; slot < from.capacity; ++slot) {
      if (from.slots[slot] == 0) continue;
      const std::uint64_t hash = Hash()(*ToPointer(from.slots[slot]));
      Segment& to = all[2 * i + (hash >> deciding_bit & 1U)];
      if (IsFull(to)) Resize(to, CapacityFor(to.size));
      MoveNumbers(from, slot, to, Put(to, from.slots[slot]));
    }
  }
  segments_ = std::move(all);
  ++segment_bits_;
  bytes_ = 0;
  for (const Segment& segment : segments_) bytes_ += BytesOf(segment);
}

}  // namespace capstan::cache
