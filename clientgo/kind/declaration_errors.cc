// SPDX-License-Identifier: Apache-2.0
// Wrong declarations of kinds. Each test compiles one of them and expects the message of the
// compiler that CMakeLists.txt names. Without a case, the file compiles.
#include <map>
#include <string>
#include <vector>

#include "capstan/crd.h"
#include "capstan/typed_object.h"

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
    std::vector<Port> ports;
  } spec;
  struct Status {
    int ready = 0;
  } status;
};

// Each case declares one field of the spec.
template <>
inline constexpr std::size_t capstan::kOtherMembers<Foo> = 3;
#if !defined(UNDECLARED_MEMBER)
template <>
inline constexpr std::size_t capstan::kOtherMembers<Foo::Spec> = 6;
#endif

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
#elif defined(UNDECLARED_MEMBER)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("text", &Foo::Spec::text));
#elif defined(NEITHER_PARTIAL_NOR_WHOLE)
constexpr auto kFoo =
    Kind("apps", "v1", "Foo", "foos").Namespaced().Spec(Field("text", &Foo::Spec::text));
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
#elif defined(DEFAULT_BELOW_MINIMUM)
constexpr auto kFoo =
    kDeclared.Namespaced().Spec(Field("n", &Foo::Spec::number).Minimum(2).Default(1));
#elif defined(DEFAULT_ABOVE_MAXIMUM)
constexpr auto kFoo =
    kDeclared.Namespaced().Spec(Field("n", &Foo::Spec::number).Default(3).Maximum(2));
#elif defined(DEFAULT_NOT_IN_ENUM)
constexpr auto kFoo =
    kDeclared.Namespaced().Spec(Field("text", &Foo::Spec::text).Enum("a", "b").Default("c"));
#elif defined(NESTED_DEFAULT_TOO_LONG)
constexpr auto kFoo = kDeclared.Namespaced().Spec(
    Field("port", &Foo::Spec::port, Field("name", &Port::name).MaxLength(1).Default("ab")));
#elif defined(LIST_KEY_UNKNOWN)
constexpr auto kFoo = kDeclared.Namespaced().Spec(
    Field("ports", &Foo::Spec::ports, Field("name", &Port::name).Required()).ListMap("nme"));
#elif defined(LIST_KEY_OF_TEXTS)
constexpr auto kFoo = kDeclared.Namespaced().Spec(Field("list", &Foo::Spec::list).ListMap("name"));
#elif defined(LIST_KEY_NOT_REQUIRED)
constexpr auto kFoo = kDeclared.Namespaced().Spec(
    Field("ports", &Foo::Spec::ports, Field("name", &Port::name)).ListMap("name"));
#elif defined(COLUMN_TYPE)
constexpr auto kFoo = kDeclared.Namespaced()
                          .Spec(Field("n", &Foo::Spec::number))
                          .Column({.name = "N", .type = "int", .json_path = ".spec.n"});
#elif defined(COLUMN_PATH)
constexpr auto kFoo = kDeclared.Namespaced()
                          .Spec(Field("n", &Foo::Spec::number))
                          .Column({.name = "N", .type = "integer", .json_path = "spec.n"});
#elif defined(VERSION_WITHOUT_V)
constexpr auto kFoo = Kind("example.io", "1", "Foo", "foos").Namespaced();
#elif defined(GROUP_WITHOUT_DOT)
constexpr auto kFoo = Kind("nodots", "v1", "Foo", "foos").Namespaced();
#else
constexpr auto kFoo = kDeclared.Namespaced()
                          .Spec(Field("text", &Foo::Spec::text).Pattern("a").Default("a"),
                                Field("n", &Foo::Spec::number).Minimum(1).Default(1),
                                Field("list", &Foo::Spec::list).MaxItems(1),
                                Field("ports", &Foo::Spec::ports,
                                      Field("name", &Port::name).Enum("", "b").Default(""))
                                    .ListMap("name"),
                                Field("port", &Foo::Spec::port, Field("name", &Port::name)))
                          .Status(Field("ready", &Foo::Status::ready))
                          .Column({.name = "N", .type = "integer", .json_path = ".spec.n"});
#endif

static_assert(capstan::detail::IsVersionName("v1"));
static_assert(capstan::detail::IsVersionName("v12beta34"));
static_assert(capstan::detail::IsVersionName("v1alpha1"));
static_assert(!capstan::detail::IsVersionName("v1gamma1"));
static_assert(!capstan::detail::IsVersionName("v1beta"));
static_assert(!capstan::detail::IsVersionName("v"));
static_assert(!capstan::detail::IsVersionName("v1 "));

template <>
inline constexpr auto capstan::kKind<Foo> = kFoo;

const void* UseFoo() { return &capstan::TypeOf<Foo>(); }
#if !defined(STATUS_OF_KIND_WITHOUT)
std::string UseDefinition() { return capstan::CustomResourceDefinition<Foo>(); }
#else
std::string UseStatus(const Foo& foo) { return capstan::StatusToJson(foo); }
#endif
