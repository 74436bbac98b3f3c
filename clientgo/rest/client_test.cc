// SPDX-License-Identifier: Apache-2.0
// The requests, responses and retries of a Client, and the time limits of its calls.
#include "capstan/rest/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <utility>
#include <vector>

#include "capstan/thread.h"
#include "clientgo/rest/testing/client_fixture.h"

namespace capstan::rest {
namespace {

// A Watcher keeps a reference to its type, so it must not accept a temporary. The other verbs use
// the type during the call only.
template <class Type>
concept Watches = requires(Client& client, Type&& type) {
  client.Watch({}, std::forward<Type>(type), {});
};
static_assert(!Watches<runtime::ResourceType>);
static_assert(Watches<const runtime::ResourceType&>);

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kSecret[] =
    R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"ns","uid":"u1",)"
    R"("resourceVersion":"7","managedFields":[{"manager":"x"}]},"data":{"k":"djE="}})";
constexpr char kTooLarge[] =
    R"({"kind":"Status","status":"Failure","reason":"Timeout","code":504,"message":"Too large )"
    R"(resource version: 9, current: 1","details":{"retryAfterSeconds":1,"causes":)"
    R"([{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]}})";

class ClientTest : public ClientFixture {};

TEST_F(ClientTest, GetsAndDecodesObject) {
  Start({.bearer_token = "tok", .user_agent = "test/1"});
  transport_->Push(
      {.chunks = {std::string(kSecret).substr(0, 50), std::string(kSecret).substr(50)}});

  auto object = client_->Get({}, kSecretType, {"ns", "s"});

  ASSERT_TRUE(object.has_value()) << object.error().message;
  EXPECT_EQ((*object)->key(), "ns/s");
  EXPECT_EQ((*object)->resource_version(), "7");
  const transport::HttpRequest request = transport_->requests().at(0);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/api/v1/namespaces/ns/secrets/s");
  EXPECT_EQ(transport::FindHeader(request.headers, "Accept"),
            "application/vnd.kubernetes.protobuf,application/json");
  EXPECT_EQ(transport::FindHeader(request.headers, "Authorization"), "Bearer tok");
  EXPECT_EQ(transport::FindHeader(request.headers, "User-Agent"), "test/1");
  EXPECT_FALSE(request.long_running);
}

TEST_F(ClientTest, RequestsPartialObjectsForMetadataOnlyTypes) {
  Start();
  transport_->Push({.chunks = {R"({"kind":"PartialObjectMetadata","metadata":{"name":"s"}})"}});
  transport_->Push(
      {.chunks = {R"({"kind":"PartialObjectMetadataList","metadata":{},"items":[]})"}});
  transport_->Push({});

  ASSERT_TRUE(client_->Get({}, kMetadataType, {"ns", "s"}).has_value());
  ASSERT_TRUE(client_->List({}, kMetadataType, {}, [](runtime::ObjectPtr) {}).has_value());
  ASSERT_TRUE(client_->Watch({}, kMetadataType, {}).has_value());

  const auto accept = [&](std::size_t i) {
    return std::string(transport::FindHeader(transport_->requests().at(i).headers, "Accept"));
  };
  EXPECT_EQ(accept(0),
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
  EXPECT_EQ(accept(1),
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
  EXPECT_EQ(accept(2), accept(0));
}

TEST_F(ClientTest, ListEscapesItsQueryAndStreamsItems) {
  Start();
  transport_->Push({.chunks = {R"({"kind":"SecretList","apiVersion":"v1","metadata":)"
                               R"({"resourceVersion":"42","continue":"abc"},"items":[)"
                               R"({"metadata":{"name":"a","namespace":"n"}},{"meta)",
                               R"(data":{"name":"b","namespace":"n"}}]})"}});
  std::vector<std::string> keys;

  auto meta =
      client_->List({}, kSecretType,
                    {.namespace_ = "n",
                     .label_selector = "app=x,tier in (a,b)",
                     .field_selector = "metadata.name=a b",
                     .resource_version = "0",
                     .resource_version_match = "NotOlderThan",
                     .limit = 500,
                     .continue_token = "t+/="},
                    [&](const runtime::ObjectPtr& object) { keys.emplace_back(object->key()); });

  ASSERT_TRUE(meta.has_value()) << meta.error().message;
  EXPECT_EQ(meta->resource_version, "42");
  EXPECT_EQ(meta->continue_token, "abc");
  EXPECT_THAT(keys, ElementsAre("n/a", "n/b"));
  EXPECT_EQ(transport_->requests().at(0).target,
            "/api/v1/namespaces/n/secrets?labelSelector=app%3Dx%2Ctier%20in%20%28a%2Cb%29"
            "&fieldSelector=metadata.name%3Da%20b&resourceVersion=0"
            "&resourceVersionMatch=NotOlderThan&limit=500&continue=t%2B%2F%3D");
}

TEST_F(ClientTest, DoesNotRetryListThatBreaks) {
  Start();
  transport_->Push({.chunks = {R"({"kind":"SecretList","metadata":{},"items":[{"metadata":)"
                               R"({"name":"a"}})"},
                    .end = testing::FakeEnd::kError});
  int items = 0;

  auto meta = client_->List({}, kSecretType, {}, [&](const runtime::ObjectPtr&) { ++items; });

  ASSERT_FALSE(meta.has_value());
  EXPECT_EQ(meta.error().reason, ErrorReason::kUnexpectedEof);
  EXPECT_EQ(items, 1);
  EXPECT_EQ(transport_->requests().size(), 1U);
}

TEST_F(ClientTest, RejectsIncompleteList) {
  Start();
  for (const char* body :
       {"", R"({"kind":"SecretList","metadata":{},"items":[)",
        R"({"kind":"Status","status":"Failure","message":"etcd is away"})", "<html>login</html>"}) {
    transport_->Push({.chunks = {body}});
    EXPECT_FALSE(client_->List({}, kSecretType, {}, [](runtime::ObjectPtr) {}).has_value()) << body;
  }
}

TEST_F(ClientTest, SkipsItemThatCannotBeDecoded) {
  Start();
  transport_->Push({.chunks = {R"({"kind":"SecretList","metadata":{"resourceVersion":"1"},)"
                               R"("items":[{"metadata":{}},{"metadata":{"name":"b"}}]})"}});
  int items = 0;

  auto meta = client_->List({}, kSecretType, {}, [&](const runtime::ObjectPtr&) { ++items; });

  EXPECT_TRUE(meta.has_value());
  EXPECT_EQ(items, 1);
}

TEST_F(ClientTest, SendsOptionsOfWrites) {
  Start();
  for (int i = 0; i < 6; ++i) transport_->Push({.status = 201, .chunks = {kSecret}});

  ASSERT_TRUE(client_->Create({}, kSecretType, "ns", "{1}", {.field_manager = "me"}).has_value());
  ASSERT_TRUE(
      client_
          ->Update({}, kSecretType, {"ns", "s"}, "{2}", {.dry_run = true, .subresource = "status"})
          .has_value());
  const WriteOptions apply{.field_manager = "a/b", .force = true};
  for (const PatchType type :
       {PatchType::kApply, PatchType::kMerge, PatchType::kJson, PatchType::kStrategicMerge}) {
    ASSERT_TRUE(client_->Patch({}, kSecretType, {"ns", "s"}, type, "{3}", apply).has_value());
  }

  const auto summary = [&](std::size_t i) {
    const transport::HttpRequest request = transport_->requests().at(i);
    return request.method + " " + request.target + " " +
           std::string(transport::FindHeader(request.headers, "Content-Type")) + " " + request.body;
  };
  EXPECT_EQ(summary(0), "POST /api/v1/namespaces/ns/secrets?fieldManager=me application/json {1}");
  EXPECT_EQ(summary(1),
            "PUT /api/v1/namespaces/ns/secrets/s/status?dryRun=All application/json {2}");
  const std::string patch = "PATCH /api/v1/namespaces/ns/secrets/s?fieldManager=a%2Fb";
  EXPECT_EQ(summary(2), patch + "&force=true application/apply-patch+yaml {3}");
  EXPECT_EQ(summary(3), patch + " application/merge-patch+json {3}");
  EXPECT_EQ(summary(4), patch + " application/json-patch+json {3}");
  EXPECT_EQ(summary(5), patch + " application/strategic-merge-patch+json {3}");
}

TEST_F(ClientTest, DeleteSendsItsPreconditions) {
  Start();
  transport_->Push({.chunks = {R"({"kind":"Status","status":"Success"})"}});
  transport_->Push({});

  EXPECT_TRUE(client_->Delete({}, kSecretType, {"ns", "s"}).has_value());
  EXPECT_TRUE(
      client_->Delete({}, kSecretType, {"ns", "s"}, {.uid = "u\"1", .resource_version = "7"})
          .has_value());

  EXPECT_EQ(transport_->requests().at(0).body, "");
  EXPECT_EQ(transport_->requests().at(1).body,
            R"({"kind":"DeleteOptions","apiVersion":"v1",)"
            R"("preconditions":{"uid":"u\"1","resourceVersion":"7"}})");
}

TEST_F(ClientTest, ReturnsErrorOfServer) {
  Start();
  transport_->Push({.status = 404,
                    .chunks = {R"({"kind":"Status","status":"Failure","reason":"NotFound",)"
                               R"("code":404,"message":"secrets \"s\" not found"})"}});

  auto object = client_->Get({}, kSecretType, {"ns", "s"});

  ASSERT_FALSE(object.has_value());
  EXPECT_TRUE(IsNotFound(object.error()));
  EXPECT_EQ(object.error().http_code, 404);
  EXPECT_EQ(object.error().message, "secrets \"s\" not found");
}

TEST_F(ClientTest, LimitsErrorBody) {
  Start();
  auto body = std::make_shared<testing::FakeBody>();
  for (int i = 0; i < 100; ++i) body->Push(std::string(4096, 'x'));
  transport_->Push({.status = 400, .body = body});  // and it never ends

  auto object = client_->Get({}, kSecretType, {"ns", "s"});

  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().reason, ErrorReason::kBadRequest);
  EXPECT_LE(object.error().message.size(), 2048U);
  EXPECT_TRUE(body->closed());
}

TEST_F(ClientTest, RetriesAfterRetryAfter) {
  Start();
  transport_->Push({.status = 429, .headers = {{"Retry-After", "3"}}, .chunks = {"later"}});
  transport_->Push({.status = 503, .headers = {{"Retry-After", "2"}}});
  transport_->Push({.chunks = {kSecret}});
  auto result = std::async(std::launch::async, [&] {
    return client_->Get({}, kSecretType, {"ns", "s"}).has_value();
  });

  ASSERT_TRUE(clock_.BlockUntilWaiters());
  EXPECT_EQ(transport_->requests().size(), 1U);
  clock_.Step(std::chrono::seconds(3));
  ASSERT_TRUE(transport_->BlockUntilRequests(2));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(std::chrono::seconds(2));

  EXPECT_TRUE(result.get());
  EXPECT_THAT(metrics_.requests(), ElementsAre("429 GET 10.0.0.1:6443", "503 GET 10.0.0.1:6443",
                                               "200 GET 10.0.0.1:6443"));
  EXPECT_THAT(metrics_.retries(), ElementsAre("429 GET 10.0.0.1:6443", "503 GET 10.0.0.1:6443"));
  EXPECT_THAT(metrics_.durations(), ElementsAre("GET 5s"));
}

TEST_F(ClientTest, StopsAfterTenRetries) {
  handler_ = [](const transport::HttpRequest&) {
    return testing::FakeResponse{.status = 429, .headers = {{"Retry-After", "0"}}};
  };
  Start();

  auto object = client_->Get({}, kSecretType, {"ns", "s"});

  ASSERT_FALSE(object.has_value());
  EXPECT_TRUE(IsTooManyRequests(object.error()));
  EXPECT_EQ(object.error().retry_after, std::chrono::seconds(0));
  EXPECT_EQ(transport_->requests().size(), 11U);
}

TEST_F(ClientTest, DoesNotRetryErrorsThatPersist) {
  Start();
  transport_->Push({.status = 500, .chunks = {"no Retry-After"}});
  transport_->Push({.status = 503, .headers = {{"Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"}}});
  transport_->Push({.status = 504, .headers = {{"Retry-After", "1"}}, .chunks = {kTooLarge}});
  transport_->Push({.status = 409, .headers = {{"Retry-After", "1"}}});

  for (std::size_t i = 1; i <= 4; ++i) {
    auto object = client_->Get({}, kSecretType, {"ns", "s"});
    ASSERT_FALSE(object.has_value());
    EXPECT_EQ(transport_->requests().size(), i);
    EXPECT_EQ(object.error().resource_version_too_large, i == 3);
  }
}

TEST_F(ClientTest, RetriesOnlyReadsAfterBrokenConnection) {
  Start();
  const testing::FakeResponse broken{
      .fail = Error{.reason = ErrorReason::kUnexpectedEof, .message = "reset"}};
  transport_->Push(broken);
  transport_->Push({.chunks = {kSecret}});
  auto get = std::async(std::launch::async, [&] {
    return client_->Get({}, kSecretType, {"ns", "s"}).has_value();
  });
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(std::chrono::seconds(1));
  EXPECT_TRUE(get.get());

  transport_->Push(broken);
  auto created = client_->Create({}, kSecretType, "ns", "{}");

  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().reason, ErrorReason::kUnexpectedEof);
  EXPECT_EQ(transport_->requests().size(), 3U);
  EXPECT_THAT(metrics_.requests(), ElementsAre("<error> GET 10.0.0.1:6443", "200 GET 10.0.0.1:6443",
                                               "<error> POST 10.0.0.1:6443"));
}

TEST_F(ClientTest, TransportErrorsContainRequestAndNoSecret) {
  Start({.bearer_token = "topsecret"});
  transport_->Push({.fail = Error{.reason = ErrorReason::kConnectionRefused,
                                  .message = "connect: connection refused"}});

  auto meta = client_->List({}, kSecretType, {.namespace_ = "n", .continue_token = "long"},
                            [](runtime::ObjectPtr) {});

  ASSERT_FALSE(meta.has_value());
  EXPECT_EQ(meta.error().reason, ErrorReason::kConnectionRefused);
  EXPECT_EQ(meta.error().message,
            "GET \"https://10.0.0.1:6443/api/v1/namespaces/n/secrets\": "
            "connect: connection refused");
}

TEST_F(ClientTest, StopEndsWaitForRetry) {
  Start();
  transport_->Push({.status = 429, .headers = {{"Retry-After", "3600"}}});
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] {
    auto object = client_->Get(stop.get_token(), kSecretType, {"ns", "s"});
    return object ? ErrorReason::kUnknown : object.error().reason;
  });
  ASSERT_TRUE(clock_.BlockUntilWaiters());

  stop.request_stop();

  EXPECT_EQ(result.get(), ErrorReason::kCanceled);
}

TEST_F(ClientTest, ReadsTokenAgainAfter401WithoutRetry) {
  const testing::TempDir dir;
  Start({.bearer_token_file = dir.Write("token", "old")});
  transport_->Push({.status = 401});
  transport_->Push({.chunks = {kSecret}});

  auto refused = client_->Get({}, kSecretType, {"ns", "s"});
  dir.Write("token", "new");
  auto accepted = client_->Get({}, kSecretType, {"ns", "s"});

  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(IsUnauthorized(refused.error()));
  ASSERT_TRUE(accepted.has_value());
  EXPECT_EQ(transport::FindHeader(transport_->requests().at(0).headers, "Authorization"),
            "Bearer old");
  EXPECT_EQ(transport::FindHeader(transport_->requests().at(1).headers, "Authorization"),
            "Bearer new");
}

TEST_F(ClientTest, DoesNotRetryWhenServerStaysSilent) {
  handler_ = [this](const transport::HttpRequest& request) {
    clock_.Step(request.idle_timeout);
    return testing::FakeResponse{
        .fail = Error{.reason = ErrorReason::kUnexpectedEof, .message = "i/o timeout"}};
  };
  Start();

  const auto object = client_->Get({}, kSecretType, {"ns", "s"});

  EXPECT_FALSE(object.has_value());
  EXPECT_EQ(transport_->requests().size(), 1U);
}

TEST_F(ClientTest, SendsBasicCredentials) {
  Start({.username = "admin", .password = "pw"});
  transport_->Push({.chunks = {kSecret}});

  ASSERT_TRUE(client_->Get({}, kSecretType, {"ns", "s"}).has_value());

  EXPECT_EQ(transport::FindHeader(transport_->requests().at(0).headers, "Authorization"),
            "Basic YWRtaW46cHc=");
}

constexpr char kList[] = R"({"kind":"SecretList","metadata":{"resourceVersion":"9"},"items":[]})";

class ClientDeadlineTest : public ClientFixture {
 protected:
  // Starts with a server that responds with `body` after `delay`.
  void StartSlow(Clock::Duration delay, const std::string& body, Config config = {}) {
    handler_ = [this, delay, body](const transport::HttpRequest&) {
      clock_.Step(delay);
      return testing::FakeResponse{.chunks = {body}};
    };
    Start(std::move(config));
  }
  Expected<runtime::ListMeta> List(const CallOptions& call = {}) {
    return client_->List(call, kSecretType, {}, [](const runtime::ObjectPtr&) {});
  }
  Expected<runtime::ObjectPtr> Get(const CallOptions& call = {}) {
    return client_->Get(call, kSecretType, {"ns", "s"});
  }
  CallOptions Within(Clock::Duration time) { return {{}, clock_.Now() + time}; }
};

TEST_F(ClientDeadlineTest, WaitsFiveMinutesForResponseToList) {
  StartSlow(minutes(5), kList);

  const auto listed = List();

  ASSERT_TRUE(listed.has_value()) << listed.error().message;
  EXPECT_EQ(listed->resource_version, "9");
}

TEST_F(ClientDeadlineTest, DoesNotRetryGetWithoutResponseInTime) {
  StartSlow(kAnswerTimeout, kSecret);

  const auto object = Get();

  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_THAT(object.error().message,
              HasSubstr("GET \"https://10.0.0.1:6443/api/v1/namespaces/ns/secrets/s\": no answer"));
  EXPECT_EQ(transport_->requests().size(), 1U);
}

TEST_F(ClientDeadlineTest, DeadlineEndsListWithoutResponse) {
  StartSlow(seconds(5), kList);

  const auto listed = List(Within(seconds(5)));

  ASSERT_FALSE(listed.has_value());
  EXPECT_EQ(listed.error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(ClientDeadlineTest, DeadlineAlsoLimitsBody) {
  Start();
  transport_->Push({.chunks = {R"({"kind":"Sec)"}, .end = testing::FakeEnd::kHang});
  auto result = std::async(std::launch::async, [&] { return Get(Within(seconds(5))); });
  ASSERT_TRUE(clock_.BlockUntilWaiters());

  clock_.Step(seconds(5));

  EXPECT_EQ(result.get().error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(ClientDeadlineTest, SendsNothingAfterDeadline) {
  Start();

  const auto object = Get(Within(seconds(0)));

  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_TRUE(transport_->requests().empty());
}

TEST_F(ClientDeadlineTest, DoesNotWaitForRetryBeyondDeadline) {
  Start();
  transport_->Push({.status = 429, .headers = {{"Retry-After", "5"}}});

  const auto object = Get(Within(seconds(5)));

  ASSERT_FALSE(object.has_value());
  EXPECT_TRUE(IsTooManyRequests(object.error())) << "the server's response is more useful";
  EXPECT_FALSE(clock_.HasWaiters());
}

TEST_F(ClientDeadlineTest, ConfigTimeoutLimitsWholeCall) {
  StartSlow(seconds(10), kList, {.timeout = seconds(10)});

  const auto listed = List();

  ASSERT_FALSE(listed.has_value());
  EXPECT_EQ(listed.error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(ClientDeadlineTest, ConfigTimeoutLimitsAllRetriesTogether) {
  Start({.timeout = seconds(10)});
  transport_->Push({.status = 503, .headers = {{"Retry-After", "10"}}});

  const auto object = Get();

  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().http_code, 503);
  EXPECT_EQ(transport_->requests().size(), 1U);
}

TEST_F(ClientDeadlineTest, ConfigTimeoutLimitsResponseOfWatchAndNotItsDuration) {
  Start({.timeout = seconds(10)});
  const auto body = std::make_shared<testing::FakeBody>();
  transport_->Push({.body = body});
  auto watcher = client_->Watch({}, kSecretType, {});
  ASSERT_TRUE(watcher.has_value()) << watcher.error().message;

  clock_.Step(minutes(1));
  body->End();

  EXPECT_EQ((*watcher)->Next().value(), std::nullopt);
  EXPECT_EQ(transport_->requests().front().answer_timeout, seconds(10));
}

TEST_F(ClientDeadlineTest, ReadOfWatchHasItsOwnLimit) {
  Start();
  transport_->Push({.body = std::make_shared<testing::FakeBody>()});
  auto watcher = client_->Watch({}, kSecretType, {});
  ASSERT_TRUE(watcher.has_value()) << watcher.error().message;

  const auto next = (*watcher)->Next(Clock::Duration::zero());

  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(ClientDeadlineTest, StopEndsWaitForThrottle) {
  Start({.qps = 0.1, .burst = 1});
  transport_->Push({.chunks = {kSecret}});
  ASSERT_TRUE(Get().has_value());
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] { return Get(stop.get_token()); });
  ASSERT_TRUE(clock_.BlockUntilWaiters());

  stop.request_stop();

  EXPECT_EQ(result.get().error().reason, ErrorReason::kCanceled);
  EXPECT_EQ(transport_->requests().size(), 1U);
}

TEST_F(ClientDeadlineTest, WaitsForThrottleAfterBurst) {
  Start({.qps = 2, .burst = 1});
  for (int i = 0; i < 2; ++i) transport_->Push({.chunks = {kSecret}});
  ASSERT_TRUE(Get().has_value());
  auto result = std::async(std::launch::async, [&] { return Get().has_value(); });
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  EXPECT_EQ(transport_->requests().size(), 1U);

  clock_.Step(std::chrono::milliseconds(500));

  EXPECT_TRUE(result.get());
}

TEST_F(ClientDeadlineTest, FailsAtOnceWhenThrottlingWouldExceedDeadline) {
  Start({.qps = 0.1, .burst = 1});
  transport_->Push({.chunks = {kSecret}});
  ASSERT_TRUE(Get().has_value());

  const auto object = Get(Within(seconds(5)));

  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_THAT(object.error().message, HasSubstr("throttling would exceed the deadline"));
}

}  // namespace
}  // namespace capstan::rest
