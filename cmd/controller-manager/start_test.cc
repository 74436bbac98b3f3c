// SPDX-License-Identifier: Apache-2.0
// Causes each failing start of docs/startup-errors.md and compares the printed line with its table.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "capstan/base64.h"
#include "capstan/httpserver/server.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/eventually.h"
#include "clientgo/transport/testing/loopback_server.h"
#include "controllers/runtime/program/testing/program_fixture.h"

namespace capstan::cmd::controller_manager {
namespace {

constexpr char kServer[] = "https://127.0.0.1:1";  // nothing listens there

// Reads the rows "| key | `line` | remedy |".
std::map<std::string, std::string> LinesOfTheTable() {
  std::map<std::string, std::string> lines;
  std::ifstream document(STARTUP_ERRORS_MD);
  const std::regex row(R"(\| ([^|]+) \| `([^`]+)` \| .+ \|)");
  std::smatch match;
  for (std::string line; std::getline(document, line);) {
    if (std::regex_match(line, match, row)) lines[match[1]] = match[2];
  }
  return lines;
}

// Returns a line of the table as a pattern: "<...>" matches any text.
std::regex ToPattern(const std::string& line) {
  std::string pattern;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '<' && line.find('>', i) != std::string::npos) {
      pattern += ".+";
      i = line.find('>', i);
    } else {
      if (std::string_view("\\^$.|?*+()[]{}/").find(line[i]) != std::string_view::npos) {
        pattern += '\\';
      }
      pattern += line[i];
    }
  }
  return std::regex(pattern);
}

// Returns the program's first warning, or the error with which it ends, and ends the program.
std::string FirstComplaint(const std::string& kubeconfig) {
  const Process program(PROGRAM_PATH, {"--kubeconfig=" + kubeconfig, "--metrics-listen-address=0"});
  const std::regex complaint(R"((?:^|\n)((?:W\d{4} |capstan-controller-manager: )[^\n]*)\n)");
  std::string log;
  std::smatch line;
  EXPECT_TRUE(testing::Eventually([&] {
    log = program.Stderr();
    return std::regex_search(log, line, complaint);
  })) << log;
  // Removes klog's time, thread and place.
  return std::regex_replace(line.str(1), std::regex(R"(^W\d{4} [^\]]+\] )"), "W ");
}

class StartTest : public ProgramFixture {
 protected:
  StartTest() : ProgramFixture({.tokens = {{"token", "jane"}}}) {}

  // Returns the complaint about a kubeconfig. `cluster` and `user` are YAML.
  std::string Complaint(const std::string& cluster, const std::string& user) {
    return FirstComplaint(dir_.Write("kubeconfig",
                                     "current-context: c\n"
                                     "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
                                     "clusters: [{name: k, cluster: {" +
                                         cluster + "}}]\nusers: [{name: u, user: {" + user +
                                         "}}]\n"));
  }
  static std::string Trusting(const std::string& url, const std::string& ca_pem) {
    return "server: \"" + url + "\", certificate-authority-data: " + Base64Encode(ca_pem);
  }
  std::string Trusted() const { return Trusting(server_.url(), server_.ca_pem()); }
  static std::string Exec(const std::string& command) {
    return "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, "
           "installHint: Ask your administrator, " +
           command + "}";
  }
  std::string ComplaintAboutAnExpiredCertificate() {
    const auto ca = testing::MakeCa({.common_name = "ca"}).value();
    const auto pair = testing::MakeCertificate(ca, {.common_name = "h",
                                                    .not_before = std::chrono::hours(-2),
                                                    .not_after = std::chrono::hours(-1),
                                                    .ip_addresses = {"127.0.0.1"}})
                          .value();
    httpserver::ServerOptions options{.name = "expired"};
    options.tls = std::make_unique<httpserver::TlsFiles>(
        httpserver::TlsFiles{.cert_pem = pair.cert_pem, .key_pem = pair.key_pem});
    httpserver::Server server(std::move(options), [](const auto&, const auto&) {});
    EXPECT_TRUE(server.Start().has_value());
    return Complaint(Trusting("https://127.0.0.1:" + std::to_string(server.port()), ca.cert_pem),
                     "");
  }
  std::string ComplaintAboutAProxy(const std::string& answer) {
    const transport::LoopbackServer proxy(
        [&](transport::LoopbackConnection& connection, const std::string& /*request*/) {
          connection.Write(answer);
        });
    return Complaint(Trusted() + ", proxy-url: \"http://user:s3cret@127.0.0.1:" +
                         std::to_string(proxy.port()) + "\"",
                     "token: t");
  }
};

TEST_F(StartTest, ReportsTheErrorsInTheManual) {
  const std::map<std::string, std::function<std::string()>> mistakes = {
      {"wrong CA",
       [&] {
         const auto other = testing::MakeCa({.common_name = "other"}).value();
         return Complaint(Trusting(server_.url(), other.cert_pem), "token: s3cret");
       }},
      {"wrong host name",
       [&] { return Complaint(Trusted() + ", tls-server-name: elsewhere", "token: s3cret"); }},
      {"expired certificate", [&] { return ComplaintAboutAnExpiredCertificate(); }},
      {"401", [&] { return Complaint(Trusted(), "token: s3cret"); }},
      {"403", [&] { return Complaint(Trusted(), ""); }},
      {"connection refused",
       [&] { return Complaint("server: \"" + std::string(kServer) + "\"", "token: s3cret"); }},
      {"no such host",
       [&] { return Complaint("server: \"https://no-such-host.invalid\"", "token: s3cret"); }},
      {"proxy unreachable",
       [&] {
         return Complaint(Trusted() + ", proxy-url: \"http://u:s3cret@127.0.0.1:1\"", "token: t");
       }},
      {"proxy refuses",
       [&] { return ComplaintAboutAProxy("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"); }},
      {"proxy wants a password",
       [&] {
         return ComplaintAboutAProxy(
             "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
       }},
      {"exec plugin missing",
       [&] { return Complaint(Trusted(), Exec("command: no-such-plugin")); }},
      {"exec plugin fails",
       [&] {
         return Complaint(Trusted(),
                          Exec("command: sh, args: [-c, \"echo not logged in >&2; exit 3\"]"));
       }},
  };
  const auto lines = LinesOfTheTable();
  ASSERT_EQ(lines.size(), mistakes.size()) << "a row without a mistake, or a mistake without a row";

  for (const auto& [name, make] : mistakes) {
    ASSERT_TRUE(lines.contains(name)) << name;
    const std::string complaint = make();
    EXPECT_TRUE(std::regex_match(complaint, ToPattern(lines.at(name))))
        << name << "\nprinted: " << complaint << "\ntable:   " << lines.at(name);
    EXPECT_EQ(complaint.find("s3cret"), std::string::npos) << complaint;
  }
}

}  // namespace
}  // namespace capstan::cmd::controller_manager
