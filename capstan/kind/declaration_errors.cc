// SPDX-License-Identifier: Apache-2.0
// Wrong declarations of kinds. Each test compiles one of them and expects the message of the
// compiler that CMakeLists.txt names. Without a case, the file compiles.
#include <map>
#include <string>
#include <vector>

#include "capstan/kind/crd.h"
#include "capstan/kind/typed_object.h"

using capstan::Field;
using capstan::Kind;

struct Port {
  std::string name;
};

struct Foo {
  capstan::ObjectMeta metadata;
  struct Spec {
    std::string text;
    int number = 0;
    std::vector<std::string> list;
    Port port;
    char letter = 'a';
  } spec;
  struct Status {
    int ready = 0;
  } status;
};

constexpr auto kDeclared = Kind("example.io", "v1", "Foo", "foos");

#if defined(MINIMUM_OF_TEXT)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("text", &Foo::Spec::text).Minimum(1));
#elif defined(FRACTION_FOR_INTEGER)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("n", &Foo::Spec::number).Maximum(1.5));
#elif defined(PATTERN_OF_NUMBER)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("n", &Foo::Spec::number).Pattern("a"));
#elif defined(ENUM_OF_NUMBER)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("n", &Foo::Spec::number).Enum("a"));
#elif defined(DEFAULT_OF_ANOTHER_TYPE)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("n", &Foo::Spec::number).Default("a"));
#elif defined(DEFAULT_OF_LIST)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("l", &Foo::Spec::list).Default("a"));
#elif defined(ITEMS_OF_TEXT)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("text", &Foo::Spec::text).MaxItems(1));
#elif defined(NO_FIELD)
constexpr auto kFoo = kDeclared.Namespaced().Spec(&Foo::Spec::text);
#elif defined(SAME_NAME)
constexpr auto kFoo =
    kDeclared.Namespaced().Spec(Field("a", &Foo::Spec::text), Field("a", &Foo::Spec::number));
#elif defined(MEMBER_OF_ANOTHER_STRUCT)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("ready", &Foo::Status::ready));
#elif defined(STRUCT_WITHOUT_FIELDS)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("port", &Foo::Spec::port));
#elif defined(FIELDS_OF_TEXT)
constexpr auto kFoo =
    kDeclared.Namespaced().Spec(Field("text", &Foo::Spec::text, Field("name", &Port::name)));
#elif defined(UNSUPPORTED_TYPE)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("letter", &Foo::Spec::letter));
#elif defined(NO_SCOPE)
constexpr auto kFoo = kDeclared.Spec(Field("text", &Foo::Spec::text));
#elif defined(SPEC_TWICE)
constexpr auto kFoo = kDeclared.Namespaced()
                          .Spec(Field("text", &Foo::Spec::text))
                          .Spec(Field("n", &Foo::Spec::number));
#elif defined(CRD_OF_PARTIAL_KIND)
constexpr auto kFoo = kDeclared.Namespaced().Partial().Spec(Field("text", &Foo::Spec::text));
#elif defined(STATUS_OF_KIND_WITHOUT)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("text", &Foo::Spec::text));
#else
constexpr auto kFoo = kDeclared.Namespaced()
                          .Spec(Field("text", &Foo::Spec::text).Pattern("a").Default("a"),
                                Field("n", &Foo::Spec::number).Minimum(1),
                                Field("list", &Foo::Spec::list).MaxItems(1),
                                Field("port", &Foo::Spec::port, Field("name", &Port::name)))
                          .Status(Field("ready", &Foo::Status::ready));
#endif

template <>
inline constexpr auto capstan::kKind<Foo> = kFoo;

const void* UseFoo() { return &capstan::TypeOf<Foo>(); }
#if !defined(STATUS_OF_KIND_WITHOUT)
std::string UseDefinition() { return capstan::CustomResourceDefinition<Foo>(); }
#else
std::string UseStatus(const Foo& foo) { return capstan::StatusToJson(foo); }
#endif
