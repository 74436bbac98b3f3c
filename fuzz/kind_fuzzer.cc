// SPDX-License-Identifier: Apache-2.0
// Tests the decoder and the encoder of a declared kind on any bytes. What was decoded and encoded
// must decode to the same value. The same holds for Unstructured.
//
// The last digit of a number with a fraction may change, so inputs with such numbers are not
// compared.
#include <glog/logging.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "capstan/runtime/parsed_json.h"
#include "capstan/typed_object.h"
#include "capstan/unstructured.h"
#include "clientgo/kind/testing/kinds.h"

namespace {

using capstan::Unstructured;
using capstan::runtime::AsDouble;
using capstan::runtime::AsInt64;
using capstan::runtime::AsUint64;
using capstan::runtime::JsonElements;
using capstan::runtime::JsonMembers;
using capstan::runtime::JsonValue;

template <class T>
void CheckKind(std::string_view json) {
  const auto object = capstan::FromJson<T>(json);
  if (!object) {
    CHECK(!object.error().message.empty());
    return;
  }
  const T& value = **object;
  const std::string text = capstan::ToJson(value);
  const auto again = capstan::FromJson<T>(text);
  CHECK(again.has_value()) << again.error().message << "\n" << text;
  CHECK(static_cast<const T&>(**again) == value) << text;
  CHECK_EQ(capstan::ToJson(**again), text);
  CHECK((*again)->key() == (*object)->key());
  CHECK_GE((*object)->ByteSize(), sizeof(capstan::TypedObject<T>));
}

bool HasFraction(const JsonValue& value) {
  for (const JsonValue& element : JsonElements(value)) {
    if (HasFraction(element)) return true;
  }
  for (const auto& [name, member] : JsonMembers(value)) {
    if (HasFraction(member)) return true;
  }
  return AsDouble(value) && !AsInt64(value) && !AsUint64(value);
}

void CheckUnstructured(std::string_view json) {
  const auto object = Unstructured::FromJson(json);
  if (!object) return;
  const auto again = Unstructured::FromJson(object->ToJson());
  CHECK(again.has_value()) << again.error().message << "\n" << object->ToJson();
  CHECK(*again == *object) << object->ToJson();
  Unstructured edited = *object;
  if (edited.Set({"spec", "replicas"}, 7)) {
    CHECK(edited.Get<int>({"spec", "replicas"}) == 7) << edited.ToJson();
    edited.Remove({"spec", "replicas"});
    CHECK(!edited.Get<int>({"spec", "replicas"}) || edited.Get<int>({"spec", "replicas"}) != 7)
        << edited.ToJson();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto parsed = capstan::runtime::ParsedJson::Parse(json);
  if (parsed && HasFraction(parsed->root())) {
    (void)capstan::FromJson<capstan::kind_test::Widget>(json);
    return 0;
  }
  CheckKind<capstan::kind_test::Foo>(json);
  CheckKind<capstan::kind_test::Widget>(json);
  CheckUnstructured(json);
  return 0;
}
