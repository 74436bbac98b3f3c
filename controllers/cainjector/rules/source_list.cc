// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/source_list.h"

#include <algorithm>
#include <array>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "controllers/cainjector/rules/trust_bundle_reference.h"

namespace capstan::cainjector {
namespace {

bool IsTrustBundle(std::string_view text) { return IsTrustBundleName(text) || IsSignerName(text); }

// Word is how items of one kind begin.
struct Word {
  std::string_view word;
  std::string_view kind;
  std::string_view annotation;
  std::string_view form;               // for errors
  bool (*is_value)(std::string_view);  // null: the item is the word alone
};

constexpr std::array kWords = {
    Word{"secret", "Secret", kInjectCaFromSecret, "secret/NAMESPACE/NAME", IsObjectReference},
    Word{"configmap", "ConfigMap", kInjectCaFromConfigMap, "configmap/NAMESPACE/NAME[/KEY]",
         IsKeyReference},
    Word{"certificate", "Certificate", kInjectCaFrom, "certificate/NAMESPACE/NAME",
         IsObjectReference},
    Word{"clustertrustbundle", "ClusterTrustBundle", kInjectCaFromTrustBundle,
         "clustertrustbundle/NAME, clustertrustbundle/SIGNER", IsTrustBundle},
    Word{"apiserver", "APIServer", kInjectApiServerCa, "apiserver", nullptr},
    Word{kSystemItem, "System", kSystemItem, kSystemItem, nullptr},
};

// The value of the annotation of a kind without names.
constexpr std::string_view kNoName = "true";

tl::unexpected<Error> Bad(const std::string& what) {
  std::string forms;
  for (const Word& word : kWords) {
    if (!forms.empty()) forms += &word == &kWords.back() ? " or " : ", ";
    forms += word.form;
  }
  return Err(ErrorReason::kInvalidArgument, what + "; an item is " + forms);
}

tl::unexpected<Error> BadItem(std::string_view item) {
  constexpr std::size_t kQuotedMax = 128;
  return Bad("has the bad item " + Quoted(item.substr(0, kQuotedMax)));
}

Expected<SourceItem> ParseItem(std::string_view item) {
  const std::size_t slash = std::min(item.find('/'), item.size());
  for (const Word& word : kWords) {
    if (item.substr(0, slash) != word.word) continue;
    if (word.is_value == nullptr) {
      if (slash != item.size()) break;
      return SourceItem{
          .kind = word.kind, .annotation = word.annotation, .value = kNoName, .text = item};
    }
    if (slash == item.size() || !word.is_value(item.substr(slash + 1))) break;
    return SourceItem{.kind = word.kind,
                      .annotation = word.annotation,
                      .value = item.substr(slash + 1),
                      .text = item};
  }
  return BadItem(item);
}

// Returns the key of the index by kInjectCaFromSources.
std::string IndexKey(std::string_view annotation, std::string_view object) {
  return std::string(annotation) + " " + std::string(object);
}

}  // namespace

Expected<std::vector<SourceItem>> ParseSourceList(std::string_view value) {
  if (value.size() > kTargetAnnotationBytesMax) {
    return Bad("has more than " + std::to_string(kTargetAnnotationBytesMax) + " bytes");
  }
  std::vector<SourceItem> items;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    auto item = ParseItem(Trim(value.substr(at, end - at), " \t\n"));
    if (!item) return Err(std::move(item.error()));
    if (items.size() == kSourceItemsMax) {
      return Bad("has more than " + std::to_string(kSourceItemsMax) + " items");
    }
    items.push_back(*item);
    at = end + 1;
  }
  return items;
}

std::vector<std::string> ReferencedObjects(std::string_view annotation, std::string_view value) {
  std::vector<std::string> objects;
  if (annotation != kInjectCaFromSources) {
    if (auto object = ReferencedObject(annotation, value)) objects.push_back(*std::move(object));
    return objects;
  }
  const auto items = ParseSourceList(value);
  if (!items) return objects;
  for (const SourceItem& item : *items) {
    const auto object = ReferencedObject(item.annotation, item.value);
    if (object) objects.push_back(IndexKey(item.annotation, *object));
  }
  return objects;
}

std::vector<Reference> ReferencesTo(std::string_view annotation, std::string_view object) {
  return {{annotation, std::string(object)}, {kInjectCaFromSources, IndexKey(annotation, object)}};
}

}  // namespace capstan::cainjector
