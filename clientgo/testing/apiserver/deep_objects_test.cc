// SPDX-License-Identifier: Apache-2.0
// Like kube-apiserver, the server stores objects of 10,000 levels.
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kFoos = "/apis/example.com/v1/namespaces/default/foos";

std::string Nested(std::size_t levels) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += i % 2 == 0 ? R"({"a":)" : "[";
  text += "1";
  for (std::size_t i = levels; i-- > 0;) text += i % 2 == 0 ? '}' : ']';
  return text;
}

std::string Foo(std::size_t levels, std::string_view metadata = "") {
  return R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"deep")" +
         std::string(metadata) + R"(},"spec":)" + Nested(levels - 1) + "}";
}

class DeepObjectsTest : public ServerTest {
 protected:
  void SetUp() override {
    Start();
    const Answer created =
        client_->Post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                      R"({"metadata":{"name":"foos.example.com"},"spec":{"group":"example.com",)"
                      R"("scope":"Namespaced","names":{"plural":"foos","kind":"Foo"},"versions":[)"
                      R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{)"
                      R"("type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
    ASSERT_EQ(created.code, 201) << created.body;
  }
};

TEST_F(DeepObjectsTest, StoresObjectOf10000Levels) {
  const Answer created = client_->Post(kFoos, Foo(10'000));

  ASSERT_EQ(created.code, 201) << created.body.substr(0, 1000);
  const Answer listed = client_->Get(kFoos);
  EXPECT_EQ(listed.code, 200);
  EXPECT_TRUE(listed.body.find(Nested(9'999)) != std::string::npos);
}

TEST_F(DeepObjectsTest, ChangesObjectOf10000Levels) {
  const Answer created = client_->Post(kFoos, Foo(9'000));
  ASSERT_EQ(created.code, 201);

  const std::string version =
      ",\"resourceVersion\":\"" + std::string(created.meta("resourceVersion")) + "\"";
  const Answer replaced = client_->Put(Path(kFoos, "/deep"), Foo(10'000, version));
  EXPECT_EQ(replaced.code, 200) << replaced.body.substr(0, 1000);
  const Answer merged = client_->Patch(Path(kFoos, "/deep"), "merge-patch+json",
                                       R"({"metadata":{"labels":{"x":"y"}}})");
  EXPECT_EQ(merged.code, 200);
  EXPECT_TRUE(merged.body.find(Nested(9'999)) != std::string::npos);
  const Answer applied = client_->Patch(Path(kFoos, "/deep?fieldManager=me&force=true"),
                                        "apply-patch+yaml", Foo(9'999, R"(,"labels":{"x":"z"})"));
  EXPECT_EQ(applied.code, 200) << applied.body.substr(0, 1000);
  EXPECT_EQ(client_->Delete(Path(kFoos, "/deep")).code, 200);
}

TEST_F(DeepObjectsTest, RejectsObjectOf10001Levels) {
  const Answer answer = client_->Post(kFoos, Foo(10'001));

  EXPECT_EQ(answer.code, 400);
  EXPECT_THAT(answer.message(), HasSubstr("exceeded max depth"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
