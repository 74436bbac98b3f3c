// SPDX-License-Identifier: Apache-2.0
// ContentNegotiation decides in which encoding the objects of a kind are requested. Thread-safe.
//
// Protobuf is requested if the table of built-in kinds has every field that the type keeps, or if
// only metadata is requested. JSON is the second choice in the same header, so a server that has no
// protobuf for a kind answers at once. A server that refuses the header itself (406, 415) is asked
// for JSON from then on.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "capstan/mutex.h"
#include "capstan/rest/config.h"
#include "capstan/rest/metrics.h"
#include "capstan/runtime/frame_filter.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/transport/http_transport.h"

namespace capstan::rest {

class ContentNegotiation {
 public:
  // `metrics` may be null, and must outlive this object.
  ContentNegotiation(ContentType preferred, MetricsProvider* metrics)
      : preferred_(preferred), metrics_(metrics) {}

  // Returns the encoding to ask for.
  ContentType For(const runtime::ResourceType& type);
  // Reports whether `error` says that the server refuses the encoding. If so, For returns kJson for
  // this kind from now on, and the request should be sent again.
  bool Refused(const runtime::ResourceType& type, const Error& error);

 private:
  const ContentType preferred_;
  MetricsProvider* const metrics_;
  Mutex mu_;
  std::set<std::string> refused_ CAPSTAN_GUARDED_BY(mu_);
  std::set<std::string> logged_ CAPSTAN_GUARDED_BY(mu_);
};

// Returns the encoding of the body of `response`, as its Content-Type says.
ContentType ContentTypeOf(const transport::HttpResponse& response);

// Returns the filter for the body of `response`. `projection` must outlive it.
std::unique_ptr<runtime::FrameFilter> NewFilter(const transport::HttpResponse& response,
                                                const runtime::Projection& projection,
                                                runtime::FrameFilter::Options options,
                                                bool watch = false);

}  // namespace capstan::rest
