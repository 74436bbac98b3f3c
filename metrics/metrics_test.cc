// SPDX-License-Identifier: Apache-2.0
#include "capstan/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <thread>

#include "metrics/testing/promtool.h"

namespace capstan::metrics {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Returns the exposition without process_* and build info, which differ between runs.
std::string Stable(Metrics& metrics) {
  std::istringstream in(metrics.Serialize());
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.find("process_") == std::string::npos &&
        line.find("kubernetes_build_info") == std::string::npos) {
      out += line + "\n";
    }
  }
  return out;
}

// Populated has a value in every family, for promtool and the tables of names and buckets.
class Populated {
 public:
  Populated() {
    metrics_.rest().OnRequest("200", "GET", "api:443");
    metrics_.rest().OnRetry("429", "GET", "api:443");
    metrics_.rest().OnDuration("GET", "api:443", milliseconds(30));
    metrics_.rest().OnContentTypeRefused("secrets");
    metrics_.rest().SetServerReachable(true);
    metrics_.rest().OnExecPluginCall(0, "no_error");
    metrics_.rest().SetClientCertificateExpiry(this, std::chrono::sys_seconds());
    metrics_.rest().OnClientCertificateRotation(std::chrono::hours(1));
    metrics_.cache().AddObjects("secrets", 3, 1200);
    metrics_.cache().AddUndecodableObjects("secrets", 1);
    metrics_.cache().OnWatchListFallback("secrets", "Invalid");
    metrics_.cache().OnList("secrets", false);
    metrics_.cache().OnWatchStarted("secrets");
    metrics_.cache().OnWatchError("secrets", "Expired");
    metrics_.leader_election().SetMaster("lease", true);
    metrics_.leader_election().OnSlowPath("lease");
    metrics_.SetFeatureEnabled("WatchListClient", "BETA", true);
    metrics_.SetFeatureEnabled("InformerResourceVersion", "", true);
    queue_ = metrics_.workqueue().NewQueueMetrics("secrets");
    queue_->SetDepth(0, 0);  // as a queue does when it is made
  }
  Metrics& operator*() { return metrics_; }

 private:
  Metrics metrics_{{.version = "v0.1.0", .commit = "0123abc"}};
  std::unique_ptr<workqueue::QueueMetrics> queue_;
};

TEST(MetricsTest, ServesNothingBeforeFirstValue) {
  Metrics metrics({.version = "0.1.0", .commit = "abc"});

  EXPECT_EQ(Stable(metrics), "");
}

TEST(MetricsTest, CountsRequestsByCodeMethodAndHost) {
  Metrics metrics({});
  metrics.rest().OnRequest("200", "GET", "10.0.0.1:443");
  metrics.rest().OnRequest("200", "GET", "10.0.0.1:443");
  metrics.rest().OnRequest("<error>", "PATCH", "10.0.0.1:443");

  EXPECT_EQ(Stable(metrics),
            "# HELP rest_client_requests_total HTTP requests to the API server, every attempt, by "
            "status code, method and host.\n"
            "# TYPE rest_client_requests_total counter\n"
            "rest_client_requests_total{code=\"200\",host=\"10.0.0.1:443\",method=\"GET\"} 2\n"
            "rest_client_requests_total{code=\"<error>\",host=\"10.0.0.1:443\",method=\"PATCH\"} "
            "1\n");
}

// Returns the value of a series without labels.
double ValueOf(Metrics& metrics, const std::string& name) {
  const std::string text = "\n" + Stable(metrics);
  const std::size_t at = text.find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

TEST(MetricsTest, ReportsTimeToLiveOfPluginCertificate) {
  constexpr char kTtl[] = "rest_client_exec_plugin_ttl_seconds";
  Metrics metrics({});
  const auto now = std::chrono::floor<seconds>(std::chrono::system_clock::now());
  const int a = 0;
  const int b = 0;
  metrics.rest().SetClientCertificateExpiry(&a, std::nullopt);
  EXPECT_THAT(Stable(metrics), HasSubstr("\nrest_client_exec_plugin_ttl_seconds +Inf\n"));

  metrics.rest().SetClientCertificateExpiry(&a, now + std::chrono::hours(1000));
  metrics.rest().SetClientCertificateExpiry(&b, now + std::chrono::years(7000));
  EXPECT_NEAR(ValueOf(metrics, kTtl), 3600000, 600) << "the earliest counts";

  metrics.rest().SetClientCertificateExpiry(&a, now - std::chrono::hours(1000));
  EXPECT_NEAR(ValueOf(metrics, kTtl), -3600000, 600);

  metrics.rest().SetClientCertificateExpiry(&a, std::nullopt);
  EXPECT_GT(ValueOf(metrics, kTtl), 2e11);
}

TEST(MetricsTest, CountsPluginRunsAndRotations) {
  Metrics metrics({});

  metrics.rest().OnExecPluginCall(-1, "plugin_execution_error");
  metrics.rest().OnClientCertificateRotation(std::chrono::hours(2));

  EXPECT_THAT(Stable(metrics),
              AllOf(HasSubstr("rest_client_exec_plugin_call_total{call_status=\"plugin_execution_"
                              "error\",code=\"-1\"} 1\n"),
                    HasSubstr("rest_client_exec_plugin_certificate_rotation_age_sum 7200\n")));
}

TEST(MetricsTest, GaFeatureHasEmptyStage) {
  Metrics metrics({});
  metrics.SetFeatureEnabled("CAInjectorMerging", "", true);
  metrics.SetFeatureEnabled("ReferencedSecretsOnly", "ALPHA", false);

  EXPECT_THAT(
      Stable(metrics),
      HasSubstr("kubernetes_feature_enabled{name=\"CAInjectorMerging\",stage=\"\"} 1\n"
                "kubernetes_feature_enabled{name=\"ReferencedSecretsOnly\",stage=\"ALPHA\"} 0\n"));
}

TEST(MetricsTest, LeaderElectionStatusIsOneOrZero) {
  Metrics metrics({});
  metrics.leader_election().SetMaster("cainjector", false);
  EXPECT_THAT(Stable(metrics),
              HasSubstr("\nleader_election_master_status{name=\"cainjector\"} 0\n"));

  metrics.leader_election().SetMaster("cainjector", true);

  EXPECT_THAT(Stable(metrics),
              HasSubstr("\nleader_election_master_status{name=\"cainjector\"} 1\n"));
}

TEST(MetricsTest, QueueHasAllSeriesFromStart) {
  Metrics metrics({});
  const workqueue::RateLimitingQueue queue({.name = "apiservice", .metrics = &metrics.workqueue()});

  const std::string text = Stable(metrics);

  EXPECT_THAT(
      text,
      HasSubstr(
          "workqueue_depth{controller=\"apiservice\",name=\"apiservice\",priority=\"0\"} 0\n"));
  for (const char* name :
       {"workqueue_adds_total", "workqueue_retries_total", "workqueue_unfinished_work_seconds",
        "workqueue_longest_running_processor_seconds", "workqueue_queue_duration_seconds_count",
        "workqueue_work_duration_seconds_count"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\n") + name +
                                "{controller=\"apiservice\",name=\"apiservice\"} 0\n"));
  }
}

TEST(MetricsTest, DepthHasPriorityOfItsKeys) {
  Metrics metrics({});
  const auto queue = metrics.workqueue().NewQueueMetrics("q");
  const auto without = metrics.workqueue().NewQueueMetrics("fifo");

  queue->SetDepth(0, 2);
  queue->SetDepth(-100, 3);
  without->SetDepth(std::nullopt, 4);

  const std::string text = Stable(metrics);
  for (const char* line :
       {"\nworkqueue_depth{controller=\"q\",name=\"q\",priority=\"0\"} 2\n",
        "\nworkqueue_depth{controller=\"q\",name=\"q\",priority=\"-100\"} 3\n",
        "\nworkqueue_depth{controller=\"fifo\",name=\"fifo\",priority=\"\"} 4\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(MetricsTest, KeysBeyondTheLimitOfPrioritiesShareOneDepth) {
  Metrics metrics({});
  const auto queue = metrics.workqueue().NewQueueMetrics("q");

  for (int priority = 0; priority < 28; ++priority) queue->SetDepth(priority, 10);
  queue->SetDepth(24, 5);
  queue->SetDepth(25, 7);
  queue->SetDepth(26, 0);

  const std::string text = Stable(metrics);
  EXPECT_THAT(text, HasSubstr("priority=\"24\"} 5\n"));
  EXPECT_THAT(text, Not(HasSubstr("priority=\"25\"")));
  EXPECT_THAT(text, HasSubstr("priority=\"exceeded_cardinality_limit\"} 17\n"));
}

TEST(MetricsTest, ScrapeRefreshesLiveQueues) {
  Metrics metrics({});
  int asked = 0;
  auto queue = metrics.workqueue().NewQueueMetrics("q");
  queue->SetRefresh([&] {
    ++asked;
    queue->SetUnfinished(seconds(7), seconds(4));
  });

  const std::string text = Stable(metrics);
  queue.reset();
  const std::string later = Stable(metrics);

  EXPECT_EQ(asked, 1);
  EXPECT_THAT(text,
              HasSubstr("\nworkqueue_unfinished_work_seconds{controller=\"q\",name=\"q\"} 7"));
  EXPECT_THAT(
      later,
      HasSubstr("\nworkqueue_longest_running_processor_seconds{controller=\"q\",name=\"q\"} 4\n"));
}

TEST(MetricsTest, NamesAndTypesAreUpstreams) {
  Populated metrics;

  std::map<std::string, std::string> types;
  std::istringstream in((*metrics).Serialize());
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string hash;
    std::string kind;
    std::string name;
    std::string type;
    words >> hash >> kind >> name >> type;
    if (hash == "#" && kind == "TYPE" && name.rfind("process_", 0) != 0) types[name] = type;
  }

  const std::map<std::string, std::string> expected = {
      {"capstan_apiserver_reachable", "gauge"},
      {"capstan_cache_bytes", "gauge"},
      {"capstan_cache_objects", "gauge"},
      {"capstan_protobuf_fallback_total", "counter"},
      {"capstan_reflector_lists_total", "counter"},
      {"capstan_reflector_watch_errors_total", "counter"},
      {"capstan_reflector_watches_total", "counter"},
      {"capstan_undecodable_objects", "gauge"},
      {"capstan_watchlist_fallback_total", "counter"},
      {"kubernetes_build_info", "gauge"},
      {"kubernetes_feature_enabled", "gauge"},
      {"leader_election_master_status", "gauge"},
      {"leader_election_slowpath_total", "counter"},
      {"rest_client_exec_plugin_call_total", "counter"},
      {"rest_client_exec_plugin_certificate_rotation_age", "histogram"},
      {"rest_client_exec_plugin_ttl_seconds", "gauge"},
      {"rest_client_request_duration_seconds", "histogram"},
      {"rest_client_request_retries_total", "counter"},
      {"rest_client_requests_total", "counter"},
      {"workqueue_adds_total", "counter"},
      {"workqueue_depth", "gauge"},
      {"workqueue_longest_running_processor_seconds", "gauge"},
      {"workqueue_queue_duration_seconds", "histogram"},
      {"workqueue_retries_total", "counter"},
      {"workqueue_unfinished_work_seconds", "gauge"},
      {"workqueue_work_duration_seconds", "histogram"},
  };
  EXPECT_EQ(types, expected);
}

TEST(MetricsTest, BucketsAreUpstreams) {
  Populated metrics;

  std::map<std::string, std::string> buckets;
  std::istringstream in((*metrics).Serialize());
  for (std::string line; std::getline(in, line);) {
    const std::size_t bucket = line.find("_bucket{");
    const std::size_t le = line.find("le=\"");
    if (bucket == std::string::npos || le == std::string::npos) continue;
    const std::size_t end = line.find('"', le + 4);
    buckets[line.substr(0, bucket)] += line.substr(le + 4, end - le - 4) + " ";
  }

  const std::string queue = "1e-08 1e-07 1e-06 1e-05 0.0001 0.001 0.01 0.1 1 10 100 1000 +Inf ";
  const std::map<std::string, std::string> expected = {
      {"rest_client_exec_plugin_certificate_rotation_age",
       "600 1800 3600 14400 86400 604800 2592000 7776000 15552000 31104000 124416000 +Inf "},
      {"rest_client_request_duration_seconds", "0.005 0.025 0.1 0.25 0.5 1 2 4 8 15 30 60 +Inf "},
      {"workqueue_queue_duration_seconds", queue},
      {"workqueue_work_duration_seconds", queue},
  };
  EXPECT_EQ(buckets, expected);
}

TEST(MetricsTest, BuildInfoHasVersionAndItsParts) {
  Metrics metrics({.version = "v1.22.3-rc1", .commit = "0123abc"});

  const std::string text = metrics.Serialize();

  EXPECT_THAT(text, HasSubstr("git_commit=\"0123abc\",git_version=\"v1.22.3-rc1\",major=\"1\","
                              "minor=\"22\",platform=\"linux/"));
}

TEST(MetricsTest, ControllerFamiliesCountSetAndObserve) {
  Metrics metrics({});
  const auto counter = metrics.NewCounter("capstan_skips_total", "Skips.", {"reason"});
  const auto gauge = metrics.NewGauge("capstan_in_sync", "In sync.", {"kind", "name"});
  const auto histogram = metrics.NewHistogram("capstan_wait_seconds", "Waits.", {}, {1, 2});
  counter->Add({"none"}, 0);
  counter->Add({"bad"});
  counter->Add({"bad"}, 2);
  gauge->Set({"CRD", "a"}, 1);
  gauge->Add({"CRD", "b"}, 3);
  gauge->Remove({"CRD", "a"});
  gauge->Remove({"CRD", "never there"});
  histogram->Touch({});
  histogram->Observe({}, 1.5);

  EXPECT_EQ(Stable(metrics),
            "# HELP capstan_in_sync In sync.\n"
            "# TYPE capstan_in_sync gauge\n"
            "capstan_in_sync{kind=\"CRD\",name=\"b\"} 3\n"
            "# HELP capstan_skips_total Skips.\n"
            "# TYPE capstan_skips_total counter\n"
            "capstan_skips_total{reason=\"bad\"} 3\n"
            "capstan_skips_total{reason=\"none\"} 0\n"
            "# HELP capstan_wait_seconds Waits.\n"
            "# TYPE capstan_wait_seconds histogram\n"
            "capstan_wait_seconds_count 1\n"
            "capstan_wait_seconds_sum 1.5\n"
            "capstan_wait_seconds_bucket{le=\"1\"} 0\n"
            "capstan_wait_seconds_bucket{le=\"2\"} 1\n"
            "capstan_wait_seconds_bucket{le=\"+Inf\"} 1\n");
}

TEST(MetricsTest, EscapesLabelValues) {
  Metrics metrics({});
  metrics.NewCounter("capstan_x_total", "X.", {"name"})->Add({"a\"b\nc\\d"});

  EXPECT_THAT(Stable(metrics), HasSubstr("capstan_x_total{name=\"a\\\"b\\nc\\\\d\"} 1\n"));
}

TEST(MetricsTest, LimitsSeriesOfFamily) {
  Metrics metrics({});
  const auto gauge = metrics.NewGauge("capstan_many", "Many.", {"kind", "name"});
  for (std::size_t i = 0; i < kSeriesMax + 50; ++i) gauge->Add({"CRD", std::to_string(i)}, 1);
  const std::string text = Stable(metrics);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));

  EXPECT_EQ(lines, 2 + kSeriesMax + 1) << "HELP, TYPE, the series, and one for the rest";
  EXPECT_THAT(text, HasSubstr("{kind=\"exceeded_cardinality_limit\","
                              "name=\"exceeded_cardinality_limit\"} 50\n"));

  gauge->Remove({"CRD", "0"});
  gauge->Remove({"CRD", "1"});
  gauge->Set({"CRD", "late"}, 1);
  EXPECT_THAT(Stable(metrics), HasSubstr("{kind=\"CRD\",name=\"late\"} 1\n"));
}

TEST(MetricsTest, WritersAndScrapesRunInParallel) {
  Metrics metrics({});
  constexpr int kPerThread = 2000;
  const auto counter = metrics.NewCounter("capstan_hits_total", "Hits.", {"thread"});
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < kPerThread; ++n) {
          counter->Add({std::to_string(n % 3)});
          metrics.rest().OnDuration("GET", "h", milliseconds(n));
        }
      });
    }
    for (int n = 0; n < 20; ++n) EXPECT_FALSE(metrics.Serialize().empty());
  }

  const std::string text = Stable(metrics);
  EXPECT_THAT(text, HasSubstr("rest_client_request_duration_seconds_count{host=\"h\",verb=\"GET\"} "
                              "8000\n"));
  EXPECT_THAT(text, HasSubstr("capstan_hits_total{thread=\"2\"} 2664\n"));
}

TEST(MetricsTest, HandleMayEndAfterTheMetrics) {
  auto metrics = std::make_unique<Metrics>(BuildInfo());
  const auto counter = metrics->NewCounter("capstan_x_total", "X.", {"a"});
  const auto gauge = metrics->NewGauge("capstan_y", "Y.", {"a"});
  const auto histogram = metrics->NewHistogram("capstan_z_seconds", "Z.", {"a"}, {1});
  counter->Add({"1"});
  EXPECT_THAT(metrics->Serialize(), HasSubstr("capstan_x_total{a=\"1\"} 1\n"));

  metrics.reset();
  counter->Add({"1"});
  gauge->Set({"1"}, 1);
  histogram->Observe({"2"}, 1);
}

TEST(MetricsDeathTest, WrongNumberOfLabelValuesIsFatal) {
  Metrics metrics({});
  const auto counter = metrics.NewCounter("capstan_x_total", "X.", {"a", "b"});

  EXPECT_DEATH(counter->Add({"only one"}), "label values of capstan_x_total");
}

TEST(MetricsTest, PromtoolReportsNothing) {
  if (!HasPromtool()) {
    GTEST_SKIP() << "promtool is not on PATH (Debian package prometheus): the exposition was NOT "
                    "checked by it";
  }
  Populated metrics;

  const auto answer = CheckWithPromtool((*metrics).Serialize());

  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.output, "");
}

}  // namespace
}  // namespace capstan::metrics
