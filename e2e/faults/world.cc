// SPDX-License-Identifier: Apache-2.0
#include "e2e/faults/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "capstan/thread.h"
#include "capstan/transport/http2_transport.h"

namespace e2e {

using capstan::Clock;
using capstan::Expected;
using capstan::cache::NewListerWatcher;
using capstan::cache::SharedInformer;
using capstan::rest::Client;
using capstan::rest::Config;
using capstan::runtime::ObjectKey;
using capstan::runtime::ObjectPtr;
using capstan::transport::HttpRequest;
using capstan::transport::HttpResponse;
using capstan::transport::HttpTransport;
using std::chrono::milliseconds;
using Dice = std::mt19937_64;

namespace {

constexpr int kNames = 40;

std::size_t Pick(Dice& dice, std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(dice);
}

// Returns text with characters of one to four bytes, characters that JSON escapes, or more bytes
// than a segment has.
std::string AnyText(Dice& dice) {
  static const std::array<std::string, 6> texts = {"plain",
                                                   "Grüße aus Köln",
                                                   "設定が変わりました",
                                                   "🦀🛰️👩‍🚀",
                                                   "\"quoted\" \\ \n\t \x7f",
                                                   std::string(5000, 'x') + "é"};
  return texts.at(Pick(dice, texts.size())) + " " + std::to_string(dice());
}

std::string AnyApp(Dice& dice) { return Pick(dice, 2) == 0 ? "a" : "b"; }

std::string Quote(std::string_view text) {
  capstan::runtime::JsonWriter writer;
  writer.String(text);
  return std::move(writer).Take();
}

std::string Text(Dice& dice) { return R"("annotations":{"text":)" + Quote(AnyText(dice)) + "}"; }
std::string App(const std::string& app) { return R"("labels":{"app":)" + Quote(app) + "}"; }

// ScaledResponse and ScaledTransport convert timeouts of the ScaledClock to a socket's real time.
class ScaledResponse final : public HttpResponse {
 public:
  explicit ScaledResponse(std::unique_ptr<HttpResponse> inner) : inner_(std::move(inner)) {}
  int status() const override { return inner_->status(); }
  const capstan::transport::Headers& headers() const override { return inner_->headers(); }
  Expected<std::string_view> Read(Clock::Duration max_silence) override {
    return inner_->Read(ScaledClock::ToReal(max_silence));
  }

 private:
  const std::unique_ptr<HttpResponse> inner_;
};

class ScaledTransport final : public HttpTransport {
 public:
  // `timeout` is the real time that a peer may be silent, except in a watch.
  ScaledTransport(std::unique_ptr<HttpTransport> inner, milliseconds timeout)
      : inner_(std::move(inner)), timeout_(timeout) {}
  Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                    const HttpRequest& request) override {
    HttpRequest scaled = request;
    if (request.long_running) {
      scaled.timeout = ScaledClock::ToReal(request.timeout);
      // Scaled, 30 s are 30 ms. With a slow build and many watches, no answer would ever be in
      // time.
      scaled.answer_timeout =
          std::max<Clock::Duration>(ScaledClock::ToReal(request.answer_timeout), timeout_);
    } else {
      // The same for the 5 s of a probe.
      if (request.timeout.count() > 0) scaled.timeout = timeout_;
      scaled.answer_timeout = timeout_;
      scaled.idle_timeout = timeout_;
    }
    auto response = inner_->RoundTrip(std::move(stop), scaled);
    if (!response) return tl::unexpected(std::move(response.error()));
    return std::make_unique<ScaledResponse>(std::move(*response));
  }

 private:
  const std::unique_ptr<HttpTransport> inner_;
  const milliseconds timeout_;
};

std::unique_ptr<Client> NewClient(const Config& config, Clock& clock, milliseconds timeout) {
  auto transport = capstan::transport::NewHttpTransport(
      {.host = config.host, .tls = config.tls},
      {.ping_after = std::chrono::seconds(1), .ping_timeout = std::chrono::seconds(1)});
  return std::make_unique<Client>(config,
                                  std::make_unique<ScaledTransport>(std::move(*transport), timeout),
                                  capstan::rest::ClientOptions{.clock = clock});
}

}  // namespace

World::World(WorldOptions options)
    : options_(options),
      server_({.tls = false, .watch_window = 60, .bookmark_period = options.bookmark_period}) {
  StartServer();
  if (options_.http2) front_ = std::make_unique<Http2Front>(server_.port());
  network_ = std::make_unique<FaultProxy>(front_ ? front_->port() : server_.port());
  writer_ =
      NewClient({.host = server_.url(), .user_agent = "writer"}, clock_, std::chrono::seconds(30));
  EXPECT_TRUE(server_.CreateObjects({R"({"apiVersion":"v1","kind":"Namespace",)"
                                     R"("metadata":{"name":"notes"}})"}));
}

std::unique_ptr<Client> World::NewWatchedClient() {
  Config config{.host = network_->url(), .user_agent = kWatchedAgent};
  if (front_) {
    config.host = "https://127.0.0.1:" + std::to_string(network_->port());
    config.tls.ca_data = front_->ca_pem();
  }
  return NewClient(config, clock_, options_.request_timeout);
}

void World::StartServer() {
  if (std::exchange(started_, true)) return;
  const auto started = server_.Start();
  ASSERT_TRUE(started.has_value()) << started.error().message;
}

void World::StopServer() {
  if (std::exchange(started_, false)) server_.Stop();
}

void World::Heal() {
  StartServer();
  server_.ClearFaults();
  network_->Repair();
  network_->Accept();
  network_->Cut(FaultProxy::End::kReset);
}

void World::Churn(Dice& dice) {
  if (!started_) return;
  const ObjectKey key{.namespace_ = "notes", .name = "n" + std::to_string(Pick(dice, kNames))};
  if (notes_.count(key.String()) == 0) return Create(key, dice);
  switch (Pick(dice, 4)) {
    case 0: {
      const auto deleted = writer_->Delete({}, Note::Type(), key);
      ASSERT_TRUE(deleted.has_value()) << deleted.error().message;
      notes_.erase(key.String());
      return;
    }
    case 1:
      return Patch(key, App(AnyApp(dice)));
    default:
      return Patch(key, Text(dice));
  }
}

void World::Churn(Dice& dice, int times) {
  for (int i = 0; i < times; ++i) Churn(dice);
}

void World::Create(const ObjectKey& key, Dice& dice) {
  Remember(writer_->Create({}, Note::Type(), key.namespace_,
                           R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":)" +
                               Quote(key.name) + "," + App(AnyApp(dice)) + "," + Text(dice) +
                               "}}"));
}

void World::Patch(const ObjectKey& key, const std::string& metadata) {
  Remember(writer_->Patch({}, Note::Type(), key, capstan::rest::PatchType::kMerge,
                          R"({"metadata":{)" + metadata + "}}"));
}

void World::Remember(const Expected<ObjectPtr>& written) {
  ASSERT_TRUE(written.has_value()) << written.error().message;
  auto [key, state] = StateOf(**written);
  notes_[key] = std::move(state);
}

NoteStates World::Notes(const std::string& app) const {
  NoteStates notes;
  for (const auto& [key, state] : notes_) {
    if (app.empty() || state.app == app) notes.emplace(key, state);
  }
  return notes;
}

NoteStates World::FreshList() const {
  NoteStates notes;
  const auto listed = writer_->List(
      {}, Note::Type(), {}, [&](const ObjectPtr& object) { notes.insert(StateOf(*object)); });
  EXPECT_TRUE(listed.has_value()) << listed.error().message;
  return notes;
}

std::uint64_t World::Requests(const std::string& verb) const {
  return server_.CountRequests({.verb = verb, .user_agent = kWatchedAgent});
}

WatchedNotes::WatchedNotes(World& world, bool watch_list, std::string app)
    : world_(world), app_(std::move(app)), client_(world.NewWatchedClient()) {
  // `clock` is a reference, so only an initializer can set it.
  capstan::cache::ReflectorOptions options{
      .watch_list = watch_list, .page_size = 7, .clock = world.clock()};
  informer_ = std::make_unique<SharedInformer>(
      Note::Type(),
      NewListerWatcher(*client_, Note::Type(),
                       {.label_selector = app_.empty() ? "" : "app=" + app_}),
      std::move(options));
  EXPECT_TRUE(informer_->AddEventHandler(first_.Handler()));
  EXPECT_TRUE(informer_->AddEventHandler(second_.Handler()));
  thread_ = capstan::StartThread("watched",
                                 [this](std::stop_token stop) { informer_->Run(std::move(stop)); });
}

NoteStates WatchedNotes::Stored() const {
  NoteStates stored;
  for (const auto& object : informer_->store().List()) stored.insert(StateOf(*object));
  return stored;
}

void WatchedNotes::ExpectInSync() {
  const NoteStates expected = world_.Notes(app_);
  for (NoteHandler* handler : {&first_, &second_}) {
    EXPECT_TRUE(handler->Await(expected)) << Difference(handler->states(), expected);
    EXPECT_THAT(handler->errors(), ::testing::IsEmpty());
  }
  EXPECT_EQ(Difference(Stored(), expected), "");
}

void WatchedNotes::ExpectInSyncAtLast() {
  ExpectInSync();
  thread_ = std::jthread();
  ExpectInSync();
}

}  // namespace e2e
