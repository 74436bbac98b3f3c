// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

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

// parseYAML answers with the JSON of one document.
func parseYAML(input []byte) string {
	text, err := yaml.YAMLToJSON(input)
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
