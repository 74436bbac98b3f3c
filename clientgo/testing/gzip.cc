// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/gzip.h"

#include <glog/logging.h>
#include <zlib.h>

namespace capstan::testing {
namespace {

constexpr int kGzipWindow = MAX_WBITS + 16;  // zlib: with a gzip header
constexpr int kMemoryLevel = 8;

}  // namespace

std::string Gzip(std::string_view text) {
  z_stream stream = {};
  // As kube-apiserver does.
  CHECK_EQ(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                        Z_DEFAULT_STRATEGY),
           Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  std::string in(text);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace capstan::testing
