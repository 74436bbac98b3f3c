// SPDX-License-Identifier: Apache-2.0
// World calls the Reconciler of CronJobs, and compares what it does with a Case.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/client.h"
#include "capstan/controller_util.h"
#include "capstan/crd.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_recorder.h"
#include "capstan/testing/running.h"
#include "capstan/testing/scope.h"
#include "cronjob/controller.h"
#include "cronjob/jobs.h"
#include "cronjob/missed_starts.h"
#include "testing/example_test.h"

namespace cronjob_test {

using capstan::Patch;
using capstan::Time;
using capstan::runtime::ObjectKey;
using capstan::testing::Create;
using capstan::testing::Running;
using capstan::testing::Scope;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Maybe = std::optional<milliseconds>;

inline constexpr char kOnTheHour[] = "0 * * * ?";
inline constexpr char kEveryHour[] = "@every 1h";
inline constexpr seconds kShort(10), kMedium(2 * 60 * 60), kLong(1'000'000);
// Upstream's times, relative to the top of the hour.
inline constexpr milliseconds kBeforePriorHour = -minutes(61), kAfterPriorHour = -minutes(59),
                              kBeforeTheHour = -minutes(1), kTheHour(0), kAfterTheHour = minutes(1),
                              kBeforeNextHour = minutes(59), kWeekAfter = hours(7 * 24);

struct Case {
  std::string name;
  std::string policy = kAllowConcurrent;
  std::string schedule = kOnTheHour;
  milliseconds now = kAfterTheHour;
  std::optional<seconds> deadline = {};
  bool suspend = false;
  std::optional<std::string> zone = {};
  Maybe created = {};  // of the CronJob; nullopt: less than an hour before the top of the hour
  enum { kNever, kDone, kActive } ran = kNever;
  Maybe job = kAfterPriorHour;   // the scheduled time of that Job; nullopt: it has none
  Maybe last = kAfterPriorHour;  // status.lastScheduleTime
  bool in_status = true;         // status.active has the Job
  std::optional<int> successful_limit = {};

  bool creates = false;
  bool deletes = false;
  std::size_t active = 0;  // afterwards
  std::string events = {};
  Maybe requeue = {};
};

// World has an API server, caches of all CronJobs and Jobs, and no running controller.
class World {
 public:
  explicit World(const capstan::rest::Config& config)
      : client_(Value(capstan::rest::Client::New(config), "a client")),
        scope_(*client_, "cronjob", {capstan::CustomResourceDefinition<CronJob>()}),
        cron_jobs_(*client_),
        jobs_(*client_),
        manager_(Value(capstan::Manager::New(config, {.name = "cronjob-controller"}), "a manager")),
        reconciler_(*manager_, recorder_, clock_) {
    // A server serves a new kind some time after its definition.
    Require(capstan::testing::Eventually([&] { return cron_jobs_.List({}).has_value(); }),
            "CronJobs are served");
    Value(AddJobIndex(*manager_), "the index");
    (void)ListerFor<CronJob>(*manager_);  // creates the cache
    running_ = std::make_unique<Running<capstan::Manager>>(*manager_);
    Require(manager_->informers().WaitForCacheSync({}), "the caches sync");
  }

  // Creates the CronJob and the Job of the case in a namespace of their own.
  void Prepare(const Case& c) {
    key_ = {scope_.NewNamespace(), "mycronjob"};
    CronJob wanted;
    wanted.metadata.name = key_.name;
    wanted.metadata.namespace_ = key_.namespace_;
    wanted.spec.schedule = c.schedule;
    wanted.spec.time_zone = c.zone;
    wanted.spec.concurrency_policy = c.policy;
    wanted.spec.suspend = c.suspend;
    wanted.spec.successful_jobs_history_limit = c.successful_limit;
    if (c.deadline) wanted.spec.starting_deadline_seconds = c.deadline->count();
    wanted.spec.job_template.metadata.labels = {{"a", "b"}};
    auto& pod = wanted.spec.job_template.spec.template_.spec;
    pod.restart_policy = "OnFailure";
    pod.containers = {{.name = "test", .image = "foo/bar"}};
    CronJob cron_job = Create(cron_jobs_, wanted);
    const Time created = *cron_job.metadata.creation_timestamp;
    top_ = c.created ? created - std::chrono::duration_cast<seconds>(*c.created)
                     : std::chrono::floor<hours>(created) + hours(1);
    if (c.ran != Case::kNever) {
      const Job job = AddJob(cron_job, c, "");
      cron_job.status.last_schedule_time =
          top_ + std::chrono::duration_cast<seconds>(c.last.value_or(kTheHour));
      if (c.in_status) cron_job.status.active = {capstan::ReferenceTo(job)};
      cron_job = *Value(cron_jobs_.UpdateStatus({}, cron_job), c.name);
    }
    WaitForCache(cron_job.metadata.resource_version, c.name);
    clock_.StepWall(top_ + c.now - clock_.WallNow());
  }

  // Adds a Job of the CronJob that has finished, unless it is active.
  Job AddJob(const CronJob& cron_job, const Case& c, const std::string& suffix,
             const std::string& type = "Complete") {
    const Time scheduled = top_ + std::chrono::duration_cast<seconds>(c.job.value_or(kTheHour));
    Job wanted = Value(MakeJob(cron_job, scheduled, {}), c.name);
    wanted.metadata.name += suffix;
    if (!c.job) wanted.metadata.annotations.clear();
    const auto created = Value(jobs_.Create({}, wanted), c.name);
    const ObjectKey key = KeyOf(*created);
    if (c.ran == Case::kDone) {
      const std::string started = capstan::FormatTime(scheduled);
      const std::string ended = capstan::FormatTime(scheduled + seconds(10));
      const std::string before = type == "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
      const auto condition = [&](const std::string& name) {
        return R"({"type":")" + name + R"(","status":"True","lastTransitionTime":")" + ended +
               R"("})";
      };
      const std::string completion =
          type == "Complete" ? R"("completionTime":")" + ended + "\"," : "";
      Value(jobs_.PatchStatus({}, key,
                              Patch::Merge(R"({"status":{"startTime":")" + started + "\"," +
                                           completion + R"("conditions":[)" + condition(before) +
                                           "," + condition(type) + "]}}")),
            c.name);
    }
    const auto job = Value(jobs_.Get({}, key), c.name);
    Value(capstan::WaitForCacheVersion(capstan::rest::CallOptions{}, *manager_, *job), c.name);
    return *job;
  }

  tl::expected<capstan::Result, capstan::ReconcileError> Reconcile() {
    return reconciler_.Reconcile({}, capstan::Request::For(key_));
  }

  void Run(const Case& c) {
    Prepare(c);
    const std::size_t before = Jobs().size();
    const CronJob old = Get();
    const auto result = Reconcile();
    RequireRequeue(c, result);
    const CronJob cron_job = Get();
    const auto jobs = Jobs();
    Require(jobs.size() == before + (c.creates ? 1 : 0) - (c.deletes ? 1 : 0),
            c.name + ": there are " + std::to_string(jobs.size()) + " Jobs");
    Require(cron_job.status.active.size() == c.active,
            c.name + ": " + std::to_string(cron_job.status.active.size()) + " are active");
    const std::string events = TakeEvents();
    Require(events == c.events, c.name + ": the Events are " + events);
    for (const auto& job : jobs) {
      Require(capstan::IsControlledBy(job->metadata, cron_job), c.name + ": the owner of the Job");
    }
    if (c.creates) {
      const Time scheduled = *cron_job.status.last_schedule_time;
      Require(scheduled > old.status.last_schedule_time.value_or(Time()) &&
                  scheduled <= clock_.WallNow(),
              c.name + ": the last schedule time");
      const std::string name = JobNameFor(cron_job, scheduled);
      Require(std::any_of(jobs.begin(), jobs.end(),
                          [&](const auto& job) {
                            return job->name() == name && ScheduledTimeOf(*job) == scheduled;
                          }),
              c.name + ": there is a Job " + name);
    }
    if (c.ran == Case::kDone && c.job) {
      Require(cron_job.status.last_successful_time ==
                  top_ + std::chrono::duration_cast<seconds>(*c.job) + seconds(10),
              c.name + ": the last successful time");
    }
    const bool changed = old.metadata.resource_version != cron_job.metadata.resource_version;
    Require(changed == (old.status != cron_job.status),
            c.name + ": the same status is not written");
    // A second call changes nothing. Only Replace waits for the cache after it has deleted a Job.
    if (c.deletes && c.policy != kReplaceConcurrent) WaitForJobs(jobs.size(), c.name);
    if (!c.events.starts_with("!")) {
      const auto again = Reconcile();
      Require(again.has_value(),
              c.name + ", the second call: " + (again ? "" : again.error().error.message));
      Require(Get().metadata.resource_version == cron_job.metadata.resource_version &&
                  Jobs().size() == jobs.size(),
              c.name + ": the second call changes nothing");
    }
    (void)recorder_.Take();
  }

  void RequireRequeue(const Case& c,
                      const tl::expected<capstan::Result, capstan::ReconcileError>& result) {
    Require(result.has_value(), c.name + ": " + (result ? "" : result.error().error.message));
    Maybe requeue;
    if (result->requeue_after) {
      requeue = std::chrono::round<milliseconds>(*result->requeue_after);
      *requeue -= kNextStartDelta;
    }
    Require(requeue == c.requeue,
            c.name + ": it is queued after " +
                (requeue ? std::to_string(requeue->count()) + " ms" : std::string("never")));
  }

  CronJob Get() const { return *Value(cron_jobs_.Get({}, key_), "get the CronJob"); }
  std::vector<capstan::Ptr<Job>> Jobs() const {
    return Value(jobs_.List({}, {.namespace_ = key_.namespace_}), "list the Jobs");
  }
  // Creates a Job that has the name of the next one, and no owner.
  void AddStranger() {
    AddChangedJob([](Job& job) { job.metadata.owner_references.clear(); });
  }
  // Creates the next Job, after `change`.
  void AddChangedJob(const std::function<void(Job&)>& change) {
    Job wanted = Value(MakeJob(Get(), top_, {}), "a Job");
    change(wanted);
    const auto created = Value(jobs_.Create({}, wanted), "create a Job");
    Value(capstan::WaitForCacheVersion<Job>(capstan::rest::CallOptions{}, *manager_, *created),
          "the cache has the Job");
  }
  std::string NewNamespace() { return scope_.NewNamespace(); }
  Time At(milliseconds time) const { return top_ + std::chrono::duration_cast<seconds>(time); }
  // Returns the name of the Job that starts at this time.
  std::string NameAt(milliseconds time) const { return JobNameFor(Get(), At(time)); }
  void RequireJobs(std::vector<std::string> wanted, const std::string& what) const {
    std::vector<std::string> found;
    for (const auto& job : Jobs()) found.emplace_back(job->name());
    std::sort(found.begin(), found.end());
    std::sort(wanted.begin(), wanted.end());
    Require(found == wanted, what + ": the Jobs");
  }
  capstan::testing::FakeClock& clock() { return clock_; }
  // Returns the reasons of the Events, with "!" before those of warnings.
  std::string TakeEvents() {
    std::string reasons;
    for (const auto& event : recorder_.Take()) {
      reasons += (reasons.empty() ? "" : " ") + std::string(event.type == "Warning" ? "!" : "");
      reasons += event.reason;
    }
    return reasons;
  }

 private:
  void WaitForCache(const std::string& version, const std::string& what) {
    Require(capstan::testing::Eventually([&] {
              const auto cached = ListerFor<CronJob>(*manager_).Get(key_.String());
              return cached != nullptr && cached->resource_version() == version;
            }),
            what + ": the cache has the CronJob");
  }

  void WaitForJobs(std::size_t count, const std::string& what) {
    const auto cached = [&] {
      std::size_t found = 0;
      for (const auto& job : ListerFor<Job>(*manager_).List()) {
        if (job->namespace_() == key_.namespace_) ++found;
      }
      return found;
    };
    Require(capstan::testing::Eventually([&] { return cached() == count; }),
            what + ": the cache has the Jobs");
  }

  std::unique_ptr<capstan::rest::Client> client_;
  Scope scope_;
  const capstan::Client<CronJob> cron_jobs_;
  const capstan::Client<Job> jobs_;
  capstan::testing::FakeClock clock_;
  capstan::testing::FakeRecorder recorder_;
  std::unique_ptr<capstan::Manager> manager_;
  CronJobReconciler reconciler_;
  std::unique_ptr<Running<capstan::Manager>> running_;  // ends first
  ObjectKey key_;
  Time top_;
};

}  // namespace cronjob_test
