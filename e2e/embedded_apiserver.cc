// SPDX-License-Identifier: Apache-2.0
// e2e_apiserver FOLDER [ADDRESS [BOOKMARK_SECONDS]]: the embedded API server as a process, for the
// scenarios that also run on a real one. Listens on ADDRESS (127.0.0.1) and sends a bookmark every
// BOOKMARK_SECONDS (60). Writes FOLDER/kubeconfig.<user> and FOLDER/ca.crt, prints its URL, and
// obeys the lines on stdin, answering each with a line: "requests" (counts since the start, as
// JSON), "stop", "start" (the same objects on the same port), "cut" (every watch), "refuse
// RESOURCE[/NAMESPACE] CODE" (its lists and watches, also those that run), "allow" (all again). It
// ends with stdin.
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "clientgo/testing/apiserver/server.h"

namespace {

const std::map<std::string, std::string> kUsers = {{"admin-token", "admin"},
                                                   {"manager-token", "capstan"}};

void PrintRequests(const clientgo::testing::apiserver::Server& server) {
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

// RESOURCE[/NAMESPACE] CODE [VERB...]: as RBAC (403), a kind that is not installed (404), or an
// admission policy (422) would. Without verbs: to list and watch.
bool Refuse(std::istringstream& arguments, clientgo::testing::apiserver::Server& server) {
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

bool Obey(const std::string& line, clientgo::testing::apiserver::Server& server) {
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
  } else if (command == "allow") {
    server.ClearFaults();
  } else if (command == "refuse") {
    if (!Refuse(arguments, server)) return false;
  } else if (command != "start" || !server.Start()) {
    return false;
  }
  std::cout << "ok" << std::endl;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::cerr << "usage: e2e_apiserver FOLDER [ADDRESS [BOOKMARK_SECONDS]]\n";
    return 1;
  }
  const std::string folder = argv[1];
  clientgo::testing::apiserver::Server server(
      {.address = argc > 2 ? argv[2] : "127.0.0.1",
       .tokens = kUsers,
       .bookmark_period = std::chrono::seconds(argc > 3 ? std::stoi(argv[3]) : 60)});
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
    if (!Obey(line, server)) {
      std::cerr << "e2e_apiserver: cannot " << line << '\n';
      return 1;
    }
  }
  return 0;
}
