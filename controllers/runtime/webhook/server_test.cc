// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <vector>

#include "capstan/metrics/metrics.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_clock.h"
#include "clientgo/httpserver/testing/raw_client.h"
#include "clientgo/httpserver/testing/tls_client.h"
#include "controllers/runtime/testing/kinds.h"
#include "controllers/runtime/testing/running.h"
#include "controllers/runtime/webhook/testing/webhook_client.h"

namespace capstan::webhook {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ServerTest : public ::testing::Test {
 protected:
  ServerOptions Options() {
    return {.host = "127.0.0.1",
            .port = 0,
            .cert_dir = certificate_.dir(),
            .clock = &clock_,
            .metrics = &metrics_};
  }
  // Serves `handler` at /test.
  Server& Serve(AdmissionHandler handler) { return Serve(std::move(handler), Options()); }
  Server& Serve(AdmissionHandler handler, ServerOptions options) {
    server_ = std::make_unique<Server>(std::move(options));
    EXPECT_TRUE(server_->Register("/test", std::move(handler)).has_value());
    const auto begun = server_->Begin({});
    EXPECT_TRUE(begun.has_value()) << begun.error().message;
    return *server_;
  }
  ApiServer Client() const { return {server_->port(), certificate_.ca().cert_pem}; }
  Answer Post(const std::string& target, const std::string& body = Review("CREATE")) const {
    return Client().Post(target, body);
  }
  std::future<Answer> PostLater(const std::string& target) const {
    return std::async(std::launch::async, [this, target] { return Post(target); });
  }

  testing::FakeClock clock_;
  metrics::Metrics metrics_{{}};
  ServingCertificate certificate_;
  std::counting_semaphore<> entered_{0};
  std::counting_semaphore<> left_{0};
  std::unique_ptr<Server> server_;
};

// A handler that reports its start, waits for its stop and reports that.
AdmissionResponse WaitForEnd(AdmissionContext& context, std::counting_semaphore<>& entered,
                             std::counting_semaphore<>& left) {
  entered.release();
  WaitForStop(context.call().stop);
  left.release();
  return Allowed();
}

TEST_F(ServerTest, RejectsFewerThanOneWorker) {
  for (const int workers : {0, -1}) {
    ServerOptions options = Options();
    options.workers = workers;
    Server server(options);
    ASSERT_TRUE(
        server.RegisterBody("/test", [](const auto&, const auto&) { return HttpAnswer{}; }));

    const auto listening = server.Listen();

    ASSERT_FALSE(listening.has_value());
    EXPECT_EQ(listening.error().message, "webhook server: invalid ServerOptions::workers " +
                                             std::to_string(workers) + "; set at least 1");
  }
}

TEST_F(ServerTest, AnswersReviewsOverHttps) {
  Serve([](AdmissionContext& context, const AdmissionRequest& request) {
    context.Warn("mind " + request.name);
    context.Audit("user", request.user_info.username);
    return Denied("not " + request.name);
  });

  const Answer answer = Post("/test?timeout=10s");

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(transport::FindHeader(answer.headers, "Content-Type"), "application/json");
  const Response response(answer.body);
  EXPECT_EQ(response.uid, "u1");
  EXPECT_FALSE(response.allowed);
  EXPECT_EQ(response.code, 403);
  EXPECT_EQ(response.message, "not a");
  EXPECT_THAT(answer.body, AllOf(HasSubstr(R"("warnings":["mind a"])"),
                                 HasSubstr(R"("auditAnnotations":{"user":"alice"})")));
}

TEST_F(ServerTest, DeniesRequestsThatAreNoReview) {
  Serve([](const auto&, const auto&) { return Allowed(); });
  const struct {
    std::string body;
    std::string content_type;
    std::string message;
  } cases[] = {{"", "application/json", "request body is empty"},
               {"{}", "text/yaml", "contentType=text/yaml, expected application/json"},
               {"{}", "application/json", "the AdmissionReview has no request"}};
  for (const auto& test_case : cases) {
    const Answer answer = Client().Post("/test", test_case.body, test_case.content_type);
    EXPECT_EQ(answer.status, 200);
    const Response response(answer.body);
    EXPECT_FALSE(response.allowed);
    EXPECT_EQ(response.code, 400);
    EXPECT_EQ(response.message, test_case.message);
  }
}

TEST_F(ServerTest, RejectsUnknownPathsLargeBodiesAndInvalidTimeouts) {
  ServerOptions options = Options();
  options.body_bytes_max = 1000;
  Serve([](const auto&, const auto&) { return Allowed(); }, std::move(options));

  EXPECT_EQ(Post("/other").status, 404);
  EXPECT_EQ(Post("/test", std::string(1001, ' ')).status, 413);
  EXPECT_EQ(Post("/test?timeout=soon").status, 400);
  EXPECT_EQ(Post("/test?timeout=-1s").status, 400);
}

TEST_F(ServerTest, TreatsAnExceptionAsAnErrorOfOneRequest) {
  Serve([](const auto&, const AdmissionRequest& request) -> AdmissionResponse {
    if (request.operation == Operation::kCreate) throw std::runtime_error("boom");
    if (request.operation == Operation::kUpdate) throw 1;
    if (request.operation == Operation::kConnect) throw std::runtime_error("not UTF-8: \xff");
    return Allowed();
  });

  const Response created(Post("/test").body);
  EXPECT_FALSE(created.allowed);
  EXPECT_EQ(created.code, 500);
  EXPECT_EQ(created.uid, "u1");
  EXPECT_EQ(created.message, "panic: boom [recovered]");
  EXPECT_EQ(Response(Post("/test", Review("UPDATE")).body).message,
            "panic: an exception of unknown type [recovered]");
  EXPECT_EQ(Response(Post("/test", Review("CONNECT")).body).message,
            "panic: not UTF-8: \xef\xbf\xbd [recovered]");
  EXPECT_TRUE(Response(Post("/test", Review("DELETE")).body).allowed);
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("\ncontroller_runtime_webhook_panics_total 3\n"));
}

TEST_F(ServerTest, ReportsItsMetrics) {
  Serve([this](AdmissionContext& context, const AdmissionRequest&) {
    return WaitForEnd(context, entered_, left_);
  });
  EXPECT_THAT(metrics_.Serialize(),
              AllOf(HasSubstr(R"(webhook_requests_total{code="200",webhook="/test"} 0)"),
                    HasSubstr(R"(webhook_requests_total{code="500",webhook="/test"} 0)"),
                    HasSubstr(R"(webhook_requests_in_flight{webhook="/test"} 0)")));

  auto answer = PostLater("/test");
  entered_.acquire();
  EXPECT_THAT(metrics_.Serialize(), HasSubstr(R"(requests_in_flight{webhook="/test"} 1)"));
  clock_.Step(10s);
  EXPECT_EQ(answer.get().status, 504);

  EXPECT_THAT(
      metrics_.Serialize(),
      AllOf(HasSubstr(R"(controller_runtime_webhook_requests_total{code="504",webhook="/test"} 1)"),
            HasSubstr(R"(controller_runtime_webhook_latency_seconds_sum{webhook="/test"} 10)"),
            HasSubstr(R"(controller_runtime_webhook_requests_in_flight{webhook="/test"} 0)"),
            HasSubstr("\ncertwatcher_read_certificate_total 1\n")));
}

TEST_F(ServerTest, AnswersInTimeForASlowFunction) {
  std::atomic<Clock::Duration> left{};
  Serve([&](AdmissionContext& context, const AdmissionRequest&) {
    left = context.call().deadline - clock_.Now();
    return WaitForEnd(context, entered_, left_);
  });
  auto answer = PostLater("/test?timeout=2s");
  entered_.acquire();

  clock_.Step(1799ms);
  EXPECT_EQ(answer.wait_for(0s), std::future_status::timeout);
  clock_.Step(1ms);

  EXPECT_EQ(answer.get().status, 504);
  left_.acquire();  // it got a stop request
  EXPECT_EQ(left.load(), 1800ms);
}

TEST_F(ServerTest, LimitsTheTimeThatAClientAsksFor) {
  std::atomic<Clock::Duration> left{};
  Serve([&](AdmissionContext& context, const AdmissionRequest&) {
    left = context.call().deadline - clock_.Now();
    return Allowed();
  });

  EXPECT_EQ(Post("/test").status, 200);
  EXPECT_EQ(left.load(), 9500ms);
  EXPECT_EQ(Post("/test?timeout=1h").status, 200);
  EXPECT_EQ(left.load(), 29500ms);
}

TEST_F(ServerTest, AnswersAtOnceWhenTheQueueIsFull) {
  ServerOptions options = Options();
  options.workers = 1;
  options.queue_max = 1;
  std::atomic<int> calls = 0;
  std::counting_semaphore<> go(0);
  Serve(
      [&](const auto&, const auto&) {
        ++calls;
        entered_.release();
        go.acquire();
        return Allowed();
      },
      std::move(options));
  auto first = PostLater("/test");
  entered_.acquire();
  auto second = PostLater("/test");
  ASSERT_TRUE(testing::Eventually([&] {
    return metrics_.Serialize().find(R"(requests_in_flight{webhook="/test"} 2)") !=
           std::string::npos;
  }));

  const Answer third = Post("/test");

  EXPECT_EQ(third.status, 429);
  EXPECT_EQ(transport::FindHeader(third.headers, "Retry-After"), "1");
  go.release(2);
  EXPECT_EQ(first.get().status, 200);
  EXPECT_EQ(second.get().status, 200);
  EXPECT_EQ(calls, 2);
}

TEST_F(ServerTest, AnswersAsManyRequestsAsWorkersWithoutAQueue) {
  ServerOptions options = Options();
  options.workers = 1;
  options.queue_max = 0;
  std::counting_semaphore<> go(0);
  Serve(
      [&](const auto&, const auto&) {
        entered_.release();
        go.acquire();
        return Allowed();
      },
      std::move(options));
  for (int i = 0; i < 20; ++i) {
    auto first = PostLater("/test");
    ASSERT_TRUE(entered_.try_acquire_for(10s)) << "rejected beside an idle worker";
    EXPECT_EQ(Post("/test").status, 429);
    go.release();
    EXPECT_EQ(first.get().status, 200);
  }
}

TEST_F(ServerTest, KeepsAConnectionForEachRequestThatMayWait) {
  ServerOptions options = Options();
  options.queue_max = 200;
  Serve([](const auto&, const auto&) { return Allowed(); }, std::move(options));
  std::vector<std::unique_ptr<httpserver::TlsClient>> clients;
  for (int i = 0; i < 160; ++i) {
    clients.push_back(std::make_unique<httpserver::TlsClient>(server_->port()));
  }

  for (const auto& client : clients) EXPECT_THAT(client->Get("/"), HasSubstr(" 404 "));
}

TEST_F(ServerTest, StopsAFunctionWhoseClientHasLeft) {
  Serve([this](AdmissionContext& context, const AdmissionRequest&) {
    return WaitForEnd(context, entered_, left_);
  });
  {
    std::stop_source leave;
    const auto transport = Value(transport::NewHttp1Transport(
        {.host = "https://127.0.0.1:" + std::to_string(server_->port()),
         .tls = {.ca_data = certificate_.ca().cert_pem}}));
    const auto asks = std::async(std::launch::async, [&] {
      (void)transport->RoundTrip(leave.get_token(),
                                 {.method = "POST",
                                  .target = "/test",
                                  .headers = {{"Content-Type", "application/json"}},
                                  .body = Review("CREATE")});
    });
    entered_.acquire();
    leave.request_stop();
  }
  left_.acquire();
}

TEST_F(ServerTest, UsesACertificateThatChanges) {
  Serve([](const auto&, const auto&) { return Allowed(); });
  const std::string old_ca = certificate_.ca().cert_pem;
  EXPECT_EQ(Post("/test").status, 200);

  certificate_.Rotate();

  EXPECT_EQ(Post("/test").status, 200);
  EXPECT_EQ(ApiServer(server_->port(), old_ca).Post("/test", Review("CREATE")).status, 0);
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("\ncertwatcher_read_certificate_total 2\n"));
}

TEST_F(ServerTest, RequiresACertificateOfTheClientCa) {
  const auto client_ca = Value(testing::MakeCa({.common_name = "clients"}));
  const auto client =
      Value(testing::MakeCertificate(client_ca, {.common_name = "apiserver", .client_auth = true}));
  certificate_.files().Write("client-ca.crt", client_ca.cert_pem);
  ServerOptions options = Options();
  options.client_ca_name = "client-ca.crt";
  Serve([](const auto&, const auto&) { return Allowed(); }, std::move(options));

  EXPECT_EQ(Post("/test").status, 401);
  const ApiServer trusted(server_->port(), certificate_.ca().cert_pem, client);
  EXPECT_EQ(trusted.Post("/test", Review("CREATE")).status, 200);
}

TEST_F(ServerTest, AcceptsClientsOfEachCaInTheFile) {
  const auto new_client = [](const testing::KeyPair& ca) {
    return Value(testing::MakeCertificate(ca, {.common_name = "apiserver", .client_auth = true}));
  };
  const auto old_ca = Value(testing::MakeCa({.common_name = "old"}));
  const auto new_ca = Value(testing::MakeCa({.common_name = "new"}));
  const auto other_ca = Value(testing::MakeCa({.common_name = "other"}));
  const auto single = new_client(other_ca);  // in the file without its CA
  certificate_.files().Write(
      "client-ca.crt", old_ca.cert_pem + "\n" + new_ca.cert_pem + single.cert_pem + "# end\n");
  ServerOptions options = Options();
  options.client_ca_name = "client-ca.crt";
  Serve([](const auto&, const auto&) { return Allowed(); }, std::move(options));
  const auto status = [&](const testing::KeyPair& client) {
    return ApiServer(server_->port(), certificate_.ca().cert_pem, client)
        .Post("/test", Review("CREATE"))
        .status;
  };

  EXPECT_EQ(status(new_client(old_ca)), 200);
  EXPECT_EQ(status(new_client(new_ca)), 200);
  EXPECT_EQ(status(single), 200);
  EXPECT_EQ(status(new_client(other_ca)), 401);
}

TEST_F(ServerTest, RejectsAClientCaFileWithoutACertificate) {
  for (const char* const content : {"", "no PEM"}) {
    certificate_.files().Write("client-ca.crt", content);
    ServerOptions options = Options();
    options.client_ca_name = "client-ca.crt";
    Server server(options);
    ASSERT_TRUE(
        server.RegisterBody("/test", [](const auto&, const auto&) { return HttpAnswer{}; }));

    const auto listening = server.Listen();

    ASSERT_FALSE(listening.has_value());
    EXPECT_THAT(listening.error().message,
                HasSubstr(*content == 0 ? "client-ca.crt is empty" : "CA for client certificates"));
  }
}

TEST_F(ServerTest, AnswersRequestsThatHaveBegunAtTheStop) {
  std::counting_semaphore<> go(0);
  Server& server = Serve([&](const auto&, const auto&) {
    entered_.release();
    go.acquire();
    return Allowed();
  });
  const std::uint16_t port = server.port();
  auto answer = PostLater("/test");
  entered_.acquire();

  auto end = std::async(std::launch::async, [&] { server.End(); });

  ASSERT_TRUE(testing::Eventually([&] { return !httpserver::RawClient(port).connected(); }));
  EXPECT_FALSE(server.StartedChecker()().has_value());
  EXPECT_EQ(end.wait_for(0s), std::future_status::timeout);
  go.release();
  const Answer answered = answer.get();
  EXPECT_EQ(answered.status, 200);
  EXPECT_EQ(transport::FindHeader(answered.headers, "Connection"), "close");
  EXPECT_TRUE(Response(answered.body).allowed);
  end.get();
}

TEST_F(ServerTest, StopsFunctionsThatAreSlowAtTheStop) {
  ServerOptions options = Options();
  options.drain_timeout = 5s;
  Server& server =
      Serve([this](AdmissionContext& context,
                   const AdmissionRequest&) { return WaitForEnd(context, entered_, left_); },
            std::move(options));
  auto answer = PostLater("/test");
  entered_.acquire();

  auto end = std::async(std::launch::async, [&] { server.End(); });
  ASSERT_TRUE(clock_.BlockUntilWaiters(2));  // the deadline of the request, and End
  clock_.Step(5s);

  EXPECT_EQ(answer.get().status, 504);
  left_.acquire();
  end.get();
}

// For example the error of a wait whose deadline is that of the request.
TEST_F(ServerTest, IgnoresWhatAFunctionReturnsAtItsDeadline) {
  Serve([this](AdmissionContext& context, const AdmissionRequest&) {
    Mutex mu;
    CondVar never;
    const MutexLock lock(mu);
    entered_.release();
    clock_.WaitUntil(mu, never, {}, context.call().deadline, [] { return false; });
    return Denied("too late");
  });
  auto answer = PostLater("/test");
  entered_.acquire();
  ASSERT_TRUE(clock_.BlockUntilWaiters(2));  // the deadline of the request, and the function

  clock_.Step(10s);

  EXPECT_EQ(answer.get().status, 504);
}

TEST_F(ServerTest, ReportsWhatPreventsItsStart) {
  ServerOptions options = Options();
  options.cert_name = "none.crt";
  Server without_certificate(std::move(options));
  ASSERT_TRUE(without_certificate.Register("/test", [](auto&, auto&) { return Allowed(); }));
  const auto missing = without_certificate.Listen();
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message,
              AllOf(HasSubstr("webhook server: TLS certificate: "), HasSubstr("none.crt"),
                    HasSubstr("set --webhook-cert-path")));
  EXPECT_FALSE(without_certificate.Listen().has_value());

  ServerOptions same_port = Options();
  same_port.port = Serve([](auto&, auto&) { return Allowed(); }).port();
  Server second(std::move(same_port));
  ASSERT_TRUE(second.Register("/test", [](auto&, auto&) { return Allowed(); }));
  const auto in_use = second.Begin({});
  ASSERT_FALSE(in_use.has_value());
  EXPECT_THAT(in_use.error().message, HasSubstr("ddress already in use"));
  EXPECT_FALSE(second.StartedChecker()().has_value());
}

TEST_F(ServerTest, RejectsWrongRegistrations) {
  Server& server = Serve([](auto&, auto&) { return Allowed(); });
  const auto late = server.Register("/late", [](auto&, auto&) { return Allowed(); });
  EXPECT_THAT(late.error().message, HasSubstr("register webhooks before Manager::Start"));

  Server other(Options());
  const auto allow = [](auto&, auto&) { return Allowed(); };
  EXPECT_THAT(other.Register("path", allow).error().message,
              "webhook \"path\": a path begins with a slash");
  EXPECT_TRUE(other.Register("/a", allow).has_value());
  EXPECT_THAT(other.Register("/a", allow).error().message, HasSubstr("the path is in use"));
  EXPECT_THAT(other.Register("/b", nullptr).error().message, HasSubstr("the handler is empty"));
  EXPECT_THAT(other.RegisterConverter("x.io", "Foo", nullptr).error().message,
              HasSubstr("conversion of Foo: the converter is empty"));
}

TEST_F(ServerTest, ServesAnyOtherWebhook) {
  server_ = std::make_unique<Server>(Options());
  ASSERT_TRUE(server_->RegisterBody(
      "/throw", [](const auto&, const HttpBody&) -> HttpAnswer { throw std::runtime_error("x"); }));
  ASSERT_TRUE(server_->RegisterBody("/token", [](const auto& /*call*/, const HttpBody& body) {
    return HttpAnswer{.status = 201, .content_type = body.content_type, .body = body.body + "!"};
  }));
  ASSERT_TRUE(server_->Listen().has_value());

  const Answer answer = Client().Post("/token", "hello", "text/plain");

  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "hello!");
  EXPECT_EQ(transport::FindHeader(answer.headers, "Content-Type"), "text/plain");
  EXPECT_EQ(Client().Post("/throw", "hello").status, 500);
}

using ManagedServerTest = testing::ManagerFixture;

TEST_F(ManagedServerTest, ServesInAStandbyAndReportsReadiness) {
  const ServingCertificate certificate;
  const auto manager = NewManager(
      {.leader_election = leaderelection::LeaderElectionConfig{
           .lease_namespace = "kube-system", .lease_name = "test", .identity = "standby"}});
  // Another process leads.
  Create(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"namespace":)"
         R"("kube-system","name":"test"},"spec":{"holderIdentity":"leader","leaseDurationSeconds":)"
         R"(3600,"renewTime":"2100-01-01T00:00:00.000000Z"}})");
  Server* const server =
      Value(AddServer(*manager, {.host = "127.0.0.1", .port = 0, .cert_dir = certificate.dir()}));
  EXPECT_EQ(Value(ServerFor(*manager)), server);
  EXPECT_FALSE(AddServer(*manager, {}).has_value());
  ASSERT_TRUE(server->Register("/test", [](auto&, auto&) { return Allowed(); }));
  EXPECT_THAT(manager->readyz().Handle("").body,
              HasSubstr("[-]webhook failed: webhook server has not been started yet"));
  ASSERT_TRUE(server->Listen().has_value());

  const RunningRunnable running(*manager);
  ASSERT_TRUE(
      testing::Eventually([&] { return manager->readyz().Handle("/webhook").status == 200; }));

  const ApiServer api_server(server->port(), certificate.ca().cert_pem);
  EXPECT_TRUE(Response(api_server.Post("/test", Review("CREATE")).body).allowed);
  EXPECT_FALSE(manager->IsLeader());
}

TEST_F(ManagedServerTest, NeedsNoCertificateWithoutAWebhook) {
  const auto manager = NewManager();
  ASSERT_TRUE(AddServer(*manager, {.cert_dir = "/none"}).has_value());

  RunningRunnable running(*manager);

  EXPECT_TRUE(
      testing::Eventually([&] { return manager->readyz().Handle("/webhook").status == 200; }));
  EXPECT_TRUE(running.Stop().has_value());
}

}  // namespace
}  // namespace capstan::webhook
