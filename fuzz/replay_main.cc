// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target on a corpus, in builds without libFuzzer:
//   <name>_replay DIRECTORY
// A failure ends the process. The last logged file is the input that failed.
#include <glog/logging.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "capstan/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  FLAGS_logtostderr = true;
  CHECK_EQ(argc, 2) << "usage: " << argv[0] << " DIRECTORY";

  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  CHECK(!paths.empty()) << argv[1] << " is empty";
  for (const std::filesystem::path& path : paths) {
    LOG(INFO) << path.filename();
    const auto text = capstan::ReadFile(path);
    CHECK(text.has_value()) << text.error().message;
    // The exact size of the block lets a sanitizer detect each read past its end.
    const auto input = std::make_unique<std::uint8_t[]>(text->size());
    std::copy(text->begin(), text->end(), input.get());
    LLVMFuzzerTestOneInput(input.get(), text->size());
  }
  LOG(INFO) << paths.size() << " inputs";
}
