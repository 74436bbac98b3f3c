// SPDX-License-Identifier: Apache-2.0
// Tests LoadKubeconfig on any bytes: it never crashes, and no error contains a credential. The
// seeds have the word S3CRET in place of credentials, and the fuzzer may move it. An error may
// contain the word only if it is also outside of "users", for example in a server's address.
#include <glog/logging.h>
#include <sys/mman.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "capstan/clientgo/clientcmd/config.h"

namespace {

constexpr std::string_view kSecret = "S3CRET";

// MemoryFile is a file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : fd_(memfd_create("kubeconfig", MFD_CLOEXEC)) {
    PCHECK(fd_ >= 0);
    PCHECK(write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  const int fd_;
};

// Reports whether `node` contains the word. A document with aliases is a graph, so the walk returns
// true after `budget` nodes.
bool Contains(const YAML::Node& node, int& budget) {
  if (--budget < 0) return true;
  if (node.IsScalar()) return node.Scalar().find(kSecret) != std::string::npos;
  for (const auto& entry : node) {
    const bool found = node.IsMap()
                           ? Contains(entry.first, budget) || Contains(entry.second, budget)
                           : Contains(entry, budget);
    if (found) return true;
  }
  return false;
}

// Reports whether the word occurs only in the values of "user" in the entries of "users".
bool IsPrivate(const YAML::Node& root) {
  int budget = 1000;
  if (!root.IsMap()) return true;
  for (const auto& section : root) {
    if (section.first.IsScalar() && section.first.Scalar() == "users") {
      if (!section.second.IsSequence()) continue;
      for (const YAML::Node& entry : section.second) {
        if (!entry.IsMap()) continue;
        for (const auto& field : entry) {
          if (Contains(field.first, budget)) return false;
          const bool credentials = field.first.IsScalar() && field.first.Scalar() == "user";
          if (!credentials && Contains(field.second, budget)) return false;
        }
      }
    } else if (Contains(section.first, budget) || Contains(section.second, budget)) {
      return false;
    }
  }
  return true;
}

// Text that is not YAML is private as a whole.
bool IsPrivate(const std::string& text) {
  try {
    return IsPrivate(YAML::Load(text));
  } catch (const YAML::Exception&) {
    return true;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const MemoryFile file(text);
  for (const char* context : {"", "c"}) {
    const auto config = capstan::clientgo::clientcmd::LoadKubeconfig({file.path()}, context);
    if (config) continue;
    CHECK(!config.error().message.empty());
    const bool repeated = config.error().message.find(kSecret) != std::string::npos;
    CHECK(!repeated || !IsPrivate(text)) << config.error().message;
  }
  return 0;
}
