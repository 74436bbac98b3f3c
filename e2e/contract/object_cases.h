// SPDX-License-Identifier: Apache-2.0
// ObjectCases are tables of objects and of what a server answers to their creation: the causes of
// the rejection, or the warnings and a part of the stored object. Long texts are cut off before
// their examples.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {

// ObjectCase is one object.
struct ObjectCase {
  std::string members;  // beside its name
  // Sorted lines: "<reason> <field>: <message>", "warning <text>" and "<path> <value>".
  std::string expected;
  std::string path = {};  // "spec.ports": shows this part of an accepted object
  // The minor versions of Kubernetes that answer this.
  int since = 0;
  int until = 99;
};

class ObjectCases : public ContractTest {
 protected:
  // Creates each object without storing it. `plural` begins with "-" for a cluster-scoped kind.
  void Expect(const std::string& version, std::string plural,
              const std::vector<ObjectCase>& cases) const {
    const bool cluster = plural.front() == '-';
    if (cluster) plural.erase(0, 1);
    const std::string group = version == "v1" ? "/api/v1" : "/apis/" + version;
    const std::string target =
        group + (cluster ? "" : "/namespaces/" + ns()) + "/" + plural + "?dryRun=All";
    for (const ObjectCase& one : cases) {
      if (Minor() < one.since || Minor() > one.until) continue;
      std::string members = one.members;
      const std::string metadata = R"("metadata":{)";
      const bool has_metadata = members.starts_with(metadata);
      if (has_metadata) members.erase(0, metadata.size());
      const std::string body = "{" + metadata + R"("name":"a")" + (has_metadata ? "," : "}") +
                               (has_metadata || members.empty() ? "" : ",") + members + "}";
      EXPECT_EQ(Outcome(Post(target, body), one.path), one.expected)
          << plural << " " << one.members;
    }
  }

 private:
  static std::string Outcome(const Answer& answer, const std::string& path) {
    constexpr std::string_view kField = "FieldValue";
    constexpr std::string_view kWarning = "warning: 299 - ";
    std::vector<std::string> lines;
    for (const runtime::JsonValue& cause :
         ListAt(ObjectAt(answer.json, "details"), "causes").GetArray()) {
      const std::string message = StringAt(cause, "message");
      std::string reason = StringAt(cause, "reason");
      if (reason.starts_with(kField)) reason.erase(0, kField.size());
      lines.push_back(reason + " " + StringAt(cause, "field") + ": " +
                      message.substr(0, message.find(" (e.g. ")));
    }
    if (answer.code != 201 && lines.empty()) lines.emplace_back(answer.message());
    for (std::string_view line : Split(answer.head, '\n')) {
      line = Trim(line, "\r");
      if (answer.code != 201 || !LowerAscii(line).starts_with(kWarning)) continue;
      lines.push_back("warning " + std::string(line.substr(kWarning.size())));
    }
    if (answer.code == 201 && !path.empty()) {
      const runtime::JsonValue* value = &answer.json;
      for (const std::string_view step : Split(path, '.')) {
        if (value != nullptr) value = runtime::Find(*value, step);
      }
      lines.push_back(path + " " + (value == nullptr ? "none" : Sorted(runtime::ToJson(*value))));
    }
    std::sort(lines.begin(), lines.end());
    return Join(lines, "\n");
  }
};

}  // namespace capstan::testing::apiserver::contract
