// SPDX-License-Identifier: Apache-2.0
// Declarations that must not compile, one for each macro. CMakeLists.txt compiles each of them and
// compares the message of the compiler. With NO_WEBHOOK_ERROR the file compiles.
#include "capstan/webhook/builder.h"
#include "capstan/webhook/conversion.h"

namespace {

struct Foo {
  capstan::ObjectMeta metadata = {};
};
struct FooV2 {
  capstan::ObjectMeta metadata = {};
};
struct Bar {
  capstan::ObjectMeta metadata = {};
};

}  // namespace

template <>
inline constexpr auto capstan::kKind<Foo> =
    capstan::Kind("example.com", "v1", "Foo", "foos").Namespaced();
template <>
inline constexpr auto capstan::kKind<FooV2> =
    capstan::Kind("example.com", "v2", "Foo", "foos").Namespaced();
template <>
inline constexpr auto capstan::kKind<Bar> =
    capstan::Kind("example.com", "v1", "Bar", "bars").Namespaced();

namespace capstan::webhook {

void Declare(Manager& manager) {
  const auto to_hub = [](const Foo&, FooV2&) {};
  const auto from_hub = [](const FooV2&, Foo&) {};
#if defined(DEFAULT_OF_ANOTHER_TYPE)
  WebhookFor<Foo>(manager).Default([](Bar&) {});
#elif defined(CREATE_OF_ANOTHER_TYPE)
  WebhookFor<Foo>(manager).ValidateCreate([](const Bar&) {});
#elif defined(UPDATE_OF_ONE_OBJECT)
  WebhookFor<Foo>(manager).ValidateUpdate([](const Foo&) {});
#elif defined(CREATE_AND_UPDATE_OF_TWO_OBJECTS)
  WebhookFor<Foo>(manager).ValidateCreateAndUpdate([](const Foo&, const Foo&) {});
#elif defined(DELETE_THAT_CHANGES)
  WebhookFor<Foo>(manager).ValidateDelete([](Foo&) {});
#elif defined(WRONG_WEBHOOK_RESULT)
  WebhookFor<Foo>(manager).ValidateCreate([](const Foo&) { return true; });
#elif defined(SPOKE_OF_ANOTHER_TYPE)
  ConversionFor<FooV2>(manager).Spoke<Foo>(from_hub, to_hub);
#elif defined(SPOKE_OF_ANOTHER_KIND)
  ConversionFor<FooV2>(manager).Spoke<Bar>([](const Bar&, FooV2&) {}, [](const FooV2&, Bar&) {});
#elif defined(WRONG_CONVERSION_RESULT)
  ConversionFor<FooV2>(manager).Spoke<Foo>([](const Foo&, FooV2&) { return true; }, from_hub);
#else
  WebhookFor<Foo>(manager).Default([](Foo&) {});
  WebhookFor<Bar>(manager).ValidateDelete([](const Bar&) {});
  ConversionFor<FooV2>(manager).Spoke<Foo>(to_hub, from_hub);
#endif
}

}  // namespace capstan::webhook
