// SPDX-License-Identifier: Apache-2.0
// Tests of label and field selectors, and of the errors for invalid ones.
#include "clientgo/rest/request_builder.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

class SelectorsTest : public ContractTest {
 protected:
  // These return the selected names, or the message of the error.
  std::string Labels(std::string_view selector) const {
    return NamesOrMessage(ConfigMaps() + "?labelSelector=" + rest::QueryEscape(selector));
  }
  std::string Fields(std::string_view selector, std::string_view collection = {}) const {
    return NamesOrMessage((collection.empty() ? ConfigMaps() : std::string(collection)) +
                          "?fieldSelector=" + rest::QueryEscape(selector));
  }

 private:
  std::string NamesOrMessage(const std::string& target) const {
    const Answer answer = Get(target);
    if (answer.code == 200) return Names(answer);
    EXPECT_EQ(answer.code, 400) << answer.body;
    EXPECT_EQ(answer.reason(), "BadRequest");
    return std::string(answer.message());
  }
};

class LabelSelectorTest : public SelectorsTest {
 protected:
  void SetUp() override {
    SelectorsTest::SetUp();
    CreateConfigMap("a", R"("labels":{"app":"a"})");
    CreateConfigMap("b", R"("labels":{"app":"b","odd":"1"})");
    CreateConfigMap("c", R"("labels":{"app":"","x.io/y":"z"})");
    CreateConfigMap("d");
  }
};

TEST_F(LabelSelectorTest, SelectsByEquality) {
  EXPECT_EQ(Labels("app=a"), "a ");
  EXPECT_EQ(Labels("app==a"), "a ");
  EXPECT_EQ(Labels("app!=a"), "b c d ");
  EXPECT_EQ(Labels("app="), "c ");
  EXPECT_EQ(Labels("x.io/y=z"), "c ");
  EXPECT_EQ(Labels("app=b,odd=1"), "b ");
  EXPECT_EQ(Labels("app=a,odd=1"), "");
}

TEST_F(LabelSelectorTest, SelectsBySet) {
  EXPECT_EQ(Labels("app in (a,b)"), "a b ");
  EXPECT_EQ(Labels("app in (a,)"), "a c ");
  EXPECT_EQ(Labels("app notin (a,b)"), "c d ");
  EXPECT_EQ(Labels("app in (a, b),odd"), "b ");
}

TEST_F(LabelSelectorTest, SelectsByExistence) {
  EXPECT_EQ(Labels("odd"), "b ");
  EXPECT_EQ(Labels("!odd"), "a c d ");
  EXPECT_EQ(Labels("app,!odd"), "a c ");
}

TEST_F(LabelSelectorTest, SelectsByOrder) {
  EXPECT_EQ(Labels("odd>0"), "b ");
  EXPECT_EQ(Labels("odd<1"), "");
  EXPECT_EQ(Labels("app>0"), "");
}

TEST_F(LabelSelectorTest, ReportsSyntaxErrors) {
  constexpr std::string_view kLabelValue =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
      "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value', "
      " or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  constexpr std::string_view kNamePart =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
      "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
      "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  EXPECT_EQ(Labels("=a"), "found '=', expected: !, identifier, or 'end of string'");
  EXPECT_EQ(Labels("app,"), "found '', expected: identifier after ','");
  EXPECT_EQ(Labels("app=a b"), "found 'b', expected: ',' or 'end of string'");
  EXPECT_EQ(Labels("a b"),
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_EQ(Labels("app in a"), "unable to parse requirement: found 'a' expected: '('");
  EXPECT_EQ(Labels("app in (a"), "unable to parse requirement: found '', expected: ',' or ')'");
  EXPECT_EQ(Labels("app=-bad"),
            "unable to parse requirement: values[0][app]: Invalid value: "
            "\"-bad\": " +
                std::string(kLabelValue));
  EXPECT_EQ(Labels("-bad"), "unable to parse requirement: <nil>: Invalid value: \"-bad\": " +
                                std::string(kNamePart));
  EXPECT_EQ(Labels("x.io/=a"),
            "unable to parse requirement: <nil>: Invalid value: \"x.io/\": name part must be "
            "non-empty; " +
                std::string(kNamePart));
  EXPECT_EQ(Labels("odd>x"),
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' "
            "operators, the value must be an integer");
}

using FieldSelectorTest = SelectorsTest;

TEST_F(FieldSelectorTest, SelectsByMetadata) {
  CreateConfigMap("a");
  CreateConfigMap("b");

  EXPECT_EQ(Fields("metadata.name=a"), "a ");
  EXPECT_EQ(Fields("metadata.name==a"), "a ");
  EXPECT_EQ(Fields("metadata.name!=a"), "b ");
  EXPECT_EQ(Fields("metadata.namespace=" + ns()), "a b ");
  EXPECT_EQ(Fields("metadata.name=a,metadata.namespace!=" + ns()), "");
  EXPECT_EQ(Fields("metadata.name=a\\,b"), "");
}

TEST_F(FieldSelectorTest, SelectsSecretsByType) {
  Post(Secrets(), R"({"metadata":{"name":"a"},"type":"x.io/y"})");
  Post(Secrets(), R"({"metadata":{"name":"b"}})");

  EXPECT_EQ(Fields("type=x.io/y", Secrets()), "a ");
  EXPECT_EQ(Fields("type=Opaque", Secrets()), "b ");
  EXPECT_EQ(Fields("nope=1", Secrets()), "field label not supported: nope");
}

TEST_F(FieldSelectorTest, SelectsEventsByInvolvedObject) {
  for (const char* const name : {"a", "b"}) {
    const std::string text(name);
    Post(Events(), R"({"metadata":{"name":")" + text +
                       R"("},"involvedObject":{"kind":"ConfigMap","apiVersion":"v1","name":")" +
                       text + R"(","uid":"uid-)" + text + R"(","namespace":")" + ns() +
                       R"("},"reason":"R)" + text +
                       R"(","type":"Normal","source":{"component":"c)" + text + R"("}})");
  }

  EXPECT_EQ(Fields("involvedObject.name=a", Events()), "a ");
  EXPECT_EQ(Fields("involvedObject.kind=ConfigMap,involvedObject.uid=uid-b", Events()), "b ");
  EXPECT_EQ(Fields("involvedObject.apiVersion=v1,reason=Ra", Events()), "a ");
  EXPECT_EQ(Fields("involvedObject.namespace=" + ns(), Events()), "a b ");
  EXPECT_EQ(Fields("source=cb", Events()), "b ");
  EXPECT_EQ(Fields("type!=Normal", Events()), "");
  EXPECT_EQ(Fields("involvedObject.nope=1", Events()),
            "field label not supported: involvedObject.nope");
}

TEST_F(FieldSelectorTest, SelectsEventsByTheNamesOfTheirGroup) {
  const std::string events = "/apis/events.k8s.io/v1/namespaces/" + ns() + "/events";
  const Answer created =
      Post(events,
           R"({"metadata":{"name":"a"},"regarding":{"kind":"Pod","name":"p","namespace":")" + ns() +
               R"("},"note":"n","reason":"R","type":"Normal","action":"A",)"
               R"("eventTime":"2026-01-02T03:04:05.000000Z",)"
               R"("reportingController":"x.io/c","reportingInstance":"i"})");
  ASSERT_EQ(created.code, 201) << created.body;

  EXPECT_EQ(Fields("regarding.name=p,regarding.kind=Pod,regarding.namespace=" + ns(), events),
            "a ");
  EXPECT_EQ(Fields("regarding.name=q", events), "");
  EXPECT_EQ(Fields("reportingController=x.io/c,reason=R,type=Normal", events), "a ");
  EXPECT_EQ(Fields("involvedObject.name=p,source=x.io/c,reportingComponent=x.io/c", Events()),
            "a ");
  EXPECT_EQ(Fields("source=x.io/c", events), "field label not supported: source");
  EXPECT_EQ(Fields("involvedObject.name=p", events),
            "field label not supported: involvedObject.name");
  EXPECT_EQ(Fields("regarding.name=p", Events()), "field label not supported: regarding.name");
}

TEST_F(FieldSelectorTest, SelectsByMissingAndNumericValues) {
  const std::string pods = Core("pods", "");
  const std::string spec = R"("containers":[{"name":"c","image":"i"}]}})";
  Post(pods, R"({"metadata":{"name":"a"},"spec":{"hostNetwork":true,)" + spec);
  Post(pods, R"({"metadata":{"name":"b"},"spec":{)" + spec);
  MergePatch(Core("pods", "a") + "/status", R"({"status":{"nominatedNodeName":"n"}})");
  const std::string services = Core("services", "");
  Post(services, R"({"metadata":{"name":"a"},"spec":{"clusterIP":"None"}})");
  Post(services,
       R"({"metadata":{"name":"b"},"spec":{"type":"ExternalName","externalName":"a.b"}})");
  const std::string jobs = "/apis/batch/v1/namespaces/" + ns() + "/jobs";
  Post(jobs, R"({"metadata":{"name":"a"},"spec":{"template":{"spec":{"restartPolicy":"Never",)" +
                 spec + "}}");
  MergePatch(jobs + "/a/status", R"({"status":{"succeeded":2}})");
  const std::string controllers = Core("replicationcontrollers", "");
  Post(controllers,
       R"({"metadata":{"name":"a"},"spec":{"selector":{"a":"b"},"template":{"metadata":{)"
       R"("labels":{"a":"b"}},"spec":{)" +
           spec + "}}");

  EXPECT_EQ(Fields("spec.hostNetwork=true", pods), "a ");
  EXPECT_EQ(Fields("spec.hostNetwork=false", pods), "b ");
  EXPECT_EQ(Fields("status.nominatedNodeName=n", pods), "a ");
  EXPECT_EQ(Fields("spec.host=,status.podIPs=", pods), "a b ");
  EXPECT_EQ(Fields("status.successful=2", jobs), "a ");
  EXPECT_EQ(Fields("status.successful=0", jobs), "");
  EXPECT_EQ(Fields("status.replicas=0", controllers), "a ");
  EXPECT_EQ(Fields("nope=1", jobs), "field label \"nope\" not supported for Job");
  if (Minor() < 34) return;
  EXPECT_EQ(Fields("spec.clusterIP=None", services), "a ");
  EXPECT_EQ(Fields("spec.clusterIP=", services), "b ");
  EXPECT_EQ(Fields("spec.type=ExternalName", services), "b ");
  EXPECT_EQ(Fields("nope=1", services), "field label not supported: nope");
}

TEST_F(FieldSelectorTest, ReportsUnsupportedFields) {
  const auto unknown = [](const std::string& path) {
    return "\"" + path +
           R"(" is not a known field selector: only "metadata.name", "metadata.namespace")";
  };
  EXPECT_EQ(Fields("metadata.labels=x"), unknown("metadata.labels"));
  EXPECT_EQ(Fields("=a"), unknown(""));
  EXPECT_EQ(Fields("nope=1", Configurations(false)), unknown("nope"));
  EXPECT_EQ(Fields("nope=1", Leases()), unknown("nope"));
  EXPECT_EQ(Fields("metadata.name"),
            "invalid selector: 'metadata.name'; can't understand 'metadata.name'");
  EXPECT_EQ(Fields("metadata.namespace=x", "/api/v1/namespaces"),
            "field label not supported: metadata.namespace");
}

TEST_F(FieldSelectorTest, RejectsSpecialCharactersOfValuesWithoutEscapes) {
  CreateConfigMap("a");

  EXPECT_EQ(Fields("metadata.name=a=b"),
            "invalid field selector: unescaped character in value: 61");
  EXPECT_EQ(Fields("metadata.name=a\\b"), "invalid field selector: invalid escape sequence: \\b");
  EXPECT_EQ(Fields("metadata.name=a\\"), "invalid field selector: invalid escape sequence: \\");
  EXPECT_EQ(Fields("metadata.name!=a\\=b\\\\"), "a ");
}

TEST_F(FieldSelectorTest, RejectsInvalidSelectorsOfAWatch) {
  EXPECT_EQ(Get(ConfigMaps() + "?watch=1&fieldSelector=nope%3D1").code, 400);
  EXPECT_EQ(Get(ConfigMaps() + "?watch=1&labelSelector=%21%21").code, 400);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
