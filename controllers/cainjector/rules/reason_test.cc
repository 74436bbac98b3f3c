// SPDX-License-Identifier: Apache-2.0
// Users rely on reasons: docs/reasons.md has a row for each, and no other rows.
#include "controllers/cainjector/rules/reason.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace capstan::cainjector {
namespace {

using ::testing::ContainerEq;

struct Row {
  std::string reason;
  std::string event;
  std::string retry;
};

// "| `Reason` | Normal | on change | ... |"
std::vector<Row> Rows() {
  std::ifstream file(REASONS_MD);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 0, bar = 0; (bar = line.find('|', at)) != std::string::npos;) {
      if (bar > at + 2) cells.push_back(line.substr(at + 1, bar - at - 2));
      at = bar + 1;
    }
    if (cells.size() < 4) ADD_FAILURE() << line;
    rows.push_back({cells[0].substr(1, cells[0].size() - 2), cells[1], cells[2]});
  }
  return rows;
}

std::string ExpectedEvent(Reason reason) {
  if (reason == Reason::kUnchanged) return "none";
  return IsNormal(reason) ? "Normal" : "Warning";
}

std::string ExpectedRetry(Reason reason) {
  switch (RetryAfter(reason)) {
    case Retry::kOnChange:
      return "on change";
    case Retry::kSlow:
      return "10 min";
    case Retry::kBackoff:
      return "backoff";
  }
  return "";
}

TEST(ReasonTest, IsDocumented) {
  std::set<std::string> documented;
  std::set<std::string> known;
  for (const Reason reason : AllReasons()) known.emplace(ToString(reason));
  EXPECT_EQ(known.size(), AllReasons().size()) << "two reasons with one name";
  for (const Row& row : Rows()) {
    EXPECT_TRUE(documented.insert(row.reason).second) << row.reason << " is there twice";
  }
  EXPECT_THAT(documented, ContainerEq(known));
}

TEST(ReasonTest, HasItsDocumentedEventAndRetry) {
  for (const Row& row : Rows()) {
    for (const Reason reason : AllReasons()) {
      if (ToString(reason) != row.reason) continue;
      EXPECT_EQ(row.event, ExpectedEvent(reason)) << row.reason;
      EXPECT_EQ(row.retry, ExpectedRetry(reason)) << row.reason;
    }
  }
}

// An operator who grants rights against a policy wastes a day.
TEST(ApiFailureTest, DenialByAdmissionIsRejected) {
  const auto reason_of = [](const std::string& message) {
    return ApiFailure("failed to apply ConfigMap ns/c",
                      {.reason = ErrorReason::kForbidden, .http_code = 403, .message = message})
        .reason;
  };
  const std::string rights =
      R"(User "joe" cannot patch resource "configmaps" in API group "" in the namespace "ns")";

  EXPECT_EQ(reason_of("configmaps \"c\" is forbidden: " + rights), Reason::kForbidden);
  EXPECT_EQ(reason_of("no"), Reason::kForbidden);
  for (const std::string& message :
       {"admission webhook \"deny.example.com\" denied the request: " + rights,
        std::string("configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' "
                    "denied request: no"),
        std::string("configmaps \"c\" is forbidden: exceeded quota: few, requested: x"),
        std::string("configmaps \"c\" is forbidden: unable to create new content in namespace ns "
                    "because it is being terminated")}) {
    EXPECT_EQ(reason_of(message), Reason::kRejected) << message;
  }
}

// The Event of the target is cut after 1,024 bytes.
TEST(ApiFailureTest, MessageHasTheReasonAndNotTheRejectedBundle) {
  const Failure failure = ApiFailure(
      "failed to apply CustomResourceDefinition x",
      {.reason = ErrorReason::kInvalid,
       .http_code = 422,
       .message = "spec.conversion.webhookClientConfig.caBundle: Invalid value: \"" +
                  std::string(2000, 'L') + "\": unable to load root certificates: x509"});

  const std::string expected =
      "failed to apply CustomResourceDefinition x: spec.conversion.webhookClientConfig.caBundle: "
      "Invalid value: \"(2000 bytes)\": unable to load root certificates: x509";
  EXPECT_EQ(failure.message, expected);
  EXPECT_EQ(failure.error.message, expected) << "it is logged";
}

}  // namespace
}  // namespace capstan::cainjector
