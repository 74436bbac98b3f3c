// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

// Slice is a list as Go has it. Its copies share their items: an item that one of them replaces is
// replaced in all, and what one of them cuts off stays in the others until an append overwrites it.
// The order of a merged list depends on that.
class Slice {
 public:
  Slice() : items_(std::make_shared<std::vector<runtime::JsonValue*>>()) {}
  explicit Slice(runtime::JsonValue* list) : Slice() {
    if (list == nullptr) return;
    for (runtime::JsonValue& item : list->GetArray()) items_->push_back(&item);
    size_ = items_->size();
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  runtime::JsonValue*& operator[](std::size_t i) { return (*items_)[i]; }
  runtime::JsonValue* operator[](std::size_t i) const { return (*items_)[i]; }
  auto begin() const { return items_->begin(); }
  auto end() const { return begin() + static_cast<std::ptrdiff_t>(size_); }

  void Append(runtime::JsonValue* item) {
    if (size_ < items_->size()) {
      (*items_)[size_] = item;
    } else {
      if (items_.use_count() > 1)
        items_ = std::make_shared<std::vector<runtime::JsonValue*>>(*items_);
      items_->push_back(item);
    }
    ++size_;
  }
  void Append(const Slice& others) {
    for (runtime::JsonValue* const item :
         std::vector<runtime::JsonValue*>(others.begin(), others.end())) {
      Append(item);
    }
  }
  void Erase(std::size_t at) {
    std::move(begin() + static_cast<std::ptrdiff_t>(at) + 1, end(),
              begin() + static_cast<std::ptrdiff_t>(at));
    --size_;
  }
  void Truncate(std::size_t size) { size_ = size; }

 private:
  std::shared_ptr<std::vector<runtime::JsonValue*>> items_;
  std::size_t size_ = 0;
};

}  // namespace capstan::testing::apiserver
