// SPDX-License-Identifier: Apache-2.0
// SystemSource is the public CAs of a file, such as Debian's ca-certificates in the image. Only a
// list of sources can name it ("system"). The file is not touched before the first Get.
// Thread-safe. Has no upstream.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/file.h"
#include "capstan/mutex.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/source.h"

namespace capstan::cainjector {

class SystemSource final : public Source {
 public:
  // Summary describes the CAs that are in memory.
  struct Summary {
    std::string version = {};  // the first line of FILE.version; empty: unknown
    std::size_t certificates = 0;
  };
  explicit SystemSource(std::string file) : file_(std::move(file)) {}

  std::string_view annotation() const override { return kSystemItem; }
  std::string_view kind() const override { return "System"; }
  std::string Describe(std::string_view /*value*/) const override {
    return "the system CAs in " + file_;
  }
  // Reads a file that was read before again if it has changed. Returns true when it has.
  bool Reload() override;
  // Drops the certificates. The next Get reads the file.
  void Forget();
  // nullopt: nothing is in memory.
  std::optional<Summary> Summarize() const;

 private:
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop, std::string_view value,
                                                std::string_view target_namespace) override;

  using Outcome = tl::expected<SourceBundlePtr, Failure>;
  Outcome Read() const;

  const std::string file_;
  mutable Mutex mu_;
  FileStamp stamp_ CAPSTAN_GUARDED_BY(mu_) = {};
  std::optional<Outcome> outcome_ CAPSTAN_GUARDED_BY(mu_);  // of the last read
};

}  // namespace capstan::cainjector
