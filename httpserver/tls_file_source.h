// SPDX-License-Identifier: Apache-2.0
// TlsFileSource: the certificate and key in two files, read again when one of them has changed.
// What cannot be read then is logged once, and the last good pair stays.
//
// One thread at a time. The key is never logged. Looks at the files when asked, where
// controller-runtime's pkg/certwatcher polls.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "clientgo/util/error.h"
#include "clientgo/util/read_file.h"
#include "httpserver/server.h"

namespace httpserver {

class TlsFileSource {
 public:
  TlsFileSource(std::string cert_file, std::string key_file, TlsOptions options);

  // The same object until a file changes. The error names the file; after a good pair it is
  // returned once for each change, and the pair again then.
  clientgo::util::Expected<std::shared_ptr<const TlsFiles>> Current();

 private:
  clientgo::util::Expected<std::shared_ptr<const TlsFiles>> Read() const;

  const std::string cert_file_;
  const std::string key_file_;
  const TlsOptions options_;
  std::array<clientgo::util::FileStamp, 2> stamps_ = {};
  std::shared_ptr<const TlsFiles> files_;
};

}  // namespace httpserver
