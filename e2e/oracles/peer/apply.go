// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	sigsjson "sigs.k8s.io/json"
)

var applyTypes = applyconfigurations.NewTypeConverter(scheme.Scheme)

var applyKinds = map[string]schema.GroupVersionKind{
	"ConfigMap":  {Version: "v1", Kind: "ConfigMap"},
	"Deployment": {Group: "apps", Version: "v1", Kind: "Deployment"},
	"Service":    {Version: "v1", Kind: "Service"},
}

// applyConfigurations applies configurations to a new object, one after the other, and answers with the
// object and with who owns which field. The input is the kind and three configurations. The first two
// have the manager "a", the third has "b" and forces conflicts.
func applyConfigurations(input []byte) string {
	part := parts(input, 4)
	kind, known := applyKinds[part[0]]
	if !known {
		return "no object"
	}
	manager := managedfieldstest.NewTestFieldManager(applyTypes, kind)
	for index, text := range part[1:] {
		if text == "" {
			continue
		}
		object := &unstructured.Unstructured{}
		if sigsjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &object.Object) != nil || object.Object == nil {
			return refused
		}
		object.SetGroupVersionKind(kind)
		name := map[bool]string{true: "b", false: "a"}[index == 2]
		if manager.Apply(object, name, index == 2) != nil {
			return refused
		}
	}
	live := manager.Live().(*unstructured.Unstructured)
	owners := map[string]any{}
	for _, entry := range live.GetManagedFields() {
		owners[entry.Manager] = json.RawMessage(entry.FieldsV1.Raw)
	}
	live.SetManagedFields(nil)
	// Without managers there may be no metadata.
	if metadata, _ := live.Object["metadata"].(map[string]any); len(metadata) == 0 {
		delete(live.Object, "metadata")
	}
	return strings.TrimSpace(oneLine(map[string]any{"object": live.Object, "owners": owners}))
}
