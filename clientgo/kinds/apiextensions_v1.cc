// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/apiextensions/v1/custom_resource_definition.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::apiextensions::v1 {

CAPSTAN_LAYOUT(CustomResourceDefinitionNames,
    CAPSTAN_REQUIRED(CustomResourceDefinitionNames, "plural", plural),
    CAPSTAN_FIELD(CustomResourceDefinitionNames, "singular", singular),
    CAPSTAN_FIELD(CustomResourceDefinitionNames, "shortNames", short_names),
    CAPSTAN_REQUIRED(CustomResourceDefinitionNames, "kind", kind),
    CAPSTAN_FIELD(CustomResourceDefinitionNames, "listKind", list_kind),
    CAPSTAN_FIELD(CustomResourceDefinitionNames, "categories", categories))

CAPSTAN_LAYOUT(JSONSchemaPropsOrArray,
    CAPSTAN_REQUIRED(JSONSchemaPropsOrArray, "schema", schema),
    CAPSTAN_REQUIRED(JSONSchemaPropsOrArray, "jSONSchemas", j_son_schemas))

CAPSTAN_LAYOUT(JSONSchemaPropsOrBool,
    CAPSTAN_REQUIRED(JSONSchemaPropsOrBool, "schema", schema),
    CAPSTAN_REQUIRED(JSONSchemaPropsOrBool, "allows", allows))

CAPSTAN_LAYOUT(JSONSchemaPropsOrStringArray,
    CAPSTAN_REQUIRED(JSONSchemaPropsOrStringArray, "schema", schema),
    CAPSTAN_REQUIRED(JSONSchemaPropsOrStringArray, "property", property))

CAPSTAN_LAYOUT(ExternalDocumentation,
    CAPSTAN_FIELD(ExternalDocumentation, "description", description),
    CAPSTAN_FIELD(ExternalDocumentation, "url", url))

CAPSTAN_LAYOUT(ValidationRule,
    CAPSTAN_REQUIRED(ValidationRule, "rule", rule),
    CAPSTAN_FIELD(ValidationRule, "message", message),
    CAPSTAN_FIELD(ValidationRule, "messageExpression", message_expression),
    CAPSTAN_FIELD(ValidationRule, "reason", reason),
    CAPSTAN_FIELD(ValidationRule, "fieldPath", field_path),
    CAPSTAN_FIELD(ValidationRule, "optionalOldSelf", optional_old_self))

CAPSTAN_LAYOUT(JSONSchemaProps,
    CAPSTAN_FIELD(JSONSchemaProps, "id", id),
    CAPSTAN_FIELD(JSONSchemaProps, "$schema", schema),
    CAPSTAN_FIELD(JSONSchemaProps, "$ref", ref),
    CAPSTAN_FIELD(JSONSchemaProps, "description", description),
    CAPSTAN_FIELD(JSONSchemaProps, "type", type),
    CAPSTAN_FIELD(JSONSchemaProps, "format", format),
    CAPSTAN_FIELD(JSONSchemaProps, "title", title),
    CAPSTAN_FIELD(JSONSchemaProps, "default", default_),
    CAPSTAN_FIELD(JSONSchemaProps, "maximum", maximum),
    CAPSTAN_NUMBER(JSONSchemaProps, "exclusiveMaximum", exclusive_maximum),
    CAPSTAN_FIELD(JSONSchemaProps, "minimum", minimum),
    CAPSTAN_NUMBER(JSONSchemaProps, "exclusiveMinimum", exclusive_minimum),
    CAPSTAN_FIELD(JSONSchemaProps, "maxLength", max_length),
    CAPSTAN_FIELD(JSONSchemaProps, "minLength", min_length),
    CAPSTAN_FIELD(JSONSchemaProps, "pattern", pattern),
    CAPSTAN_FIELD(JSONSchemaProps, "maxItems", max_items),
    CAPSTAN_FIELD(JSONSchemaProps, "minItems", min_items),
    CAPSTAN_NUMBER(JSONSchemaProps, "uniqueItems", unique_items),
    CAPSTAN_FIELD(JSONSchemaProps, "multipleOf", multiple_of),
    CAPSTAN_FIELD(JSONSchemaProps, "enum", enum_),
    CAPSTAN_FIELD(JSONSchemaProps, "maxProperties", max_properties),
    CAPSTAN_FIELD(JSONSchemaProps, "minProperties", min_properties),
    CAPSTAN_FIELD(JSONSchemaProps, "required", required),
    CAPSTAN_FIELD(JSONSchemaProps, "items", items),
    CAPSTAN_FIELD(JSONSchemaProps, "allOf", all_of),
    CAPSTAN_FIELD(JSONSchemaProps, "oneOf", one_of),
    CAPSTAN_FIELD(JSONSchemaProps, "anyOf", any_of),
    CAPSTAN_FIELD(JSONSchemaProps, "not", not_),
    CAPSTAN_FIELD(JSONSchemaProps, "properties", properties),
    CAPSTAN_FIELD(JSONSchemaProps, "additionalProperties", additional_properties),
    CAPSTAN_FIELD(JSONSchemaProps, "patternProperties", pattern_properties),
    CAPSTAN_FIELD(JSONSchemaProps, "dependencies", dependencies),
    CAPSTAN_FIELD(JSONSchemaProps, "additionalItems", additional_items),
    CAPSTAN_FIELD(JSONSchemaProps, "definitions", definitions),
    CAPSTAN_FIELD(JSONSchemaProps, "externalDocs", external_docs),
    CAPSTAN_FIELD(JSONSchemaProps, "example", example),
    CAPSTAN_NUMBER(JSONSchemaProps, "nullable", nullable),
    CAPSTAN_FIELD(JSONSchemaProps, "x-kubernetes-preserve-unknown-fields", x_kubernetes_preserve_unknown_fields),
    CAPSTAN_NUMBER(JSONSchemaProps, "x-kubernetes-embedded-resource", x_kubernetes_embedded_resource),
    CAPSTAN_NUMBER(JSONSchemaProps, "x-kubernetes-int-or-string", x_kubernetes_int_or_string),
    CAPSTAN_FIELD(JSONSchemaProps, "x-kubernetes-list-map-keys", x_kubernetes_list_map_keys),
    CAPSTAN_FIELD(JSONSchemaProps, "x-kubernetes-list-type", x_kubernetes_list_type),
    CAPSTAN_FIELD(JSONSchemaProps, "x-kubernetes-map-type", x_kubernetes_map_type),
    CAPSTAN_FIELD(JSONSchemaProps, "x-kubernetes-validations", x_kubernetes_validations))

CAPSTAN_LAYOUT(CustomResourceValidation,
    CAPSTAN_FIELD(CustomResourceValidation, "openAPIV3Schema", open_apiv3_schema))

CAPSTAN_EMPTY_LAYOUT(CustomResourceSubresourceStatus)

CAPSTAN_LAYOUT(CustomResourceSubresourceScale,
    CAPSTAN_REQUIRED(CustomResourceSubresourceScale, "specReplicasPath", spec_replicas_path),
    CAPSTAN_REQUIRED(CustomResourceSubresourceScale, "statusReplicasPath", status_replicas_path),
    CAPSTAN_FIELD(CustomResourceSubresourceScale, "labelSelectorPath", label_selector_path))

CAPSTAN_LAYOUT(CustomResourceSubresources,
    CAPSTAN_FIELD(CustomResourceSubresources, "status", status),
    CAPSTAN_FIELD(CustomResourceSubresources, "scale", scale))

CAPSTAN_LAYOUT(CustomResourceColumnDefinition,
    CAPSTAN_REQUIRED(CustomResourceColumnDefinition, "name", name),
    CAPSTAN_REQUIRED(CustomResourceColumnDefinition, "type", type),
    CAPSTAN_FIELD(CustomResourceColumnDefinition, "format", format),
    CAPSTAN_FIELD(CustomResourceColumnDefinition, "description", description),
    CAPSTAN_NUMBER(CustomResourceColumnDefinition, "priority", priority),
    CAPSTAN_REQUIRED(CustomResourceColumnDefinition, "jsonPath", json_path))

CAPSTAN_LAYOUT(SelectableField,
    CAPSTAN_REQUIRED(SelectableField, "jsonPath", json_path))

CAPSTAN_LAYOUT(CustomResourceDefinitionVersion,
    CAPSTAN_REQUIRED(CustomResourceDefinitionVersion, "name", name),
    CAPSTAN_REQUIRED(CustomResourceDefinitionVersion, "served", served),
    CAPSTAN_REQUIRED(CustomResourceDefinitionVersion, "storage", storage),
    CAPSTAN_NUMBER(CustomResourceDefinitionVersion, "deprecated", deprecated),
    CAPSTAN_FIELD(CustomResourceDefinitionVersion, "deprecationWarning", deprecation_warning),
    CAPSTAN_FIELD(CustomResourceDefinitionVersion, "schema", schema),
    CAPSTAN_FIELD(CustomResourceDefinitionVersion, "subresources", subresources),
    CAPSTAN_FIELD(CustomResourceDefinitionVersion, "additionalPrinterColumns", additional_printer_columns),
    CAPSTAN_FIELD(CustomResourceDefinitionVersion, "selectableFields", selectable_fields))

CAPSTAN_LAYOUT(ServiceReference,
    CAPSTAN_REQUIRED(ServiceReference, "namespace", namespace_),
    CAPSTAN_REQUIRED(ServiceReference, "name", name),
    CAPSTAN_FIELD(ServiceReference, "path", path),
    CAPSTAN_FIELD(ServiceReference, "port", port))

CAPSTAN_LAYOUT(WebhookClientConfig,
    CAPSTAN_FIELD(WebhookClientConfig, "url", url),
    CAPSTAN_FIELD(WebhookClientConfig, "service", service),
    CAPSTAN_FIELD(WebhookClientConfig, "caBundle", ca_bundle))

CAPSTAN_LAYOUT(WebhookConversion,
    CAPSTAN_FIELD(WebhookConversion, "clientConfig", client_config),
    CAPSTAN_REQUIRED(WebhookConversion, "conversionReviewVersions", conversion_review_versions))

CAPSTAN_LAYOUT(CustomResourceConversion,
    CAPSTAN_REQUIRED(CustomResourceConversion, "strategy", strategy),
    CAPSTAN_FIELD(CustomResourceConversion, "webhook", webhook))

CAPSTAN_LAYOUT(CustomResourceDefinitionSpec,
    CAPSTAN_REQUIRED(CustomResourceDefinitionSpec, "group", group),
    CAPSTAN_REQUIRED(CustomResourceDefinitionSpec, "names", names),
    CAPSTAN_REQUIRED(CustomResourceDefinitionSpec, "scope", scope),
    CAPSTAN_REQUIRED(CustomResourceDefinitionSpec, "versions", versions),
    CAPSTAN_FIELD(CustomResourceDefinitionSpec, "conversion", conversion),
    CAPSTAN_NUMBER(CustomResourceDefinitionSpec, "preserveUnknownFields", preserve_unknown_fields))

CAPSTAN_LAYOUT(CustomResourceDefinitionCondition,
    CAPSTAN_REQUIRED(CustomResourceDefinitionCondition, "type", type),
    CAPSTAN_REQUIRED(CustomResourceDefinitionCondition, "status", status),
    CAPSTAN_FIELD(CustomResourceDefinitionCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(CustomResourceDefinitionCondition, "reason", reason),
    CAPSTAN_FIELD(CustomResourceDefinitionCondition, "message", message),
    CAPSTAN_NUMBER(CustomResourceDefinitionCondition, "observedGeneration", observed_generation))

CAPSTAN_LAYOUT(CustomResourceDefinitionStatus,
    CAPSTAN_REQUIRED(CustomResourceDefinitionStatus, "conditions", conditions),
    CAPSTAN_REQUIRED(CustomResourceDefinitionStatus, "acceptedNames", accepted_names),
    CAPSTAN_REQUIRED(CustomResourceDefinitionStatus, "storedVersions", stored_versions),
    CAPSTAN_NUMBER(CustomResourceDefinitionStatus, "observedGeneration", observed_generation))

CAPSTAN_LAYOUT(CustomResourceDefinition,
    CAPSTAN_PART(CustomResourceDefinition, "metadata", metadata, kMetadata),
    CAPSTAN_PART(CustomResourceDefinition, "spec", spec, kSpec),
    CAPSTAN_PART(CustomResourceDefinition, "status", status, kStatus))

}  // namespace capstan::api::apiextensions::v1

template class capstan::Boxed<capstan::api::apiextensions::v1::JSONSchemaPropsOrArray>;
template class capstan::Boxed<capstan::api::apiextensions::v1::JSONSchemaPropsOrBool>;
template class capstan::Boxed<capstan::api::apiextensions::v1::ExternalDocumentation>;
template class capstan::List<capstan::api::apiextensions::v1::ValidationRule>;
template class capstan::Boxed<capstan::api::apiextensions::v1::JSONSchemaProps>;
template class capstan::List<capstan::api::apiextensions::v1::JSONSchemaProps>;
template class capstan::Boxed<capstan::api::apiextensions::v1::CustomResourceValidation>;
template class capstan::Boxed<capstan::api::apiextensions::v1::CustomResourceSubresourceStatus>;
template class capstan::Boxed<capstan::api::apiextensions::v1::CustomResourceSubresourceScale>;
template class capstan::Boxed<capstan::api::apiextensions::v1::CustomResourceSubresources>;
template class capstan::List<capstan::api::apiextensions::v1::CustomResourceColumnDefinition>;
template class capstan::List<capstan::api::apiextensions::v1::SelectableField>;
template class capstan::List<capstan::api::apiextensions::v1::CustomResourceDefinitionVersion>;
template class capstan::Boxed<capstan::api::apiextensions::v1::ServiceReference>;
template class capstan::Boxed<capstan::api::apiextensions::v1::WebhookClientConfig>;
template class capstan::Boxed<capstan::api::apiextensions::v1::WebhookConversion>;
template class capstan::Boxed<capstan::api::apiextensions::v1::CustomResourceConversion>;
template class capstan::List<capstan::api::apiextensions::v1::CustomResourceDefinitionCondition>;
