// SPDX-License-Identifier: Apache-2.0
// capstan_oracle MODE reads inputs on standard input, and prints what the library makes of each. An
// input is its length, four bytes with the highest first, and its bytes. Each answer is one line.
// hack/fuzz --against-go compares the answers with those of peer/.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "capstan/text.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {
namespace {

using Mode = std::string (*)(std::string_view input);

struct NamedMode {
  std::string_view name;
  Mode mode;
};
constexpr std::array kModes = std::to_array<NamedMode>({
    {"apply", ApplyConfigurations},
    {"cel", EvaluateCel},
    {"certificate", VerifyCertificate},
    {"duration", ParseDuration},
    {"exec", ReadExecCredential},
    {"field_selector", ParseFieldSelector},
    {"json", ParseJson},
    {"json_patch", ApplyJsonPatch},
    {"kubeconfig", ReadKubeconfig},
    {"label_selector", ParseLabelSelector},
    {"merge_patch", ApplyMergePatch},
    {"no_proxy", ChooseProxy},
    {"pem", ReadPem},
    {"kinds", ReadKind},
    {"protobuf", ReadProtobuf},
    {"quantity", ParseQuantity},
    {"schema", ValidateSchema},
    {"selector_of_kind", ReadSelectorOfKind},
    {"strategic_patch", ApplyStrategicPatch},
    {"time", ParseTime},
    {"url", ParseServerUrl},
    {"yaml", ParseYaml},
});

constexpr std::size_t kInputBytesMax = 64U << 20U;

bool ReadInput(std::string& input) {
  std::array<unsigned char, 4> prefix{};
  if (std::fread(prefix.data(), 1, prefix.size(), stdin) != prefix.size()) return false;
  std::size_t size = 0;
  for (const unsigned char byte : prefix) size = size << 8U | byte;
  if (size > kInputBytesMax) return false;
  input.resize(size);
  return std::fread(input.data(), 1, size, stdin) == size;
}

// Writes without a buffer: after a crash, the answers show which input it was.
bool Write(std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(STDOUT_FILENO, rest.data(), rest.size());
    if (written <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

int Run(Mode mode) {
  std::string input;
  while (ReadInput(input)) {
    if (!Write(mode(input))) return 1;
  }
  return std::feof(stdin) != 0 ? 0 : 1;
}

int Usage() {
  std::string modes;
  for (const NamedMode& each : kModes) modes.append(" ").append(each.name);
  std::fprintf(stderr, "usage: capstan_oracle MODE; modes:%s\n", modes.c_str());
  return 2;
}

}  // namespace

std::vector<std::string> Parts(std::string_view input, std::size_t count) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < count) {
    const std::size_t end = std::min(input.find('\0'), input.size());
    parts.emplace_back(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  parts.emplace_back(input);
  return parts;
}

std::string Plain(std::string_view text) { return capstan::PercentEncode(text, ".:-_/%"); }

}  // namespace e2e::oracles

int main(int argc, char** argv) {
  using e2e::oracles::kModes;
  const std::string_view name = argc == 2 ? argv[1] : "";
  const auto* const found = std::find_if(kModes.begin(), kModes.end(),
                                         [&](const auto& each) { return each.name == name; });
  if (found == kModes.end()) return e2e::oracles::Usage();
  return e2e::oracles::Run(found->mode);
}
