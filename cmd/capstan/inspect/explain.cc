// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/explain.h"

#include <algorithm>
#include <utility>

#include "capstan/api/lease.h"
#include "capstan/client.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/time.h"
#include "cmd/capstan/inspect/fix.h"
#include "cmd/capstan/inspect/json_items.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/source_list.h"

namespace capstan::cmd::cli::inspect {
namespace {

// cert-manager's Lease, so that only one of the two injects.
const runtime::ObjectKey& ManagersLease() {
  static const runtime::ObjectKey key{.namespace_ = "kube-system",
                                      .name = "cert-manager-cainjector-leader-election"};
  return key;
}

// A missing Lease does not prove that no manager runs.
constexpr const char* kElsewhere =
    "the manager may not run, or may use another namespace or no leader election";

std::string Places(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " place" : " places");
}

std::string SecretNameOf(const std::stop_token& stop, rest::Client& client,
                         const Finding& finding) {
  if (finding.source->kind != "Certificate") return {};
  using Certificate = cainjector::CertManagerCertificate;
  const auto object = client.Get(stop, Certificate::Type(), ObjectsOf(finding, "").object);
  return object ? static_cast<const Certificate&>(**object).secret_name() : std::string();
}

struct Step {
  cainjector::Link link;
  std::string name;
  std::string detail;
  bool is_item = false;  // `detail` is one source of a list
};

std::string BundleDetail(const Finding& finding) {
  if (!finding.plan) return {};
  std::size_t right = 0;
  for (std::size_t i = 0; i < finding.current.size(); ++i) {
    if (finding.current[i] == finding.plan->bundles[i]) ++right;
  }
  const std::string expiry = "expires " + cainjector::ExpiryText(finding.plan->earliest_expiry);
  if (right == finding.current.size()) return "in " + Places(right) + ", " + expiry;
  return "not yet in " + std::to_string(finding.current.size() - right) + " of " +
         Places(finding.current.size());
}

ChainLink::State BrokenState(const Finding& finding) {
  return finding.state == State::kUnknown ? ChainLink::State::kUnknown : ChainLink::State::kBroken;
}

// Returns the links for this kind of source, in the order of Link, as if nothing were broken.
std::vector<Step> StepsOf(const Finding& finding, const SourceObjects& objects) {
  const std::string annotation = finding.source->annotation;
  const std::string kind = finding.source->kind;
  std::vector<Step> steps = {
      {cainjector::Link::kPlace, "place", "for a bundle"},
      {cainjector::Link::kAnnotation, "annotation", annotation + ": " + finding.source->value},
      {cainjector::Link::kProcess, "manager", "may use it"}};
  if (finding.content != nullptr)
    steps[0].detail = Places(finding.target->Bundles(*finding.content).size());
  if (kind == "Union") {
    const auto items = cainjector::ParseSourceList(finding.source->value);
    for (const auto& item : items.value_or(std::vector<cainjector::SourceItem>())) {
      steps.push_back({cainjector::Link::kSource, "source", std::string(item.text), true});
    }
    steps.push_back({cainjector::Link::kBundle, "bundle", BundleDetail(finding)});
    return steps;
  }
  if (kind == "APIServer") {
    steps.push_back({cainjector::Link::kSource, "API server", finding.source->text});
  } else if (kind == "ClusterTrustBundle") {
    steps.push_back({cainjector::Link::kSource, kind, finding.source->value});
  } else {
    steps.push_back({cainjector::Link::kSource, kind, objects.object.String()});
  }
  if (kind == "Certificate") {
    steps.push_back({cainjector::Link::kSecretName, "secretName", objects.secret.name});
    steps.push_back({cainjector::Link::kSecret, "Secret", objects.secret.String()});
    steps.push_back({cainjector::Link::kConsent, "belongs to it",
                     std::string(cainjector::kCertificateName) + ": " + objects.object.name});
  }
  if (kind == "Secret") {
    steps.push_back({cainjector::Link::kConsent, "consent",
                     std::string(cainjector::kAllowDirectInjection) + ": true"});
  }
  const bool has_key = kind != "APIServer" && kind != "ClusterTrustBundle";
  steps.push_back({cainjector::Link::kContent, has_key ? objects.data_key : "CA", "a CA bundle"});
  steps.push_back({cainjector::Link::kBundle, "bundle", BundleDetail(finding)});
  return steps;
}

// Returns the link of one source of a list.
ChainLink ItemLink(const Finding& finding, const Step& step) {
  ChainLink link{.name = step.name, .state = ChainLink::State::kOk, .detail = step.detail};
  for (const auto& cause : finding.failure->causes) {
    if (cause.item != step.detail) continue;
    link.state = BrokenState(finding);
    link.detail += ": " + std::string(ToString(cause.reason)) + ": " + cause.message;
    break;
  }
  return link;
}

std::vector<ChainLink> LinksOf(const Finding& finding, const SourceObjects& objects) {
  std::vector<ChainLink> links;
  const bool has_causes = finding.failure && !finding.failure->causes.empty();
  const auto broken =
      finding.failure && !has_causes ? std::optional(BrokenLink(*finding.failure)) : std::nullopt;
  bool reached = true;
  for (Step& step : StepsOf(finding, objects)) {
    if (step.is_item && has_causes) {
      links.push_back(ItemLink(finding, step));
      reached = finding.plan.has_value();
      continue;
    }
    // A reason that belongs to no link of this chain breaks the next link.
    const bool breaks = reached && broken && *broken <= step.link;
    // Only the manager reports this link, and only when it is broken.
    if (step.link == cainjector::Link::kProcess && !breaks) continue;
    ChainLink link{.name = std::move(step.name)};
    if (breaks) {
      link.state = BrokenState(finding);
      link.detail = finding.failure->message;
    } else if (reached) {
      const bool waits = step.link == cainjector::Link::kBundle && finding.plan &&
                         finding.plan->bundles != finding.current;
      link.state = waits ? ChainLink::State::kWaits : ChainLink::State::kOk;
      link.detail = std::move(step.detail);
    }
    if (breaks) reached = false;
    links.push_back(std::move(link));
  }
  return links;
}

std::string HolderText(const std::stop_token& stop, rest::Client& client, Clock::WallTime now) {
  const std::string name = "Lease " + ManagersLease().String();
  const auto lease = Client<api::Lease>(client).Get(stop, ManagersLease());
  if (!lease) {
    if (IsNotFound(lease.error())) return name + " does not exist: " + kElsewhere;
    return "the leader is unknown: " + lease.error().message;
  }
  const auto& spec = (*lease)->spec;
  const auto renewed = ParseTime(spec.renew_time);
  const bool held =
      !spec.holder_identity.empty() && renewed &&
      ToMicroTime(now) - *renewed < 2 * std::chrono::seconds(spec.lease_duration_seconds);
  if (!held) return name + " has no holder: " + kElsewhere;
  return spec.holder_identity + " holds " + name;
}

struct Mark {
  const char* text;  // five columns
  const char* word;
  Tone tone;
};

Mark MarkOf(ChainLink::State state) {
  switch (state) {
    case ChainLink::State::kOk:
      return {"ok   ", "ok", Tone::kGood};
    case ChainLink::State::kWaits:
      return {"wait ", "waits", Tone::kWait};
    case ChainLink::State::kBroken:
      return {"FAIL ", "broken", Tone::kBad};
    case ChainLink::State::kUnknown:
      return {"?    ", "unknown", Tone::kWait};
    case ChainLink::State::kNotReached:
      break;
  }
  return {"-    ", "notReached", Tone::kFaint};
}

Tone ToneOf(const Explanation& explanation) {
  if (explanation.all_well()) return Tone::kGood;
  return explanation.state == "Broken" ? Tone::kBad : Tone::kWait;
}

}  // namespace

Explanation Explain(const std::stop_token& stop, rest::Client& client, const Finding& finding) {
  Explanation explanation{.kind = finding.kind(), .name = finding.name()};
  if (!finding.source) {
    explanation.state = "NotRequested";
    explanation.message = "no annotation requests injection";
    const auto refusal = finding.content ? finding.target->Refusal(*finding.content) : std::nullopt;
    if (refusal) {
      explanation.message += ", and one would have no effect: " + refusal->message;
    } else {
      explanation.fix = FixNotRequested(finding);
    }
    return explanation;
  }
  if (!finding.watched) {
    explanation.state = "NotWatched";
    explanation.message = NotWatched(finding);
    explanation.fix = FixNotWatched(finding);
    return explanation;
  }
  const Finding broken = FirstBroken(finding);
  const SourceObjects objects = ObjectsOf(broken, SecretNameOf(stop, client, broken));
  explanation.state = ToString(finding.state);
  explanation.reason = ToString(finding.reason);
  explanation.links = LinksOf(finding, objects);
  explanation.fix = FixOf(broken, objects);
  explanation.message = finding.message();
  if (finding.state == State::kPending) {
    explanation.message = "nothing is broken, but the bundle is not there yet";
    explanation.manager = HolderText(stop, client, Clock::Real().WallNow());
  }
  if (finding.state == State::kInSync) explanation.message = "the target holds the bundle";
  if (!finding.event_time.empty()) {
    explanation.notes.push_back("the manager reported this in an Event at " + finding.event_time);
  }
  if (!finding.note.empty()) explanation.notes.push_back(finding.note);
  return explanation;
}

std::string ToText(const Explanation& explanation, const Terminal& terminal) {
  std::string out =
      Toned(terminal, Tone::kBold, explanation.kind + "/" + explanation.name) + ": " +
      Toned(terminal, ToneOf(explanation),
            explanation.state + (explanation.reason.empty() ? "" : ", ") + explanation.reason) +
      "\n";
  std::size_t width = 0;
  for (const ChainLink& link : explanation.links) width = std::max(width, link.name.size());
  for (const ChainLink& link : explanation.links) {
    const Mark mark = MarkOf(link.state);
    std::string name = link.name;
    if (!link.detail.empty()) name.append(width - name.size(), ' ');
    out += "  " + Toned(terminal, mark.tone, mark.text) + " " + name;
    if (!link.detail.empty()) out += "  " + Printable(link.detail);
    out += "\n";
  }
  if (explanation.links.empty()) out += "  " + Printable(explanation.message) + "\n";
  if (!explanation.manager.empty()) out += "  " + Printable(explanation.manager) + "\n";
  for (const std::string& note : explanation.notes) out += "  note: " + Printable(note) + "\n";
  if (!explanation.fix.empty()) {
    out += std::string(explanation.unknown() ? "to check it" : "fix") + ":\n  " +
           Toned(terminal, Tone::kBold, Printable(explanation.fix)) + "\n";
  }
  return out;
}

std::string ToJson(const Explanation& explanation) {
  return ObjectJson([&](runtime::JsonWriter& writer) {
    runtime::WriteField(writer, "kind", explanation.kind);
    runtime::WriteField(writer, "name", explanation.name);
    runtime::WriteField(writer, "state", explanation.state);
    runtime::WriteField(writer, "reason", explanation.reason);
    runtime::WriteField(writer, "message", explanation.message);
    WriteObjects(writer, "links", explanation.links, [&](const ChainLink& link) {
      runtime::WriteField(writer, "name", link.name);
      runtime::WriteField(writer, "state", MarkOf(link.state).word);
      runtime::WriteField(writer, "detail", link.detail);
      runtime::WriteField(writer, "reason", link.reason);
    });
    runtime::WriteField(writer, "manager", explanation.manager);
    writer.Key("notes");
    writer.StartArray();
    for (const std::string& note : explanation.notes) writer.String(note);
    writer.EndArray();
    runtime::WriteField(writer, "fix", explanation.fix);
  });
}

}  // namespace capstan::cmd::cli::inspect
