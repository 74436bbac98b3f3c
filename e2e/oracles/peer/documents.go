// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	goyaml "go.yaml.in/yaml/v2"
	sigsjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// typed returns the value such that its JSON tells int64 and float64 apart, as 1 and 1.0.
func typed(value any) any {
	switch value := value.(type) {
	case float64:
		text := strconv.FormatFloat(value, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return json.RawMessage(text)
	case []any:
		for index := range value {
			value[index] = typed(value[index])
		}
	case map[string]any:
		for key := range value {
			value[key] = typed(value[key])
		}
	}
	return value
}

func oneLine(value any) string {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(typed(value)); err != nil {
		return "no JSON: " + err.Error()
	}
	return string(bytes.TrimRight(line.Bytes(), "\n"))
}

// keyText returns the key of JSON for a key of YAML, as sigs.k8s.io/yaml does.
func keyText(key any) string {
	switch key := key.(type) {
	case float64:
		text := strconv.FormatFloat(key, 'g', -1, 32)
		switch text {
		case "+Inf":
			return ".inf"
		case "-Inf":
			return "-.inf"
		case "NaN":
			return ".nan"
		}
		return text
	default:
		return fmt.Sprint(key)
	}
}

// hasEqualKeys reports whether a map has different keys of YAML with the same key of JSON, such as 1 and "1".
// The order of Go's map, which is random, decides which one stays.
func hasEqualKeys(value any) bool {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if hasEqualKeys(item) {
				return true
			}
		}
	case map[any]any:
		seen := map[string]bool{}
		for key, member := range value {
			if text := keyText(key); seen[text] || hasEqualKeys(member) {
				return true
			} else {
				seen[text] = true
			}
		}
	}
	return false
}

// choices returns the value for JSON. The value of a member is {"any of": [...]} if several may stay.
func choices(value any) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for index, item := range value {
			list[index] = choices(item)
		}
		return list
	case map[any]any:
		members := map[string][]any{}
		for key, member := range value {
			members[keyText(key)] = append(members[keyText(key)], choices(member))
		}
		object := map[string]any{}
		for key, candidates := range members {
			object[key] = candidates[0]
			if len(candidates) > 1 {
				object[key] = map[string]any{"any of": candidates}
			}
		}
		return object
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return "no JSON"
		}
		text, _ := json.Marshal(value)
		return json.RawMessage(text)
	}
	return value
}

// parseYAML answers with the JSON of one document. A document with equal keys gets "any of: " and choices.
func parseYAML(input []byte) string {
	text, err := yaml.YAMLToJSON(input)
	if err != nil && strings.Contains(err.Error(), "unsupported map key") {
		return refused
	}
	var value any
	if goyaml.Unmarshal(input, &value) == nil && hasEqualKeys(value) {
		return "any of: " + oneLine(choices(value))
	}
	if err != nil {
		return refused
	}
	return string(bytes.TrimRight(text, "\n"))
}

// parseJSON answers with the document as apimachinery decodes objects of unknown kinds.
func parseJSON(input []byte) string {
	var value any
	if err := sigsjson.UnmarshalCaseSensitivePreserveInts(input, &value); err != nil {
		return refused
	}
	return oneLine(value)
}
