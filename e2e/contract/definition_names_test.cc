// SPDX-License-Identifier: Apache-2.0
// Tests of CustomResourceDefinitions that want the same names.
#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

class DefinitionNamesTest : public ContractTest {
 protected:
  std::string Definition(const std::string& plural) const {
    return std::string(kDefinitions) + "/" + plural + "." + Group();
  }
  void Create(const std::string& plural, const std::string& names, bool served = true) {
    DeleteLater(Definition(plural));
    const Answer created =
        Post(kDefinitions,
             R"({"metadata":{"name":")" + plural + "." + Group() + R"("},"spec":{"group":")" +
                 Group() + R"(","scope":"Namespaced","names":{"plural":")" + plural + "\"," +
                 names + R"(},"versions":[{"name":"v1","served":)" + (served ? "true" : "false") +
                 R"(,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
    ASSERT_EQ(created.code, 201) << created.body;
  }
  // Returns the status, reason and message of a condition.
  std::string Condition(const std::string& plural, std::string_view type) const {
    const Answer definition = Get(Definition(plural));
    for (const auto& one : ListAt(ObjectAt(definition.json, "status"), "conditions").GetArray()) {
      if (runtime::GetString(one, "type") != type) continue;
      return std::string(runtime::GetString(one, "status")) + " " +
             std::string(runtime::GetString(one, "reason")) + " " +
             std::string(runtime::GetString(one, "message"));
    }
    return "";
  }
  std::string Accepted(const std::string& plural) const {
    return JsonAt(Get(Definition(plural)), {"status", "acceptedNames"});
  }
  bool IsServed(const std::string& plural) const {
    return Get(InNamespace("/apis/" + Group() + "/v1", plural)).code == 200;
  }
  bool IsAccepted(const std::string& plural) const {
    return Eventually([&] {
      return Condition(plural, "Established") ==
             "True InitialNamesAccepted the initial names have been accepted";
    });
  }
  bool IsRefused(const std::string& plural, const std::string& why) const {
    return Eventually([&] { return Condition(plural, "NamesAccepted") == "False " + why; });
  }
};

TEST_F(DefinitionNamesTest, AreAcceptedOnce) {
  Create("foos", R"("kind":"Foo","shortNames":["f"])");
  ASSERT_TRUE(IsAccepted("foos"));
  EXPECT_EQ(Condition("foos", "NamesAccepted"), "True NoConflicts no conflicts found");

  Create("bars", R"("singular":"foo","kind":"Foo","shortNames":["f","foos","b"],)"
                 R"("categories":["all"])");

  EXPECT_TRUE(IsRefused("bars", R"(ListKindConflict "FooList" is already in use)"));
  EXPECT_EQ(Condition("bars", "Established"), "False NotAccepted not all names are accepted");
  EXPECT_EQ(Accepted("bars"), R"({"categories":["all"],"kind":"","plural":"bars"})");
  EXPECT_FALSE(IsServed("bars"));
  EXPECT_TRUE(Eventually([&] { return IsServed("foos"); }));
}

TEST_F(DefinitionNamesTest, ConflictWithEachName) {
  Create("foos", R"("kind":"Foo","shortNames":["f"])");
  ASSERT_TRUE(IsAccepted("foos"));

  Create("f", R"("kind":"A")");
  EXPECT_TRUE(IsRefused("f", R"(PluralConflict "f" is already in use)"));
  EXPECT_EQ(Accepted("f"), R"({"kind":"A","listKind":"AList","plural":"","singular":"a"})");
  Create("bs", R"("kind":"B","singular":"foos")");
  EXPECT_TRUE(IsRefused("bs", R"(SingularConflict "foos" is already in use)"));
  Create("cs", R"("kind":"C","shortNames":["f","other","foo"])");
  EXPECT_TRUE(
      IsRefused("cs", R"(ShortNamesConflict ["f" is already in use, "foo" is already in use])"));
  EXPECT_EQ(Accepted("cs"), R"({"kind":"C","listKind":"CList","plural":"cs","singular":"c"})");
  Create("ds", R"("kind":"FooList","listKind":"DList")");
  EXPECT_TRUE(IsRefused("ds", R"(KindConflict "FooList" is already in use)"));
}

TEST_F(DefinitionNamesTest, NameTheLists) {
  Create("foos", R"("kind":"Foo","listKind":"Fooz")");
  ASSERT_TRUE(Eventually([&] { return IsServed("foos"); }));

  EXPECT_EQ(JsonAt(Get(InNamespace("/apis/" + Group() + "/v1", "foos")), {"kind"}), R"("Fooz")");
}

TEST_F(DefinitionNamesTest, AreAcceptedWhenTheyBecomeFree) {
  Create("foos", R"("kind":"Foo")");
  ASSERT_TRUE(IsAccepted("foos"));
  Create("bars", R"("singular":"bar","kind":"Foo")");
  ASSERT_TRUE(IsRefused("bars", R"(ListKindConflict "FooList" is already in use)"));

  ASSERT_EQ(Delete(Definition("foos")).code, 200);

  EXPECT_TRUE(IsAccepted("bars"));
  EXPECT_EQ(Condition("bars", "NamesAccepted"), "True NoConflicts no conflicts found");
  EXPECT_EQ(Accepted("bars"),
            R"({"kind":"Foo","listKind":"FooList","plural":"bars","singular":"bar"})");
  EXPECT_TRUE(Eventually([&] { return IsServed("bars"); }));
}

TEST_F(DefinitionNamesTest, StayWhenTheNewOnesAreInUse) {
  Create("foos", R"("kind":"Foo","shortNames":["f"])");
  Create("bars", R"("kind":"Bar","shortNames":["b"])");
  ASSERT_TRUE(IsAccepted("foos"));
  ASSERT_TRUE(IsAccepted("bars"));

  ASSERT_EQ(MergePatch(Definition("bars"), R"({"spec":{"names":{"shortNames":["f"]}}})").code, 200);

  EXPECT_TRUE(IsRefused("bars", R"(ShortNamesConflict "f" is already in use)"));
  EXPECT_TRUE(IsAccepted("bars"));
  EXPECT_EQ(Accepted("bars"), R"({"kind":"Bar","listKind":"BarList","plural":"bars",)"
                              R"("shortNames":["b"],"singular":"bar"})");
  EXPECT_TRUE(Eventually([&] { return IsServed("bars"); }));
}

TEST_F(DefinitionNamesTest, AreAcceptedWithoutServedVersion) {
  Create("foos", R"("kind":"Foo")", false);

  EXPECT_TRUE(IsAccepted("foos"));
  EXPECT_FALSE(IsServed("foos"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
