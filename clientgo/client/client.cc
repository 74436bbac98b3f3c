// SPDX-License-Identifier: Apache-2.0
#include "capstan/client.h"

namespace capstan::detail {

UntypedClient::UntypedClient(rest::Client& client, std::shared_ptr<const ResourceType> type)
    : client_(&client), type_(std::move(type)) {}

rest::WriteOptions UntypedClient::Options(rest::WriteOptions options, std::string_view subresource,
                                          const ResourceType* answer) {
  options.subresource = subresource;
  options.name.clear();
  options.answer_type = answer;
  return options;
}

Expected<rest::ObjectList> UntypedClient::List(const rest::CallOptions& call,
                                               const rest::ListOptions& options) const {
  auto list = rest::ListAll(call, *client_, *type_, options);
  if (!list || list->meta.undecodable.empty()) return list;
  const runtime::UndecodableObject& first = list->meta.undecodable.front();
  const std::size_t all = list->items.size() + list->meta.undecodable.size();
  return Err(ErrorReason::kDecode, "failed to decode " +
                                       std::to_string(list->meta.undecodable.size()) + " of " +
                                       std::to_string(all) + " " + type_->gvr.resource +
                                       ", such as: " + first.error.message);
}

Expected<UntypedClient::ObjectPtr> UntypedClient::Patch(const rest::CallOptions& call,
                                                        const runtime::ObjectKey& key,
                                                        const capstan::Patch& patch,
                                                        const rest::WriteOptions& options) const {
  if (patch.error()) {
    return Err(patch.error()->Wrap("failed to patch " + type_->kind + " " + key.String()));
  }
  return client_->Patch(call, *type_, key, patch.type(), patch.body(), options);
}

Expected<UntypedClient::ObjectPtr> UntypedClient::Apply(const rest::CallOptions& call,
                                                        const runtime::ObjectKey& key,
                                                        std::string body,
                                                        const rest::WriteOptions& options,
                                                        std::string_view subresource) const {
  return client_->Patch(call, *type_, key, rest::PatchType::kApply, std::move(body),
                        Options(options, subresource));
}

Expected<void> UntypedClient::Evict(const rest::CallOptions& call, const runtime::ObjectKey& key,
                                    const rest::DeleteOptions& options) const {
  if (!type_->gvr.group.empty() || type_->gvr.resource != "pods") {
    return Err(ErrorReason::kInvalidArgument,
               "cannot evict " + type_->gvr.resource + ": only Pods are evicted");
  }
  return client_->Evict(call, key, options);
}

}  // namespace capstan::detail
