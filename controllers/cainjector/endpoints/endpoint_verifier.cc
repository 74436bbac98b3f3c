// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/endpoint_verifier.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "capstan/backoff.h"
#include "capstan/log.h"
#include "capstan/thread.h"
#include "controllers/cainjector/endpoints/service_addresses.h"

namespace capstan::cainjector {
namespace {

// The queue's key of the work to read the targets that have changed. No server has it.
constexpr const char* kReadTargets = "targets";
// A former CA leaves only when no replica needs it.
constexpr std::size_t kAllReplicas = std::numeric_limits<std::size_t>::max();

api::ObjectReference ReferenceTo(const runtime::ResourceType& type, const runtime::Object& target) {
  return {.api_version = type.gvr.ApiVersion(),
          .kind = type.kind,
          .namespace_ = std::string(target.namespace_()),
          .name = std::string(target.name()),
          .uid = target.uid(),
          .resource_version = target.resource_version()};
}

bool HasNewServer(const TargetServers& before, const TargetServers& now) {
  return std::any_of(now.servers().begin(), now.servers().end(), [&](const TargetServer& server) {
    return std::none_of(before.servers().begin(), before.servers().end(),
                        [&](const TargetServer& old) { return old.reference == server.reference; });
  });
}

bool IsVerified(const EndpointResult& result) {
  return result.verdict.outcome == EndpointOutcome::kVerified;
}

// Returns when the last former CA expires that suffices, or the first one if none does alone.
CertificateTime NeedsUntil(const Certificates& former,
                           const std::function<bool(const Certificate&)>& suffices) {
  auto first = CertificateTime::max();
  std::optional<CertificateTime> last;
  for (const Certificate& certificate : former) {
    first = std::min(first, certificate.not_after);
    if (suffices(certificate)) last = std::max(last.value_or(first), certificate.not_after);
  }
  return last.value_or(first);
}

}  // namespace

EndpointVerifier::EndpointVerifier(const EndpointReporter::Collaborators& with,
                                   const Options& options, Check check)
    : options_(options),
      check_(std::move(check)),
      clock_(with.clock),
      reporter_(with),
      rotations_(options.retire_after),
      queue_({.clock = with.clock}) {}

bool EndpointVerifier::IsOutdated(ReadState state) {
  return state == ReadState::kOutdated || state == ReadState::kReadingOutdated;
}

EndpointVerifier::ReadState EndpointVerifier::Transition(ReadState state, ReadEvent event) {
  switch (event) {
    case ReadEvent::kChanged: {
      const bool reading = state == ReadState::kReading || state == ReadState::kReadingOutdated;
      return reading ? ReadState::kReadingOutdated : ReadState::kOutdated;
    }
    case ReadEvent::kBegun:
      return ReadState::kReading;
    case ReadEvent::kEnded:
      return IsOutdated(state) ? ReadState::kOutdated : ReadState::kCurrent;
    case ReadEvent::kFailed:
      break;
  }
  return ReadState::kOutdated;
}

void EndpointVerifier::Observe(const runtime::ResourceType& type, const runtime::Object& object,
                               bool written) {
  {
    const MutexLock lock(mu_);
    Target& target = targets_[{type.gvr.resource, std::string(object.key())}];
    target.reference = ReferenceTo(type, object);
    if (target.version == object.resource_version() && !written) return;
    target.state = Transition(target.state, ReadEvent::kChanged);
    target.written = target.written || written;
  }
  queue_.AddAfter(kReadTargets, kVerifyAfterWrite);
}

void EndpointVerifier::ObserveFailed(const runtime::ResourceType& type,
                                     const runtime::Object& object) {
  {
    const MutexLock lock(mu_);
    if (!targets_.contains({type.gvr.resource, std::string(object.key())})) return;
  }
  Observe(type, object, /*written=*/false);
}

void EndpointVerifier::ObserveCas(const runtime::ResourceType& type, const runtime::Object& target,
                                  const Certificates& source, Certificates former) {
  const std::size_t count = former.size();
  const auto event = rotations_.Put(type.gvr.resource, target.key(), source, std::move(former));
  const auto reference = ReferenceTo(type, target);
  if (count == 0) reporter_.Needed(reference, nullptr, RotationEvent::kNone);
  reporter_.Rotation(reference, event, count);
}

Certificates EndpointVerifier::Retired(const runtime::ResourceType& type,
                                       const runtime::Object& object) const {
  {
    const MutexLock lock(mu_);
    const auto found = targets_.find({type.gvr.resource, std::string(object.key())});
    if (found == targets_.end() || found->second.state != ReadState::kCurrent) return {};
    if (found->second.version != object.resource_version()) return {};
  }
  return rotations_.Retired(type.gvr.resource, object.key());
}

void EndpointVerifier::Forget(const runtime::ResourceType& type, std::string_view key) {
  rotations_.Forget(type.gvr.resource, key);
  const MutexLock lock(mu_);
  const auto found = targets_.find({type.gvr.resource, std::string(key)});
  if (found == targets_.end()) return;
  Unlink(found->first, found->second);
  targets_.erase(found);
  reporter_.Forget(type.kind, std::string(key));
}

Expected<void> EndpointVerifier::Start(std::stop_token stop) {
  std::vector<std::jthread> workers;
  for (int i = 1; i < kVerifyWorkers; ++i) {
    workers.push_back(StartThread(std::to_string(i) + "/endpoints",
                                  [this, stop](const std::stop_token&) { Work(stop); }));
  }
  Work(stop);
  workers.clear();
  ForgetAll();
  return {};
}

void EndpointVerifier::ForgetAll() {
  const MutexLock lock(mu_);
  for (const auto& [key, target] : targets_) {
    rotations_.Forget(key.first, key.second);
    reporter_.Forget(target.reference.kind, key.second);
  }
  targets_.clear();
  servers_.clear();
}

void EndpointVerifier::Work(const std::stop_token& stop) {
  while (const auto item = queue_.GetWithPriority(stop)) {
    if (item->item == kReadTargets) {
      ReadTargets(stop);
    } else {
      Verify(stop, item->item);
    }
    queue_.Done(item->item);
  }
}

std::map<std::string, std::vector<std::string>> EndpointVerifier::TakeOutdated() {
  std::map<std::string, std::vector<std::string>> outdated;
  const MutexLock lock(mu_);
  for (auto& [key, target] : targets_) {
    if (!IsOutdated(target.state)) continue;
    target.state = Transition(target.state, ReadEvent::kBegun);
    outdated[key.first].push_back(key.second);
  }
  return outdated;
}

void EndpointVerifier::ReadTargets(const std::stop_token& stop) {
  for (const auto& [resource, names] : TakeOutdated()) {
    const auto read = check_.read(stop, resource, names);
    if (stop.stop_requested()) return;
    if (!read) {
      WarningS("Failed to read targets, their servers are not verified", "resource", resource,
               "targets", names.size(), "error", read.error().message);
      ReadFailed(resource, names);
      continue;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if ((*read)[i] == nullptr) continue;  // deleted, and its event follows
      SetServers({resource, names[i]}, (*read)[i]);
      Conclude({resource, names[i]});
    }
  }
}

void EndpointVerifier::ReadFailed(const std::string& resource,
                                  const std::vector<std::string>& keys) {
  for (const std::string& key : keys) rotations_.Interrupted(resource, key);
  const MutexLock lock(mu_);
  for (const std::string& key : keys) {
    const auto found = targets_.find({resource, key});
    if (found == targets_.end()) continue;
    found->second.state = Transition(found->second.state, ReadEvent::kFailed);
  }
  queue_.AddAfter(kReadTargets, Jittered(0.9, 1.1));
}

void EndpointVerifier::SetServers(const TargetKey& key, const TargetServersPtr& servers) {
  const MutexLock lock(mu_);
  const auto found = targets_.find(key);
  if (found == targets_.end()) return;  // forgotten meanwhile
  Target& target = found->second;
  target.state = Transition(target.state, ReadEvent::kEnded);
  const bool first = target.servers == nullptr;
  const bool written = std::exchange(target.written, false);
  target.version = servers->resource_version();
  const bool same = !first && target.servers->servers() == servers->servers();
  if (!same) {
    // Nothing is known about a new server, so the time until a retirement begins again.
    if (!first && HasNewServer(*target.servers, *servers)) {
      rotations_.Interrupted(key.first, key.second);
    }
    Unlink(key, target);
    target.servers = servers;
    target.found.assign(servers->servers().size(), std::nullopt);
  }
  if (!same || written) AskServers(key, target, first && !written);
}

void EndpointVerifier::AskServers(const TargetKey& key, const Target& target, bool spread) {
  for (const TargetServer& server : target.servers->servers()) {
    const std::string item = server.reference.Key();
    Server& known = servers_[item];
    known.reference = server.reference;
    known.targets.insert(key);
    // After a start all targets are new.
    if (spread) {
      queue_.AddAfter(item, Jittered(0, 0.1));
    } else {
      queue_.Add(item);
    }
  }
}

void EndpointVerifier::Unlink(const TargetKey& key, const Target& target) {
  if (target.servers == nullptr) return;
  for (const TargetServer& server : target.servers->servers()) {
    const auto known = servers_.find(server.reference.Key());
    if (known == servers_.end()) continue;
    known->second.targets.erase(key);
    if (known->second.targets.empty()) servers_.erase(known);
  }
}

std::pair<ServerReference, std::vector<EndpointVerifier::Job>> EndpointVerifier::JobsOf(
    const std::string& item) const {
  std::vector<Job> jobs;
  const MutexLock lock(mu_);
  const auto server = servers_.find(item);
  if (server == servers_.end()) return {};
  for (const TargetKey& key : server->second.targets) {
    const Target& target = targets_.at(key);
    const auto& servers = target.servers->servers();
    for (std::size_t i = 0; i < servers.size(); ++i) {
      if (servers[i].reference != server->second.reference) continue;
      jobs.push_back({key, i, target.servers, rotations_.Trial(key.first, key.second)});
    }
  }
  return {server->second.reference, std::move(jobs)};
}

void EndpointVerifier::Verify(const std::stop_token& stop, const std::string& item) {
  const auto [reference, jobs] = JobsOf(item);
  if (jobs.empty()) return;  // forgotten
  const bool rotating =
      std::any_of(jobs.begin(), jobs.end(), [](const Job& job) { return job.trial.has_value(); });
  const ServerAnswers answers =
      check_.ask(stop, reference, rotating ? kAllReplicas : kServiceAddressesMax);
  if (stop.stop_requested()) return;
  if (answers.incomplete()) return queue_.AddAfter(item, Jittered(0.05, 0.1));
  queue_.AddAfter(item, Jittered(0.9, 1.1));
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.WallNow());
  std::map<std::string, EndpointResult, std::less<>> judged;  // by bundle
  const auto judge = [&](const TargetServer& server, const std::string& bundle) {
    const auto known = judged.find(bundle);
    EndpointResult result = known != judged.end()
                                ? known->second
                                : judged[bundle] = Judge(server, answers, bundle, now);
    result.place = server.place;
    return result;
  };
  std::set<TargetKey> keys;
  for (const Job& job : jobs) {
    const TargetServer& server = job.servers->servers()[job.index];
    Found found{.result = judge(server, *server.ca_bundle),
                .trial = {},
                .all_replicas = answers.all_replicas};
    if (job.trial) {
      const std::string& alone = job.trial->bundle;
      found.trial = {.bundle = alone, .result = judge(server, alone)};
      if (IsVerified(found.result) && !IsVerified(found.trial->result)) {
        found.trial->needs_until = NeedsUntil(job.trial->former, [&](const Certificate& former) {
          return IsVerified(judge(server, alone + EncodeBundle({former})));
        });
      }
    }
    Record(job, std::move(found));
    keys.insert(job.key);
  }
  for (const TargetKey& key : keys) Conclude(key);
}

void EndpointVerifier::Record(const Job& job, Found found) {
  reporter_.Count(found.result.verdict.outcome);
  const MutexLock lock(mu_);
  const auto target = targets_.find(job.key);
  if (target == targets_.end() || target->second.servers != job.servers) return;
  auto& known = target->second.found[job.index];
  // A failure counts, also when the server is good again before the others are verified, and so
  // does a verification of some replicas.
  if (known && known->trial && found.trial && known->trial->bundle == found.trial->bundle &&
      !IsVerified(known->trial->result)) {
    found.trial = std::move(known->trial);
  }
  if (known && known->trial) found.all_replicas = found.all_replicas && known->all_replicas;
  known = std::move(found);
}

std::optional<EndpointVerifier::Conclusion> EndpointVerifier::ConclusionOf(const TargetKey& key) {
  const MutexLock lock(mu_);
  const auto target = targets_.find(key);
  // The results of an outdated target may be about a former bundle.
  if (target == targets_.end() || target->second.state != ReadState::kCurrent) return std::nullopt;
  Conclusion conclusion{.target = target->second.reference};
  std::vector<EndpointResult> results;
  for (const auto& one : target->second.found) {
    if (!one) return std::nullopt;
    conclusion.found.push_back(*one);
    results.push_back(one->result);
    conclusion.tried = conclusion.tried && one->trial;
  }
  conclusion.news = reporter_.Put(conclusion.target, std::move(results));
  if (conclusion.tried) {
    for (auto& one : target->second.found) one->trial.reset();
  }
  return conclusion;
}

void EndpointVerifier::Conclude(const TargetKey& key) {
  const auto conclusion = ConclusionOf(key);
  if (!conclusion) return;
  if (conclusion->news) reporter_.Report(conclusion->target, *conclusion->news);
  if (conclusion->tried) FollowRotation(key, *conclusion);
}

void EndpointVerifier::FollowRotation(const TargetKey& key, const Conclusion& conclusion) {
  const auto& [resource, name] = key;
  const auto trial = rotations_.Trial(resource, name);
  if (!trial) return;
  std::optional<EndpointReporter::NeededCa> needed;  // the one that expires first
  bool all = !conclusion.found.empty();
  bool all_replicas = true;
  for (const Found& one : conclusion.found) {
    if (one.trial->bundle != trial->bundle) return;  // the CA is newer than this verification
    all = all && IsVerified(one.trial->result);
    all_replicas = all_replicas && one.all_replicas;
    const auto& until = one.trial->needs_until;
    if (until && (!needed || *until < needed->expires)) needed = {one.trial->result, *until};
  }
  // Nothing is known about the need of a server that is not trusted with both CAs either.
  if (!all && !needed) return rotations_.Interrupted(resource, name);
  const auto result = !all           ? TrialResult::kFailed
                      : all_replicas ? TrialResult::kVerified
                                     : TrialResult::kVerifiedInPart;
  const auto event = rotations_.Tried(resource, name, trial->bundle, result, clock_.Now());
  reporter_.Needed(conclusion.target, needed ? &*needed : nullptr, event);
  reporter_.Rotation(conclusion.target, event);
  if (event == RotationEvent::kDue && reconcile_) reconcile_(resource, name);
}

std::chrono::nanoseconds EndpointVerifier::Jittered(double least, double most) const {
  const double factor = least + (most - least) * RandomUnit();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(options_.period * factor);
}

}  // namespace capstan::cainjector
