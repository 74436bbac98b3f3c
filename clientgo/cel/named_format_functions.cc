// SPDX-License-Identifier: Apache-2.0
// The formats with names: format.named("dns1123Label"), format.dns1123Label().validate(x). Mirrors
// Kubernetes' cel/library/format.go.
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/base64.h"
#include "clientgo/cel/functions.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/cel/timestamps.h"
#include "clientgo/cel/url.h"

namespace capstan::cel {
namespace {

using Errors = std::vector<std::string>;

// A form of names: what it looks like, and the text of the error.
struct NameForm {
  std::string_view pattern;
  std::size_t size_max;
  std::string_view error;
};

constexpr std::size_t kLabelSizeMax = 63;
constexpr std::size_t kSubdomainSizeMax = 253;

constexpr NameForm kDns1123Label = {
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", kLabelSizeMax,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"};
constexpr NameForm kDns1123Subdomain = {
    R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)", kSubdomainSizeMax,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    R"(for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))"};
constexpr NameForm kDns1035Label = {
    "^[a-z]([-a-z0-9]*[a-z0-9])?$", kLabelSizeMax,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"};
constexpr NameForm kLabelValue = {
    "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", kLabelSizeMax,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"};
constexpr NameForm kQualifiedPart = {
    "^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$", kLabelSizeMax,
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"};

Errors CheckForm(const NameForm& form, std::string_view text, std::string_view prefix = "") {
  Errors errors;
  // The words of two packages of Kubernetes for the same limit.
  const bool in_bytes = !prefix.empty() || form.pattern == kQualifiedPart.pattern ||
                        form.pattern == kLabelValue.pattern;
  if (text.size() > form.size_max) {
    errors.push_back(std::string(prefix) + "must be no more than " + std::to_string(form.size_max) +
                     (in_bytes ? " bytes" : " characters"));
  }
  if (GoRegexp(form.pattern).Matches(text)) return errors;
  if (form.pattern == kDns1123Label.pattern && GoRegexp(kDns1123Subdomain.pattern).Matches(text)) {
    errors.emplace_back("must not contain dots");
  } else {
    errors.push_back(
        std::string(prefix.empty() || form.error.starts_with("name part") ? "" : prefix) +
        std::string(form.error));
  }
  return errors;
}

// The API server adds a suffix to a prefix, so a dash at its end is allowed.
std::string MaskedDash(std::string_view text) {
  std::string masked(text);
  if (masked.size() > 1 && masked.back() == '-') masked.back() = 'a';
  return masked;
}

template <const NameForm& Form>
Errors CheckName(const std::string& text) {
  return CheckForm(Form, text);
}
template <const NameForm& Form>
Errors CheckPrefix(const std::string& text) {
  return CheckForm(Form, MaskedDash(text));
}

Errors CheckQualifiedName(const std::string& text) {
  const std::size_t slash = text.find('/');
  std::string_view name = text;
  Errors errors;
  if (slash != std::string::npos) {
    const std::string_view prefix = name.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      const std::string why(kQualifiedPart.error.substr(std::string_view("name part ").size()));
      return {"a qualified name " + why +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) {
      errors.emplace_back("prefix part must be non-empty");
    } else {
      errors = CheckForm(kDns1123Subdomain, prefix, "prefix part ");
    }
  }
  if (name.empty()) errors.emplace_back("name part must be non-empty");
  for (std::string& error : CheckForm(kQualifiedPart, name, "name part ")) {
    errors.push_back(std::move(error));
  }
  return errors;
}

Errors CheckUri(const std::string& text) {
  std::string error = WhyNoUrl(text);
  return error.empty() ? Errors{} : Errors{std::move(error)};
}
Errors CheckUuid(const std::string& text) {
  static const GoRegexp pattern(
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  return pattern.Matches(text) ? Errors{} : Errors{"does not match the UUID format"};
}
Errors CheckByte(const std::string& text) {
  static const GoRegexp pattern(
      "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$");
  return pattern.Matches(text) ? Errors{} : Errors{"invalid base64"};
}
Errors CheckDate(const std::string& text) {
  return ParseDate(text) ? Errors{} : Errors{"invalid date"};
}
Errors CheckDatetime(const std::string& text) {
  return IsDateTime(text) ? Errors{} : Errors{"invalid datetime"};
}

struct NamedFormat {
  std::string_view function;  // "format." and the name
  Errors (*check)(const std::string& text);
  std::size_t pattern_size;  // as Kubernetes estimates it
};

class FormatValue : public Opaque {
 public:
  explicit FormatValue(const NamedFormat& given) : format(given) {}
  std::string_view type_name() const override { return "kubernetes.NamedFormat"; }
  bool Equals(const Opaque& other) const override {
    return &format == &static_cast<const FormatValue&>(other).format;
  }
  std::size_t pattern_size() const override { return format.pattern_size; }
  const NamedFormat& format;
};

constexpr std::array kNamedFormats = std::to_array<NamedFormat>({
    {"format.dns1123Label", CheckName<kDns1123Label>, 30},
    {"format.dns1123Subdomain", CheckName<kDns1123Subdomain>, 60},
    {"format.dns1035Label", CheckName<kDns1035Label>, 30},
    {"format.qualifiedName", CheckQualifiedName, 60},
    {"format.dns1123LabelPrefix", CheckPrefix<kDns1123Label>, 30},
    {"format.dns1123SubdomainPrefix", CheckPrefix<kDns1123Subdomain>, 60},
    {"format.dns1035LabelPrefix", CheckPrefix<kDns1035Label>, 30},
    {"format.labelValue", CheckName<kLabelValue>, 40},
    {"format.uri", CheckUri, 1103},
    {"format.uuid", CheckUuid, 70},
    {"format.byte", CheckByte, 84},
    {"format.date", CheckDate, 71},
    {"format.datetime", CheckDatetime, 71},
});

template <std::size_t Index>
Value ConstantFormat(Arguments /*args*/) {
  return Value::Of(std::make_shared<const FormatValue>(kNamedFormats[Index]));
}

Value FindFormat(Arguments args) {
  const std::string name = "format." + *args[0].Get<std::string>();
  for (const NamedFormat& format : kNamedFormats) {
    if (format.function != name) continue;
    return Value::Some(Value::Of(std::make_shared<const FormatValue>(format)));
  }
  return Value::None();
}

Value ValidateFormat(Arguments args) {
  const auto& format = static_cast<const FormatValue*>(args[0].opaque())->format;
  Errors errors = format.check(*args[1].Get<std::string>());
  return errors.empty() ? Value::None() : Value::Some(NewStringList(std::move(errors)));
}

template <std::size_t... Indices>
constexpr auto MakeNamedFormatRows(std::index_sequence<Indices...> /*indices*/) {
  return std::to_array<OverloadRow>({
      {kNamedFormats[Indices].function, " -> kubernetes.NamedFormat", ConstantFormat<Indices>}...,
      {"format.named", "string -> optional_type(kubernetes.NamedFormat)", FindFormat},
      {"validate", ". kubernetes.NamedFormat, string -> optional_type(list(string))",
       ValidateFormat},
  });
}
constexpr auto kNamedFormatRows =
    MakeNamedFormatRows(std::make_index_sequence<kNamedFormats.size()>());

}  // namespace

std::span<const OverloadRow> NamedFormatRows() { return kNamedFormatRows; }

}  // namespace capstan::cel
