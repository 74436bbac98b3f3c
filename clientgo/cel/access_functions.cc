// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>
#include <utility>

#include "capstan/text.h"
#include "clientgo/cel/access_check.h"
#include "clientgo/cel/functions.h"

namespace capstan::cel {
namespace {

constexpr std::string_view kPathCheckType = "kubernetes.authorization.PathCheck";
constexpr std::string_view kGroupCheckType = "kubernetes.authorization.GroupCheck";
constexpr std::string_view kDecisionType = "kubernetes.authorization.Decision";

// AccessValue is a value of one of the five types: a part of a check, or its answer.
class AccessValue : public Opaque {
 public:
  AccessValue(std::string_view type, std::shared_ptr<const AccessChecker> access_checker,
              AccessCheck access_check)
      : checker(std::move(access_checker)), check(std::move(access_check)), type_(type) {}
  std::string_view type_name() const override { return type_; }
  bool Equals(const Opaque& other) const override { return this == &other; }

  std::shared_ptr<const AccessChecker> checker;
  AccessCheck check;
  AccessAnswer answer = {};

 private:
  std::string_view type_;
};

Value NewAccessValue(std::string_view type, std::shared_ptr<const AccessChecker> checker,
                     AccessCheck check) {
  return Value::Of(std::shared_ptr<const Opaque>(
      std::make_shared<const AccessValue>(type, std::move(checker), std::move(check))));
}

const AccessValue& AccessOf(Arguments args) {
  return *static_cast<const AccessValue*>(args[0].opaque());
}

// Returns a value of another type with one more member of the check, the second argument.
Value Extend(Arguments args, std::string_view type, std::string AccessCheck::*member) {
  const AccessValue& before = AccessOf(args);
  AccessCheck check = before.check;
  check.*member = *args[1].Get<std::string>();
  return NewAccessValue(type, before.checker, std::move(check));
}

template <std::string AccessCheck::*member>
Value SetOfResource(Arguments args) {
  return Extend(args, kResourceCheckType, member);
}

bool IsBlank(const Value& text) { return Trim(*text.Get<std::string>(), " \t\r\n\v\f").empty(); }

Value ToPathCheck(Arguments args) {
  if (IsBlank(args[1])) return Value::Failure("path must not be empty");
  return Extend(args, kPathCheckType, &AccessCheck::path);
}
Value ToGroupCheck(Arguments args) { return Extend(args, kGroupCheckType, &AccessCheck::group); }
Value ToResourceCheck(Arguments args) {
  if (IsBlank(args[1])) return Value::Failure("resource must not be empty");
  return Extend(args, kResourceCheckType, &AccessCheck::resource);
}

// Reports whether a text is a DNS subdomain, or a DNS label.
bool IsDnsName(std::string_view text, std::size_t size_max, bool subdomain) {
  if (text.empty() || text.size() > size_max) return false;
  if (text.starts_with('.') || text.ends_with('.') || text.find("..") != std::string_view::npos) {
    return false;
  }
  for (const std::string_view label : Split(text, '.')) {
    if (label.front() == '-' || label.back() == '-') return false;
    for (const char c : label) {
      if (!(c >= 'a' && c <= 'z') && !IsAsciiDigit(c) && c != '-') return false;
    }
  }
  return subdomain || text.find('.') == std::string_view::npos;
}

Value AsServiceAccount(Arguments args) {
  constexpr std::size_t kSubdomainMax = 253;
  constexpr std::size_t kLabelMax = 63;
  const AccessValue& before = AccessOf(args);
  AccessCheck check = before.check;
  check.service_account_namespace = *args[1].Get<std::string>();
  check.service_account = *args[2].Get<std::string>();
  if (!IsDnsName(check.service_account, kSubdomainMax, true)) {
    return Value::Failure("Invalid service account name");
  }
  if (!IsDnsName(check.service_account_namespace, kLabelMax, false)) {
    return Value::Failure("Invalid service account namespace");
  }
  return NewAccessValue(kAuthorizerType, before.checker, std::move(check));
}

Value IgnoreSelector(Arguments args) { return args[0]; }

Value Decide(Arguments args) {
  const AccessValue& before = AccessOf(args);
  auto decision = std::make_shared<AccessValue>(kDecisionType, before.checker, before.check);
  decision->check.verb = *args[1].Get<std::string>();
  decision->answer = (*before.checker)(decision->check);
  return Value::Of(std::shared_ptr<const Opaque>(std::move(decision)));
}

Value IsAllowed(Arguments args) { return Value::Bool(AccessOf(args).answer.allowed); }
Value ReasonOf(Arguments args) { return Value::String(AccessOf(args).answer.reason); }
// The authorizers of this server have no errors.
Value HasFailed(Arguments) { return Value::Bool(false); }
Value NoError(Arguments) { return Value::String(""); }

#define CAPSTAN_AUTHZ "kubernetes.authorization."
#define CAPSTAN_RESOURCE_CHECK \
  ". " CAPSTAN_AUTHZ "ResourceCheck, string -> " CAPSTAN_AUTHZ "ResourceCheck"

constexpr std::array kAccessRows = std::to_array<OverloadRow>({
    {"path", ". " CAPSTAN_AUTHZ "Authorizer, string -> " CAPSTAN_AUTHZ "PathCheck", ToPathCheck},
    {"group", ". " CAPSTAN_AUTHZ "Authorizer, string -> " CAPSTAN_AUTHZ "GroupCheck", ToGroupCheck},
    {"serviceAccount",
     ". " CAPSTAN_AUTHZ "Authorizer, string, string -> " CAPSTAN_AUTHZ "Authorizer",
     AsServiceAccount},
    {"resource", ". " CAPSTAN_AUTHZ "GroupCheck, string -> " CAPSTAN_AUTHZ "ResourceCheck",
     ToResourceCheck},
    {"subresource", CAPSTAN_RESOURCE_CHECK, SetOfResource<&AccessCheck::subresource>},
    {"namespace", CAPSTAN_RESOURCE_CHECK, SetOfResource<&AccessCheck::namespace_>},
    {"name", CAPSTAN_RESOURCE_CHECK, SetOfResource<&AccessCheck::name>},
    {"fieldSelector", CAPSTAN_RESOURCE_CHECK, IgnoreSelector},
    {"labelSelector", CAPSTAN_RESOURCE_CHECK, IgnoreSelector},
    {"check", ". " CAPSTAN_AUTHZ "PathCheck, string -> " CAPSTAN_AUTHZ "Decision", Decide},
    {"check", ". " CAPSTAN_AUTHZ "ResourceCheck, string -> " CAPSTAN_AUTHZ "Decision", Decide},
    {"allowed", ". " CAPSTAN_AUTHZ "Decision -> bool", IsAllowed},
    {"reason", ". " CAPSTAN_AUTHZ "Decision -> string", ReasonOf},
    {"errored", ". " CAPSTAN_AUTHZ "Decision -> bool", HasFailed},
    {"error", ". " CAPSTAN_AUTHZ "Decision -> string", NoError},
});

#undef CAPSTAN_RESOURCE_CHECK
#undef CAPSTAN_AUTHZ

}  // namespace

std::span<const OverloadRow> AccessRows() { return kAccessRows; }

Value AuthorizerValue(std::shared_ptr<const AccessChecker> checker) {
  return NewAccessValue(kAuthorizerType, std::move(checker), {});
}

Value ResourceCheckValue(std::shared_ptr<const AccessChecker> checker, AccessCheck resource) {
  return NewAccessValue(kResourceCheckType, std::move(checker), std::move(resource));
}

}  // namespace capstan::cel
