// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/negotiation.h"

#include <utility>

#include "capstan/log.h"
#include "capstan/runtime/json_filter.h"
#include "clientgo/runtime/protobuf/api_types.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/runtime/protobuf/unknown_field.h"

namespace capstan::rest {
using runtime::Message;

ContentType ContentNegotiation::For(const runtime::ResourceType& type) {
  if (preferred_ == ContentType::kJson) return ContentType::kJson;
  {
    MutexLock lock(mu_);
    if (refused_.contains(type.gvr.String())) return ContentType::kJson;
  }
  if (type.metadata_only) return ContentType::kProtobuf;
  const Message* const message = runtime::FindMessage(type.gvr.ApiVersion(), type.kind);
  if (message == nullptr) return ContentType::kJson;
  const std::string unknown = runtime::UnknownField(*message, type.projection.object().root());
  if (unknown.empty()) return ContentType::kProtobuf;
  MutexLock lock(mu_);
  if (logged_.insert(type.gvr.String()).second) {
    WarningS("A declared field is not one of the kind that this library knows; reading it as JSON",
             "resource", type.gvr.String(), "field", unknown);
  }
  return ContentType::kJson;
}

bool ContentNegotiation::Refused(const runtime::ResourceType& type, const Error& error) {
  constexpr int kNotAcceptable = 406;
  constexpr int kUnsupportedMediaType = 415;
  if (error.http_code != kNotAcceptable && error.http_code != kUnsupportedMediaType) return false;
  if (For(type) == ContentType::kJson) return false;
  MutexLock lock(mu_);
  if (refused_.insert(type.gvr.String()).second) {
    if (metrics_ != nullptr) metrics_->OnContentTypeRefused(type.gvr.resource);
    WarningS("The server refuses protobuf for a kind; reading it as JSON", "resource",
             type.gvr.String(), "err", error);
  }
  return true;
}

ContentType ContentTypeOf(const transport::HttpResponse& response) {
  const std::string_view content_type = transport::FindHeader(response.headers(), "Content-Type");
  return content_type.starts_with(runtime::kProtobufContentType) ? ContentType::kProtobuf
                                                                 : ContentType::kJson;
}

std::unique_ptr<runtime::FrameFilter> NewFilter(const transport::HttpResponse& response,
                                                const runtime::Projection& projection,
                                                runtime::FrameFilter::Options options, bool watch) {
  using runtime::ProtobufFilter;
  if (ContentTypeOf(response) == ContentType::kJson) {
    return std::make_unique<runtime::JsonFilter>(projection, options);
  }
  return std::make_unique<ProtobufFilter>(
      projection, watch ? ProtobufFilter::Stream::kWatch : ProtobufFilter::Stream::kBody, options);
}

}  // namespace capstan::rest
