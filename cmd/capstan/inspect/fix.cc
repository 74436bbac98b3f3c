// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/fix.h"

#include <algorithm>
#include <cctype>

#include "cmd/capstan/inspect/kinds.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/rules/denial.h"
#include "controllers/cainjector/rules/source_list.h"

namespace capstan::cmd::cli::inspect {
namespace {

constexpr const char* kOverwrite = " --overwrite";
constexpr const char* kRestart =
    "kubectl rollout restart deployment -n NAMESPACE capstan-controller-manager";

std::string Target(const Finding& finding) {
  const std::string_view ns = finding.object->namespace_();
  return KubectlName(*finding.target) + (ns.empty() ? "" : " -n " + ShellQuoted(ns)) + " " +
         ShellQuoted(finding.object->name());
}

std::string Annotate(const Finding& finding, const std::string& change) {
  return "kubectl annotate " + Target(finding) + " " + change;
}

std::string Object(std::string_view kind, const runtime::ObjectKey& key) {
  return std::string(kind) + " -n " + ShellQuoted(key.namespace_) + " " + ShellQuoted(key.name);
}

std::string AnnotateSecret(const runtime::ObjectKey& secret, std::string_view name,
                           const std::string& value) {
  return "kubectl annotate " + Object("secret", secret) + " " + std::string(name) + "=" +
         ShellQuoted(value) + kOverwrite;
}

// Returns "annotation=value" with `reference` in place of the broken source. `word` is its kind in
// a list.
std::string Instead(const Finding& finding, std::string_view word, const std::string& reference) {
  const std::string& annotation = finding.source->annotation;
  if (annotation != cainjector::kInjectCaFromSources) {
    return annotation + "=" + reference;
  }
  std::string list;
  const std::string instead = std::string(word) + "/" + reference;
  if (const auto items = cainjector::ParseSourceList(finding.source->list)) {
    for (const auto& item : *items) {
      list += (list.empty() ? "" : ",") +
              (item.text == finding.failure->item ? instead : std::string(item.text));
    }
  }
  return annotation + "=" + (list.empty() ? instead : ShellQuoted(list));
}

bool From(const Finding& finding, std::string_view kind) { return finding.source->kind == kind; }

std::string EditManager(const std::string& flag) {
  return "kubectl edit deployment -n NAMESPACE capstan-controller-manager   # " + flag;
}

// Returns the broken ClusterTrustBundle, or NAME for one of a signer.
std::string TrustBundleName(const Finding& finding) {
  const std::string& value = finding.source->value;
  return value.find('/') == std::string::npos ? value : "NAME";
}

std::string NewContent(const Finding& finding, const SourceObjects& objects) {
  if (From(finding, "Certificate")) return "kubectl delete " + Object("secret", objects.secret);
  if (From(finding, "ConfigMap")) {
    return "kubectl create " + Object("configmap", objects.object) +
           " --from-file=" + ShellQuoted(objects.data_key) +
           "=ca.crt --dry-run=client -o yaml | kubectl apply -f -";
  }
  if (From(finding, "ClusterTrustBundle")) {
    return "kubectl edit clustertrustbundle " + ShellQuoted(TrustBundleName(finding));
  }
  if (From(finding, "APIServer")) return kRestart;
  if (From(finding, "System")) return EditManager("--system-ca-file");
  return "kubectl patch " + Object("secret", objects.secret) +
         R"( --type=merge -p "{\"data\":{\"ca.crt\":\"$(base64 -w0 ca.crt)\"}}")";
}

std::string NoSource(const Finding& finding, const SourceObjects& objects, cainjector::Link link) {
  if (link == cainjector::Link::kSecretName) {
    return "kubectl patch " + Object("certificate", objects.object) +
           R"( --type=merge -p '{"spec":{"secretName":"SECRET"}}')";
  }
  if (link == cainjector::Link::kSecret) {
    return "kubectl describe " + Object("certificate", objects.object);
  }
  if (From(finding, "Certificate")) {
    return Annotate(finding, Instead(finding, "certificate", "NAMESPACE/CERTIFICATE") + kOverwrite);
  }
  if (From(finding, "ConfigMap")) {
    return "kubectl create " + Object("configmap", objects.object) +
           " --from-file=" + ShellQuoted(objects.data_key) + "=ca.crt";
  }
  if (From(finding, "ClusterTrustBundle")) return "kubectl get clustertrustbundles --show-labels";
  return "kubectl create " + Object("secret generic", objects.object) +
         " --from-file=ca.crt=ca.crt && " +
         AnnotateSecret(objects.object, cainjector::kAllowDirectInjection, "true");
}

// Returns the text between `before` and the next quote in the API server's message about rights.
std::string QuotedAfter(std::string_view message, std::string_view before) {
  const std::size_t at = message.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = message.substr(at + before.size());
  return std::string(rest.substr(0, rest.find('"')));
}

std::string Grant(const std::string& message) {
  const std::string user = QuotedAfter(message, "User \"");
  const std::string resource = QuotedAfter(message, "resource \"");
  const std::string group = QuotedAfter(message, "in API group \"");
  std::string verb = "get,list,watch";
  if (const std::size_t at = message.find(" cannot "); at != std::string::npos) {
    const std::string word = message.substr(at + 8, message.find(' ', at + 8) - at - 8);
    if (word == "patch") verb = word;
  }
  if (user.empty() || resource.empty()) return "kubectl auth can-i --list --as=USER";
  const std::string name = "capstan-" + resource + (verb == "patch" ? "-patch" : "");
  return "kubectl create clusterrole " + ShellQuoted(name) + " --verb=" + verb +
         " --resource=" + ShellQuoted(resource + (group.empty() ? "" : "." + group)) +
         " && kubectl create clusterrolebinding " + ShellQuoted(name) +
         " --clusterrole=" + ShellQuoted(name) + " --user=" + ShellQuoted(user);
}

std::string Unavailable(const Finding& finding, const cainjector::Failure& failure) {
  if (failure.message.find("forbidden") != std::string::npos) return Grant(failure.message);
  if (From(finding, "ClusterTrustBundle"))
    return "kubectl api-resources --api-group=certificates.k8s.io";
  return From(finding, "Certificate") ? "kubectl apply -f cert-manager.crds.yaml"
                                      : "kubectl auth can-i --list --as=USER";
}

std::string NoCa(const Finding& finding, const SourceObjects& objects) {
  if (!From(finding, "Certificate")) return NewContent(finding, objects);
  if (!finding.source->list.empty()) {
    return Annotate(finding, Instead(finding, "configmap", "NAMESPACE/CONFIGMAP") + kOverwrite);
  }
  return Annotate(finding, std::string(cainjector::kInjectCaFromConfigMap) +
                               "=NAMESPACE/CONFIGMAP " + finding.source->annotation + "-");
}

// Any change of the target makes the manager process it at once.
std::string LookAgain(const Finding& finding) {
  return Annotate(finding, "capstan.dev/look-again=\"$(date +%s)\"" + std::string(kOverwrite));
}

std::string BadAnnotation(const Finding& finding) {
  if (From(finding, "ClusterTrustBundle")) {
    return Annotate(finding, finding.source->annotation + "=NAME" + kOverwrite);
  }
  const std::string what = From(finding, "ConfigMap")                          ? "CONFIGMAP"
                           : From(finding, "Secret") || From(finding, "Union") ? "SECRET"
                                                                               : "CERTIFICATE";
  return Annotate(finding,
                  Instead(finding, "secret", std::string("NAMESPACE/") + what) + kOverwrite);
}

// A right would not help against a denial by admission.
std::string Rejected(const Finding& finding) {
  using By = cainjector::Denial::By;
  const auto denial = cainjector::DenialOf(finding.failure->message);
  switch (denial ? denial->by : By::kPlugin) {
    case By::kWebhook:
      return "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o "
             "'custom-columns=NAME:.metadata.name,WEBHOOKS:.webhooks[*].name' | grep " +
             ShellQuoted(denial->name) + "   # it must allow the manager's writes";
    case By::kPolicy:
      if (denial->binding.empty()) {
        return "kubectl get validatingadmissionpolicies,mutatingadmissionpolicies -o name | grep " +
               ShellQuoted("/" + denial->name) + "   # it must allow the manager's writes";
      }
      return "kubectl get " + ShellQuoted("validatingadmissionpolicy/" + denial->name) + " " +
             ShellQuoted("validatingadmissionpolicybinding/" + denial->binding) +
             " -o yaml   # it must allow the manager's writes";
    case By::kQuota:
      return "kubectl describe resourcequotas -A   # " + denial->name;
    case By::kNamespace:
      return "kubectl get namespace " + ShellQuoted(denial->name) +
             " -o yaml   # it is being deleted";
    case By::kAuthorizer:
      return Grant(finding.failure->message);
    case By::kPlugin:
      break;
  }
  return "kubectl edit " + Target(finding);
}

// The annotation is on the object with the CA: the Secret of a Certificate.
std::string Share(const Finding& finding, const SourceObjects& objects) {
  const std::string object = From(finding, "ConfigMap") ? Object("configmap", objects.object)
                                                        : Object("secret", objects.secret);
  return "kubectl annotate " + object + " " + std::string(cainjector::kAllowInjectionInto) + "=" +
         ShellQuoted(finding.object->namespace_()) + kOverwrite;
}

std::string KindFlag(const Finding& finding) {
  return "--enable-" + finding.target->type().gvr.resource + "-injectable";
}

}  // namespace

std::string ShellQuoted(std::string_view text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./:=@%+,").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return quoted + "'";
}

SourceObjects ObjectsOf(const Finding& finding, std::string_view secret_name) {
  SourceObjects objects;
  const auto reference = cainjector::SplitKeyReference(finding.source->value);
  objects.data_key = reference.data_key;
  objects.object = runtime::ObjectKey::Parse(reference.object);
  objects.secret = objects.object;
  if (!secret_name.empty()) objects.secret.name = secret_name;
  return objects;
}

Finding FirstBroken(const Finding& finding) {
  Finding first = finding;
  if (!finding.failure || finding.failure->causes.empty()) return first;
  const auto items = cainjector::ParseSourceList(finding.source->value);
  if (!items) return first;
  first.failure = finding.failure->causes.front();
  for (const auto& item : *items) {
    if (item.text != first.failure->item) continue;
    first.source->kind = item.kind;
    first.source->value = item.value;
    first.source->list = finding.source->value;
  }
  return first;
}

std::string NotWatched(const Finding& finding) {
  if (finding.unwatched == Finding::Unwatched::kLabel) {
    return "the manager watches only a " + finding.kind() + " with the label " +
           finding.target->label_selector();
  }
  if (finding.unwatched == Finding::Unwatched::kNamespace) {
    return "a manager with these --namespace or --ignore-namespaces watches no " + finding.kind() +
           " in the namespace " + std::string(finding.object->namespace_());
  }
  return "a manager with " + KindFlag(finding) + "=false injects into no " + finding.kind();
}

std::string FixNotWatched(const Finding& finding) {
  if (finding.unwatched == Finding::Unwatched::kLabel) {
    return "kubectl label " + Target(finding) + " " + finding.target->label_selector();
  }
  if (finding.unwatched == Finding::Unwatched::kNamespace) {
    return EditManager("--namespace, --ignore-namespaces");
  }
  return EditManager(KindFlag(finding) + "=true");
}

std::string FixNotRequested(const Finding& finding) {
  return Annotate(finding, std::string(cainjector::kInjectCaFrom) + "=NAMESPACE/CERTIFICATE");
}

// Nothing is known to be broken, and a right for the caller would fix nothing.
std::string FixUnknown(const Finding& finding, const std::string& flag) {
  const std::string explain = "capstan explain " + KubectlName(*finding.target) + " " +
                              ShellQuoted(finding.name()) + (flag.empty() ? "" : " " + flag);
  if (!IsForbidden(finding.failure->error)) return explain + "   # once the API server answers";
  return explain +
         " --as=system:serviceaccount:NAMESPACE:NAME   # the manager, or another user with the "
         "right";
}

std::string FixOf(const Finding& finding, const SourceObjects& objects) {
  if (finding.state == State::kInSync) return {};
  if (finding.state == State::kUnknown) return FixUnknown(finding);
  if (!finding.failure) return LookAgain(finding);
  const cainjector::Failure& failure = *finding.failure;
  switch (failure.reason) {
    case cainjector::Reason::kBadAnnotation:
      return BadAnnotation(finding);
    case cainjector::Reason::kSourceNotFound:
      return NoSource(finding, objects, BrokenLink(failure));
    case cainjector::Reason::kNotAllowed:
      return AnnotateSecret(objects.secret, cainjector::kAllowDirectInjection, "true");
    case cainjector::Reason::kNotThisCertificate:
      return AnnotateSecret(objects.secret, cainjector::kCertificateName, objects.object.name);
    case cainjector::Reason::kNoCaData:
      return NoCa(finding, objects);
    case cainjector::Reason::kInvalidBundle:
    case cainjector::Reason::kExpired:
    case cainjector::Reason::kDistrusted:
      return NewContent(finding, objects);
    case cainjector::Reason::kOutsideNamespace:
      return EditManager("--namespace, --ignore-namespaces");
    case cainjector::Reason::kSourceDisabled:
      return EditManager(
          "--enable-certificates-data-source, "
          "--feature-gates=ConfigMapSource=true,ClusterTrustBundleSource=true");
    case cainjector::Reason::kSourceUnavailable:
      return Unavailable(finding, failure);
    case cainjector::Reason::kNothingToInjectInto:
      return Annotate(finding, finding.source->annotation + "-");
    case cainjector::Reason::kTlsVerifyDisabled:
      return "kubectl patch " + Target(finding) +
             R"( --type=json -p '[{"op":"remove","path":"/spec/insecureSkipTLSVerify"}]')";
    case cainjector::Reason::kFieldOwned:
      return Annotate(finding,
                      std::string(cainjector::kInjectCaKey) + "=injected-ca.crt" + kOverwrite);
    case cainjector::Reason::kForbidden:
      return Grant(failure.message);
    case cainjector::Reason::kSourcesIncomplete:  // of an Event: the manager cannot use some source
      return Unavailable(finding, failure);
    case cainjector::Reason::kRejected:
      return Rejected(finding);
    case cainjector::Reason::kTooLarge:
      return "kubectl edit " + Target(finding);
    case cainjector::Reason::kOverwritten:
      return "kubectl get " + Target(finding) + " --show-managed-fields -o yaml";
    case cainjector::Reason::kNotShared:
      return Share(finding, objects);
    case cainjector::Reason::kError:
    case cainjector::Reason::kInjected:
    case cainjector::Reason::kUnchanged:
      break;
  }
  return LookAgain(finding);
}

}  // namespace capstan::cmd::cli::inspect
