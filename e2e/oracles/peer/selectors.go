// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"sort"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// labelSets are the objects that a label selector is tried on. selectors.cc has the same.
var labelSets = []labels.Set{
	{},
	{"a": ""},
	{"a": "1"},
	{"a": "2"},
	{"a": "b"},
	{"a": "10"},
	{"b": "1"},
	{"a": "1", "b": "1"},
	{"a": "1", "b": "2"},
	{"a": "in", "in": "a"},
	{"notin": "1"},
	{"x.io/a": "1"},
	{"x.io/a": "2", "a": "1"},
	{"a": "-5"},
	{"a": "A"},
	{"a": "9223372036854775807"},
}

func parseLabelSelector(input []byte) string {
	selector, err := labels.Parse(string(input))
	if err != nil {
		return refused
	}
	return matchesOf(selector)
}

// readSelectorOfKind reads the selector of a Deployment.
func readSelectorOfKind(input []byte) string {
	var deployment appsv1.Deployment
	object := fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"selector":%s}}`, input)
	if _, _, err := jsonSerializer.Decode([]byte(object), nil, &deployment); err != nil {
		return refused
	}
	// A Deployment without a selector is a null selector in Go, and selects nothing.
	selector, err := metav1.LabelSelectorAsSelector(deployment.Spec.Selector)
	if err != nil {
		return refused
	}
	return matchesOf(selector)
}

func matchesOf(selector labels.Selector) string {
	var matches strings.Builder
	for _, set := range labelSets {
		if selector.Matches(set) {
			matches.WriteByte('1')
		} else {
			matches.WriteByte('0')
		}
	}
	return matches.String()
}

// parseFieldSelector accepts the fields that every kind has.
func parseFieldSelector(input []byte) string {
	selector, err := fields.ParseSelector(string(input))
	if err != nil {
		return refused
	}
	var lines []string
	for _, requirement := range selector.Requirements() {
		if requirement.Field != "metadata.name" && requirement.Field != "metadata.namespace" {
			return refused
		}
		operator := "!="
		if requirement.Operator != "!=" {
			operator = "="
		}
		lines = append(lines, requirement.Field+operator+plain(requirement.Value)+" ")
	}
	sort.Strings(lines)
	return strings.Join(lines, "")
}
