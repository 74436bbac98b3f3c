// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/volume_source_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "capstan/text.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"

namespace capstan::testing::apiserver {
namespace {

void CheckInitiator(const Place& name, std::string_view no_prefix, FieldRules& rules) {
  static const cel::GoRegexp iqn(R"(iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$)");
  static const cel::GoRegexp eui(R"(^eui.[[:alnum:]]{16}$)");
  static const cel::GoRegexp naa(R"(^naa.[[:alnum:]]{32}$)");
  const std::string_view text = name.Text();
  if (!text.starts_with("iqn") && !text.starts_with("eui") && !text.starts_with("naa")) {
    return rules.InvalidText(name, no_prefix);
  }
  const cel::GoRegexp& form = text.front() == 'i' ? iqn : text.front() == 'e' ? eui : naa;
  if (!form.Matches(text)) rules.Invalid(name, "must be valid format");
}

}  // namespace

void CheckHostPath(const Place& source, FieldRules& rules) {
  if (!rules.RequireText(source["path"])) return;
  CheckPathNoBacksteps(source["path"], source["path"], rules);
  rules.OneOf(source["type"], {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate",
                               "File", "FileOrCreate", "Socket"});
}

void CheckPartition(const Place& source, FieldRules& rules) {
  const Place partition = source["partition"];
  const std::int64_t number = partition.Number().value_or(0);
  if (number < 0 || number > 255) rules.Invalid(partition, "must be between 1 and 255, inclusive");
}

void CheckNfs(const Place& source, FieldRules& rules) {
  const Place path = source["path"];
  if (!path.Text().starts_with('/')) rules.InvalidText(path, "must be an absolute path");
}

void CheckIscsi(const Place& source, std::string_view no_prefix, FieldRules& rules) {
  if (rules.RequireText(source["iqn"])) CheckInitiator(source["iqn"], no_prefix, rules);
  rules.Between(source["lun"], 0, 255);
  if ((source["chapAuthDiscovery"].IsTrue() || source["chapAuthSession"].IsTrue()) &&
      !source["secretRef"].Given()) {
    rules.Required(source["secretRef"]);
  }
  const Place initiator = source["initiatorName"];
  if (!initiator.Given()) return;
  CheckInitiator(initiator.At(source["initiatorname"].path()), no_prefix, rules);
}

void CheckFlocker(const Place& source, FieldRules& rules) {
  const Place name = source["datasetName"];
  const bool has_name = !name.Text().empty();
  const bool has_id = !source["datasetUUID"].Text().empty();
  if (!has_name && !has_id) {
    rules.Required(source, "one of datasetName and datasetUUID is required");
  }
  if (has_name && has_id) {
    rules.InvalidAs(source, R"("resource")",
                    "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (name.Text().find('/') != std::string_view::npos) {
    rules.Invalid(name, "must not contain '/'");
  }
}

void CheckQuobyte(const Place& source, FieldRules& rules) {
  constexpr std::size_t kTenantMax = 64;
  constexpr std::string_view kPairs =
      "must be a host:port pair or multiple pairs separated by commas";
  const Place registry = source["registry"];
  if (registry.Text().empty()) {
    rules.Required(registry, kPairs);
  } else if (source["tenant"].Text().size() > kTenantMax) {
    rules.Required(source["tenant"], "must be a UUID and may not exceed a length of 64 characters");
  } else {
    for (const std::string_view pair : SplitAll(registry.Text(), ',')) {
      const bool valid = std::count(pair.begin(), pair.end(), ':') == 1 ||
                         (pair.starts_with('[') && pair.find("]:") != std::string_view::npos);
      if (!valid) rules.Invalid(registry, kPairs);
    }
  }
  rules.RequireText(source["volume"]);
}

void CheckFibreChannel(const Place& source, FieldRules& rules) {
  const Place names = source["targetWWNs"];
  const Place lun = source["lun"];
  const bool has_names = !names.Items().empty();
  const bool has_ids = !source["wwids"].Items().empty();
  if (!has_names && !has_ids) {
    rules.Required(names, "must specify either targetWWNs or wwids, but not both");
  }
  if (has_names && has_ids) {
    rules.Invalid(names, "targetWWNs and wwids can not be specified simultaneously");
  }
  if (!has_names) return;
  if (!lun.Given()) rules.Required(lun, "lun is required if targetWWNs is specified");
  rules.Between(lun, 0, 255);
}

void CheckFlexOptions(const Place& source, FieldRules& rules) {
  for (const Place& key : source["options"].Keys()) {
    const std::string prefix = "." + LowerAscii(key.Text().substr(0, key.Text().find('/')));
    if (!prefix.ends_with(".kubernetes.io") && !prefix.ends_with(".k8s.io")) continue;
    rules.Invalid(key.At(key.path() + "[" + std::string(key.Text()) + "]"),
                  "kubernetes.io and k8s.io namespaces are reserved");
  }
}

void CheckAzureDisk(const Place& source, FieldRules& rules) {
  rules.GivenOneOf(source["cachingMode"], {"None", "ReadOnly", "ReadWrite"});
  rules.GivenOneOf(source["kind"], {"Dedicated", "Managed", "Shared"});
  const Place uri = source["diskURI"];
  const bool managed = source["kind"].Text() == "Managed";
  if (!source["kind"].Given() || uri.Text().starts_with(managed ? "/subscriptions/" : "https://")) {
    return;
  }
  rules.Unsupported(
      uri, Quote(uri.Text()),
      {managed ? "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/"
                 "microsoft.compute/disks/{disk-id}"
               : "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
}

}  // namespace capstan::testing::apiserver
