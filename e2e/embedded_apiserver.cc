// SPDX-License-Identifier: Apache-2.0
// e2e_apiserver FOLDER [ADDRESS [BOOKMARK_SECONDS [MODE]]]: runs the embedded API server as a
// process, for scenarios that also run on a real server. It listens on ADDRESS (127.0.0.1) and
// sends a bookmark every BOOKMARK_SECONDS (60). The authorization MODE is AlwaysAllow (the default)
// or RBAC. The users are those of lib/cluster.py. It writes FOLDER/kubeconfig.<user> and
// FOLDER/ca.crt and prints its URL. It then runs the commands on stdin, and prints one line for
// each:
//   requests                           prints the counts since the start as JSON
//   create FILE                        creates the objects of a file, one in JSON on each line
//   compact                            forgets the past: a watch of it gets 410 (Gone)
//   stop, start                        keeps the objects and the port
//   cut                                ends every watch
//   refuse RESOURCE[/NAMESPACE] CODE   rejects lists and watches, and ends running watches
//   allow                              accepts all requests again
// It exits at the end of stdin.
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/testing/apiserver/server.h"

namespace {

namespace apiserver = capstan::testing::apiserver;

const std::map<std::string, std::string> kUsers = {{"admin-token", "admin"},
                                                   {"manager-token", "capstan"},
                                                   {"nosecrets-token", "capstan-without-secrets"}};
const std::map<std::string, std::vector<std::string>> kGroups = {
    {"admin", {"system:masters"}},
    {"capstan", {"capstan"}},
    {"capstan-without-secrets", {"capstan"}}};

void PrintRequests(const capstan::testing::apiserver::Server& server) {
  std::cout << '[';
  const char* separator = "";
  for (const auto& [request, code, count] : server.Requests()) {
    std::cout << separator << R"({"verb":")" << request.verb << R"(","resource":")"
              << request.resource << R"(","userAgent":")" << request.user_agent << R"(","code":)"
              << code << R"(,"count":)" << count << '}';
    separator = ",";
  }
  std::cout << ']' << std::endl;
}

// Runs "refuse RESOURCE[/NAMESPACE] CODE [VERB...]". The responses are those of RBAC (403), of a
// kind that is not installed (404) or of an admission policy (422). The default verbs are list and
// watch.
bool Refuse(std::istringstream& arguments, capstan::testing::apiserver::Server& server) {
  std::string resource;
  int code = 0;
  if (!(arguments >> resource >> code)) return false;
  std::string ns;
  if (const auto slash = resource.find('/'); slash != std::string::npos) {
    ns = resource.substr(slash + 1);
    resource.resize(slash);
  }
  std::string message = "the server could not find the requested resource";
  if (code != 404) message = resource + " is forbidden";
  std::vector<std::string> verbs;
  for (std::string verb; arguments >> verb;) verbs.push_back(verb);
  if (verbs.empty()) verbs = {"list", "watch"};
  for (const std::string& verb : verbs) {
    server.InjectFault({.match = {.verb = verb, .resource = resource, .namespace_ = ns},
                        .code = code,
                        .message = message,
                        .count = -1});
  }
  server.CutWatches();
  return true;
}

// Runs "create FILE".
bool Create(std::istringstream& arguments, capstan::testing::apiserver::Server& server) {
  std::string path;
  arguments >> path;
  std::ifstream file(path);
  std::vector<std::string> objects;
  for (std::string line; std::getline(file, line);) objects.push_back(std::move(line));
  if (auto created = server.CreateObjects(std::move(objects)); !created) {
    std::cerr << created.error().message << '\n';
    return false;
  }
  return file.eof();
}

bool RunCommand(const std::string& line, capstan::testing::apiserver::Server& server) {
  std::istringstream arguments(line);
  std::string command;
  arguments >> command;
  if (command == "requests") {
    PrintRequests(server);
    return true;
  }
  if (command == "stop") {
    server.Stop();
  } else if (command == "cut") {
    server.CutWatches();
  } else if (command == "compact") {
    server.CompactWatchWindow();
  } else if (command == "allow") {
    server.ClearFaults();
  } else if (command == "refuse") {
    if (!Refuse(arguments, server)) return false;
  } else if (command == "create") {
    if (!Create(arguments, server)) return false;
  } else if (command != "start" || !server.Start()) {
    return false;
  }
  std::cout << "ok" << std::endl;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 5) {
    std::cerr << "usage: e2e_apiserver FOLDER [ADDRESS [BOOKMARK_SECONDS [MODE]]]\n";
    return 1;
  }
  const std::string folder = argv[1];
  capstan::testing::apiserver::Server server(
      {.address = argc > 2 ? argv[2] : "127.0.0.1",
       .authorization = argc > 4 && argv[4] == std::string_view("RBAC")
                            ? apiserver::Authorization::kRbac
                            : apiserver::Authorization::kAlwaysAllow,
       .tokens = kUsers,
       .groups = kGroups,
       .bookmark_period = std::chrono::seconds(argc > 3 ? std::stoi(argv[3]) : 60),
       .protobuf = true});
  if (auto started = server.Start(); !started) {
    std::cerr << started.error().message << '\n';
    return 1;
  }
  std::ofstream(folder + "/ca.crt") << server.ca_pem();
  for (const auto& [token, user] : kUsers) {
    std::string path = folder + "/kubeconfig.";
    path += user;
    std::ofstream(path) << server.Kubeconfig(token);
  }
  std::cout << server.url() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (!RunCommand(line, server)) {
      std::cerr << "e2e_apiserver: command failed: " << line << '\n';
      return 1;
    }
  }
  return 0;
}
