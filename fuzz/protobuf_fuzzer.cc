// SPDX-License-Identifier: Apache-2.0
// Tests the decoder of protobuf bodies on any bytes. The first byte chooses a kind, the rest is the
// message. What it returns is JSON, and passes the checks of a request's fields.
#include <glog/logging.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/testing/apiserver/decoding/protobuf.h"
#include "clientgo/testing/apiserver/types/api_types.h"
#include "clientgo/testing/apiserver/types/go_fields.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace {

namespace apiserver = capstan::testing::apiserver;

constexpr std::array kKinds = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"v1", "Pod"},
    {"v1", "Secret"},
    {"v1", "Event"},
    {"v1", "DeleteOptions"},
    {"apps/v1", "Deployment"},
    {"coordination.k8s.io/v1", "Lease"},
    {"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"},
    {"apiextensions.k8s.io/v1", "CustomResourceDefinition"},
});

// Returns a field with fewer than 128 bytes.
std::string Bytes(char tag, std::string_view value) {
  return std::string{tag, static_cast<char>(value.size())} + std::string(value);
}

void Check(std::string_view body) {
  const auto json = apiserver::JsonFromProtobuf(body);
  if (!json) {
    CHECK(!json.error().empty());
    return;
  }
  std::string error;
  const auto object = apiserver::ParseJson(*json, &error);
  // Strings may be invalid UTF-8, which the parser rejects.
  if (object == nullptr) return;
  const auto* const message =
      apiserver::FindMessage(capstan::runtime::GetString(*object, "apiVersion"),
                             capstan::runtime::GetString(*object, "kind"));
  if (message == nullptr) return;
  for (const std::string& warning : apiserver::DropUndecoded(message, *object)) {
    CHECK(warning.starts_with("duplicate field ")) << warning;
  }
  const auto wrong = apiserver::FindWrongType(*message, *object);
  CHECK(!wrong.has_value()) << *wrong;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Check(text);
  if (text.empty()) return 0;
  const auto& [version, kind] = kKinds[data[0] % kKinds.size()];
  // The raw message is last: a field of type bytes with its length in two bytes.
  std::string body("k8s\0", 4);
  body += Bytes('\x0a', Bytes('\x0a', version) + Bytes('\x12', kind));
  const std::string_view raw = text.substr(1, (1U << 14U) - 1);
  body += '\x12';
  body += static_cast<char>(0x80U | (raw.size() & 0x7fU));
  body += static_cast<char>(raw.size() >> 7U);
  Check(body + std::string(raw));
  return 0;
}
