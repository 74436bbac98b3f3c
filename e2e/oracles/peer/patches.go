// SPDX-License-Identifier: Apache-2.0

package main

import (
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	sigsjson "sigs.k8s.io/json"
)

// The inputs of the patch modes are an object and a patch, as in the handlers of kube-apiserver.

func isObject(text string) bool {
	var object map[string]any
	return sigsjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &object) == nil && object != nil
}

func patchedJSON(text []byte, err error) string {
	if err != nil {
		return refused
	}
	return parseJSON(text)
}

// maxCopiedBytes is the limit of kube-apiserver for the copies of one patch.
const maxCopiedBytes = 3 * 1024 * 1024

// applyJSONPatch refuses what makes the library panic: kube-apiserver answers it with an error.
func applyJSONPatch(input []byte) (answer string) {
	defer func() {
		if recover() != nil {
			answer = refused
		}
	}()
	jsonpatch.AccumulatedCopySizeLimit = maxCopiedBytes
	part := parts(input, 2)
	if !isObject(part[0]) {
		return "no object"
	}
	patch, err := jsonpatch.DecodePatch([]byte(part[1]))
	if err != nil {
		return refused
	}
	return patchedJSON(patch.Apply([]byte(part[0])))
}

func applyMergePatch(input []byte) string {
	part := parts(input, 2)
	if !isObject(part[0]) {
		return "no object"
	}
	if !isObject(part[1]) {
		return refused // by the decoder of the object, if not by the patch
	}
	return patchedJSON(jsonpatch.MergePatch([]byte(part[0]), []byte(part[1])))
}

// strategicKinds are the types whose patch strategies decide.
var strategicKinds = map[string]any{
	"Deployment": &appsv1.Deployment{},
	"Pod":        &corev1.Pod{},
	"Service":    &corev1.Service{},
}

// applyStrategicPatch reads the kind, an object of the kind, and a patch. It refuses what makes the package
// panic: kube-apiserver answers it with an error.
func applyStrategicPatch(input []byte) (answer string) {
	defer func() {
		if recover() != nil {
			answer = refused
		}
	}()
	part := parts(input, 3)
	kind := strategicKinds[part[0]]
	if kind == nil || !isObject(part[1]) {
		return "no object"
	}
	if !isObject(part[2]) {
		return refused
	}
	var object, patch map[string]any
	if sigsjson.UnmarshalCaseSensitivePreserveInts([]byte(part[1]), &object) != nil ||
		sigsjson.UnmarshalCaseSensitivePreserveInts([]byte(part[2]), &patch) != nil {
		return "no object"
	}
	// The merge may write behind the end of a list. A copy has no room there, so its result does not depend on
	// how the list was read.
	object = runtime.DeepCopyJSON(object)
	patched, err := strategicpatch.StrategicMergeMapPatch(object, patch, kind)
	if err != nil {
		return refused
	}
	return oneLine(map[string]any(patched))
}
