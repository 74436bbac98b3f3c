// SPDX-License-Identifier: Apache-2.0
// cronjob_test PROGRAM [--real KUBECONFIG] runs the controller with a clock of the test, as
// internal/controller/cronjob_controller_test.go of the kubebuilder book does, and then the whole
// program with its webhooks: on the embedded API server, or on the cluster of a kubeconfig. That
// API server must be able to call 127.0.0.1. Exit code 0: passed.
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/client.h"
#include "capstan/clientcmd/config.h"
#include "capstan/controller_util.h"
#include "capstan/crd.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/running.h"
#include "capstan/testing/scope.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/typed_object.h"
#include "cronjob/controller.h"
#include "cronjob/jobs.h"
#include "testing/example_test.h"
#include "testing/objects.h"
#include "testing/program.h"

namespace {

using capstan::Client;
using capstan::IsNotFound;
using capstan::KeyOf;
using capstan::Patch;
using capstan::Time;
using capstan::runtime::ObjectKey;
using capstan::testing::Create;
using capstan::testing::Eventually;
using capstan::testing::Running;
using capstan::testing::Scope;
using RestClient = capstan::rest::Client;

CronJob NewCronJob(const std::string& ns, const std::string& name, const std::string& schedule) {
  CronJob cron_job;
  cron_job.metadata.name = name;
  cron_job.metadata.namespace_ = ns;
  cron_job.spec.schedule = schedule;
  auto& pod = cron_job.spec.job_template.spec.template_.spec;
  pod.restart_policy = "OnFailure";
  pod.containers = {{.name = "test-container", .image = "test-image"}};
  return cron_job;
}

// Cluster is a test's part of a cluster, with the kind CronJob.
struct Cluster {
  Cluster(const std::string& kubeconfig, const std::string& definition)
      : config(Value(capstan::clientcmd::LoadConfig({.kubeconfig = kubeconfig}),
                     "the kubeconfig is read")),
        client(Value(RestClient::New(config), "a client")),
        scope(*client, "cronjob", {definition}),
        cron_jobs(*client),
        jobs(*client) {}

  CronJob Get(const ObjectKey& key) const {
    return *Value(cron_jobs.Get({}, key), "get CronJob " + key.String());
  }
  std::vector<capstan::Ptr<Job>> Jobs() const {
    return Value(jobs.List({}, {.namespace_ = ns}), "list the Jobs");
  }
  // Returns the Job of a start, once it is in the status.
  capstan::Ptr<Job> WaitForJob(const ObjectKey& key, Time scheduled) const {
    CronJob cron_job;
    Require(Eventually([&] {
              cron_job = Get(key);
              return cron_job.status.last_schedule_time == scheduled;
            }),
            key.name + " starts at " + capstan::FormatTime(scheduled));
    return Value(jobs.Get({}, {key.namespace_, JobNameFor(cron_job, scheduled)}), "the Job");
  }
  bool HasEventOf(const ObjectKey& key, std::string_view reason, std::string_view message,
                  int count = 1) const {
    const std::string uid = Get(key).metadata.uid;
    return Eventually([&] { return HasEvent(*client, uid, reason, message, count); });
  }
  // Marks a Job as complete, as the controller of Jobs does.
  void Complete(const Job& job) const {
    const std::string now = capstan::FormatTime(*job.metadata.creation_timestamp);
    const auto condition = [&](const std::string& type) {
      return R"({"type":")" + type + R"(","status":"True","lastTransitionTime":")" + now + R"("})";
    };
    const auto patch = [&](const std::string& conditions) {
      return jobs.PatchStatus(
          {}, KeyOf(job),
          Patch::Merge(R"({"status":{"startTime":")" + now + R"(","completionTime":")" + now +
                       R"(","conditions":[)" + conditions + "]}}"));
    };
    auto completed = patch(condition("SuccessCriteriaMet") + "," + condition("Complete"));
    if (!completed && capstan::IsInvalid(completed.error())) {
      completed = patch(condition("Complete"));  // before Kubernetes 1.31
    }
    Value(std::move(completed), "the Job completes");
  }

  capstan::rest::Config config;
  std::unique_ptr<RestClient> client;
  Scope scope;
  Client<CronJob> cron_jobs;
  Client<Job> jobs;
  std::string ns = scope.NewNamespace();
};

// "Should increase CronJob Status.Active count when new Jobs are created"
void TestActiveJobs(Cluster& cluster) {
  const CronJob created =
      Create(cluster.cron_jobs, NewCronJob(cluster.ns, "test-cronjob", "1 * * * *"));
  Require(created.spec.schedule == "1 * * * *" && created.status.active.empty(),
          "the CronJob as it is created");
  Require(created.spec.concurrency_policy == kAllowConcurrent, "the schema has the default policy");
  CronJob wrong = NewCronJob(cluster.ns, "wrong", "1 * * * *");
  wrong.spec.time_zone = std::string(65, 'a');
  const auto rejected = cluster.cron_jobs.Create({}, wrong);
  Require(!rejected && capstan::IsInvalid(rejected.error()), "the schema limits the time zone");
  Job job;
  job.metadata.name = "test-job";
  job.metadata.namespace_ = cluster.ns;
  Value(capstan::SetControllerReference(created, job.metadata), "the owner of the Job");
  job.spec = created.spec.job_template.spec;
  Value(cluster.jobs.Create({}, job), "create the Job");
  const ObjectKey key = KeyOf(created);
  Require(Eventually([&] {
            const auto active = cluster.Get(key).status.active;
            return active.size() == 1 && active[0].name == "test-job";
          }),
          "should list our active job test-job in the active jobs list in status");
  cluster.Complete(*Value(cluster.jobs.Get({}, {cluster.ns, "test-job"}), "the Job"));
  Require(Eventually([&] {
            const CronJob now = cluster.Get(key);
            return now.status.active.empty() && now.status.last_successful_time;
          }),
          "a Job that has finished is not active");
  Value(cluster.cron_jobs.Delete({}, key), "delete the CronJob");
}

// The hours pass while the test runs, because the clock is that of the test.
void TestHours(Cluster& cluster, capstan::testing::FakeClock& clock) {
  CronJob wanted = NewCronJob(cluster.ns, "hourly", "30 * * * *");
  wanted.spec.time_zone = "Asia/Kolkata";  // UTC+05:30: on the hour in UTC
  wanted.spec.job_template.metadata.labels = {{"app", "hourly"}};
  const CronJob created = Create(cluster.cron_jobs, wanted);
  const ObjectKey key = KeyOf(created);
  const auto next = [](Time time) {
    return std::chrono::floor<std::chrono::hours>(time) + std::chrono::hours(1);
  };
  // Lets minutes pass until there is a start after `time`, and returns it.
  const auto start_after = [&](Time time) {
    std::optional<Time> start;
    Require(Eventually([&] {
              start = cluster.Get(key).status.last_schedule_time;
              if (start && *start > time) return true;
              clock.Step(std::chrono::minutes(1));
              return false;
            }),
            "hourly starts after " + capstan::FormatTime(time));
    return *start;
  };
  const Time first = start_after(*created.metadata.creation_timestamp);
  Require(first >= next(*created.metadata.creation_timestamp) &&
              next(first) - first == std::chrono::hours(1),
          "it starts at full hours");
  const auto job = cluster.WaitForJob(key, first);
  auto annotations = job->metadata.annotations;
  auto labels = job->metadata.labels;
  Require(annotations[kScheduledAtAnnotation].ends_with(":30:00+05:30") &&
              ScheduledTimeOf(*job) == first,
          "the time of the start in the zone of the CronJob");
  Require(labels["app"] == "hourly", "the labels of the template");
  Require(capstan::IsControlledBy(job->metadata, created), "the owner of the Job");

  // More starts may follow while the test looks.
  const auto patch = [&](const std::string& spec) {
    Value(cluster.cron_jobs.Patch({}, key, Patch::Merge(R"({"spec":)" + spec + "}")), "a patch");
  };
  patch(R"({"concurrencyPolicy":"Replace"})");
  const Time second = start_after(first);
  Require(Eventually([&] {
            const auto left = cluster.jobs.Get({}, KeyOf(*job));
            const auto active = cluster.Get(key).status.active;
            return !left && IsNotFound(left.error()) && active.size() == 1 &&
                   active[0].name != job->name();
          }),
          "the next Job replaces the first one");

  // The change of a schedule is seen at once.
  patch(R"({"concurrencyPolicy":"Allow","schedule":"* * * * *"})");
  const Time third = start_after(second);
  Require(cluster.jobs.Get({}, {cluster.ns, JobNameFor(created, third)}).has_value(),
          "a Job of the new schedule");
  patch(R"({"suspend":true})");
}

void TestController(const std::string& kubeconfig) {
  Cluster cluster(kubeconfig, capstan::CustomResourceDefinition<CronJob>());
  const auto manager =
      Value(capstan::Manager::New(cluster.config, {.name = "cronjob-controller"}), "a manager");
  capstan::testing::FakeClock clock;
  clock.StepWall(std::chrono::system_clock::now() - clock.WallNow());
  const auto* controller = Value(AddCronJobController(*manager, clock), "the controller");
  Running running(*manager);
  Require(Eventually([&] { return controller->FirstPassDone(); }), "the controller starts");
  TestActiveJobs(cluster);
  TestHours(cluster, clock);
  Value(running.Stop(), "the manager ends");
}

// Webhooks is the program with a serving certificate. Its log has the port that it listens on.
class Webhooks {
 public:
  Webhooks(const std::string& path, const std::string& kubeconfig) {
    const auto pair = Value(capstan::testing::MakeLocalhostCertificate(ca_), "a certificate");
    files_.Write("tls.crt", pair.cert_pem);
    files_.Write("tls.key", pair.key_pem);
    const std::string wrapper = files_.Write(
        "program", "#!/bin/sh\nexec '" + path + "' \"$@\" 2>'" + files_.Path("log") + "'\n");
    Require(chmod(wrapper.c_str(), 0700) == 0, "the wrapper is executable");
    program_ = std::make_unique<Program>(
        wrapper, kubeconfig,
        std::vector<std::string>{"--webhook-port=0", "--webhook-cert-path=" + files_.Path("")});
    Require(Eventually([&] { return !Port().empty(); }), "the program serves webhooks: " + Log());
  }

  std::string Url(const std::string& path) const { return "https://127.0.0.1:" + Port() + path; }
  const std::string& ca_pem() const { return ca_.cert_pem; }
  void Stop() { program_->Stop(); }

 private:
  std::string Log() const {
    std::ifstream log(files_.Path("log"));
    return {std::istreambuf_iterator<char>(log), {}};
  }
  std::string Port() const {
    const std::string log = Log();
    const std::string mark = "port=";
    std::size_t at = log.find("Serving webhooks");
    if (at == std::string::npos) return {};
    at = log.find(mark, at);
    const std::size_t end = log.find('\n', at);
    if (at == std::string::npos || end == std::string::npos) return {};
    return log.substr(at + mark.size(), end - at - mark.size());
  }

  const capstan::testing::TempDir files_;
  const capstan::testing::KeyPair ca_ =
      Value(capstan::testing::MakeCa({.common_name = "cronjob-test"}), "a CA");
  std::unique_ptr<Program> program_;
};

void TestAdmission(Cluster& cluster, const Webhooks& webhooks) {
  const std::string ns = cluster.ns;
  const auto webhook = [&](const std::string& prefix) -> capstan::testing::LocalWebhook {
    return {webhooks.Url(prefix + "-batch-tutorial-kubebuilder-io-v1-cronjob"), webhooks.ca_pem()};
  };
  cluster.scope.InstallMutatingWebhook(capstan::TypeOf<CronJob>(), webhook("/mutate"));
  cluster.scope.InstallValidatingWebhook(capstan::TypeOf<CronJob>(), webhook("/validate"));

  // A server uses a configuration some time after its creation.
  CronJob wrong = NewCronJob(ns, "wrong", "60 * * * *");
  capstan::Expected<capstan::Ptr<CronJob>> rejected;
  CronJob defaulted;
  const capstan::rest::WriteOptions kDryRun = {.dry_run = true};
  Require(Eventually([&] {
            const auto tried =
                cluster.cron_jobs.Create({}, NewCronJob(ns, "try", "@daily"), kDryRun);
            if (tried) defaulted = **tried;
            rejected = cluster.cron_jobs.Create({}, wrong, kDryRun);
            return !rejected && defaulted.spec.suspend.has_value();
          }),
          "the API server calls the webhooks");
  Require(defaulted.spec.concurrency_policy == kAllowConcurrent &&
              defaulted.spec.suspend == false &&
              defaulted.spec.successful_jobs_history_limit == 3 &&
              defaulted.spec.failed_jobs_history_limit == 1,
          "missing fields have their defaults");
  Require(capstan::IsInvalid(rejected.error()) &&
              rejected.error().message.find("spec.schedule: minute \"60\": 60 is not in the range "
                                            "0-59") != std::string::npos,
          "a wrong schedule is rejected: " + rejected.error().message);
  wrong.spec.schedule = "@daily";
  wrong.metadata.name = std::string(53, 'a');
  Require(!cluster.cron_jobs.Create({}, wrong), "a name of 53 characters is rejected");
  wrong.metadata.name = "wrong";
  wrong.spec.time_zone = "Nowhere/City";
  Require(!cluster.cron_jobs.Create({}, wrong), "an unknown time zone is rejected");
  wrong.spec.time_zone.reset();
  wrong.spec.concurrency_policy = "Sometimes";
  Require(!cluster.cron_jobs.Create({}, wrong), "the schema rejects an unknown policy");

  const ObjectKey key = KeyOf(Create(cluster.cron_jobs, NewCronJob(ns, "admitted", "@daily")));
  Require(
      !cluster.cron_jobs.Patch({}, key, Patch::Merge(R"({"spec":{"schedule":"TZ=UTC @daily"}})")),
      "an update to a wrong schedule is rejected");
  Value(cluster.cron_jobs.Patch({}, key, Patch::Merge(R"({"spec":{"schedule":"@hourly"}})")),
        "an update to another schedule");
}

// A start of this year that was missed, because the last one was in the year before.
void TestMissedStart(Cluster& cluster) {
  using std::chrono::January;
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const Time missed =
      std::chrono::sys_days(std::chrono::year_month_day(today).year() / January / 1);
  const Time before = missed - std::chrono::days(1);
  const auto create = [&](const std::string& name) {
    CronJob wanted = NewCronJob(cluster.ns, name, "@yearly");
    wanted.spec.suspend = true;  // until it has a status
    CronJob cron_job = Create(cluster.cron_jobs, wanted);
    Require(Eventually([&] {
              cron_job = cluster.Get(KeyOf(cron_job));
              cron_job.status.last_schedule_time = before;
              return cluster.cron_jobs.UpdateStatus({}, cron_job).has_value();
            }),
            "the last start of " + name);
    return cron_job;
  };
  const auto resume = [&](const ObjectKey& key) {
    Value(
        cluster.cron_jobs.Patch(
            {}, key, Patch::Merge(R"({"spec":{"suspend":false,"successfulJobsHistoryLimit":0}})")),
        "resume " + key.name);
  };

  const ObjectKey key = KeyOf(create("yearly"));
  resume(key);
  const auto job = cluster.WaitForJob(key, missed);
  Require(cluster.HasEventOf(key, "SuccessfulCreate", "Created Job " + std::string(job->name())),
          "the Event SuccessfulCreate");
  cluster.Complete(*job);
  Require(Eventually([&] {
            const auto left = cluster.jobs.Get({}, KeyOf(*job));
            return !left && IsNotFound(left.error());
          }),
          "the Job is deleted, because the history limit is 0");
  Require(cluster.Get(key).status.last_schedule_time == missed, "its start is not forgotten");

  const CronJob taken = create("taken");
  Job stranger = Value(MakeJob(taken, missed, {}), "a Job");
  stranger.metadata.owner_references.clear();
  Value(cluster.jobs.Create({}, stranger), "a Job of another owner with the name");
  const ObjectKey taken_key = KeyOf(taken);
  resume(taken_key);
  Require(cluster.HasEventOf(
              taken_key, "FailedCreate",
              "Job " + stranger.metadata.name + " exists and does not belong to this CronJob"),
          "the Event FailedCreate");
  Require(cluster.Get(taken_key).status.last_schedule_time == before, "nothing has started");
  // The same Event again is counted.
  Value(cluster.cron_jobs.Patch({}, taken_key,
                                Patch::Merge(R"({"spec":{"failedJobsHistoryLimit":2}})")),
        "a patch");
  Require(cluster.HasEventOf(
              taken_key, "FailedCreate",
              "Job " + stranger.metadata.name + " exists and does not belong to this CronJob", 2),
          "the second Event FailedCreate");
}

void TestProgram(const std::string& path, const std::string& kubeconfig) {
  Cluster cluster(kubeconfig, Output(path + " --print-crds"));
  Webhooks webhooks(path, kubeconfig);
  TestMissedStart(cluster);
  TestAdmission(cluster, webhooks);
  webhooks.Stop();
}

}  // namespace

int main(int argc, char** argv) {
  return RunTest(argc, argv, [&](const std::string& kubeconfig) {
    Require(argc == 2 || argc == 4, "usage: cronjob_test PROGRAM [--real KUBECONFIG]");
    TestController(kubeconfig);
    TestProgram(argv[1], kubeconfig);
  });
}
