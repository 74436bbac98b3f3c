// SPDX-License-Identifier: Apache-2.0
#include "capstan/client.h"

namespace capstan::detail {

UntypedClient::UntypedClient(rest::Client& client, std::shared_ptr<const ResourceType> type)
    : client_(&client), type_(std::move(type)) {}

UntypedClient::RestOptions UntypedClient::Options(const WriteOptions& options,
                                                  std::string_view subresource,
                                                  const ResourceType* answer) {
  return {.field_manager = options.field_manager,
          .dry_run = options.dry_run,
          .field_validation = options.field_validation,
          .subresource = std::string(subresource),
          .answer_type = answer};
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
                                                        const RestOptions& options) const {
  if (patch.error()) {
    return Err(patch.error()->Wrap("failed to patch " + type_->kind + " " + key.String()));
  }
  return client_->Patch(call, *type_, key, patch.type(), patch.body(), options);
}

Expected<UntypedClient::ObjectPtr> UntypedClient::Apply(const rest::CallOptions& call,
                                                        const runtime::ObjectKey& key,
                                                        std::string body,
                                                        const ApplyOptions& options,
                                                        std::string subresource) const {
  return client_->Patch(call, *type_, key, rest::PatchType::kApply, std::move(body),
                        {.field_manager = options.field_manager,
                         .force = options.force,
                         .dry_run = options.dry_run,
                         .field_validation = options.field_validation,
                         .subresource = std::move(subresource)});
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
