// SPDX-License-Identifier: Apache-2.0
#include "cmd/injector/additional_targets.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "capstan/flags/value.h"
#include "capstan/logging.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/text.h"

namespace capstan::cmd::injector {
namespace {

constexpr std::size_t kTargetsMax = 50;

bool IsLabel(std::string_view text) {
  return text.size() <= 63 && text.find('.') == std::string_view::npos && IsDnsSubdomain(text);
}

bool IsKind(std::string_view text) {
  return !text.empty() && text.size() <= 63 && text.front() >= 'A' && text.front() <= 'Z' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
         });
}

// TargetReader reads one element of the list.
class TargetReader {
 public:
  explicit TargetReader(std::string where) : where_(std::move(where)) {}

  Expected<cainjector::FieldTargetOptions> Read(const runtime::JsonValue& value) {
    if (!runtime::IsJsonObject(value)) return Bad("", "expected a map");
    for (const auto& [name, member] : runtime::JsonMembers(value)) {
      if (auto ok = ReadMember(name, member); !ok) return Err(std::move(ok.error()));
    }
    if (options_.gvr.version.empty()) return Missing("version", "v1");
    if (options_.kind.empty()) return Missing("kind", "Issuer");
    if (options_.gvr.resource.empty()) return Missing("resource", "issuers");
    if (options_.fields.empty()) return Missing("fields", "[spec.acme.caBundle]");
    if (auto ok = CheckFieldTarget(options_); !ok) return Bad("", ok.error().message);
    return std::move(options_);
  }

 private:
  Expected<void> ReadMember(std::string_view name, const runtime::JsonValue& value) {
    if (name == "group") {
      const auto is_group = [](std::string_view text) {
        return text.empty() || IsDnsSubdomain(text);
      };
      return ReadText(name, value, is_group, "an API group such as cert-manager.io",
                      options_.gvr.group);
    }
    if (name == "version") return ReadText(name, value, IsLabel, "v1", options_.gvr.version);
    if (name == "kind")
      return ReadText(name, value, IsKind, "a kind such as Issuer", options_.kind);
    if (name == "resource") {
      return ReadText(name, value, IsLabel, "a plural name such as issuers", options_.gvr.resource);
    }
    if (name == "namespaced") {
      const auto flag = runtime::AsBool(value);
      if (!flag) return Bad(name, "expected true or false");
      options_.namespaced = *flag;
      return {};
    }
    if (name == "encoding") return ReadEncoding(name, value);
    if (name == "fields") return ReadFields(name, value);
    const auto nearest = flags::Nearest(
        name, {"group", "version", "kind", "resource", "namespaced", "fields", "encoding"});
    return Bad("", "unknown field " + Quoted(name) +
                       (nearest ? "; did you mean " + *nearest + "?"
                                : "; expected one of group version kind resource namespaced fields "
                                  "encoding"));
  }

  Expected<void> ReadText(std::string_view name, const runtime::JsonValue& value,
                          bool (*valid)(std::string_view), const std::string& expected,
                          std::string& text) const {
    const auto found = runtime::AsString(value);
    if (!found || !valid(*found)) return Bad(name, "expected " + expected);
    text = *found;
    return {};
  }

  Expected<void> ReadEncoding(std::string_view name, const runtime::JsonValue& value) {
    const auto text = runtime::AsString(value);
    if (text != "base64" && text != "pem") return Bad(name, "expected base64 or pem");
    options_.encoding =
        text == "pem" ? cainjector::FieldEncoding::kPem : cainjector::FieldEncoding::kBase64;
    return {};
  }

  Expected<void> ReadFields(std::string_view name, const runtime::JsonValue& value) {
    if (!runtime::IsJsonArray(value)) return Bad(name, "expected a list of field paths");
    for (const runtime::JsonValue& element : runtime::JsonElements(value)) {
      const std::string where =
          std::string(name) + "[" + std::to_string(options_.fields.size()) + "]";
      const auto text = runtime::AsString(element);
      if (!text) return Bad(where, "expected a field path such as spec.acme.caBundle");
      auto path = cainjector::ParseFieldPath(*text);
      if (!path) return Bad(where, path.error().message);
      for (const cainjector::FieldPath& known : options_.fields) {
        if (auto ok = CheckPair(known, *path, where); !ok) return ok;
      }
      options_.fields.push_back(*std::move(path));
    }
    return {};
  }

  // Both fields must be able to hold a bundle.
  Expected<void> CheckPair(const cainjector::FieldPath& known, const cainjector::FieldPath& path,
                           const std::string& where) const {
    if (known == path) return Bad(where, path.String() + " is given twice");
    const bool known_is_longer = known.steps.size() > path.steps.size();
    const cainjector::FieldPath& longer = known_is_longer ? known : path;
    const cainjector::FieldPath& shorter = known_is_longer ? path : known;
    const auto names = shorter.Names();
    const auto longer_names = longer.Names();
    if (longer.steps.size() == shorter.steps.size() ||
        !std::equal(names.begin(), names.end(), longer_names.begin())) {
      return {};
    }
    return Bad(where, shorter.String() + " contains " + longer.String() +
                          ", so it cannot be a string; name one of the two");
  }

  tl::unexpected<Error> Missing(const std::string& name, const std::string& example) const {
    return Bad(name, "missing; for example " + example);
  }

  tl::unexpected<Error> Bad(std::string_view name, const std::string& why) const {
    return Err(ErrorReason::kInvalidArgument,
               where_ + (name.empty() ? "" : "." + std::string(name)) + ": " + why);
  }

  const std::string where_;
  cainjector::FieldTargetOptions options_;
};

}  // namespace

Expected<std::vector<cainjector::FieldTargetPtr>> ParseAdditionalTargets(const std::string& json) {
  std::vector<cainjector::FieldTargetPtr> targets;
  if (json.empty()) return targets;
  const auto document = runtime::ParsedJson::Parse(json);
  if (!document || !runtime::IsJsonArray(document->root())) {
    return Err(ErrorReason::kInvalidArgument,
               "additionalTargets: expected a list of {group, version, kind, resource, fields}");
  }
  for (const runtime::JsonValue& element : runtime::JsonElements(document->root())) {
    const std::string where = "additionalTargets[" + std::to_string(targets.size()) + "]";
    auto options = TargetReader(where).Read(element);
    if (!options) return Err(std::move(options.error()));
    // The kind is the name of its Controller, and a label of its metrics.
    const bool twice =
        std::any_of(targets.begin(), targets.end(), [&](const cainjector::FieldTargetPtr& other) {
          return LowerAscii(other->options.kind) == LowerAscii(options->kind);
        });
    if (twice) {
      return Err(ErrorReason::kInvalidArgument,
                 where + ": the kind " + options->kind +
                     " is given twice; put all its fields into one target");
    }
    if (targets.size() == kTargetsMax) {
      return Err(ErrorReason::kInvalidArgument,
                 "additionalTargets: at most " + std::to_string(kTargetsMax) + " are supported");
    }
    targets.push_back(std::make_shared<const cainjector::FieldTarget>(*std::move(options)));
  }
  return targets;
}

}  // namespace capstan::cmd::injector
