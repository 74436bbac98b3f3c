// SPDX-License-Identifier: Apache-2.0
// Tests of client certificates, over TLS and with clientgo's client.
#include "clientgo/testing/apiserver/authentication/authenticator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/api/object_metadata.h"
#include "capstan/rest/client.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/certificates.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

class ClientCertificateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto ca = MakeCa({.common_name = "clients"});
    ASSERT_TRUE(ca.has_value());
    ca_ = *ca;
    server_ = std::make_unique<Server>(
        Options{.authorization = Authorization::kRbac, .client_ca_pem = ca_.cert_pem});
    const auto started = server_->Start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
  }
  // Lists Secrets with this certificate; null: without one. Returns "" or the error.
  std::string List(const KeyPair* certificate) {
    rest::Config config = server_->Config();
    if (certificate != nullptr) {
      config.tls.cert_data = certificate->cert_pem;
      config.tls.key_data = certificate->key_pem;
    }
    auto client = rest::Client::New(std::move(config));
    if (!client) return client.error().message;
    const auto type =
        api::MakeMetadataType({.gvr = {.group = "", .version = "v1", .resource = "secrets"},
                               .kind = "Secret",
                               .namespaced = true});
    const auto listed = (*client)->List({}, type, {}, [](const runtime::ObjectPtr&) {});
    return listed ? "" : listed.error().message;
  }
  KeyPair Certificate(const KeyPair& ca, const std::string& user,
                      const std::vector<std::string>& groups) {
    return MakeCertificate(ca, {.common_name = user, .client_auth = true, .organizations = groups})
        .value();
  }

  KeyPair ca_;
  std::unique_ptr<Server> server_;
};

TEST_F(ClientCertificateTest, NameUserAndGroups) {
  const KeyPair admin = Certificate(ca_, "admin", {"system:masters"});
  const KeyPair jane = Certificate(ca_, "jane", {"devs"});

  EXPECT_EQ(List(&admin), "");
  EXPECT_THAT(List(&jane), HasSubstr("secrets is forbidden: User \"jane\" cannot list"));
  EXPECT_THAT(List(nullptr),
              HasSubstr("secrets is forbidden: User \"system:anonymous\" cannot list"));
}

TEST_F(ClientCertificateTest, AreAcceptedFromTheServersOwnCa) {
  const auto admin = server_->NewClientCertificate("admin", {"system:masters"});
  ASSERT_TRUE(admin.has_value());

  EXPECT_EQ(List(&*admin), "");
}

TEST_F(ClientCertificateTest, AreRejectedFromOtherCas) {
  const auto other = MakeCa({.common_name = "other"});
  const KeyPair admin = Certificate(*other, "admin", {"system:masters"});

  EXPECT_THAT(List(&admin), HasSubstr("does not accept the client certificate"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
