// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/storage/storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace capstan::testing::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StorageTest : public ::testing::Test {
 protected:
  const Resource& secrets_ = *FindResource("", "v1", "secrets");
  Storage storage_{4};

  ObjectPtr NewObject(const std::string& name) {
    runtime::JsonDocument document;
    const std::string text = R"({"metadata":{"name":")" + name + R"("}})";
    document.Parse(text.data(), text.size());
    return MakeObject(secrets_, document, storage_.NextVersion());
  }
  std::uint64_t Put(const std::string& key) {
    storage_.Write(secrets_, key, NewObject(key));
    return storage_.resource_version();
  }
  void Remove(const std::string& key) {
    storage_.Write(secrets_, key, NewObject(key), /*remove=*/true);
  }

  // Returns "key@version" of the objects at `version`.
  std::vector<std::string> At(std::uint64_t version, const std::string& ns = "",
                              const std::string& after = "") {
    std::vector<std::string> entries;
    storage_.Visit(secrets_, ns, version, after, [&](const Storage::Entry& entry) {
      entries.push_back(std::string(entry.key) + "@" +
                        std::to_string(entry.object->resource_version));
      return true;
    });
    return entries;
  }
};

TEST_F(StorageTest, VisitsStateOfEarlierVersion) {
  Put("a/1");
  const std::uint64_t two = Put("a/2");
  Put("a/0");
  Put("a/1");
  Remove("a/2");

  EXPECT_THAT(At(storage_.resource_version()), ElementsAre("a/0@3", "a/1@4"));
  EXPECT_THAT(At(two), ElementsAre("a/1@1", "a/2@2"));
  EXPECT_THAT(At(4), ElementsAre("a/0@3", "a/1@4", "a/2@2"));
}

TEST_F(StorageTest, VisitsOnlyTheNamespaceAmongSimilarNames) {
  for (const char* key : {"a-b/x", "a/x", "a0/x", "ab/x", "a/y"}) Put(key);

  EXPECT_THAT(At(storage_.resource_version(), "a"), ElementsAre("a/x@2", "a/y@5"));
  EXPECT_THAT(At(1, "a"), IsEmpty());
}

TEST_F(StorageTest, ContinuesAfterDeletedKey) {
  for (const char* key : {"a/1", "a/2", "a/3"}) Put(key);
  Remove("a/2");

  EXPECT_THAT(At(storage_.resource_version(), "a", "a/2"), ElementsAre("a/3@3"));
  EXPECT_THAT(At(3, "a", "a/1"), ElementsAre("a/2@2", "a/3@3"));
}

TEST_F(StorageTest, DropsEventsBeyondTheWindow) {
  for (int i = 0; i < 6; ++i) Put("a/1");

  EXPECT_EQ(storage_.OldestVersion(secrets_), 2U);
  EXPECT_EQ(storage_.Events(secrets_).size(), 4U);
  EXPECT_EQ(storage_.OldestVersion(*FindResource("", "v1", "pods")), 0U);
}

TEST_F(StorageTest, CompactKeepsOnlyNewestVersion) {
  Put("a/1");
  Put("a/2");

  storage_.Compact();

  EXPECT_EQ(storage_.OldestVersion(secrets_), 2U);
  EXPECT_THAT(At(2), ElementsAre("a/1@1", "a/2@2"));
}

TEST_F(StorageTest, NotifiesObserverOfEachChange) {
  std::vector<std::string> seen;
  storage_.SetObservers([&](const Resource& resource, const Event& event) {
    seen.push_back(std::string(resource.plural) + " " +
                   std::to_string(static_cast<int>(event.type)) + " " + event.key +
                   (event.previous == nullptr ? "" : " had previous"));
  });

  Put("a/1");
  Put("a/1");
  Remove("a/1");

  EXPECT_THAT(seen, ElementsAre("secrets 0 a/1", "secrets 1 a/1 had previous",
                                "secrets 2 a/1 had previous"));
}

TEST(ObjectTest, AppendsAllForms) {
  const Resource& secrets = *FindResource("", "v1", "secrets");
  runtime::JsonDocument document;
  document.Parse(R"({"data":{"metadata":"x"},"metadata":{"name":"a"},"kind":"Wrong"})");
  const ObjectPtr object = MakeObject(secrets, document, 7);
  std::string full;
  std::string item;
  std::string partial;

  AppendObject(full, *object, Form::kFull);
  AppendItem(item, *object, Form::kFull);
  AppendItem(partial, *object, Form::kMetadata);

  const std::string meta = R"("metadata":{"name":"a","resourceVersion":"7"})";
  EXPECT_EQ(full, R"({"kind":"Secret","apiVersion":"v1",)" + meta + R"(,"data":{"metadata":"x"}})");
  EXPECT_EQ(item, "{" + meta + R"(,"data":{"metadata":"x"}})");
  EXPECT_EQ(partial,
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)" + meta + "}");
}

}  // namespace
}  // namespace capstan::testing::apiserver
