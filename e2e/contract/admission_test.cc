// SPDX-License-Identifier: Apache-2.0
// Tests of admission webhooks: which requests they get, and what their answers do.
#include <atomic>
#include <thread>

#include "capstan/base64.h"
#include "capstan/testing/eventually.h"
#include "clientgo/runtime/testing/must_parse.h"
#include "clientgo/testing/apiserver/testing/webhook_server.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kAllow = R"("allowed":true)";

// Returns the members of a response with a JSON patch.
std::string Patched(std::string_view patch) {
  return R"("allowed":true,"patchType":"JSONPatch","patch":")" + Base64Encode(patch) + "\"";
}

WebhookServer::Handler Always(std::string members) {
  return
      [members = std::move(members)](std::string_view, const runtime::JsonValue&,
                                     const WebhookServer::Respond& respond) { respond(members); };
}

// Returns a rule for all operations on these resources, as JSON strings.
std::string Rule(const std::string& resources, const std::string& operations = R"("*")") {
  return R"({"operations":[)" + operations + R"(],"apiGroups":["","apps"],"apiVersions":["v1"],)" +
         R"("resources":[)" + resources + "]}";
}

// Returns the text at a path; "" if there is none.
std::string Text(const runtime::JsonValue& json, std::initializer_list<std::string_view> path) {
  const runtime::JsonValue* const value = runtime::FindPath(json, path);
  return value == nullptr || !value->IsString() ? "" : value->GetString();
}

// Returns the value of a header without its quotes, or "".
std::string Header(const Answer& answer, const std::string& name) {
  const std::size_t at = answer.head.find(name + ": ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 2;
  return answer.head.substr(begin, answer.head.find("\r\n", begin) - begin);
}

class AdmissionTest : public ContractTest {
 protected:
  static constexpr const char* kReadiness = "is-it-called";

  // Returns a webhook that gets requests in this test's namespace, or for it.
  std::string Webhook(const std::string& name, const std::string& client_config,
                      const std::string& rules, const std::string& more = "") const {
    return R"({"name":")" + name + R"(","clientConfig":{)" + client_config + R"(},"rules":[)" +
           rules + R"(],"sideEffects":"None","admissionReviewVersions":["v1"],)" +
           R"("namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":")" + ns() +
           "\"}}" + more + "}";
  }
  // Creates a configuration, deleted when the test ends. Does not wait until it has an effect.
  void Configure(bool mutating, const std::string& webhooks, const std::string& suffix = "") {
    const std::string name = ns() + suffix;
    DeleteLater(Configurations(mutating) + "/" + name);
    const Answer created =
        Post(Configurations(mutating),
             R"({"metadata":{"name":")" + name + R"("},"webhooks":[)" + webhooks + "]}");
    ASSERT_EQ(created.code, 201) << created.body;
  }
  // Waits until the server calls the webhook for ConfigMaps. A real one learns of a configuration
  // some time after it was created.
  void AwaitCalls(WebhookServer& server) const {
    const auto called = [&] {
      Post(ConfigMaps() + "?dryRun=All",
           R"({"metadata":{"name":")" + std::string(kReadiness) + "\"}}");
      return !server.Requests().empty();
    };
    ASSERT_TRUE(Eventually(called));
    server.Forget();
  }
  // Configures one webhook for all operations on ConfigMaps, and waits for its effect.
  void ConfigureOne(bool mutating, WebhookServer& server, const std::string& more = "") {
    ASSERT_TRUE(server.started());
    Configure(mutating, Webhook("a.x.io", server.ClientConfig(), Rule(R"("configmaps")"), more));
    AwaitCalls(server);
  }
  Answer Create(const std::string& name) const {
    return Post(ConfigMaps(), R"({"metadata":{"name":")" + name + "\"}}");
  }
  static std::string Data(const Answer& answer, std::string_view key) {
    const runtime::JsonValue* const value = runtime::FindPath(answer.json, {"data", key});
    return value == nullptr || !value->IsString() ? "none" : value->GetString();
  }
  static Refusal InternalError(const std::string& what) {
    return {.code = 500,
            .reason = "InternalError",
            .message = "Internal error occurred: " + what,
            .details = R"({"causes":[)" + Sorted(R"({"message":)" + Quote(what) + "}") + "]}"};
  }
};

TEST_F(AdmissionTest, DeniesWithTheStatusOfTheWebhook) {
  WebhookServer server(
      Always(R"("allowed":false,"status":{"code":418,"reason":"Teapot","message":"no tea"})"));
  ConfigureOne(false, server);

  EXPECT_REFUSED(Create("a"),
                 {.code = 418,
                  .reason = "Teapot",
                  .message = "admission webhook \"a.x.io\" denied the request: no tea"});
  EXPECT_EQ(Get(ConfigMaps("a")).code, 404);
}

TEST_F(AdmissionTest, DeniesWithoutAnExplanation) {
  WebhookServer server(Always(R"("allowed":false)"));
  ConfigureOne(true, server);

  EXPECT_REFUSED(
      Create("a"),
      {.code = 400,
       .message = "admission webhook \"a.x.io\" denied the request without explanation"});
}

TEST_F(AdmissionTest, SendsTheRequestOfACreate) {
  WebhookServer server(Always(kAllow));
  ConfigureOne(false, server);

  ASSERT_EQ(Post(ConfigMaps() + "?fieldManager=me", R"({"metadata":{"generateName":"a-"}})").code,
            201);
  const runtime::JsonDocument request = runtime::MustParse(server.LastRequest());

  EXPECT_THAT(server.Targets(), ElementsAre("/?timeout=10s"));
  EXPECT_EQ(runtime::GetString(request, "operation"), "CREATE");
  EXPECT_EQ(runtime::GetString(request, "namespace"), ns());
  EXPECT_EQ(Sorted(runtime::ToJson(request["kind"])),
            R"({"group":"","kind":"ConfigMap","version":"v1"})");
  EXPECT_EQ(Sorted(runtime::ToJson(request["requestResource"])),
            R"({"group":"","resource":"configmaps","version":"v1"})");
  EXPECT_TRUE(request["oldObject"].IsNull());
  EXPECT_FALSE(request["dryRun"].GetBool());
  EXPECT_EQ(Text(request, {"options", "kind"}), "CreateOptions");
  EXPECT_EQ(Text(request, {"options", "fieldManager"}), "me");
  EXPECT_FALSE(Text(request, {"userInfo", "username"}).empty());
  EXPECT_EQ(Text(request, {"object", "kind"}), "ConfigMap");
  EXPECT_THAT(Text(request, {"object", "metadata", "name"}), StartsWith("a-"));
  EXPECT_FALSE(Text(request, {"object", "metadata", "uid"}).empty());
  EXPECT_TRUE(request["object"]["metadata"].HasMember("managedFields"));
}

TEST_F(AdmissionTest, CallsMutatingWebhooksBeforeTheServerChoosesAName) {
  WebhookServer server(Always(kAllow));
  ConfigureOne(true, server);

  ASSERT_EQ(Post(ConfigMaps(), R"({"metadata":{"generateName":"a-"}})").code, 201);
  const runtime::JsonDocument request = runtime::MustParse(server.LastRequest());

  EXPECT_THAT(server.Requests(), ElementsAre("CREATE "));
  EXPECT_EQ(Text(request, {"object", "metadata", "uid"}), "");
  EXPECT_EQ(Text(request, {"object", "metadata", "generateName"}), "a-");
  EXPECT_EQ(Text(request, {"object", "metadata", "namespace"}), ns());
}

TEST_F(AdmissionTest, SendsTheOldObjectOfAnUpdateAndADelete) {
  WebhookServer server(Always(kAllow));
  ConfigureOne(false, server);
  CreateConfigMap("a", {}, R"({"k":"1"})");

  ASSERT_EQ(MergePatch(ConfigMaps("a"), R"({"data":{"k":"2"}})").code, 200);
  const runtime::JsonDocument patch = runtime::MustParse(server.LastRequest());
  ASSERT_EQ(Delete(ConfigMaps("a"), R"({"propagationPolicy":"Background"})").code, 200);
  const runtime::JsonDocument deletion = runtime::MustParse(server.LastRequest());

  EXPECT_THAT(server.Requests(), ElementsAre("CREATE a", "UPDATE a", "DELETE a"));
  EXPECT_EQ(Text(patch, {"oldObject", "data", "k"}), "1");
  EXPECT_EQ(Text(patch, {"object", "data", "k"}), "2");
  EXPECT_EQ(Text(patch, {"options", "kind"}), "UpdateOptions");
  EXPECT_TRUE(deletion["object"].IsNull());
  EXPECT_EQ(Text(deletion, {"oldObject", "data", "k"}), "2");
  EXPECT_EQ(Text(deletion, {"options", "kind"}), "DeleteOptions");
  EXPECT_EQ(Text(deletion, {"options", "propagationPolicy"}), "Background");
}

TEST_F(AdmissionTest, CallsForEachObjectOfADeletedCollection) {
  WebhookServer server([](std::string_view, const runtime::JsonValue& request,
                          const WebhookServer::Respond& respond) {
    const bool last = runtime::GetString(request, "operation") == "DELETE" &&
                      Text(request, {"oldObject", "metadata", "name"}) == "c";
    respond(last ? R"("allowed":false,"status":{"message":"not c"})" : kAllow);
  });
  ConfigureOne(false, server);
  for (const char* const name : {"a", "b", "c"}) CreateConfigMap(name, R"("labels":{"l":"1"})");

  const Answer deleted = Delete(ConfigMaps() + "?labelSelector=l");

  EXPECT_REFUSED(
      deleted, {.code = 400, .message = "admission webhook \"a.x.io\" denied the request: not c"});
  EXPECT_EQ(Get(ConfigMaps("c")).code, 200);
  // The requests have no name.
  EXPECT_THAT(server.Requests(), Contains("DELETE "));
  EXPECT_THAT(server.Requests(), Not(Contains("DELETE c")));
}

TEST_F(AdmissionTest, AppliesTheJsonPatch) {
  WebhookServer server(
      Always(Patched(R"([{"op":"add","path":"/data","value":{"k":"v"}},)"
                     R"({"op":"add","path":"/metadata/labels","value":{"l":"1"}}])")));
  ConfigureOne(true, server);

  const Answer created = Create("a");
  const Answer updated = MergePatch(ConfigMaps("a"), R"({"data":{"k":"other"}})");

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(Data(created, "k"), "v");
  EXPECT_EQ(Text(created.json, {"metadata", "labels", "l"}), "1");
  EXPECT_EQ(FieldsOf(created, "contract"), "none");  // nobody owns what a webhook sets
  EXPECT_EQ(Data(updated, "k"), "v");
  EXPECT_EQ(Data(Get(ConfigMaps("a")), "k"), "v");
}

TEST_F(AdmissionTest, ValidatesWhatAMutatingWebhookMade) {
  WebhookServer server(
      Always(Patched(R"([{"op":"add","path":"/metadata/labels","value":{"bad key!":"1"}}])")));
  ConfigureOne(true, server);

  const Answer created = Create("a");

  EXPECT_EQ(created.code, 422) << created.body;
  EXPECT_THAT(std::string(created.message()),
              HasSubstr("metadata.labels: Invalid value: \"bad key!\""));
}

TEST_F(AdmissionTest, RejectsAPatchOfADeletion) {
  WebhookServer server([](std::string_view, const runtime::JsonValue& request,
                          const WebhookServer::Respond& respond) {
    const bool deletion = runtime::GetString(request, "operation") == "DELETE";
    respond(deletion ? Patched(R"([{"op":"add","path":"/data","value":{}}])") : kAllow);
  });
  ConfigureOne(true, server);
  CreateConfigMap("a");

  EXPECT_REFUSED(Delete(ConfigMaps("a")),
                 InternalError("admission webhook \"a.x.io\" attempted to modify the object, which "
                               "is not supported for this operation"));
}

TEST_F(AdmissionTest, CallsMutatingWebhooksInTheOrderOfTheirConfigurations) {
  const auto append = [](std::string_view path, const runtime::JsonValue& request,
                         const WebhookServer::Respond& respond) {
    std::string order = (Text(request, {"object", "metadata", "annotations", "order"}));
    order += path.substr(1);
    respond(
        Patched(R"([{"op":"add","path":"/metadata/annotations/order","value":")" + order + "\"}]"));
  };
  WebhookServer server(append);
  const auto webhook = [&](const std::string& name) {
    return Webhook(name + ".x.io", server.ClientConfig("/" + name), Rule(R"("configmaps")"));
  };
  Configure(true, webhook("3"), "-b");
  Configure(true, webhook("1") + "," + webhook("2"), "-a");

  const auto order = [&] {
    const Answer created = Post(ConfigMaps() + "?dryRun=All",
                                R"({"metadata":{"name":"a","annotations":{"order":""}}})");
    return Text(created.json, {"metadata", "annotations", "order"});
  };
  EXPECT_TRUE(Eventually([&] { return order() == "123"; })) << order();
}

TEST_F(AdmissionTest, CallsAgainAWebhookThatAllowsIt) {
  const auto respond_to = [](std::string_view path, const runtime::JsonValue& request,
                             const WebhookServer::Respond& respond) {
    const std::string seen(Text(request, {"object", "metadata", "annotations", "seen"}));
    const std::string changed = path == "/change" ? "yes" : seen + "!";
    // The first one changes the object only when it is called again.
    const bool skip = path == "/again" && seen != "yes";
    respond(skip ? kAllow
                 : Patched(R"([{"op":"add","path":"/metadata/annotations/seen","value":")" +
                           changed + "\"}]"));
  };
  WebhookServer server(respond_to);
  Configure(true, Webhook("a.x.io", server.ClientConfig("/again"), Rule(R"("configmaps")"),
                          R"(,"reinvocationPolicy":"IfNeeded")") +
                      "," +
                      Webhook("b.x.io", server.ClientConfig("/change"), Rule(R"("configmaps")")));
  const auto seen = [&] {
    const Answer created = Post(ConfigMaps() + "?dryRun=All",
                                R"({"metadata":{"name":"a","annotations":{"seen":"no"}}})");
    return Text(created.json, {"metadata", "annotations", "seen"});
  };

  ASSERT_TRUE(Eventually([&] { return seen() == "yes!"; })) << seen();
  server.Forget();
  seen();
  EXPECT_EQ(server.Targets().size(), 3U);
}

TEST_F(AdmissionTest, SendsWarnings) {
  WebhookServer server(Always(R"("allowed":true,"warnings":["be \"careful\"","twice","twice"])"));
  ConfigureOne(false, server);

  const Answer created = Create("a");
  const auto first = created.head.find("warning: ");

  EXPECT_EQ(Header(created, "warning"), R"(299 - "be \"careful\"")");
  EXPECT_EQ(created.head.find("twice", created.head.find("twice", first) + 1), std::string::npos);
}

TEST_F(AdmissionTest, SendsTheWarningsOfADenial) {
  WebhookServer server(Always(R"("allowed":false,"warnings":["last one"])"));
  ConfigureOne(false, server);

  EXPECT_EQ(Header(Create("a"), "warning"), R"(299 - "last one")");
}

TEST_F(AdmissionTest, TellsWebhooksAboutADryRun) {
  WebhookServer server(Always(kAllow));
  ConfigureOne(false, server);

  EXPECT_EQ(Post(ConfigMaps() + "?dryRun=All", R"({"metadata":{"name":"a"}})").code, 201);

  EXPECT_THAT(server.LastRequest(), HasSubstr(R"("dryRun":true)"));
  EXPECT_EQ(Get(ConfigMaps("a")).code, 404);
}

// Port 1 refuses connections.
constexpr const char* kNobody = R"("url":"https://127.0.0.1:1/w")";

TEST_F(AdmissionTest, FailsWhenTheWebhookCannotBeCalled) {
  Configure(false, Webhook("a.x.io", kNobody, Rule(R"("configmaps")"), R"(,"timeoutSeconds":3)"));
  const auto create = [&] {
    return Post(ConfigMaps() + "?dryRun=All", R"({"metadata":{"name":"a"}})");
  };
  ASSERT_TRUE(Eventually([&] { return create().code == 500; }));

  EXPECT_REFUSED(create(),
                 InternalError("failed calling webhook \"a.x.io\": failed to call webhook: Post "
                               "\"https://127.0.0.1:1/w?timeout=3s\": dial tcp 127.0.0.1:1: "
                               "connect: connection refused"));
}

TEST_F(AdmissionTest, FailsWithTheErrorOfTheWebhook) {
  WebhookServer server(Always(kAllow));
  ConfigureOne(false, server);
  const std::string json = "application/json";
  const std::pair<WebhookServer::Failure, std::string> cases[] = {
      {{.code = 504, .body = "too slow\n"},
       "the server was unable to return a response in the time allotted, but may still be "
       "processing the request"},
      {{.code = 500, .body = " x\n"},
       "an error on the server (\"x\") has prevented the request from succeeding"},
      {{.code = 500, .body = std::string(3000, 'x')},
       "an error on the server (\"" + std::string(2048, 'x') +
           "\") has prevented the request from succeeding"},
      {{.code = 500, .body = "{}", .content_type = json},
       "an error on the server (\"unknown\") has prevented the request from succeeding"},
      {{.code = 429},
       "the server has received too many requests and has asked us to try again later"},
      {{.code = 422}, "the server rejected our request due to an error in our request"},
      {{.code = 409}, "the server reported a conflict"},
      {{.code = 403, .body = "not you\n"}, "not you"},
      {{.code = 418, .body = "tea\n"},
       "the server responded with the status code 418 but did not return more information"}};

  for (const auto& [failure, text] : cases) {
    server.FailNext({failure});
    EXPECT_REFUSED(Create("a"), InternalError("failed calling webhook \"a.x.io\": failed to call "
                                              "webhook: " +
                                              text));
  }
}

TEST_F(AdmissionTest, CallsAgainAfterTheRetryAfterOfAWebhook) {
  WebhookServer server(Always(kAllow));
  ConfigureOne(false, server);
  const WebhookServer::Failure busy{.code = 429, .headers = {{"Retry-After", "0"}}};
  const WebhookServer::Failure down{.code = 500, .headers = {{"Retry-After", "0"}}};
  server.FailNext({busy, down});

  EXPECT_EQ(Create("a").code, 201);
  EXPECT_THAT(server.Requests(), ElementsAre("CREATE a", "CREATE a", "CREATE a"));

  server.Forget();
  server.FailNext(std::vector(11, busy));
  EXPECT_REFUSED(Create("b"),
                 InternalError("failed calling webhook \"a.x.io\": failed to call webhook: the "
                               "server has received too many requests and has asked us to try "
                               "again later"));
  EXPECT_EQ(server.Requests().size(), 11U);
}

TEST_F(AdmissionTest, IgnoresAFailureIfThePolicySaysSo) {
  WebhookServer server(Always(kAllow));
  Configure(false,
            Webhook("a.x.io", kNobody, Rule(R"("configmaps")"), R"(,"failurePolicy":"Ignore")") +
                "," + Webhook("b.x.io", server.ClientConfig(), Rule(R"("configmaps")")));
  AwaitCalls(server);

  EXPECT_EQ(Create("a").code, 201);
  EXPECT_THAT(server.Requests(), ElementsAre("CREATE a"));
}

TEST_F(AdmissionTest, RejectsAnUntrustedWebhook) {
  WebhookServer server(Always(kAllow));
  WebhookServer other(Always(kAllow));
  Configure(false, Webhook("a.x.io",
                           R"("url":"https://)" + server.address() + R"(/","caBundle":")" +
                               other.ca_bundle() + "\"",
                           Rule(R"("configmaps")")));
  ASSERT_TRUE(Eventually([&] {
    return Post(ConfigMaps() + "?dryRun=All", R"({"metadata":{"name":"a"}})").code == 500;
  }));

  EXPECT_THAT(std::string(Create("a").message()),
              StartsWith("Internal error occurred: failed calling webhook \"a.x.io\": failed to "
                         "call webhook: Post \"https://" +
                         server.address() + "/?timeout=10s\": "));
  EXPECT_TRUE(server.Requests().empty());
}

TEST_F(AdmissionTest, RejectsInvalidResponses) {
  std::atomic<int> which = 0;
  const std::vector<std::pair<std::string, std::string>> responses = {
      {R"("allowed":true,"patchType":"JSONPatch")",
       "received invalid webhook response: webhook returned response.patchType but not "
       "response.patch"},
      {R"("allowed":true,"patch":"W10=")",
       "received invalid webhook response: webhook returned response.patch but not "
       "response.patchType"},
      {R"("allowed":true,"patchType":"Merge","patch":"W3t9XQ==")",
       "unsupported patch type \"Merge\""}};
  WebhookServer server(
      [&](std::string_view, const runtime::JsonValue&, const WebhookServer::Respond& respond) {
        respond(responses[static_cast<std::size_t>(which)].first);
      });
  ConfigureOne(true, server);

  for (; static_cast<std::size_t>(which) < responses.size(); ++which) {
    EXPECT_REFUSED(Create("a"), InternalError("failed calling webhook \"a.x.io\": " +
                                              responses[static_cast<std::size_t>(which)].second));
  }
}

TEST_F(AdmissionTest, SelectsObjectsByLabelsAndOperations) {
  WebhookServer server(Always(kAllow));
  Configure(false, Webhook("a.x.io", server.ClientConfig(),
                           Rule(R"("configmaps")", R"("CREATE","DELETE")"),
                           R"(,"objectSelector":{"matchLabels":{"call":"me"}})"));
  ASSERT_TRUE(Eventually([&] {
    Post(ConfigMaps() + "?dryRun=All", R"({"metadata":{"name":"a","labels":{"call":"me"}}})");
    return !server.Requests().empty();
  }));
  server.Forget();

  CreateConfigMap("a", R"("labels":{"call":"me"})");
  CreateConfigMap("b");
  EXPECT_EQ(MergePatch(ConfigMaps("a"), R"({"data":{"k":"v"}})").code, 200);
  Delete(ConfigMaps("b"));
  Delete(ConfigMaps("a"));

  EXPECT_THAT(server.Requests(), ElementsAre("CREATE a", "DELETE a"));
}

TEST_F(AdmissionTest, CallsForSubresources) {
  WebhookServer server(Always(kAllow));
  Configure(false, Webhook("a.x.io", server.ClientConfig(),
                           Rule(R"("deployments/scale","deployments/status","configmaps")")));
  AwaitCalls(server);
  const std::string deployments = Apps("deployments");
  ASSERT_EQ(
      Post(deployments, R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
                        R"("template":{"metadata":{"labels":{"a":"b"}},)"
                        R"("spec":{"containers":[{"name":"c","image":"i"}]}}}})")
          .code,
      201);

  ASSERT_EQ(MergePatch(deployments + "/d/scale", R"({"spec":{"replicas":3}})").code, 200);
  const runtime::JsonDocument scale = runtime::MustParse(server.LastRequest());
  ASSERT_EQ(MergePatch(deployments + "/d/status", R"({"status":{"replicas":2}})").code, 200);
  const runtime::JsonDocument status = runtime::MustParse(server.LastRequest());

  if (IsEmbedded()) {
    EXPECT_THAT(server.Requests(), ElementsAre("UPDATE d", "UPDATE d"));
  } else {  // kube-apiserver calls again when the object that it took from its cache was outdated
    EXPECT_THAT(server.Requests(), AllOf(SizeIs(Ge(2)), Each("UPDATE d")));
  }
  EXPECT_EQ(Sorted(runtime::ToJson(scale["kind"])),
            R"({"group":"autoscaling","kind":"Scale","version":"v1"})");
  EXPECT_EQ(runtime::GetString(scale, "subResource"), "scale");
  EXPECT_EQ(scale["object"]["spec"]["replicas"].GetInt(), 3);
  EXPECT_EQ(scale["oldObject"]["spec"]["replicas"].GetInt(), 1);
  EXPECT_EQ(runtime::GetString(status, "subResource"), "status");
  EXPECT_EQ(status["object"]["status"]["replicas"].GetInt(), 2);
}

TEST_F(AdmissionTest, SendsNoConfigurationToWebhooks) {
  WebhookServer server(Always(kAllow));
  Configure(false,
            R"({"name":"a.x.io","clientConfig":{)" + server.ClientConfig() +
                R"(},"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],)" +
                R"("resources":["*"]}],"sideEffects":"None","admissionReviewVersions":["v1"],)" +
                R"("objectSelector":{"matchLabels":{"for":")" + ns() + R"("}}})");
  const std::string labels = R"(,"labels":{"for":")" + ns() + "\"}";
  ASSERT_TRUE(Eventually([&] {
    Post(ConfigMaps() + "?dryRun=All", R"({"metadata":{"name":"a")" + labels + "}}");
    return !server.Requests().empty();
  }));
  server.Forget();

  DeleteLater(Configurations(false) + "/" + ns() + "-other");
  EXPECT_EQ(
      Post(Configurations(false), R"({"metadata":{"name":")" + ns() + "-other\"" + labels + "}}")
          .code,
      201);
  EXPECT_TRUE(server.Requests().empty());
}

TEST_F(AdmissionTest, CallsAgainWhenTheObjectHasChangedMeanwhile) {
  std::jthread changer;
  std::atomic<bool> changed = false;
  WebhookServer server([&](std::string_view, const runtime::JsonValue& request,
                           const WebhookServer::Respond& respond) {
    const bool first = Text(request, {"object", "data", "k"}) == "mine" && !changed.exchange(true);
    if (!first) return respond(kAllow);
    changer = std::jthread([this, respond] {
      EXPECT_EQ(MergePatch(ConfigMaps("a"), R"({"data":{"other":"theirs"}})").code, 200);
      respond(kAllow);
    });
  });
  ConfigureOne(false, server);
  CreateConfigMap("a");

  const Answer patched = MergePatch(ConfigMaps("a"), R"({"data":{"k":"mine"}})");

  EXPECT_EQ(patched.code, 200) << patched.body;
  EXPECT_EQ(Data(patched, "k"), "mine");
  EXPECT_EQ(Data(patched, "other"), "theirs");
  EXPECT_THAT(server.Requests(), ElementsAre("CREATE a", "UPDATE a", "UPDATE a", "UPDATE a"));
}

TEST_F(AdmissionTest, ReportsAConflictWhenTheVersionHasChangedMeanwhile) {
  std::jthread changer;
  WebhookServer server([&](std::string_view, const runtime::JsonValue& request,
                           const WebhookServer::Respond& respond) {
    if (Text(request, {"object", "data", "k"}) != "mine") return respond(kAllow);
    changer = std::jthread([this, respond] {
      EXPECT_EQ(MergePatch(ConfigMaps("a"), R"({"data":{"other":"theirs"}})").code, 200);
      respond(kAllow);
    });
  });
  ConfigureOne(false, server);
  const std::string version = CreateConfigMap("a");

  const Answer updated = Put(ConfigMaps("a"), R"({"metadata":{"name":"a","resourceVersion":")" +
                                                  version + R"("},"data":{"k":"mine"}})");

  EXPECT_EQ(updated.code, 409) << updated.body;
  EXPECT_EQ(Data(Get(ConfigMaps("a")), "other"), "theirs");
}

TEST_F(AdmissionTest, CleansThePathOfAUrl) {
  WebhookServer server(Always(kAllow));
  ASSERT_TRUE(server.started());
  Configure(false,
            Webhook("a.x.io", server.ClientConfig("//a/./b/../check/"), Rule(R"("configmaps")")));
  AwaitCalls(server);

  ASSERT_EQ(Create("a").code, 201);
  EXPECT_THAT(server.Targets(), ElementsAre("/a/check?timeout=10s"));
}

TEST_F(AdmissionTest, FollowsARedirectThatKeepsTheMethod) {
  WebhookServer server(Always(kAllow));
  ConfigureOne(false, server);
  server.FailNext({{.code = 307, .headers = {{"Location", "/moved"}}}});

  EXPECT_EQ(Create("a").code, 201);
  EXPECT_THAT(server.Targets(), ElementsAre("/?timeout=10s", "/moved"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
