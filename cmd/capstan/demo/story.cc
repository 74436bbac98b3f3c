// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/story.h"

#include <array>
#include <cstdio>
#include <mutex>
#include <utility>

#include "clientgo/util/mutex.h"
#include "cmd/capstan/demo/objects.h"

namespace cmd::capstan::demo {

using clientgo::util::Clock;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

namespace {

constexpr auto kPatience = std::chrono::minutes(2);
constexpr auto kLookAtStore = std::chrono::milliseconds(5);

}  // namespace

std::string Seconds(Clock::Duration duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f s",
                std::chrono::duration<double>(duration).count());
  return text.data();
}

bool Story::Run(const std::stop_token& stop) {
  const auto started = Clock::Real().Now();
  Step told = Steps(stop);
  if (!told) TellLogs();
  CleanUp();
  const std::string took = Seconds(Clock::Real().Now() - started);
  record_.Fact("Took", took);
  const std::string verdict =
      told ? "PASSED: " + std::to_string(verified_) +
                 " webhook configurations were read back and every bundle in them compared equal"
           : "FAILED: " + told.error().message;
  if (!told) console_.Bad(told.error().message);
  record_.End(told.has_value(), verdict);
  if (auto written = WriteReport(); !written) {
    console_.Bad(written.error().message);
    told = std::move(written);
  }
  if (!options_.report.empty()) console_.Line("\nreport: " + options_.report);
  console_.Line("\nverdict: " + (told ? verdict + " (" + took + ")" : "FAILED"));
  if (page_ != nullptr && !stop.stop_requested()) Serve(stop);
  return told.has_value();
}

void Story::Serve(const std::stop_token& stop) {
  console_.Line("served until Ctrl-C: " + page_->url());
  clientgo::util::Mutex mu;
  clientgo::util::CondVar never;
  const clientgo::util::MutexLock lock(mu);
  never.Wait(mu, stop, [] { return false; });
}

Story::Step Story::Steps(const std::stop_token& stop) {
  if (auto step = Connect(); !step) return step;
  using Method = Step (Story::*)(const std::stop_token&);
  for (const Method method :
       {&Story::Fill, &Story::StartManager, &Story::FirstInjection, &Story::Rotation,
        &Story::BreakAndMend, &Story::OpenGates, &Story::CutWatches, &Story::GoneWatches,
        &Story::RestartServer, &Story::StopPrograms, &Story::Measure}) {
    if (auto step = (this->*method)(stop); !step) return step;
    if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "interrupted");
  }
  return {};
}

Story::Step Story::Fill(const std::stop_token& stop) {
  const int total = options_.cluster.secrets;
  console_.Heading("Filling it: " + std::to_string(total) + " Secrets of " +
                   std::to_string(options_.cluster.secret_bytes / 1024) + " KiB, " +
                   std::to_string(options_.cluster.configurations) + " webhook configurations");
  const auto started = Clock::Real().Now();
  std::mutex console_mutex;
  auto filled = cluster_->Fill(stop, [&](int created) {
    if (created % 500 != 0) return;
    const std::lock_guard lock(console_mutex);
    console_.Progress(std::to_string(created) + " of " + std::to_string(total) + " Secrets");
  });
  if (!filled) return filled;
  console_.Good("filled in " + Seconds(Clock::Real().Now() - started));

  informers_ = std::make_unique<clientgo::cache::SharedInformerFactory>(
      *client_, clientgo::cache::FactoryOptions{});
  for (const bool validating : {true, false}) informers_->ForType(ConfigurationType(validating));
  informers_->Start(informers_stop_.get_token());
  if (!informers_->WaitForCacheSync(stop)) return Err(ErrorReason::kCanceled, "interrupted");
  return {};
}

Story::Step Story::FirstInjection(const std::stop_token& stop) {
  console_.Heading("The bundle travels from the Secret to every webhook");
  const auto started = Clock::Real().Now();
  if (auto step = AwaitInSync(stop, "first injection"); !step) return step;
  console_.Good("all in sync " + Seconds(Clock::Real().Now() - started) +
                " after the manager was started; its peak memory so far is " +
                manager_.Memory("VmHWM"));
  ReportCalls();
  return {};
}

Story::Step Story::Rotation(const std::stop_token& stop) {
  console_.Heading("Rotating the CA: the old one stays beside the new one until it expires");
  if (server_) server_->ResetRequests();
  const auto started = Clock::Real().Now();
  if (auto rotated = cluster_->RotateCa(stop); !rotated) return rotated;
  if (auto step = AwaitInSync(stop, "rotation"); !step) return step;
  console_.Good("every target held the new bundle after " + Seconds(Clock::Real().Now() - started));
  ReportCalls();
  return {};
}

Story::Step Story::StopPrograms(const std::stop_token& /*stop*/) {
  console_.Heading("Stopping the programs");
  for (Program* program : {&manager_, &agent_}) {
    const char* const name = program == &manager_ ? "the manager" : "the node agent";
    const std::string peak = program->Memory("VmHWM");
    const auto cpu = program->process().CpuSeconds();
    const int code = program->Stop();
    if (code != 0) {
      return Err(ErrorReason::kUnknown,
                 std::string(name) + " ended with code " + std::to_string(code));
    }
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%.2f", cpu.value_or(0));
    console_.Good(std::string(name) + ": exit code 0; over its life: peak memory " + peak +
                  ", CPU " + seconds.data() + " s");
    record_.Fact(std::string("Peak memory of ") + name, peak);
  }
  return {};
}

Story::Step Story::AwaitInSync(const std::stop_token& stop, const std::string& what) {
  const int wanted = cluster_->expected_configurations();
  auto so = Await(
      stop, what, [&]() -> Expected<bool> { return InSync() == wanted; }, kLookAtStore);
  if (!so) return so;
  auto read = cluster_->Read(stop);
  if (!read) return Err(read.error().Wrap("reading the targets back"));
  if (!read->AllInSync(wanted)) {
    return Err(ErrorReason::kUnknown,
               what + ": read back " + std::to_string(read->configurations) + " of " +
                   std::to_string(wanted) + " configurations, " + std::to_string(read->in_sync) +
                   " of " + std::to_string(read->webhooks) +
                   " webhooks in sync, first wrong: " + read->first_difference);
  }
  verified_ += read->configurations;
  console_.Line("        " + State(stop));
  console_.Good("read back and compared: " + std::to_string(read->webhooks) + " webhooks in " +
                std::to_string(read->configurations) + " configurations");
  return {};
}

Story::Step Story::Await(const std::stop_token& stop, const std::string& what,
                         const std::function<Expected<bool>()>& is_so, Clock::Duration period) {
  auto& clock = Clock::Real();
  const auto deadline = clock.Now() + kPatience;
  auto next_progress = clock.Now();
  for (;;) {
    auto so = is_so();
    if (!so) return Err(so.error().Wrap(what));
    if (*so) return {};
    if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "interrupted");
    if (manager_.Ended() || agent_.Ended()) {
      const char* const name = manager_.Ended() ? "the manager" : "the node agent";
      return Err(ErrorReason::kUnknown, std::string(name) + " ended during: " + what);
    }
    if (clock.Now() > deadline) {
      return Err(ErrorReason::kTimeout, what + " was not done in two minutes: " + State(stop));
    }
    if (clock.Now() >= next_progress) {
      console_.Progress(State(stop));
      next_progress = clock.Now() + std::chrono::milliseconds(200);
    }
    if (!clock.SleepFor(stop, period)) return Err(ErrorReason::kCanceled, "interrupted");
  }
}

}  // namespace cmd::capstan::demo
