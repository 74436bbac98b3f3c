// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/common"
)

// validateSchema reads a document with a schema, and with an object that may have been another one
// before an update. It answers with the errors of the object in a fixed order. Kubernetes 1.34 checks
// only the formats that 1.33 knew, not those that it introduced itself.
func validateSchema(input []byte) string {
	var document map[string]interface{}
	if err := utiljson.Unmarshal(input, &document); err != nil {
		return refused
	}
	object, isObject := document["object"].(map[string]interface{})
	schemaValue, isSchema := document["schema"].(map[string]interface{})
	if !isObject || !isSchema {
		return refused
	}
	removeNumberFormats(schemaValue)
	text, err := json.Marshal(schemaValue)
	if err != nil {
		return refused
	}
	var external apiextensionsv1.JSONSchemaProps
	var internal apiextensions.JSONSchemaProps
	if err := utiljson.Unmarshal(text, &external); err != nil {
		return "not a schema"
	}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		return "not a schema"
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		return "not a schema"
	}
	validator, _, err := validation.NewSchemaValidatorForVersion(&internal, version.MajorMinor(1, 33))
	if err != nil {
		return "not a schema"
	}
	var errs field.ErrorList
	if old, ok := document["old"].(map[string]interface{}); ok {
		correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})
		errs = validation.ValidateCustomResourceUpdate(nil, object, old, validator, validation.WithRatcheting(correlated))
	} else {
		errs = validation.ValidateCustomResource(nil, object, validator)
	}
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, structural, object)...)
	lines := []string{}
	for _, err := range errs {
		// Since 1.35 this is reported beside the wrong type.
		if strings.HasPrefix(err.Detail, "Checked value must be of type") {
			continue
		}
		lines = append(lines, err.Error()+" ("+string(err.Type)+")")
	}
	sort.Strings(lines)
	answer := "valid"
	for _, line := range lines {
		answer += " | " + line
	}
	quoted, _ := json.Marshal(answer)
	return string(quoted)
}

// removeNumberFormats removes the formats of what is no string. Since 1.35 some of them are checked.
func removeNumberFormats(value interface{}) {
	switch value := value.(type) {
	case []interface{}:
		for _, item := range value {
			removeNumberFormats(item)
		}
	case map[string]interface{}:
		if value["type"] != "string" {
			delete(value, "format")
		}
		for _, member := range value {
			removeNumberFormats(member)
		}
	}
}
