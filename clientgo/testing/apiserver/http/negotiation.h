// SPDX-License-Identifier: Apache-2.0
// The choice of a response's form by the header Accept. Mirrors
// k8s.io/apiserver/pkg/endpoints/handlers/negotiation.
#pragma once

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/resources.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

enum class Answering { kObject, kList, kWatch };

struct Negotiated {
  Form form = Form::kFull;
  bool protobuf = false;  // otherwise JSON
};

// Returns the first form in the Accept header that is supported. As on kube-apiserver, custom
// resources have protobuf only of their metadata, and tables have none. `serves_protobuf`: whether
// the server has protobuf at all. Differs: metadata in v1beta1 is JSON only.
Result<Negotiated> Negotiate(const httpserver::Request& request, const Resource& resource,
                             Answering answering, bool serves_protobuf);

// Reports whether the client prefers its errors in protobuf.
bool PrefersProtobuf(const httpserver::Request& request);

}  // namespace capstan::testing::apiserver
